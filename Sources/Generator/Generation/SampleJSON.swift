import JSONText
import SchemaModel
import SQLSchema

/// The JSON values that fixtures store in columns of structs and lists. They cover absent and present members, every
/// case, and the limits of every type.
enum SampleJSON {
    /// Returns distinct JSON texts that cover the values of `type`.
    static func texts(of type: ValueType, in version: ModelVersion) -> [String] {
        switch type {
        case .scalar(let scalar): return texts(of: scalar)
        case .array(let element):
            let elements = texts(of: element, in: version)
            return ["[]", "[" + elements.joined(separator: ",") + "]", "[\(elements[0]),\(elements[0])]"]
        case .dictionary(let key, let value):
            let keys = key == .int ? ["0", "-1", String(Int.max)] : ["", "Ünïcødé 🧺 \"'\\ \n", "e\u{301}"]
            let values = texts(of: value, in: version)
            return [
                "{}",
                object(
                    (0..<max(keys.count, values.count)).map { index in
                        (index < keys.count ? keys[index] : String(index), values[index % values.count])
                    }),
            ]
        case .subtype(let lineage):
            switch version.subtype(lineage)?.kind {
            case .cases(let cases): return cases.map { JSON.quoted($0.value) }
            case .options(let options): return ["0", String(options.reduce(0) { $0 | 1 << $1.bit })]
            case .members(let members): return objects(members, in: version)
            case nil: return ["null"]
            }
        }
    }

    /// Returns enough objects to use every value of each member, and one object without all nullable members.
    private static func objects(_ members: [Property], in version: ModelVersion) -> [String] {
        let values = members.map { member in member.type.map { texts(of: $0, in: version) } ?? [] }
        let count = values.map(\.count).max() ?? 1
        var objects = (0..<count).map { row in
            object(zip(members, values).map { member, values in (member.name, values[row % values.count]) })
        }
        let mandatory = zip(members, values).filter { !$0.0.isNullable }.map { ($0.name, $1[0]) }
        if mandatory.count < members.count { objects.append(object(mandatory)) }
        return objects
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { JSON.quoted($0) + ":" + $1 }.joined(separator: ",") + "}"
    }

    private static func texts(of type: ScalarType) -> [String] {
        switch type {
        case .int, .milliseconds: ["0", "-1", String(Int.max), String(Int.min)]
        case .bool: ["true", "false"]
        case .double, .seconds: ["0.0", "-1.5", "1.7976931348623157e+308", "5e-324", "0.1", "\"-inf\""]
        case .float: ["0.0", "-1.5", "3.4028235e+38", "1e-45", "\"inf\""]
        case .date: ["0.0", "789012345.678901", "-63114076800.0"]
        case .string:
            [
                "\"\"", JSON.quoted("Ünïcødé 🧺 \"'\\ \r\n\t\u{0}\u{1f}/ 👩\u{200d}👧 \u{feff}%20&amp; 007 "),
                JSON.quoted("e\u{301} is not \u{e9}"),
            ]
        case .url: ["\"https://example.com/a/b?c=d&e=%20#f\"", "\"file:///tmp/a\""]
        case .color: ["\"#000000\"", "\"#12345678\""]
        case .data: ["\"\"", "\"AAEC/w==\""]
        case .uuid: ["\"6BA7B810-9DAD-11D1-80B4-00C04FD430C8\"", "\"00000000-0000-0000-0000-000000000000\""]
        case .decimal: ["\"0\"", "\"-12345678901234567890.123456789\""]
        }
    }
}
