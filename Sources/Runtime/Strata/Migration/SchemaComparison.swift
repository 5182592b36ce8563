import SQLSchema

/// Compares the tables and indexes of a database with those of a schema version.
package enum SchemaComparison {
    /// Returns the names of the schema's tables and indexes that are missing or differ from those of a new store.
    ///
    /// The order of a table's columns and the names of indexes do not matter, because no statement depends on them.
    ///
    /// - Parameters:
    ///   - connection: The database.
    ///   - version: The version that the database should have.
    ///   - isStrict: Whether additional tables and indexes, for example tables of the app, are differences too.
    /// - Returns: The names, sorted.
    package static func differences(
        of connection: Connection, from version: SchemaVersion, isStrict: Bool = false
    ) throws -> [String] {
        var expected: [String: [String]] = [:]
        var statements: [String: String] = [:]
        for table in version.tables + StoreMetadata.tables {
            expected[table.name] = ["TABLE"] + SQLite.elements(of: table).sorted()
            statements[table.name] = SQLite.createTable(table)
            for index in table.indexes {
                let text = SQLite.createIndex(index, on: table.name)
                expected[unnamed(text, index.name), default: []].append("INDEX")
            }
            guard let search = SearchIndex(of: table) else { continue }
            expected[search.name] = [search.table] + search.triggers
        }
        var found: [String: [String]] = [:]
        // SQLite creates the indexes without SQL for the constraints in a table's SQL.
        let query = """
            SELECT type, name, sql, tbl_name FROM sqlite_schema
            WHERE type IN ('table', 'index') AND sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            OR type = 'trigger' AND name LIKE 'strata\\_search\\_%' ESCAPE '\\' ORDER BY rowid
            """
        let searches = Dictionary(
            version.tables.compactMap { table in SearchIndex(of: table).map { (table.name, $0.name) } },
            uniquingKeysWith: { first, _ in first })
        let names = Set(expected.keys)
        try connection.query(query) { row in
            let sql = try row.string(2)
            let type = try row.string(0)
            let name = try row.string(1)
            let table = try row.string(3)
            // Strata creates some tables only when they are needed.
            if ReservedNames.isOfStrata(table.lowercased()), !names.contains(table) { return }
            switch type {
            case "trigger":
                // A trigger belongs to the index of its table.
                found[searches[table] ?? name, default: []].append(sql)
            case "table" where sql == statements[name] && table == name:
                found[name] = expected[name]
            case "table"
            where sql.hasSuffix(" STRICT") && sql.hasPrefix("CREATE TABLE \(SQL.quoted(name)) (") && table == name:
                found[name] = ["TABLE"] + SQLText.elements(of: sql).sorted()
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
            // The app may have created another index on the same columns.
            return wanted.first == "INDEX" ? found.count < wanted.count : found != wanted
        }.sorted()
    }

    /// Returns the names of the indexes that were created by statements, by the statements without the names.
    static func indexNames(of connection: Connection) throws -> [String: [String]] {
        var names: [String: [String]] = [:]
        try connection.query("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL") { row in
            let name = try row.string(0)
            names[unnamed(try row.string(1), name), default: []].append(name)
        }
        return names
    }

    /// Returns the statement that creates an index, without the name of the index.
    static func unnamed(_ statement: String, _ name: String) -> String {
        for start in ["CREATE INDEX ", "CREATE UNIQUE INDEX "] {
            let named = start + SQL.quoted(name) + " "
            if statement.hasPrefix(named) { return start + statement.dropFirst(named.count) }
        }
        return statement
    }
}
