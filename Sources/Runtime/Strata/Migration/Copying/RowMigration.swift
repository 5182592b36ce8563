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
    /// The number of rows that are not written yet.
    private var waiting = 0

    /// The most rows in a group.
    private static let mostRows = 500

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
            do {
                try rows.forEach { row in
                    guard let isKept = try read(row) else { return }
                    if isKept { waiting += 1 }
                    if waiting >= Self.mostRows || access.usesNewRows { try flush(write) }
                    step.rows += 1
                    try step.monitor.advance(1, table: new.name)
                } flush: {
                    try flush(write)
                }
            } catch {
                throw access.writeError ?? error
            }
        }
    }

    private func flush(_ write: @escaping (Statement) throws -> Bool) throws {
        if let error = access.writeError { throw error }
        guard waiting > 0 else { return }
        guard connection.isInTransaction else { throw MigrationError.rolledBack }
        defer { waiting = 0 }
        guard waiting > 1, let insert else {
            while try write(insertOne) { try insertOne.run() }
            return
        }
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
