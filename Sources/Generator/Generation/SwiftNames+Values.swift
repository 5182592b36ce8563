import JSONText
import SchemaDiff
import SchemaModel
import SQLSchema

/// Swift source for values, and for changes of their types.
extension SwiftNames {
    /// Returns Swift source for a default value or backfill value of a column.
    func value(_ literal: Literal, type: ValueType, in version: ModelVersion) -> String {
        switch (type, literal) {
        case (.scalar(let scalar), _):
            return SwiftLiteral.value(literal, type: scalar, foundation)
        case (.subtype(let lineage), .text(let text)) where version.subtype(lineage)?.cases.isEmpty == false:
            return self.value(JSON(value: .string(text), offset: 0), type: type, in: version)
        case (.subtype, .integer(let bits)):
            return self.value(JSON(value: .number(String(bits)), offset: 0), type: type, in: version)
        case (_, .text(let text)):
            // The resolved model contains only valid JSON here.
            let json = (try? JSONParser.parse(Array(text.utf8))) ?? JSON(value: .null, offset: 0)
            return self.value(json, type: type, in: version)
        default: return SwiftLiteral.value(literal, type: .string, foundation)
        }
    }

    /// Returns Swift source for a value within JSON.
    private func value(_ json: JSON, type: ValueType, in version: ModelVersion) -> String {
        switch (type, json.value) {
        case (.array(let element), .array(let values)):
            return "[" + values.map { value($0, type: element, in: version) }.joined(separator: ", ") + "]"
        case (.dictionary(let key, let type), .object(let members)):
            let texts = members.map { member in
                "\(key == .int ? member.key : SwiftLiteral.string(member.key)): \(value(member.value, type: type, in: version))"
            }
            return texts.isEmpty ? "[:]" : "[\(texts.joined(separator: ", "))]"
        case (.subtype(let lineage), .string(let text)):
            let choice = version.subtype(lineage)?.cases.first { $0.value == text }
            let name = SwiftName.escaped(SwiftName.member(choice?.name ?? ""))
            return "\(self.type(type, in: version)).\(name)"
        case (.subtype(let lineage), .number(let text)):
            let bits = Int(text) ?? 0
            let options = version.subtype(lineage)?.options.filter { bits & (1 << $0.bit) != 0 } ?? []
            return "[" + options.map { "." + SwiftName.escaped(SwiftName.member($0.name)) }.joined(separator: ", ")
                + "]"
        case (.subtype(let lineage), .object(let members)):
            let properties = version.subtype(lineage)?.members ?? []
            let arguments = properties.compactMap { property -> String? in
                guard let type = property.type, let json = members.first(where: { $0.key == property.name })?.value
                else { return nil }
                return "\(SwiftName.label(SwiftName.member(property.name))): \(value(json, type: type, in: version))"
            }
            return "\(self.type(type, in: version))(" + arguments.joined(separator: ", ") + ")"
        case (.scalar(let scalar), _):
            return value(json, type: scalar)
        default:
            return "nil"
        }
    }

    private func value(_ json: JSON, type: ScalarType) -> String {
        switch (type, json.value) {
        case (_, .bool(let value)): return String(value)
        case (.date, .number(let text)): return "\(foundation)Date(timeIntervalSinceReferenceDate: \(text))"
        case (_, .number(let text)): return text
        case (.url, .string(let text)): return "\(foundation)URL(string: \(SwiftLiteral.string(text)))!"
        case (.decimal, .string(let text)): return "\(foundation)Decimal(string: \(SwiftLiteral.string(text)))!"
        case (.uuid, .string(let text)): return "\(foundation)UUID(uuidString: \(SwiftLiteral.string(text)))!"
        case (.data, .string(let text)): return "\(foundation)Data(base64Encoded: \(SwiftLiteral.string(text)))!"
        case (_, .string(let text)): return SwiftLiteral.string(text)
        default: return "nil"
        }
    }

    // MARK: Changes of type

    /// Returns the changed value of `old`.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - old: The old value.
    ///   - isOptional: Whether the type of `old` is an optional.
    ///   - version: The version of the new value.
    func expression(_ change: TypeChange, _ old: Expression, isOptional: Bool, in version: ModelVersion) -> Expression {
        switch change.values {
        case .scalar(_, let to): .scalar(to: to.rawValue, of: old)
        case .caseToString: .rawValue(of: old, isOptional: isOptional)
        case .cases, .options, .members, .elements, .values:
            isOptional
                ? .map(old, element: migrated(.name("$0"), to: change.to, in: version))
                : migrated(old, to: change.to, in: version)
        }
    }

    /// Returns the value of `old`, which has an older Swift type of a subtype, in its type in `version`.
    private func migrated(_ old: Expression, to type: ValueType, in version: ModelVersion) -> Expression {
        if case .array(let element) = type {
            return .map(old, element: migrated(.name("$0"), to: element, in: version))
        }
        if case .dictionary(_, let value) = type {
            return .mapValues(old, element: migrated(.name("$0"), to: value, in: version))
        }
        return .migrating(old, to: self.type(type, in: version))
    }
}
