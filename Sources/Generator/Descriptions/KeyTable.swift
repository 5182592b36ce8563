import SchemaModel
import SQLSchema

/// The keys that a kind of object in the files of a model may have.
package struct KeyTable: Sendable {
    /// The kinds of objects.
    package enum Kind: Sendable {
        case entity, property, relationship, identifier, index, check, search, subtype, subtypeCase, option, member,
            item
        case configuration

        /// The kind in words, for messages.
        package var name: String {
            switch self {
            case .entity: "an entity"
            case .property: "a property"
            case .relationship: "a relationship"
            case .identifier: "an identifier"
            case .index: "an index"
            case .check: "a check"
            case .search: "a search"
            case .subtype: "a subtype"
            case .subtypeCase: "a case"
            case .option: "an option"
            case .member: "a property of a struct"
            case .item: "an item of \"version_history\""
            case .configuration: "strata.json"
            }
        }
    }

    /// A key, with what the reference says of it.
    package struct Key: Sendable {
        enum Role {
            /// The key of a field, whose value may have a history.
            case field
            case other
        }

        package let name: String
        let role: Role
        /// The values that it accepts.
        package let schema: ValueSchema
        /// Its meaning, in Markdown.
        package let meaning: String
        package let defaultValue: String
        /// Whether its value can differ between versions.
        package let history: String
        /// The cost of a change.
        package let cost: String

        /// Its meaning as a sentence of plain text, for editors.
        package var summary: String {
            let plain = meaning.replacing(/[.:]? \(?[Ss]ee (<doc:\w+>|\*[^*]+\*)( and \*[^*]+\*)?\)?/, with: "")
                .replacing("`", with: "")
            return plain.prefix(1).uppercased() + plain.dropFirst() + (plain.hasSuffix(".") ? "" : ".")
        }

        init(
            _ name: String, _ role: Role, _ schema: ValueSchema, _ meaning: String, default defaultValue: String = "",
            history: String = "", cost: String = ""
        ) {
            (self.name, self.role, self.schema, self.meaning) = (name, role, schema, meaning)
            (self.defaultValue, self.history, self.cost) = (defaultValue, history, cost)
        }
    }

    package let kind: Kind
    /// The keys, in the order in which `strata format` writes them.
    package let keys: [Key]
    /// The keys of fields. Their values may have a history.
    package let fields: Set<String>
    /// The other keys.
    package let others: Set<String>
    /// The keys from Lucid that have no meaning for a store.
    package let ignored: Set<String>
    /// The keys, by alternative spelling.
    package let aliases: [String: String]

    init(_ kind: Kind, _ keys: [Key], ignored: Set<String> = [], aliases: [String: String] = [:]) {
        (self.kind, self.keys, self.ignored, self.aliases) = (kind, keys, ignored, aliases)
        fields = Set(keys.filter { $0.role == .field }.map(\.name))
        others = Set(keys.filter { $0.role == .other }.map(\.name))
    }

    package static let entity = KeyTable(
        .entity, entityKeys,
        ignored: [
            "uid", "remote", "client_queue_name", "cache_size", "query_context", "platforms", "metadata",
            "system_properties", "last_remote_read", "objc", "sendable", "senable",
        ], aliases: ["legacy_previous_name": "previous_name", "legacy_added_at_version": "added_at_version"])
    package static let property = KeyTable(
        .property, propertyKeys,
        ignored: ["key", "match_exact_key", "log_error", "use_for_equality", "mutable", "objc", "platforms"],
        aliases: ["optional": "nullable", "extra": "lazy"])
    package static let relationship = KeyTable(
        .relationship, relationshipKeys, ignored: ["id_only", "failable_items", "platforms"])
    package static let identifier = KeyTable(
        .identifier, identifierKeys, ignored: ["key", "objc", "atomic", "equivalent_to_identifier_of"],
        aliases: ["property_name": "property"])
    package static let index = KeyTable(.index, indexKeys)
    package static let check = KeyTable(.check, checkKeys)
    package static let search = KeyTable(.search, searchKeys)
    package static let subtype = KeyTable(
        .subtype, subtypeKeys,
        ignored: [
            "uid", "objc", "objc_none_case", "platforms", "metadata", "manual_implementations", "custom_decoder",
            "sendable",
        ])
    package static let subtypeCase = KeyTable(.subtypeCase, subtypeCaseKeys)
    package static let option = KeyTable(.option, optionKeys)
    package static let member = KeyTable(
        .member, memberKeys, ignored: ["key", "match_exact_key", "log_error", "mutable", "objc", "platforms"],
        aliases: ["optional": "nullable"])
    package static let item = KeyTable(.item, itemKeys)
    package static let configuration = KeyTable(.configuration, configurationKeys)

    /// The former values of a property. Parts of its relationship may be among them.
    package static let propertyWithRelationship = KeyTable(
        .property, (propertyKeys + relationshipKeys).filter { $0.role == .field }, aliases: property.aliases)

    /// Returns the keys of the object or of the objects in the value of a key; nil if the value has no objects with keys.
    package func table(of key: String) -> KeyTable? {
        switch (kind, key) {
        case (.entity, "identifier"): .identifier
        case (.entity, "search"): .search
        case (.entity, "properties"): .property
        case (.entity, "indexes"): .index
        case (.entity, "checks"): .check
        case (.property, "property_type"): .relationship
        case (.subtype, "cases"), (.subtype, "unused_cases"): .subtypeCase
        case (.subtype, "options"), (.subtype, "unused_options"): .option
        case (.subtype, "properties"): .member
        default: nil
        }
    }

    /// All accepted keys.
    package var all: Set<String> { fields.union(others).union(ignored) }

    /// The required keys, in the order in which messages report them.
    package var required: [String] {
        switch kind {
        case .entity, .subtype, .subtypeCase, .option: ["name"]
        case .property, .member: ["name", "property_type"]
        case .index, .search: ["properties"]
        case .check: ["name", "where"]
        case .relationship, .identifier, .item, .configuration: []
        }
    }

    /// Returns the canonical spelling of a key in this kind of object. Lucid's camelCase and older names are accepted.
    package func canonical(_ key: String) -> String {
        if fields.contains(key) || others.contains(key) { return key }
        var words = ""
        for character in key {
            if character.isUppercase { words += "_" }
            words += character.lowercased()
        }
        let name = aliases[words] ?? words
        let isKnown = [fields, others, ignored].contains { $0.contains(name) }
        return isKnown ? name : key
    }

    /// Returns the canonical spelling of a key in any kind of object.
    package static func anyCanonical(_ key: String) -> String {
        for table in [entity, property, item, identifier, relationship, index, search, subtype] {
            let name = table.canonical(key)
            if name != key { return name }
        }
        return key
    }

    /// Returns the problem with `key` in this kind of object; nil if the key is accepted.
    func problem(with key: String) -> Problem? {
        if fields.contains(key) || others.contains(key) || ignored.contains(key) { return nil }
        if kind == .relationship, Self.property.fields.contains(key) {
            return .misplacedKey(key, belongs: "beside \"property_type\", not inside it")
        }
        if Self.item.others.contains(key) {
            let like = key == "version" ? "\"version_history\": [{ \"version\": \"1.0\" }]" : nil
            return .misplacedKey(
                key,
                belongs: "in an item of \"version_history\", "
                    + (like.map { "as in \($0)" } ?? "beside its \"version\""))
        }
        let nearest = KeyHint.nearest(to: key, among: fields.union(others).union(aliases.keys))
        return .unknownKey(key, of: kind.name, nearest: nearest.map { aliases[$0] ?? $0 })
    }
}
