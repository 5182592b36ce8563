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
        // The number of the last new row is that of the last old one, which need not be looked up.
        let findsLast = batches == nil || !copy.keepsRowNumbers
        let insert = try connection.prepare(
            findsLast
                ? copy.statement(isPart: true, from: from, into: into)
                : copy.limitedStatement(from: from, into: into))
        var rows = 0
        func copyPart(_ first: Int64, _ second: Int64) throws -> Int {
            try insert.bind(first, at: 1)
            try insert.bind(second, at: 2)
            try insert.run()
            let changes = connection.changes
            rows += changes
            batches?.update { $0.report.rows += changes }
            return changes
        }
        func copyFoundPart(_ first: Int64, _ last: Int64, _ count: Int) throws {
            _ = try copyPart(first, last)
            try monitor.advance(count, table: copy.target.name)
        }
        if let batches {
            guard !findsLast else {
                try batches.forEachPart(task, of: table, number: number, copyFoundPart)
                return rows
            }
            try batches.forEachPart(task) { first, size in
                let count = try copyPart(first, Int64(size))
                try monitor.advance(count, table: copy.target.name)
                return count == 0 ? nil : RowPart(last: connection.lastInsertedRow, count: count)
            }
        } else {
            try connection.forEachPart(of: table, number: number, size: { Self.part }, copyFoundPart)
        }
        return rows
    }
}

/// A part of a table's rows, in the order of their numbers.
struct RowPart {
    /// The number of the last row.
    let last: Int64
    let count: Int
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
        var first = first
        while let part = try part(of: table, number: number, from: first, size: size()) {
            try body(first, part.last, part.count)
            if part.last == Int64.max { return }
            first = part.last + 1
        }
    }

    /// Returns the rows of a table from a number on, at most `size` of them; nil if there are none.
    func part(of table: String, number: String, from first: Int64, size: Int) throws -> RowPart? {
        let rows = "FROM \(SQL.quoted(table)) NOT INDEXED WHERE \(number) >= ?1"
        // Passing over rows takes half the time of counting them.
        let end = try cached("SELECT \(number) \(rows) ORDER BY \(number) LIMIT 1 OFFSET ?2")
        defer { end.reset() }
        try end.bind(first, at: 1)
        try end.bind(size - 1, at: 2)
        if try end.step() { return RowPart(last: try end.row.int64(0), count: size) }
        let rest = try cached("SELECT max(\(number)), count(*) \(rows)")
        defer { rest.reset() }
        try rest.bind(first, at: 1)
        guard try rest.step(), let last = try Int64?(row: rest.row, at: 0) else { return nil }
        return RowPart(last: last, count: try rest.row.int(1))
    }
}
