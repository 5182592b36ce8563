import CSQLite
import SQLSchema

/// The run of a custom migration that receives whole rows of an old entity, and returns whole rows of a new one.
///
/// SQLite passes the old rows to an aggregate function, and reads the new ones from a table-valued function. That takes less time
/// than a statement for each row. The new rows are therefore written in groups, until the custom migration first uses new rows:
/// from then on, each row is written before the next one is migrated.
@usableFromInline final class RowMigration {
    private let step: CustomStep
    private let access: StepAccess
    private let connection: Connection
    private let map: KeyMap
    private let old: EntityTable
    private let new: EntityTable
    /// The statement that inserts a group of rows; nil if each row needs its own.
    private let insert: Statement?
    private let insertOne: Statement
    /// The rows that are not written yet, and about how many bytes they take.
    private var waiting = (rows: 0, bytes: 0)
    /// The error of writing rows. The custom migration may have caught it.
    private var failure: (any Error)?
    /// The indexes of the old columns whose values can be large.
    private let largeColumns: [Int]

    /// The most rows in a group, and the bytes after which it is written.
    private static let most = (rows: 500, bytes: 1 << 20)

    @usableFromInline init<Old: StoredEntity, New: StoredEntity>(
        _ type: Old.Type, _ newType: New.Type, _ step: CustomStep
    ) throws {
        self.step = step
        access = step.access
        connection = access.connection
        (old, new) = (Old.table, New.table)
        map = try step.keyMap(from: Old.self, to: New.table)
        let name = access.temporaryNames[new.name] ?? new.name
        // A statement for one row finds its positions in lists.
        let isGrouped = new.columns.count <= VirtualRows.mostColumns && !new.isOrdered
        insert = isGrouped ? try connection.prepare(new.insertRows(into: name, "")) : nil
        insertOne = try connection.prepare(new.insert(into: name))
        let columns = step.mapping.old.first { $0.name == Old.table.name }?.columns ?? []
        let large = Set(columns.filter { [.text, .blob].contains($0.type) }.map(\.name))
        largeColumns = old.columns.indices.filter { large.contains(Old.table.columns[$0]) }
    }

    /// Migrates the rows.
    ///
    /// - Parameters:
    ///   - read: Migrates an old row, and returns whether it has a new row; nil if it was set aside.
    ///   - write: Binds the values of the next new row to a statement; returns false after the last one.
    @usableFromInline func run(
        _ read: (Row) throws -> Bool?, _ write: (Statement) throws -> Bool
    ) throws {
        let rows = try OldRows(
            "migrate \(old.name)", of: old, named: access.oldName(old.name), connection, step.batches)
        try withoutActuallyEscaping(write) { write in
            access.writesRows { [self] in try flush(write) }
            defer { access.writesRows(nil) }
            try rows.forEach { row in
                guard let isKept = try read(row) else { return }
                if isKept {
                    waiting.rows += 1
                    for index in largeColumns { waiting.bytes += Int(sqlite3_value_bytes(row.cell(index))) }
                }
                let isGrouped = insert != nil && !access.usesNewRows
                if !isGrouped || waiting.rows >= Self.most.rows || waiting.bytes >= Self.most.bytes {
                    try flush(write)
                }
                step.rows += 1
                try step.monitor.advance(1, table: new.name)
            } flush: {
                try flush(write)
            }
        }
    }

    private func flush(_ write: @escaping (Statement) throws -> Bool) throws {
        if let failure { throw failure }
        guard waiting.rows > 0 else { return }
        guard connection.isInTransaction else { throw MigrationError.rolledBack }
        let isOne = waiting.rows == 1
        waiting = (0, 0)
        do {
            if !isOne, let insert { return try feed(insert, write) }
            while try write(insertOne) { try insertOne.run() }
        } catch {
            failure = error
            throw error
        }
    }

    private func feed(_ insert: Statement, _ write: @escaping (Statement) throws -> Bool) throws {
        let feed = RowFeed(columnCount: new.columns.count, write)
        try feed.bind(to: insert, at: 1)
        defer { insert.reset() }
        do {
            try insert.run()
        } catch {
            throw feed.error ?? error
        }
    }

    /// Keeps a row that cannot be read.
    @usableFromInline func setAside(_ row: Row, _ error: MalformedValue) throws {
        try step.setAside(row, error, old, map)
    }

    /// Records that an old row has another primary key now.
    @usableFromInline func record<OldID: EntityID, NewID: EntityID>(_ old: OldID, as new: NewID) throws {
        try map.record(old, as: new)
    }

    /// Records that an old row has no new row: it was merged into `target`, or dropped if that is nil.
    @usableFromInline func recordGone<OldID: EntityID, NewID: EntityID>(_ old: OldID, into target: NewID?) throws {
        step.countGone(new.name, isMerged: target != nil)
        try map.record(old, as: target)
    }
}

/// New rows that are not written yet.
@usableFromInline struct WaitingRows<New: StoredEntity> {
    @usableFromInline var rows: [New] = []
    @usableFromInline var written = 0

    @inlinable init() {}

    /// Binds the values of the next row to a statement. Returns false after the last one, and forgets all.
    @inlinable mutating func writeNext(to statement: Statement) throws -> Bool {
        guard written < rows.count else {
            rows.removeAll(keepingCapacity: true)
            written = 0
            return false
        }
        try rows[written].write(to: statement)
        written += 1
        return true
    }
}
