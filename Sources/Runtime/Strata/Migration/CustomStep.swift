import SQLSchema

/// One run of a step with a custom migration. Generated code calls it.
public final class CustomStep {
    /// The context that the functions of the custom migration receive.
    public let context: MigrationContext
    /// The number of rows that the custom migration has received so far.
    @exclusivity(unchecked) var rows = 0

    private(set) var droppedRows: [String: Int] = [:]
    private(set) var mergedRows: [String: Int] = [:]

    let mapping: TableMapping
    let changes: [TableChange]
    let monitor: MigrationMonitor
    private var codeTables: [String: (old: String, oldKey: [String], references: [String: String])] = [:]

    init(context: MigrationContext, mapping: TableMapping, changes: [TableChange], monitor: MigrationMonitor) {
        self.monitor = monitor
        self.context = context
        self.mapping = mapping
        self.changes = changes
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
        _ type: Old.Type, _ body: (Old, MigrationContext) throws -> Outcome<New>
    ) throws {
        let cursor = try context.old(type)
        while let old = try cursor.next() {
            switch try body(old, context) {
            case .keep(let new): try context.insert(new)
            case .drop: countGone(Old.table.name, isMerged: false)
            case .merge(let id):
                countGone(Old.table.name, isMerged: true)
                guard try context.find(New.self, id: id) != nil else {
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
        _ type: Old.Type, _ body: (Old, MigrationContext) throws -> Outcome<New>
    ) throws {
        let table = New.table.name
        let map = try keyMap(from: Old.table, to: New.table)
        let insert = try context.connection.prepare(New.table.insert(into: context.temporaryNames[table] ?? table))
        let cursor = try context.old(type)
        while let old = try cursor.next() {
            let id = Old.id(of: old)
            switch try body(old, context) {
            case .keep(let new):
                let newID = New.id(of: new)
                if (id as? New.ID) != newID { try map.record(id, as: newID) }
                guard context.connection.isInTransaction else { throw MigrationError.rolledBack }
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
        _ type: Old.Type, _ body: (borrowing Old, MigrationContext) throws -> Outcome<New>
    ) throws {
        let copy = try ColumnCopy(from: Old.Entity.table, to: New.Entity.table, giving: New.columns, self)
        // Swift checks every access to a variable that two closures capture. The pointer avoids that cost, and is safe
        // because the closures never run concurrently.
        let values = UnsafeMutablePointer<New?>.allocate(capacity: 1)
        values.initialize(to: nil)
        defer {
            values.deinitialize(count: 1)
            values.deallocate()
        }
        try withoutActuallyEscaping(body) { body in
            try copy.run { [context] row in
                switch try body(Old(row), context) {
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

    /// Counts a row that the custom migration merged or dropped.
    func countGone(_ table: String, isMerged: Bool) {
        if isMerged { mergedRows[table, default: 0] += 1 } else { droppedRows[table, default: 0] += 1 }
    }

    /// Creates the map from the primary keys of `old` to the changed primary keys of `new`.
    func keyMap(from old: EntityTable, to new: EntityTable) throws -> KeyMap {
        var references: [String: String] = [:]
        for case .custom(_, new.name, _, let columns) in changes { references = columns }
        codeTables[new.name] = (old.name, old.key, references)
        let map = try KeyMap(
            new.name, from: (old.name, old.key), old: try context.connection.collations(of: old.key, in: old.name),
            new: try context.connection.collations(of: new.key, in: context.temporaryNames[new.name] ?? new.name),
            context.connection)
        context.keyMaps[new.name] = map
        return map
    }

    /// Updates all references to rows whose primary key changed, to merged rows and to dropped rows.
    ///
    /// - Throws: `MigrationError.mergedIntoNothing` if a row was merged into a row that does not exist, or
    ///   `MigrationError.droppedRowsReferenced` if a delete rule forbids deleting a dropped row.
    public func followKeys() throws {
        let following = ReferenceRewriter(
            context: context, codeTables: codeTables, tables: mapping.new.map(\.name),
            joinTables: Set(mapping.new.filter(\.isJoinTable).map(\.name)))
        droppedRows.merge(try following.run(), uniquingKeysWith: +)
    }
}
