import SchemaSQL

/// Does to rows whose foreign keys lead nowhere what their tables say is to be done when the row that they point at is
/// deleted.
struct ForeignKeyRepair {
    let connection: Connection

    /// - Returns: The number of rows that were changed or deleted, by table.
    /// - Throws: `MigrationError.danglingForeignKeys` where a table denies the deletion.
    func run() throws -> [String: Int] {
        var repaired: [String: Int] = [:]
        var isChanged = true
        while isChanged {
            isChanged = false
            for key in try danglingKeys() {
                let count = try repair(key)
                repaired[key.table, default: 0] += count
                isChanged = isChanged || count > 0
            }
        }
        return repaired
    }

    private struct Key {
        let table: String
        let number: Int
        let count: Int
    }

    private func danglingKeys() throws -> [Key] {
        var keys: [Key] = []
        try connection.query("SELECT \"table\", fkid, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2") {
            keys.append(Key(table: try $0.string(0), number: try $0.int(1), count: try $0.int(2)))
        }
        return keys
    }

    private func repair(_ key: Key) throws -> Int {
        var columns: [String] = []
        var rule = ""
        let list = "SELECT \"from\", on_delete FROM pragma_foreign_key_list(\(SQL.literal(key.table)))"
        try connection.query("\(list) WHERE id = \(key.number) ORDER BY seq") { row in
            columns.append(try row.string(0))
            rule = try row.string(1)
        }
        let sql = try connection.text("SELECT sql FROM sqlite_schema WHERE name = \(SQL.literal(key.table))") ?? ""
        guard ["SET NULL", "CASCADE"].contains(rule), let number = Table(key.table, Table.elements(of: sql)).rowNumber
        else { throw MigrationError.danglingForeignKeys([key.table: key.count]) }
        let rows = """
            \(number) IN (SELECT "rowid" FROM pragma_foreign_key_check(\(SQL.literal(key.table))) WHERE fkid = \(key.number))
            """
        let table = SQL.quoted(key.table)
        let values = columns.map { SQL.quoted($0) + " = NULL" }.joined(separator: ", ")
        try connection.execute(
            rule == "CASCADE" ? "DELETE FROM \(table) WHERE \(rows)" : "UPDATE \(table) SET \(values) WHERE \(rows)")
        return connection.changes
    }
}
