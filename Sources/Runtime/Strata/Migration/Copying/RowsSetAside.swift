import SQLSchema

/// The old rows that no Swift type can hold, for example because a text is not UTF-8. With
/// ``StoreOptions/MalformedRows/setAside``, a custom migration goes on without them.
///
/// The table `strata_set_aside` keeps their values, one in each row, with all bytes.
struct RowsSetAside {
    private let connection: Connection
    private let version: String
    private static let table = Table(
        "strata_set_aside",
        ["id integer key", "version text", "\"table\" text", "\"row\" integer", "\"column\" text", "value any?"])

    /// - Parameter version: The version that the rows have.
    init(_ version: String, _ connection: Connection) throws {
        (self.version, self.connection) = (version, connection)
        // A statement that reads rows would end if it were created later.
        if try !Self.exists(connection) { try connection.execute(SQLite.createTable(Self.table)) }
    }

    private static func exists(_ connection: Connection) throws -> Bool {
        try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'strata_set_aside'") == 1
    }

    /// Removes the rows of versions, whose migration begins again.
    static func forget(_ versions: [String], in connection: Connection) throws {
        guard try exists(connection) else { return }
        let list = versions.map(SQL.literal).joined(separator: ", ")
        try connection.execute("DELETE FROM \"strata_set_aside\" WHERE \"version\" IN (\(list))")
    }

    /// Keeps a row.
    ///
    /// - Parameters:
    ///   - row: A row with the primary key.
    ///   - key: The columns of the primary key, and their indexes in `row`.
    ///   - table: The name of the table.
    ///   - present: Its present name.
    func add(_ row: Row, key: [(column: String, index: Int)], of table: String, named present: String) throws {
        let condition = key.enumerated().map { "\(SQL.quoted($1.column)) IS ?\($0 + 1)" }.joined(separator: " AND ")
        let select = try connection.prepare("SELECT * FROM \(SQL.quoted(present)) WHERE \(condition)")
        for (partIndex, part) in key.enumerated() { try select.bind(row, part.index, at: partIndex + 1) }
        let number = try connection.integer("SELECT coalesce(max(\"row\"), 0) + 1 FROM \"strata_set_aside\"") ?? 1
        let insert = try connection.prepare(
            """
            INSERT INTO "strata_set_aside" ("version", "table", "row", "column", "value") VALUES (?1, ?2, ?3, ?4, ?5)
            """)
        guard try select.step() else { return }
        for index in 0..<select.columnCount {
            try insert.bind(version, at: 1)
            try insert.bind(table, at: 2)
            try insert.bind(number, at: 3)
            try insert.bind(select.row.name(index), at: 4)
            try insert.bind(select.row, index, at: 5)
            try insert.run()
        }
    }
}
