import SQLSchema

/// The keys that an object in a description may have.
package struct KeyTable {
    /// The kind of object, for messages.
    package let owner: String
    /// The keys of fields. Their values may have a history.
    package let fields: Set<String>
    /// The other keys.
    package var others: Set<String> = []
    /// The keys from Lucid that have no meaning for a store.
    package var ignored: Set<String> = []
    /// The keys, by alternative spelling.
    package var aliases: [String: String] = [:]

    package static let entity = KeyTable(
        owner: "an entity", fields: ["name", "persisted_name", "identifier", "search", "distribution"],
        others: [
            "$schema", "description", "properties", "indexes", "checks", "version_history", "added_at_version",
            "removed_at_version", "discard", "previous_name", "persist", "merged_into",
        ],
        ignored: [
            "uid", "remote", "client_queue_name", "cache_size", "query_context", "platforms", "metadata",
            "system_properties", "last_remote_read", "objc", "sendable", "senable",
        ],
        aliases: ["legacy_previous_name": "previous_name", "legacy_added_at_version": "added_at_version"])

    package static let property = KeyTable(
        owner: "a property",
        fields: Set([
            "name", "persisted_name", "property_type", "nullable", "lazy", "default_value", "unique", "indexed",
            "collation", "computed", "stored", "ordered", "duplicates", "on_delete",
        ]).union(ValueLimit.Kind.allCases.map(\.rawValue)),
        others: [
            "description", "version_history", "added_at_version", "removed_at_version", "discard", "previous_name",
            "unused",
        ],
        ignored: ["key", "match_exact_key", "log_error", "use_for_equality", "mutable", "objc", "platforms"],
        aliases: ["optional": "nullable", "extra": "lazy"])

    package static let index = KeyTable(
        owner: "an index", fields: ["properties", "unique", "where"],
        others: ["version_history", "added_at_version", "removed_at_version", "discard"])

    package static let check = KeyTable(
        owner: "a check", fields: ["name", "where"],
        others: ["version_history", "added_at_version", "removed_at_version", "previous_name"])

    package static let search = KeyTable(owner: "a search", fields: ["properties", "tokenizer"])

    /// Returns the keys of the object in a field of an entity; nil if the field is not an object with keys.
    package static func ofField(_ key: String) -> KeyTable? {
        switch key {
        case "identifier": identifier
        case "search": search
        default: nil
        }
    }

    package static let subtype = KeyTable(
        owner: "a subtype", fields: ["name"],
        others: [
            "$schema", "description", "cases", "unused_cases", "options", "unused_options", "properties",
            "version_history",
            "added_at_version", "removed_at_version", "previous_name",
        ],
        ignored: [
            "uid", "objc", "objc_none_case", "platforms", "metadata", "manual_implementations", "custom_decoder",
            "sendable",
        ])

    package static let subtypeCase = KeyTable(
        owner: "a case", fields: ["name", "value"],
        others: [
            "description", "version_history", "added_at_version", "removed_at_version", "previous_name", "replaced_by",
            "unused",
        ])

    package static let option = KeyTable(
        owner: "an option", fields: ["name", "bit"],
        others: [
            "description", "version_history", "added_at_version", "removed_at_version", "previous_name", "discard",
            "unused",
        ])

    package static let member = KeyTable(
        owner: "a property of a struct", fields: ["name", "property_type", "nullable", "default_value"],
        others: [
            "description", "version_history", "added_at_version", "removed_at_version", "previous_name", "discard",
            "unused",
        ],
        ignored: ["key", "match_exact_key", "log_error", "mutable", "objc", "platforms"],
        aliases: ["optional": "nullable"])

    package static let item = KeyTable(
        owner: "an item of \"version_history\"", fields: [],
        others: [
            "version", "previous_name", "previous", "fill", "fill_from", "rows", "migration", "ignore_migration_checks",
            "ignore_property_migration_checks_on",
        ])

    package static let identifier = KeyTable(
        owner: "an identifier", fields: ["type", "name", "property", "properties", "derived_from_relationships"],
        ignored: ["objc", "atomic", "equivalent_to_identifier_of"], aliases: ["property_name": "property"])

    package static let relationship = KeyTable(
        owner: "a relationship", fields: ["entity_name", "association", "inverse"],
        ignored: ["id_only", "failable_items", "platforms"])

    /// The former values of a property. Parts of its relationship may be among them.
    package static let propertyWithRelationship = KeyTable(
        owner: property.owner, fields: property.fields.union(relationship.fields), aliases: property.aliases)

    /// All accepted keys.
    package var all: Set<String> { fields.union(others).union(ignored) }

    /// The required keys, in the order in which messages report them.
    package var required: [String] {
        if owner == Self.identifier.owner { return [] }
        if owner == Self.check.owner { return ["name", "where"] }
        return ["name", "property_type", "properties"].filter { fields.contains($0) }
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
        if owner == Self.relationship.owner, Self.property.fields.contains(key) {
            return .misplacedKey(key, belongs: "beside \"property_type\", not inside it")
        }
        if Self.item.others.contains(key) {
            return .misplacedKey(key, belongs: "in an item of \"version_history\", beside its \"version\"")
        }
        let nearest = fields.union(others).union(aliases.keys).nearest(to: key)
        return .unknownKey(key, of: owner, nearest: nearest.map { aliases[$0] ?? $0 })
    }
}
