import SchemaSQL

/// Compares what a database holds with what a version of a schema asks for.
package enum SchemaComparison {
    /// The names of the schema's tables and indexes that are missing or differ from those of a new store, sorted.
    ///
    /// The order of a table's columns does not matter, nor do the names of indexes: nothing reads or writes by them.
    ///
    /// - Parameter isStrict: Whether tables and indexes beside the schema's own are differences too. An app may have such.
    package static func differences(
        of connection: Connection, from version: SchemaVersion, isStrict: Bool = false
    ) throws -> [String] {
        var expected: [String: [String]] = [:]
        var statements: [String: String] = [:]
        for table in version.tables + StoreMetadata.tables {
            expected[table.name] = ["TABLE"] + table.elements.sorted()
            statements[table.name] = table.createStatement()
            for index in table.indexes {
                let text = index.createStatement(on: table.name)
                expected[unnamed(text, index.name), default: []].append("INDEX")
            }
        }
        var found: [String: [String]] = [:]
        // Indexes without SQL are SQLite's own, for keys that the table's SQL names.
        let query = """
            SELECT type, name, sql, tbl_name FROM sqlite_schema
            WHERE type IN ('table', 'index') AND sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """
        let names = Set(expected.keys)
        try connection.query(query) { row in
            let sql = try row.string(2)
            let type = try row.string(0)
            let name = try row.string(1)
            let table = try row.string(3)
            // Strata creates further tables only where they are needed.
            if table.lowercased().hasPrefix("strata_"), !names.contains(table) { return }
            switch type {
            case "table" where sql == statements[name] && table == name:
                found[name] = expected[name]
            case "table"
            where sql.hasSuffix(" STRICT") && sql.hasPrefix("CREATE TABLE \(SQL.quoted(name)) (") && table == name:
                found[name] = ["TABLE"] + Table.elements(of: sql).sorted()
            case "index" where sql.contains(" ON \(SQL.quoted(table)) "):
                found[unnamed(sql, name), default: []].append("INDEX")
            default: found[name] = [sql]
            }
        }
        if isStrict {
            return Set(expected.keys).union(found.keys).filter { expected[$0] != found[$0] }.sorted()
        }
        return expected.keys.filter { name in
            let (wanted, found) = (expected[name] ?? [], found[name] ?? [])
            // An index of yours may be on the same columns.
            return wanted.first == "INDEX" ? found.count < wanted.count : found != wanted
        }.sorted()
    }

    /// The indexes of a database that were made by statements, by table.
    static func indexNames(of connection: Connection) throws -> [String: [Index]] {
        var indexes: [String: [Index]] = [:]
        let query = "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        try connection.query(query) { row in
            let sql = try row.string(2)
            let columns = Table.elements(of: sql).compactMap { SQL.leadingIdentifier($0) }
            let isUnique = sql.hasPrefix("CREATE UNIQUE ")
            indexes[try row.string(1), default: []].append(Index(try row.string(0), on: columns, unique: isUnique))
        }
        return indexes
    }

    /// The statement that makes an index, without the index's name.
    static func unnamed(_ statement: String, _ name: String) -> String {
        for start in ["CREATE INDEX ", "CREATE UNIQUE INDEX "] {
            let named = start + SQL.quoted(name) + " "
            if statement.hasPrefix(named) { return start + statement.dropFirst(named.count) }
        }
        return statement
    }
}
