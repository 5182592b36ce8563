import JSONText
import SQLSchema

/// A subtype in one version: an enum, an option set or a struct.
package struct Subtype: Hashable, Sendable {
    /// The kind of a subtype.
    package enum Kind: Hashable, Sendable {
        /// An enum. A column contains the value of a case.
        case cases([Case])
        /// An option set. A column contains its bits.
        case options([Option])
        /// A struct. A column contains it as JSON.
        case members([Property])

        fileprivate var lineages: [ElementLineage] {
            switch self {
            case .cases(let cases): cases.map(\.lineage)
            case .options(let options): options.map(\.lineage)
            case .members(let members): members.map(\.lineage)
            }
        }
    }

    /// A case of an enum.
    package struct Case: Hashable, Sendable {
        /// The case's lineage in its subtype.
        package var lineage: ElementLineage
        /// The name in this version's description.
        package var name: String
        /// The stored value.
        package var value: String
        /// The documentation from the description.
        package var documentation: String?
        /// Whether it only exists to keep stored values readable.
        package var isUnused: Bool

        /// Creates a case.
        package init(
            lineage: ElementLineage, name: String, value: String, documentation: String? = nil, isUnused: Bool = false
        ) {
            self.lineage = lineage
            self.name = name
            self.value = value
            self.documentation = documentation
            self.isUnused = isUnused
        }
    }

    /// An option of an option set.
    package struct Option: Hashable, Sendable {
        /// The option's lineage in its subtype.
        package var lineage: ElementLineage
        /// The name in this version's description.
        package var name: String
        /// The number of the bit, from 0 to 62.
        package var bit: Int
        /// The documentation from the description.
        package var documentation: String?
        /// Whether it only exists to keep stored values readable.
        package var isUnused: Bool

        /// Creates an option.
        package init(
            lineage: ElementLineage, name: String, bit: Int, documentation: String? = nil, isUnused: Bool = false
        ) {
            self.lineage = lineage
            self.name = name
            self.bit = bit
            self.documentation = documentation
            self.isUnused = isUnused
        }
    }

    /// The subtype's lineage.
    package var lineage: SubtypeLineage
    /// The name in this version's description.
    package var name: String
    /// The documentation from the description.
    package var documentation: String?
    /// The kind and the elements.
    package let kind: Kind
    /// The positions of the elements in `kind`. An enum can have thousands.
    private let positions: [ElementLineage: Int]

    /// Creates a subtype.
    package init(lineage: SubtypeLineage, name: String, documentation: String? = nil, kind: Kind) {
        self.lineage = lineage
        self.name = name
        self.documentation = documentation
        self.kind = kind
        self.positions = Dictionary(
            kind.lineages.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns whether it has a case, an option or a member.
    package func contains(_ element: ElementLineage) -> Bool { positions[element] != nil }

    /// Returns a case; nil if there is none with this lineage.
    package func choice(_ element: ElementLineage) -> Case? {
        positions[element].flatMap { if case .cases(let cases) = kind { cases[$0] } else { nil } }
    }

    /// Returns an option; nil if there is none with this lineage.
    package func option(_ element: ElementLineage) -> Option? {
        positions[element].flatMap { if case .options(let options) = kind { options[$0] } else { nil } }
    }

    /// Returns a member; nil if there is none with this lineage.
    package func member(_ element: ElementLineage) -> Property? {
        positions[element].flatMap { if case .members(let members) = kind { members[$0] } else { nil } }
    }

    /// The members of a struct.
    package var members: [Property] {
        if case .members(let members) = kind { members } else { [] }
    }

    /// The cases of an enum.
    package var cases: [Case] {
        if case .cases(let cases) = kind { cases } else { [] }
    }

    /// The options of an option set.
    package var options: [Option] {
        if case .options(let options) = kind { options } else { [] }
    }

    /// The lineages of its cases, options or members.
    package var elementLineages: [ElementLineage] { kind.lineages }

    /// The subtypes that its members contain.
    package var parts: Set<SubtypeLineage> {
        Set(members.compactMap { $0.type?.subtype })
    }
}

extension ModelVersion {
    /// Returns the storage type of the column for values of `type`.
    package func storage(of type: ValueType) -> StorageType {
        switch type {
        case .scalar(let scalar): return scalar.storage
        case .array, .dictionary: return .text
        case .subtype(let lineage):
            if case .options = subtype(lineage)?.kind { return .integer }
            return .text
        }
    }

    /// Returns whether the values of `property` are stored as JSON. Structs, lists and dictionaries are.
    package func isJSON(_ property: Property) -> Bool {
        switch property.type {
        case .array, .dictionary: true
        case .subtype(let lineage): !(subtype(lineage)?.members.isEmpty ?? true)
        case .scalar, nil: false
        }
    }

    /// Returns the name of `type` in descriptions: `int`, `status`, `[address]`, `{string:int}`.
    package func name(of type: ValueType) -> String {
        switch type {
        case .scalar(let scalar): scalar.rawValue
        case .array(let element): "[\(name(of: element))]"
        case .dictionary(let key, let value): "{\(key.rawValue):\(name(of: value))}"
        case .subtype(let lineage): subtype(lineage)?.name ?? ""
        }
    }

    // MARK: Constants

    /// Returns the stored value of `constant`; nil if the version does not have the value.
    package func literal(_ constant: Constant, type: ValueType) -> Literal? {
        switch (constant, type) {
        case (.literal(let literal), .scalar):
            return literal
        case (.choice(let lineage), .subtype(let subtype)):
            return self.subtype(subtype)?.choice(lineage).map { .text($0.value) }
        case (.options(let lineages), .subtype(let subtype)):
            let bits = lineages.map { self.subtype(subtype)?.option($0)?.bit }
            guard !bits.contains(nil) else { return nil }
            return .integer(bits.reduce(0) { $0 | 1 << Int64($1 ?? 0) })
        default:
            return json(constant, type: type).map { .text($0) }
        }
    }

    /// Returns whether a property of a type can have a stored value.
    package func canHave(_ value: Literal, _ type: ValueType) -> Bool {
        if case .subtype(let lineage) = type, case .cases(let cases) = subtype(lineage)?.kind {
            return cases.contains { .text($0.value) == value }
        }
        switch (storage(of: type), value) {
        case (.integer, .integer), (.real, .integer), (.real, .real), (.text, .text), (.blob, .blob), (.any, _):
            return true
        default: return false
        }
    }

    /// Returns the value of `constant` inside JSON; nil if the version does not have the value.
    package func json(_ constant: Constant, type: ValueType) -> String? {
        switch (constant, type) {
        case (.list(let elements), .array(let element)):
            let texts = elements.map { json($0, type: element) }
            return texts.contains(nil) ? nil : "[" + texts.compactMap(\.self).joined(separator: ",") + "]"
        case (.dictionary(let values), .dictionary(let key, let type)):
            let sorted = values.sorted { key == .int ? Int($0.key) ?? 0 < Int($1.key) ?? 0 : $0.key < $1.key }
            let texts = sorted.map { key, value in
                json(value, type: type).map { JSON.quoted(key) + ":" + $0 }
            }
            return texts.contains(nil) ? nil : "{" + texts.compactMap(\.self).joined(separator: ",") + "}"
        case (.object(let values), .subtype(let lineage)):
            var texts: [String] = []
            for member in subtype(lineage)?.members ?? [] {
                guard let type = member.type, let value = values[member.lineage] ?? member.defaultValue else {
                    if member.isNullable { continue }
                    return nil
                }
                guard let text = value == .null ? "null" : json(value, type: type) else { return nil }
                texts.append(JSON.quoted(member.name) + ":" + text)
            }
            return "{" + texts.joined(separator: ",") + "}"
        case (.literal(let literal), .scalar(let type)):
            return literal.json(type: type)
        default:
            switch literal(constant, type: type) {
            case .text(let text): return JSON.quoted(text)
            case .integer(let value): return String(value)
            default: return nil
            }
        }
    }
}
