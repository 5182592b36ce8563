import SQLSchema

/// A foreign key of a table that is dangling in one or more rows.
struct DanglingKey {
    let table: String
    /// The table that it refers to.
    let target: String
    /// The number of rows in which it is dangling.
    let count: Int
    /// The number of the foreign key in its table.
    let number: Int
    let rule: Table.DeleteRule?

    /// Whether the delete rule says what happens to the row if its target is missing.
    var isRepairable: Bool { rule == .nullify || rule == .cascade }

    /// A query for the numbers of the rows.
    var rows: String {
        "SELECT \"rowid\" FROM pragma_foreign_key_check(\(SQL.literal(table))) WHERE fkid = \(number)"
    }

    /// The columns of the foreign key, in their order.
    func columns(in connection: Connection) throws -> [String] {
        let list = "pragma_foreign_key_list(\(SQL.literal(table)))"
        return try connection.texts("SELECT \"from\" FROM \(list) WHERE id = \(number) ORDER BY seq")
    }

    /// Returns the dangling foreign keys, sorted by table and target.
    ///
    /// - Parameter tables: The tables that contain them; nil for all tables.
    static func all(of tables: [Table]?, in connection: Connection) throws -> [DanglingKey] {
        var keys: [DanglingKey] = []
        let checks = tables.map { tables in
            tables.filter { !$0.foreignKeys.isEmpty }.map(\.name).sorted().map { "(\(SQL.literal($0)))" }
        }
        for check in checks ?? [""] {
            try connection.query(
                """
                SELECT c."table", c.parent, c.fkid, count(*), (SELECT on_delete FROM pragma_foreign_key_list(c."table")
                WHERE id = c.fkid) FROM pragma_foreign_key_check\(check) AS c GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
                """
            ) { row in
                keys.append(
                    DanglingKey(
                        table: try row.string(0), target: try row.string(1), count: try row.int(3),
                        number: try row.int(2), rule: SQLite.deleteRule(try row.string(4))))
            }
        }
        return keys
    }
}
