import SQLSchema

/// Rows that are on their way to a table, in a temporary one.
struct MovedRows {
    /// The qualified name of the temporary table.
    let name = "temp." + SQL.quoted("strata_moved")
    /// The columns of the target.
    private let columns: [String]
    private let connection: Connection

    /// Creates the temporary table.
    ///
    /// - Parameters:
    ///   - columns: The columns of the target.
    ///   - others: The quoted names of further columns.
    init(of columns: [String], and others: [String] = [], _ connection: Connection) throws {
        (self.columns, self.connection) = (columns, connection)
        try connection.execute("CREATE TABLE \(name) (\((cells + others).joined(separator: ", ")))")
    }

    /// The quoted names of the columns in the temporary table.
    private var cells: [String] { columns.indices.map { "\"c\($0)\"" } }

    /// Inserts the rows into a table, whose quoted name is `table`.
    func insert(into table: String) throws { try insert("INSERT", cells, table) }

    private func insert(_ verb: String, _ values: [String], _ table: String) throws {
        try connection.execute(
            "\(verb) INTO \(table) (\(SQL.list(columns))) SELECT \(values.joined(separator: ", ")) FROM \(name) AS m ORDER BY m.rowid"
        )
    }

    /// Inserts pairs into a join table. Two merged rows may have referenced the same row: the join table keeps one pair for
    /// both, and only a position is lost. If it keeps equal pairs, one of two with the same position moves to the end.
    ///
    /// - Parameters:
    ///   - table: The quoted name of the join table.
    ///   - key: Its primary key.
    func insertPairs(into table: String, key: [String]) throws {
        var values = cells
        if key.contains(Table.position), let index = columns.firstIndex(of: Table.position) {
            let pair = zip(columns, cells).filter { key.contains($0.0) }
            let isTaken = pair.map { "t.\(SQL.quoted($0)) = m.\($1)" }.joined(separator: " AND ")
            let number = "row_number() OVER (PARTITION BY \(pair.map(\.1).joined(separator: ", ")) ORDER BY m.rowid)"
            values[index] = """
                CASE WHEN \(number) > 1 OR EXISTS (SELECT 1 FROM \(table) AS t WHERE \(isTaken)) \
                THEN (SELECT 1 + max(p) FROM (SELECT max("position") AS p FROM \(table) UNION ALL SELECT max(\(cells[index])) FROM \(name))) \
                + row_number() OVER (ORDER BY m.rowid) ELSE m.\(cells[index]) END
                """
        }
        try insert("INSERT OR IGNORE", values, table)
    }

    func drop() throws { try connection.execute("DROP TABLE \(name)") }
}
