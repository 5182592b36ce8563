/// The keys that an object of a description may have.
struct KeyTable {
    /// What the object is, in messages.
    let owner: String
    /// The keys whose values are fields of the element, and so may have a history.
    let fields: Set<String>
    /// The other keys.
    let others: Set<String>
    /// The keys of the language that are not built yet.
    let unsupported: Set<String>

    static let entity = KeyTable(
        owner: "an entity", fields: ["name"],
        others: [
            "description", "identifier", "properties", "indexes", "version_history", "added_at_version",
            "removed_at_version", "discard", "previous_name",
        ],
        unsupported: networkKeys.union([
            "uid", "persist", "persisted_name", "merged_into", "ignore_migration_checks", "cases", "options",
            "unused_cases",
        ]))

    static let property = KeyTable(
        owner: "a property",
        fields: [
            "name", "property_type", "nullable", "default_value", "unique", "indexed", "collation", "stored", "ordered",
            "on_delete",
        ],
        others: [
            "description", "version_history", "added_at_version", "removed_at_version", "discard", "previous_name",
        ],
        unsupported: networkKeys.union([
            "persisted_name", "lazy", "extra", "unused", "optional", "ignore_migration_checks",
        ]))

    static let index = KeyTable(
        owner: "an index", fields: ["properties", "unique"],
        others: ["version_history", "added_at_version", "removed_at_version", "discard"], unsupported: [])

    static let item = KeyTable(
        owner: "an item of \"version_history\"", fields: [],
        others: ["version", "previous_name", "previous", "fill", "fill_from", "rows", "migration"], unsupported: [])

    static let identifier = KeyTable(
        owner: "an identifier", fields: ["type", "name"], others: [],
        unsupported: [
            "property", "properties", "derived_from_relationships", "version_history", "equivalent_identifier_name",
            "objc",
        ])

    static let relationship = KeyTable(
        owner: "a relationship", fields: ["entity_name", "association", "inverse"], others: [],
        unsupported: ["platforms"])

    /// Keys of Lucid's network layer.
    private static let networkKeys: Set<String> = [
        "remote", "client_queue_name", "cache_size", "key", "match_exact_key", "log_error", "query_context", "objc",
        "platforms", "metadata", "legacy_previous_name", "legacy_added_at_version", "persist_with_remote", "is_target",
        "send_mutations", "mutable", "use_for_equality", "last_remote_read", "sendable", "always_decode",
    ]

    /// The problem with `key` as a key of such an object, or nil.
    func problem(with key: String) -> Problem? {
        if fields.contains(key) || others.contains(key) { return nil }
        if unsupported.contains(key) { return .unsupportedKey(key) }
        if ["fill", "fill_from", "rows", "migration", "previous"].contains(key) {
            return .misplacedKey(key, belongs: "in an item of \"version_history\", beside its \"version\"")
        }
        return .unknownKey(key, of: owner, nearest: fields.union(others).nearest(to: key))
    }
}
