import Foundation
import SQLSchema

/// The value of a custom migration while it runs. Generated code passes rows to it.
public final class RunningMigration<Code: CustomMigration> {
    /// The value, which may keep state.
    @exclusivity(unchecked) public var value: Code

    init(_ value: Code) { self.value = value }
}

/// One run of a step with a custom migration. Generated code calls it.
public final class CustomStep {
    @usableFromInline package let access: StepAccess
    /// The number of rows that the custom migration has received so far.
    @exclusivity(unchecked) var rows: Int

    private(set) var droppedRows: [String: Int]
    private(set) var mergedRows: [String: Int]
    private(set) var setAsideRows: [String: Int]
    /// Keeps rows that cannot be read; nil if they are refused.
    private let aside: RowsSetAside?

    let mapping: TableMapping
    let changes: [TableChange]
    let monitor: MigrationMonitor
    /// The transactions of a migration that can be resumed; nil if all runs in one transaction.
    var batches: MigrationBatches? { access.batches }
    private var codeTables: [String: (old: String, oldKey: [String], references: [String: String])] = [:]

    init(
        access: StepAccess, mapping: TableMapping, changes: [TableChange], monitor: MigrationMonitor, version: String
    ) throws {
        aside = monitor.setsMalformedRowsAside ? try RowsSetAside(version, access.connection) : nil
        self.monitor = monitor
        self.access = access
        self.mapping = mapping
        self.changes = changes
        let state = access.batches?.pending.state.custom
        rows = state?.rows ?? 0
        droppedRows = state?.droppedRows ?? [:]
        mergedRows = state?.mergedRows ?? [:]
        setAsideRows = state?.setAsideRows ?? [:]
    }

    /// Runs a custom migration. In batches, it ends before `didMigrate` unless other stages follow.
    func run<Code: CustomMigration>(
        _ migrateRows: (CustomStep, RunningMigration<Code>) throws -> Void
    ) throws {
        let state = batches?.pending.state.custom.code
        let migration = RunningMigration(try state.flatMap { try Self.decode(Code.self, $0) } ?? Code())
        batches?.saveCustom = { [unowned self] custom in
            if let code = migration.value as? any Encodable { custom.code = try PendingMigration.encoder.encode(code) }
            (custom.rows, custom.droppedRows, custom.mergedRows) = (rows, droppedRows, mergedRows)
            custom.setAsideRows = setAsideRows
            (custom.hasChangedRows, custom.newIDs) = (access.hasChangedRows, access.newIDs.given)
        }
        defer { batches?.saveCustom = nil }
        try once("willMigrate") { try migration.value.willMigrate(.init($0)) }
        try migrateRows(self, migration)
        try followKeys()
        if let batches, batches.isLastStage, !batches.isLast { return try batches.commit() }
        try once("didMigrate") { try migration.value.didMigrate(.init($0)) }
    }

    private static func decode<Code>(_ type: Code.Type, _ data: Data) throws -> Code? {
        guard let type = type as? any Decodable.Type else { return nil }
        return try PendingMigration.decoder.decode(type, from: data) as? Code
    }

    /// Runs `body`, unless the same migration has already run it before it was interrupted.
    ///
    /// - Parameters:
    ///   - task: A name for `body`, which no other part of the step has.
    ///   - body: A function of the custom migration.
    /// - Throws: The error of `body`.
    public func once(_ task: String, _ body: (StepAccess) throws -> Void) throws {
        guard let batches else { return try body(access) }
        guard try batches.start(task) != nil else { return }
        try body(access)
        guard access.connection.isInTransaction else { throw MigrationError.rolledBack }
        try batches.finish(task)
    }

    /// Runs `body` with every row of a removed entity, and inserts the rows that it returns into the table of another
    /// entity. Dropped rows are deleted together with their table.
    ///
    /// - Parameters:
    ///   - type: The removed entity.
    ///   - body: The function of the custom migration.
    /// - Throws: `MigrationError.mergedIntoNothing` if a row is merged into a row that does not exist, or the error of
    ///   `body`.
    public func merge<Old: StoredEntity, New: StoredEntity>(
        _ type: Old.Type, _ body: (Old, StepAccess) throws -> Outcome<New>
    ) throws {
        let map = try keyMap("merged \(Old.table.name)", from: Old.self, to: New.table)
        access.mergedKeys.append((New.table.name, map))
        var oldRows = try OldRows<Old>("merge \(Old.table.name)", access)
        oldRows.malformed = { try self.setAside($0, $1, Old.table, map) }
        while let old = try oldRows.next() {
            let key = Old.id(of: old)
            switch try body(old, access) {
            case .keep(let new):
                try access.insert(new)
                try map.record(key, as: New.id(of: new))
            case .drop:
                countGone(Old.table.name, isMerged: false)
                try map.record(key, as: New.ID?.none)
            case .merge(let id):
                countGone(Old.table.name, isMerged: true)
                try map.record(key, as: id)
                guard try access.find(New.self, id: id) != nil else {
                    throw MigrationError.mergedIntoNothing(table: New.table.name, rows: 1)
                }
            }
            rows += 1
            try monitor.checkCancellation()
        }
    }

    /// Runs `body` with every row of an old entity, and inserts the rows that it returns. Only one row at a time is in
    /// memory.
    ///
    /// - Parameters:
    ///   - type: The old entity.
    ///   - body: The function of the custom migration.
    /// - Throws: The error of `body`, or `MigrationError.rolledBack` if `body` caught an error that ended the
    ///   transaction.
    public func migrate<Old: StoredEntity, New: StoredEntity>(
        _ type: Old.Type, _ body: (Old, StepAccess) throws -> Outcome<New>
    ) throws {
        let table = New.table.name
        let map = try keyMap(from: Old.self, to: New.table)
        let insert = try access.connection.prepare(New.table.insert(into: access.temporaryNames[table] ?? table))
        var oldRows = try OldRows<Old>("migrate \(Old.table.name)", access)
        oldRows.malformed = { try self.setAside($0, $1, Old.table, map) }
        while let old = try oldRows.next() {
            let id = Old.id(of: old)
            switch try body(old, access) {
            case .keep(let new):
                let newID = New.id(of: new)
                if (id as? New.ID) != newID { try map.record(id, as: newID) }
                guard access.connection.isInTransaction else { throw MigrationError.rolledBack }
                try new.write(to: insert)
                try insert.run()
            case .drop:
                countGone(table, isMerged: false)
                try map.record(id, as: New.ID?.none)
            case .merge(let target):
                countGone(table, isMerged: true)
                try map.record(id, as: target)
            }
            rows += 1
            try monitor.advance(1, table: table)
        }
    }

    /// Runs `body` with every row of an old entity, and writes the values that it returns. `body` reads only the
    /// columns that it needs. SQLite copies all values that `body` does not return. Every row keeps its primary key.
    ///
    /// - Parameters:
    ///   - type: The old row type.
    ///   - body: The function of the custom migration.
    /// - Throws: The error of `body`, or `MigrationError`.
    @inlinable public func migrate<Old: OldRow & ~Copyable, New: MigratedValues>(
        _ type: Old.Type, _ body: (borrowing Old, StepAccess) throws -> Outcome<New>
    ) throws {
        let copy = try ColumnCopy(from: Old.Entity.self, to: New.Entity.table, giving: New.columns, self)
        // Swift checks every access to a variable that two closures capture. The pointer avoids that cost, and is safe
        // because the closures never run concurrently.
        let values = UnsafeMutablePointer<New?>.allocate(capacity: 1)
        values.initialize(to: nil)
        defer {
            values.deinitialize(count: 1)
            values.deallocate()
        }
        try withoutActuallyEscaping(body) { body in
            try copy.run { [access] row in
                switch try body(Old(row), access) {
                case .keep(let new):
                    values.pointee = new
                    return true
                case .drop: try copy.record(row, as: New.ID?.none)
                case .merge(let target): try copy.record(row, as: target)
                }
                return false
            } value: {
                try values.pointee?.columnValue(at: $0) ?? .null
            }
        }
    }

    /// Keeps a row that cannot be read, and leaves it out like a dropped one.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - error: The error of reading it.
    ///   - table: Its table.
    ///   - map: Receives its primary key.
    /// - Throws: `error` if such rows are refused.
    func setAside(_ row: Row, _ error: MalformedValue, _ table: EntityTable, _ map: KeyMap) throws {
        guard let aside else { throw error.named(table.name) }
        let columns = table.fetchedColumns
        let key = table.key.compactMap { name in columns.firstIndex(of: name).map { (name, $0) } }
        try aside.add(row, key: key, of: table.name, named: access.oldName(table.name))
        setAsideRows[table.name, default: 0] += 1
        try map.record(dropped: key.map { row.value($0.1) })
    }

    /// Counts a row that the custom migration merged or dropped.
    func countGone(_ table: String, isMerged: Bool) {
        if isMerged { mergedRows[table, default: 0] += 1 } else { droppedRows[table, default: 0] += 1 }
    }

    /// Creates the map from the primary keys of `old` to the changed primary keys of `new`.
    func keyMap<Old: StoredEntity>(from type: Old.Type, to new: EntityTable) throws -> KeyMap {
        let old = Old.table
        var references: [String: String] = [:]
        for case .custom(_, new.name, _, let columns) in changes { references = columns }
        codeTables[new.name] = (access.oldName(old.name), old.key, references)
        let map = try keyMap(new.name, from: type, to: new)
        access.keyMaps[new.name] = map
        return map
    }

    private func keyMap<Old: StoredEntity>(
        _ name: String, from type: Old.Type, to new: EntityTable
    ) throws -> KeyMap {
        let old = Old.table
        return try KeyMap(
            name, from: (access.oldName(old.name), old.key), ofType: Old.ID.self,
            old: try access.connection.collations(of: old.key, in: access.oldName(old.name)),
            new: try access.connection.collations(of: new.key, in: access.temporaryNames[new.name] ?? new.name),
            access.connection, in: access.database)
    }

    /// Updates all references to rows whose primary key changed, to merged rows and to dropped rows.
    ///
    /// - Throws: `MigrationError.mergedIntoNothing` if a row was merged into a row that does not exist, or
    ///   `MigrationError.droppedRowsReferenced` if a delete rule forbids deleting a dropped row.
    public func followKeys() throws {
        // Only what the custom migration reads from here on could see the changed references.
        access.connection.forgetOldReads()
        let following = ReferenceRewriter(
            access: access, codeTables: codeTables, tables: mapping.new.map(\.name),
            joinTables: Set(mapping.new.filter(\.isJoinTable).map(\.name)),
            pairs: FollowedPairs.all(mapping, changes), monitor: monitor)
        if batches?.isDone("keys") == true { return try following.restoreMaps() }
        try following.run { droppedRows[$0, default: 0] += $1 }
        try batches?.finish("keys")
    }
}

extension MigrationReport {
    /// Adds the rows of a step with a custom migration.
    mutating func add(_ step: CustomStep) {
        rows += step.rows
        droppedRows.merge(step.droppedRows, uniquingKeysWith: +)
        mergedRows.merge(step.mergedRows, uniquingKeysWith: +)
        setAsideRows.merge(step.setAsideRows, uniquingKeysWith: +)
    }
}

/// The rows of an old entity that are not migrated yet. Only one row at a time is in memory.
private struct OldRows<Old: StoredEntity> {
    private let task: String
    private let connection: Connection
    private let batches: MigrationBatches?
    /// The rows, and their numbers if they can be migrated in batches; nil if the task is done.
    private let select: Statement?
    private let isNumbered: Bool
    private let columnCount = Old.table.fetchedColumns.count
    private var isStarted = false
    /// Handles a row that cannot be read.
    var malformed: ((Row, MalformedValue) throws -> Void)?

    /// Starts or continues a task, whose name no other part of the step has.
    init(_ task: String, _ access: StepAccess) throws {
        self.task = task
        connection = access.connection
        batches = access.batches
        let name = access.oldName(Old.table.name)
        let number = try batches == nil ? nil : connection.rowNumber(of: name)
        isNumbered = number != nil
        let first = try batches.map { try $0.start(task) } ?? Int64.min
        guard let first else {
            select = nil
            return
        }
        guard let number else {
            select = try connection.prepare(Old.table.select(from: name))
            return
        }
        select = try connection.prepare(
            "SELECT \(SQL.list(Old.table.fetchedColumns)), \(number) FROM \(SQL.quoted(name)) "
                + "WHERE \(number) >= ?1 ORDER BY \(number)")
        try select?.bind(first, at: 1)
    }

    /// Returns the next row; nil after the last one. It first commits the batch of the row before, if that is due.
    mutating func next() throws -> Old? {
        guard let select else { return nil }
        while true {
            do {
                return try read(select)
            } catch let error as MalformedValue {
                guard let malformed else { throw error }
                try malformed(select.row, error)
            }
        }
    }

    private mutating func read(_ select: Statement) throws -> Old? {
        if isStarted {
            guard connection.isInTransaction else { throw MigrationError.rolledBack }
            if isNumbered, let batches, batches.isDue, let row = try Int64?(row: select.row, at: columnCount),
                row < Int64.max
            {
                try batches.commit(task, through: row)
                try select.bind(row + 1, at: 1)
            }
        }
        isStarted = true
        if try select.step() { return try Old.read(select.row) }
        try batches?.finish(task)
        return nil
    }
}
