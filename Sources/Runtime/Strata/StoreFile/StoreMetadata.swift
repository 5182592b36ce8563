import SQLSchema

/// Strata's own tables in a store: the schema and version of the store, and the log of its migrations.
package enum StoreMetadata {
    /// The format that this code reads and writes.
    static let format = 1
    /// "STRA", in the database header.
    static let applicationID = 0x5354_5241

    /// The tables of the format. They do not belong to any schema version.
    static let tables = [
        Table("strata_metadata", ["\"key\" text key", "value any?"]),
        Table(
            "strata_migrations",
            [
                "id integer key", "from_version text", "to_version text", "finished_at real", "seconds real",
                "rows integer",
            ]),
    ]

    /// Creates the tables of the format.
    static func create(in connection: Connection) throws {
        for table in tables { try connection.execute(SQLite.createTable(table)) }
        try connection.execute("PRAGMA application_id = \(applicationID)")
    }

    /// Whether an entry of `strata_metadata` with this key is one of Strata's.
    package static func isKey(_ key: String) -> Bool {
        let keys = [
            "format", "schema", "version", "fingerprint", "compatible_since", "compatible", "draft_tables",
            "draft_types",
        ]
        return keys.contains(key) || key.hasPrefix(LastIDs.keyPrefix)
    }

    /// Writes the version of the store.
    ///
    /// - Parameter draft: The state of the draft that the store keeps; nil for none.
    static func write(
        _ version: SchemaVersion, schema: String, draft: DraftState?, to connection: Connection
    ) throws {
        let statement = try connection.prepare(
            """
            INSERT INTO "strata_metadata" ("key", "value") VALUES (?1, ?2)
            ON CONFLICT ("key") DO UPDATE SET "value" = excluded."value"
            """)
        func write(_ key: String, _ bind: () throws -> Void) throws {
            try statement.bind(key, at: 1)
            try bind()
            try statement.run()
        }
        try write("format") { try statement.bind(format, at: 2) }
        try write("schema") { try statement.bind(schema, at: 2) }
        try write("version") { try statement.bind(version.name, at: 2) }
        try write("fingerprint") { try statement.bind(Int64(bitPattern: version.fingerprint), at: 2) }
        if version.compatible.isEmpty {
            try connection.execute(
                "DELETE FROM \"strata_metadata\" WHERE \"key\" IN ('compatible_since', 'compatible')")
        } else {
            let fingerprints = version.compatible.map { String($0, radix: 16) }.joined(separator: " ")
            try write("compatible_since") { try statement.bind(version.compatibleSince, at: 2) }
            try write("compatible") { try statement.bind(fingerprints, at: 2) }
        }
        if let draft {
            let lines = draft.tables.flatMap(SchemaText.lines).joined(separator: "\n")
            try write("draft_tables") { try statement.bind(lines, at: 2) }
            try write("draft_types") { try statement.bind(draft.valueTypes, at: 2) }
        } else {
            try connection.execute(
                "DELETE FROM \"strata_metadata\" WHERE \"key\" IN ('draft_tables', 'draft_types')")
        }
        try connection.execute("PRAGMA user_version = \(version.fingerprint.userVersion)")
    }
}
