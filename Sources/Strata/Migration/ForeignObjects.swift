import SchemaSQL

/// The views and triggers that somebody has put into a store. They would be in the way of a migration, so they are taken
/// out and put back as they were.
struct ForeignObjects {
    private var views: [(name: String, sql: String)] = []
    private var triggers: [(name: String, table: String, sql: String)] = []

    /// Takes them out of the database.
    init(takenFrom connection: Connection) throws {
        let query = """
            SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type IN ('view', 'trigger') ORDER BY rowid
            """
        var views: [(name: String, sql: String)] = []
        var triggers: [(name: String, table: String, sql: String)] = []
        try connection.query(query) { row in
            let (name, sql) = (try row.string(1), try row.string(3))
            if try row.string(0) == "view" {
                views.append((name, sql))
            } else {
                triggers.append((name, try row.string(2), sql))
            }
        }
        for trigger in triggers { try connection.execute("DROP TRIGGER \(SQL.quoted(trigger.name))") }
        for view in views { try connection.execute("DROP VIEW \(SQL.quoted(view.name))") }
        self.views = views
        self.triggers = triggers
    }

    /// Puts them back.
    ///
    /// - Throws: `MigrationError.foreignObjects` with those that do not fit the new version: what they name is not there
    ///   any more, or is called otherwise.
    func putBack(into connection: Connection) throws {
        var broken: [String] = []
        for (name, sql) in views.map({ ($0.name, $0.sql) }) + triggers.map({ ($0.name, $0.sql) }) {
            do { try connection.execute(sql) } catch is SQLiteError { broken.append(name) }
        }
        // SQLite looks at what they say only when they are used.
        for view in views where !broken.contains(view.name) {
            if !canPrepare("SELECT * FROM \(SQL.quoted(view.name))", connection) { broken.append(view.name) }
        }
        for trigger in triggers where !broken.contains(trigger.name) {
            let table = SQL.quoted(trigger.table)
            let columns = try SQL.list(self.columns(of: trigger.table, connection))
            let isSound = [
                "DELETE FROM \(table)", "INSERT INTO \(table) (\(columns)) SELECT \(columns) FROM \(table)",
                "UPDATE \(table) SET (\(columns)) = (SELECT \(columns))",
            ].allSatisfy { canPrepare($0, connection) }
            if !isSound { broken.append(trigger.name) }
        }
        if !broken.isEmpty { throw MigrationError.foreignObjects(broken) }
    }

    private func canPrepare(_ sql: String, _ connection: Connection) -> Bool {
        (try? connection.prepare(sql)) != nil
    }

    private func columns(of table: String, _ connection: Connection) throws -> [String] {
        var columns: [String] = []
        try connection.query("SELECT name FROM pragma_table_info(\(SQL.literal(table)))") {
            columns.append(try $0.string(0))
        }
        return columns
    }
}
