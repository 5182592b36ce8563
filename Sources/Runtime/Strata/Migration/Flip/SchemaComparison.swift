import SQLSchema

/// Compares the tables and indexes of a database with those of a schema version.
package enum SchemaComparison {
    /// Returns the names of the schema's tables and indexes that are missing or differ from those of a new store.
    ///
    /// The order of a table's columns and the names of indexes and constraints do not matter, because no statement depends on
    /// them. A model whose history was shortened gives other names.
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
        var tables: [String: Table] = [:]
        var searches: [String: String] = [:]
        for table in version.tables + StoreMetadata.tables {
            tables[table.name] = table
            expected[table.name] = ["TABLE"]
            for index in table.indexes {
                let text = SQLite.createIndex(index, on: table.name)
                expected[unnamed(text, index.name), default: []].append("INDEX")
            }
            guard let search = SearchIndex(of: table) else { continue }
            searches[table.name] = search.name
            expected[search.name] = [search.table] + search.triggers
        }
        var found: [String: [String]] = [:]
        // SQLite creates the indexes without SQL for the constraints in a table's SQL.
        for object in try SchemaObject.all(in: connection) {
            let (name, sql, table) = (object.name, object.sql, object.table)
            // Strata creates some tables only when they are needed.
            if ReservedNames.isOfStrata(table.lowercased()), expected[table] == nil { continue }
            switch object.type {
            case "trigger":
                guard name.lowercased().hasPrefix("strata_search_") else { continue }
                // A trigger belongs to the index of its table.
                found[searches[table] ?? name, default: []].append(sql)
            case "table", "index":
                if name.lowercased().hasPrefix("sqlite_") { continue }
                if object.type == "index", sql.contains(" ON \(SQL.quoted(table)) ") {
                    found[unnamed(sql, name), default: []].append("INDEX")
                } else {
                    found[name] = [tables[name].map { isStatement(sql, for: $0) } == true ? "TABLE" : sql]
                }
            default: continue
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

    /// Returns whether a statement creates a table, with its columns in any order, and with any names of constraints.
    private static func isStatement(_ sql: String, for table: Table) -> Bool {
        let expected = SQLite.createTable(table)
        if sql == expected { return true }
        func elements(_ statement: String) -> [String] { SQLText.elements(of: statement, named: false).sorted() }
        return sql.hasSuffix(" STRICT") && sql.hasPrefix("CREATE TABLE \(SQL.quoted(table.name)) (")
            && elements(sql) == elements(expected)
    }

    /// Returns the names of the indexes that were created by statements, by the statements without the names.
    static func indexNames(of connection: Connection) throws -> [String: [String]] {
        var names: [String: [String]] = [:]
        for index in try SchemaObject.all(in: connection) where index.type == "index" {
            names[unnamed(index.sql, index.name), default: []].append(index.name)
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
