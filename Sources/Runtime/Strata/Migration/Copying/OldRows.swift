import SQLSchema

/// The rows of an old entity that a custom migration has not received yet. Only one row at a time is in memory.
struct OldRows {
    private let task: String
    private let connection: Connection
    private let batches: MigrationBatches?
    private let columns: [String]
    /// SQL for the row number; nil if the rows are not migrated in batches.
    private let number: String?
    private let table: String
    private let isCollected: Bool

    /// - Parameters:
    ///   - task: A name that no other part of the step has.
    ///   - old: The entity's table.
    ///   - name: The present name of the table.
    ///   - connection: The connection.
    ///   - batches: The transactions; nil if all rows are migrated in one.
    init(
        _ task: String, of old: EntityTable, named name: String, _ connection: Connection, _ batches: MigrationBatches?
    ) throws {
        self.task = task
        self.connection = connection
        self.batches = batches
        columns = old.fetchedColumns
        table = SQL.quoted(name)
        number = try batches == nil ? nil : connection.rowNumber(of: name)
        // An aggregate gets the rows in the order of the table, which this switch reverses, whatever a statement says of the order.
        let isReversed = try number != nil && connection.integer("PRAGMA reverse_unordered_selects") == 1
        isCollected = columns.count < RowCollection.mostColumns && !isReversed
    }

    /// The batch has lasted long enough.
    private struct Due: Error {}

    /// Passes the rows to `body`, in the order of their numbers if they are migrated in batches.
    ///
    /// - Parameters:
    ///   - body: A closure that migrates a row.
    ///   - flush: Writes what `body` has not written yet.
    func forEach(_ body: (Row) throws -> Void, flush: () throws -> Void = {}) throws {
        guard var first = try batches.map({ try $0.start(task) }) ?? Int64.min else { return }
        let select = try connection.prepare(statement())
        var last: Int64?
        func receive(_ row: Row) throws {
            if number != nil {
                let next = try row.int64(columns.count)
                // A migration that went on after a number would leave out the rows with smaller ones.
                if let last, next <= last { throw MigrationError.rowsOutOfOrder(table: table) }
                last = next
            }
            try body(row)
            guard connection.isInTransaction else { throw MigrationError.rolledBack }
            if number != nil, let batches, batches.isDueAfterRow(), last != Int64.max { throw Due() }
        }
        while true {
            if number != nil { try select.bind(first, at: 1) }
            do {
                defer { select.reset() }
                if isCollected {
                    try connection.rowCollection().run(select, columns, receive)
                } else {
                    while try select.step() { try receive(select.row) }
                }
                break
            } catch is Due {
                guard let last else { return }
                try flush()
                try batches?.commit(task, through: last)
                first = last + 1
            }
        }
        try flush()
        try batches?.finish(task)
    }

    private func statement() throws -> String {
        let list = SQL.list(columns) + (number.map { ", \($0)" } ?? "")
        // SQLite prepares the statement only if the connection has the function that it calls.
        if isCollected { _ = try connection.rowCollection() }
        let values = isCollected ? "\(RowCollection.function)(\(list))" : list
        guard let number else { return "SELECT \(values) FROM \(table)" }
        // An index has another order than the row numbers.
        let rows = "SELECT \(values) FROM \(table) NOT INDEXED WHERE \(number) >= ?1"
        return isCollected ? rows : rows + " ORDER BY \(number)"
    }
}
