import Foundation
import Strata

/// An inferred change of the values of a column.
public indirect enum ValueConversion: Hashable, Sendable {
    /// A value becomes the same value of another type.
    case scalar(ColumnType, to: ColumnType)
    /// The stored values of cases change. The dictionary has the new values, by old value. All others stay the same.
    case cases([String: String])
    /// The bits of options are cleared.
    case options(cleared: Int)
    /// The members of a struct change, in its JSON.
    case members([Member])
    /// Each element of a list changes, in its JSON.
    case elements(ValueConversion)
    /// Each value of a dictionary changes, in its JSON.
    case values(ValueConversion)

    /// The change of a member of a struct.
    public enum Member: Hashable, Sendable {
        /// The member is new, with a default value in JSON.
        case added(String, json: String)
        /// The member is removed.
        case removed(String)
        /// The member has another name. Its value may change too.
        case renamed(String, to: String, ValueConversion? = nil)
        /// The value of the member changes.
        case changed(String, ValueConversion)
    }

    /// Returns the converted value.
    ///
    /// - Parameter value: The old value, which is not NULL.
    /// - Throws: `UnexpectedOldValue` if the old value is not one of the old type.
    func converted(_ value: SQLiteValue) throws -> SQLiteValue {
        switch (self, value) {
        case (.scalar(.bool, to: .int), .integer), (.scalar(.float, to: .double), .real),
            (.scalar(.url, to: .string), .text), (.scalar(.color, to: .string), .text):
            return value
        case (.scalar(.bool, to: .string), .integer(0)): return .text("false")
        case (.scalar(.bool, to: .string), .integer(1)): return .text("true")
        case (.scalar(.int, to: .string), .integer(let number)), (.scalar(.int, to: .decimal), .integer(let number)):
            return .text("\(number)")
        case (.scalar(.int, to: .double), .integer(let number)): return .real(Double(number))
        case (.scalar(.uuid, to: .string), .blob(let bytes)) where bytes.count == 16:
            return .text(Self.text(ofUUID: bytes))
        case (.cases(let new), .text(let old)): return .text(new[old] ?? old)
        case (.options(let cleared), .integer(let bits)): return .integer(bits & ~Int64(cleared))
        case (.members, .text(let text)), (.elements, .text(let text)), (.values, .text(let text)):
            guard let json = ExpectedJSON(text) else { throw UnexpectedOldValue(value: value, conversion: self) }
            return .text(try converted(json).text)
        default: throw UnexpectedOldValue(value: value, conversion: self)
        }
    }

    /// Returns the sixteen bytes as uppercase hexadecimal digits in five groups.
    private static func text(ofUUID bytes: Data) -> String {
        let digits = Array("0123456789ABCDEF")
        var text = ""
        for (number, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(number) { text.append("-") }
            text.append(digits[Int(byte / 16)])
            text.append(digits[Int(byte % 16)])
        }
        return text
    }

    // MARK: JSON

    /// Returns the converted value within JSON. Null stays null.
    private func converted(_ json: ExpectedJSON) throws -> ExpectedJSON {
        switch (self, json) {
        case (_, .null): return .null
        case (.cases(let new), .string(let old)): return .string(new[old] ?? old)
        case (.options(let cleared), .number(let text)):
            guard let bits = Int(text) else { break }
            return .number("\(bits & ~cleared)")
        case (.elements(let change), .array(let elements)): return .array(try elements.map(change.converted))
        case (.values(let change), .object(let members)):
            return .object(try members.map { .init(name: $0.name, value: try change.converted($0.value)) })
        case (.members(let changes), .object(let members)): return .object(try Self.changed(members, changes))
        default: break
        }
        throw UnexpectedOldValue(value: .text(json.text), conversion: self)
    }

    private static func changed(_ old: [ExpectedJSON.Member], _ changes: [Member]) throws -> [ExpectedJSON.Member] {
        func value(_ name: String) -> ExpectedJSON? { old.first { $0.name == name }?.value }
        var new = old
        // All changes read the old members, so that two members can swap their names.
        for case .removed(let name) in changes { new.removeAll { $0.name == name } }
        for case .renamed(let name, _, _) in changes { new.removeAll { $0.name == name } }
        for change in changes {
            switch change {
            case .removed: break
            case .renamed(let name, let to, let conversion):
                let value = value(name) ?? .null
                new.append(.init(name: to, value: try conversion?.converted(value) ?? value))
            case .changed(let name, let conversion):
                guard let index = new.firstIndex(where: { $0.name == name }), let value = value(name) else { continue }
                new[index].value = try conversion.converted(value)
            case .added(let name, let json):
                guard !new.contains(where: { $0.name == name }), let value = ExpectedJSON(json) else { continue }
                new.append(.init(name: name, value: value))
            }
        }
        return new
    }
}

/// The error of an old value that a conversion does not expect.
struct UnexpectedOldValue: Error, CustomStringConvertible {
    let value: SQLiteValue
    let conversion: ValueConversion

    var description: String { "no result is known for the conversion \(conversion) of \(value)" }
}
