import SchemaSQL

/// Compares what a database holds with what a version of a schema asks for.
package enum SchemaComparison {
    /// The names of the tables and indexes that are missing, too many, or otherwise than in a new store, sorted.
    ///
    /// The order of a table's columns does not matter: nothing reads or writes them by their place.
    package static func differences(of connection: Connection, from version: SchemaVersion) throws -> [String] {
        var expected: [String: [String]] = [:]
        for table in version.tables + StoreMetadata.tables {
            expected[table.name] = ["TABLE"] + table.elements.sorted()
            for index in table.indexes { expected[index.name] = [index.createStatement(on: table.name)] }
        }
        var found: [String: [String]] = [:]
        // Indexes without SQL are SQLite's own, for keys that the table's SQL names.
        let query = """
            SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """
        try connection.query(query) { row in
            let sql = try row.string(2)
            let isTable = try row.string(0) == "table" && sql.hasSuffix(" STRICT")
            found[try row.string(1)] = isTable ? ["TABLE"] + Table.elements(of: sql).sorted() : [sql]
        }
        return Set(expected.keys).union(found.keys).filter { expected[$0] != found[$0] }.sorted()
    }
}
