import SQLSchema

/// The greatest primary keys that `newID` has returned, by table. The store keeps them, so that no row gets the key of a
/// deleted one.
package enum LastIDs {
    /// The prefix of their entries in the table `strata_metadata`.
    static let keyPrefix = "last_id "

    /// Reads the keys.
    static func read(from connection: Connection) throws -> [String: Int64] {
        var ids: [String: Int64] = [:]
        try connection.query("SELECT \"key\", \"value\" FROM \"strata_metadata\"") { row in
            guard case (.text(let key), .integer(let id)) = (row.value(0), row.value(1)), key.hasPrefix(keyPrefix)
            else { return }
            ids[String(key.dropFirst(keyPrefix.count))] = id
        }
        return ids
    }

    /// Writes the keys, and deletes those of other tables.
    package static func write(_ ids: [String: Int64], to connection: Connection) throws {
        let length = keyPrefix.utf8.count
        try connection.execute(
            "DELETE FROM \"strata_metadata\" WHERE substr(\"key\", 1, \(length)) = \(SQL.literal(keyPrefix))")
        for (table, id) in ids {
            try connection.execute(
                "INSERT INTO \"strata_metadata\" VALUES (\(SQL.literal(keyPrefix + table)), \(id))")
        }
    }
}
