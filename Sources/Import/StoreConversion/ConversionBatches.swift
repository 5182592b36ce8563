import Foundation
import SQLSchema
import Strata

/// Copies the tables of a database in short transactions. Each of them writes the state after it.
final class ConversionBatches {
    private(set) var state: ConversionState
    private let source: Connection
    private let file: ConvertedFile
    private let target: Connection
    private let draft: ConversionDraft
    private let rows: SetAsideRows
    private let monitor: ConversionMonitor
    private let files: URL?
    /// Whether a statement of `target` can read the other database.
    private let isAttached: Bool
    /// The number of rows of the next batch.
    private var size: Int
    private let duration = (MigrationBatches.duration ?? .milliseconds(50)) * 4
    private var counted = ContinuousClock.now

    init(
        _ state: ConversionState, from source: Connection, _ file: ConvertedFile, into target: Connection,
        _ draft: ConversionDraft, _ rows: SetAsideRows, _ monitor: ConversionMonitor, files: URL?
    ) {
        (self.state, self.source, self.file, self.target) = (state, source, file, target)
        (self.draft, self.rows, self.monitor, self.files) = (draft, rows, monitor, files)
        size = duration == .zero ? 1 : 65_536
        isAttached = BulkCopy.attach(file.url, to: target)
    }

    /// Copies the rows of a table that are not in the store yet.
    ///
    /// - Parameter lastKey: The greatest key that the other library ever assigned to a row; nil if it does not record it.
    func copy(_ table: ConvertedTable, forms: [ImportedForm?], lastKey: Int64?) throws {
        let bulk = BulkCopy(table, forms: forms, files: files, monitor)
        let single = try TableCopy(table, forms: forms, into: target, files: files, rows)
        var isDone = false
        while !isDone {
            try monitor.report(table.table)
            let start = ContinuousClock.now
            try commit {
                if state.lastRow == nil { try setAsideStrays(table) }
                let part = ConvertedTable.Part(after: state.lastRow, count: table.rowNumber == nil ? nil : size)
                // The transaction has begun to read, so both connections read the same state.
                let isBulk = try isAttached && file.isUnchanged()
                let copied =
                    try (isBulk ? bulk.run(part, into: target) : nil)
                    ?? single.run(part, from: source, &state, monitor)
                state.report.rows[table.table.name, default: 0] += copied.stored
                state.lastRow = copied.last ?? state.lastRow
                isDone = copied.read < part.count ?? .max
                if isDone { try finish(table, lastKey) }
            }
            adapt(to: .now - start)
        }
    }

    private func finish(_ table: ConvertedTable, _ lastKey: Int64?) throws {
        let name = table.table.name
        if let key = table.table.integerKey {
            let stored = try target.integer("SELECT max(\(SQL.quoted(key))) FROM \(SQL.quoted(name))").map(Int64.init)
            // The keys of rows that were set aside count too.
            let last = [lastKey, state.greatestKey, stored].compactMap(\.self).max()
            if let last, last > 0 { state.lastIDs[name] = last }
        }
        state.tables += 1
        (state.lastRow, state.greatestKey) = (nil, nil)
    }

    /// Handles dangling foreign keys, and stores the last keys.
    func finish() throws {
        try commit {
            try rows.setAsideDangling(&state.report)
            // The store must never reuse a key that was assigned before.
            try LastIDs.write(state.lastIDs, to: target)
        }
    }

    private func commit(_ body: () throws -> Void) throws {
        try target.transaction("BEGIN IMMEDIATE") {
            try body()
            state.completedRows = monitor.completed
            let now = ContinuousClock.now
            state.report.seconds += (now - counted) / .seconds(1)
            counted = now
            try draft.write(state, to: target)
        }
    }

    /// Chooses the size of the next batch by the time that the last one took.
    private func adapt(to elapsed: Duration) {
        if elapsed > duration {
            size = max(1, size / 2)
        } else if elapsed < duration / 2 {
            size = min(1 << 22, size * 2)
        }
    }

    /// Sets aside the rows that belong to no table of the store.
    private func setAsideStrays(_ table: ConvertedTable) throws {
        guard let query = table.strays else { return }
        try source.query(query) { row in
            let columns = (1..<row.columnCount).map { row.name($0) }
            let values = columns.indices.map { index -> SetAsideRows.Value in
                (try? SQLiteValue(row: row, at: index + 1)).map(SetAsideRows.Value.value)
                    ?? .bytes(row.bytes(index + 1))
            }
            try rows.add(
                table.table.name, key: row.value(0).keyText, columns, values,
                reason: "its Z_ENT is the number of no entity in this table", to: &state.report)
        }
    }
}
