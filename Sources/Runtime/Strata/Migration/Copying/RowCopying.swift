import SQLSchema

/// Copies the rows of tables to new ones without custom code.
struct RowCopying {
    let connection: Connection
    let monitor: MigrationMonitor
    /// The transactions; nil if all rows are copied in one.
    var batches: MigrationBatches?

    /// The number of rows that one statement copies if the progress is reported.
    private static let part = 10_000

    /// Copies the rows of a table.
    ///
    /// - Parameters:
    ///   - copy: The tables and their columns.
    ///   - from: The present name of the old table; nil for its own name.
    ///   - into: The present name of the new table; nil for its temporary name within one transaction.
    /// - Returns: The number of copied rows.
    func run(_ copy: InsertSelect, from: String? = nil, into: String? = nil) throws -> Int {
        do {
            return try rows(copy, from: from, into: into)
        } catch let error as SQLiteError where error.message.contains("malformed JSON") {
            // SQLite does not name the column.
            let table = SQL.quoted(from ?? copy.source.name)
            for column in copy.jsonColumns.map(SQL.quoted) {
                let isMalformed =
                    "SELECT 1 FROM \(table) WHERE \(column) IS NOT NULL AND NOT json_valid(\(column)) LIMIT 1"
                guard try connection.integer(isMalformed) == 1 else { continue }
                throw MalformedValue(
                    table: copy.source.name, column: String(column.dropFirst().dropLast()), expected: "JSON")
            }
            throw error
        }
    }

    private func rows(_ copy: InsertSelect, from: String?, into: String?) throws -> Int {
        try monitor.checkCancellation()
        let (table, task) = (from ?? copy.source.name, "copy \(copy.target.name)")
        guard let number = copy.source.rowNumber, batches != nil || monitor.isWatched else {
            if let batches, try batches.start(task) == nil { return 0 }
            try connection.execute(copy.statement(from: from, into: into))
            let rows = connection.changes
            batches?.update { $0.report.rows += rows }
            try batches?.finish(task)
            return rows
        }
        let insert = try connection.prepare(copy.statement(isPart: true, from: from, into: into))
        var rows = 0
        func copyPart(_ first: Int64, _ last: Int64, _ count: Int) throws {
            try insert.bind(first, at: 1)
            try insert.bind(last, at: 2)
            try insert.run()
            rows += connection.changes
            batches?.update { $0.report.rows += connection.changes }
            try monitor.advance(count, table: copy.target.name)
        }
        if let batches {
            try batches.forEachPart(task, of: table, number: number, copyPart)
        } else {
            try connection.forEachPart(of: table, number: number, size: { Self.part }, copyPart)
        }
        return rows
    }
}

extension Connection {
    /// Runs `body` with ranges of a table's row numbers, in their order.
    ///
    /// - Parameters:
    ///   - table: The name of the table.
    ///   - number: SQL for its row number.
    ///   - first: The first row number.
    ///   - size: Returns the maximum number of rows of the next range.
    ///   - body: Handles the rows from the first number to the last one; their count is its third argument.
    func forEachPart(
        of table: String, number: String, from first: Int64 = .min, size: () -> Int,
        _ body: (Int64, Int64, Int) throws -> Void
    ) throws {
        let end = try prepare(
            """
            SELECT max(r), count(*) FROM (SELECT \(number) AS r FROM \(SQL.quoted(table)) WHERE \(number) >= ?1 \
            ORDER BY \(number) LIMIT ?2)
            """)
        defer { end.reset() }
        var first = first
        while true {
            try end.bind(first, at: 1)
            try end.bind(size(), at: 2)
            guard try end.step(), let last = try Int64?(row: end.row, at: 0) else { return }
            let count = try end.row.int(1)
            end.reset()
            try body(first, last, count)
            if last == Int64.max { return }
            first = last + 1
        }
    }
}
