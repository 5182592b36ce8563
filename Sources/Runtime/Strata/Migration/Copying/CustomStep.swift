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
        let old = Old.table
        let oldRows = try OldRows(
            "merge \(old.name)", of: old, named: access.oldName(old.name), access.connection, batches)
        try oldRows.forEach { row in
            let old: Old
            do {
                old = try Old(row: row)
            } catch let error as MalformedValue {
                return try setAside(row, error, Old.table, map)
            }
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
    @inlinable public func migrate<Old: StoredEntity, New: StoredEntity>(
        _ type: Old.Type, _ body: (Old, StepAccess) throws -> Outcome<New>
    ) throws {
        let rows = try RowMigration(Old.self, New.self, self)
        // As below, the pointer avoids the cost of checking every access.
        let waiting = UnsafeMutablePointer<WaitingRows<New>>.allocate(capacity: 1)
        waiting.initialize(to: WaitingRows())
        defer {
            waiting.deinitialize(count: 1)
            waiting.deallocate()
        }
        try rows.run { [access] row in
            let old: Old
            do {
                old = try Old(row: row)
            } catch let error as MalformedValue {
                try rows.setAside(row, error)
                return nil
            }
            switch try body(old, access) {
            case .keep(let new):
                let (id, newID) = (Old.id(of: old), New.id(of: new))
                if (id as? New.ID) != newID { try rows.record(id, as: newID) }
                waiting.pointee.rows.append(new)
                return true
            case .drop: try rows.recordGone(Old.id(of: old), into: New.ID?.none)
            case .merge(let target): try rows.recordGone(Old.id(of: old), into: target)
            }
            return false
        } _: {
            try waiting.pointee.writeNext(to: $0)
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
