import SchemaSQL

/// The views and triggers that somebody has put into a store. They would be in the way of a migration, so they are taken
/// out and put back as they were.
struct ForeignObjects {
    private var views: [(name: String, sql: String)] = []
    private var triggers: [(name: String, sql: String)] = []
    /// The ways in which they are used that were possible before.
    private var uses: [Use] = []

    /// A statement that SQLite can prepare only where a view or a trigger fits the tables.
    private struct Use {
        /// The view or the trigger.
        let name: String
        /// What the statement is about.
        let table: String
        let kind: Kind

        enum Kind {
            case select, insert, update, delete
        }

        func isPossible(_ connection: Connection) throws -> Bool {
            let table = SQL.quoted(self.table)
            let statement: String
            switch kind {
            case .select: statement = "SELECT * FROM \(table)"
            case .insert: statement = "INSERT INTO \(table) SELECT * FROM \(table)"
            case .delete: statement = "DELETE FROM \(table)"
            case .update:
                let columns = try connection.texts("SELECT name FROM pragma_table_info(\(SQL.literal(self.table)))")
                let values = columns.map { "\(SQL.quoted($0)) = \(SQL.quoted($0))" }.joined(separator: ", ")
                statement = "UPDATE \(table) SET \(values)"
            }
            return (try? connection.prepare(statement)) != nil
        }
    }

    /// Takes them out of the database.
    init(takenFrom connection: Connection) throws {
        let query = """
            SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type IN ('view', 'trigger') ORDER BY rowid
            """
        var tables: [(trigger: String, table: String)] = []
        try connection.query(query) { row in
            let (name, sql) = (try row.string(1), try row.string(3))
            if try row.string(0) == "view" {
                views.append((name, sql))
            } else {
                triggers.append((name, sql))
                tables.append((name, try row.string(2)))
            }
        }
        // SQLite looks at what they say only when they are used. What is broken before is nobody's fault here.
        let all =
            views.map { Use(name: $0.name, table: $0.name, kind: .select) }
            + tables.flatMap { trigger, table in
                [.insert, .update, .delete].map { Use(name: trigger, table: table, kind: $0) }
            }
        uses = try all.filter { try $0.isPossible(connection) }
        for trigger in triggers { try connection.execute("DROP TRIGGER \(SQL.quoted(trigger.name))") }
        for view in views { try connection.execute("DROP VIEW \(SQL.quoted(view.name))") }
    }

    /// Puts them back.
    ///
    /// - Throws: `MigrationError.foreignObjects` with those that do not fit the new version: what they name is not there
    ///   any more, or is called otherwise.
    func putBack(into connection: Connection) throws {
        var broken: [String] = []
        for (name, sql) in views + triggers {
            do { try connection.execute(sql) } catch is SQLiteError { broken.append(name) }
        }
        for use in uses where !broken.contains(use.name) {
            if try !use.isPossible(connection) { broken.append(use.name) }
        }
        if !broken.isEmpty { throw MigrationError.foreignObjects(broken) }
    }
}
