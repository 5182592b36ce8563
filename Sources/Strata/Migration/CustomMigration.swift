import SchemaSQL

/// The code that a person writes for one step. Strata generates a protocol a step that refines this one.
public protocol CustomMigration {
    /// What all functions of a migration are given.
    typealias Context = MigrationContext

    /// One instance a run, so it may keep state.
    init()
    /// Called before any row is migrated by code; what needs no code is copied already.
    mutating func willMigrate(_ context: Context) throws
    /// Called when all rows are migrated; the old tables are still readable.
    mutating func didMigrate(_ context: Context) throws
}

extension CustomMigration {
    /// Does nothing.
    public mutating func willMigrate(_ context: Context) throws {}
    /// Does nothing.
    public mutating func didMigrate(_ context: Context) throws {}
}

/// What becomes of an old row.
public enum Outcome<New: StoredEntity> {
    /// It becomes that row.
    case keep(New)
    /// It goes.
    case drop
    /// It goes, and what pointed at it points at that row instead.
    case merge(into: New.ID)
}

/// Thrown by a migration that was generated and never written.
public struct UnwrittenMigration: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file of the migration.
    public let file: String
    /// The function that is to be written.
    public let function: String

    /// Names the place that throws it.
    public init(file: StaticString = #fileID, function: StaticString = #function) {
        self.file = "\(file)"
        self.function = "\(function)"
    }

    /// The file and the function.
    public var description: String { "\(file): \(function) is not written yet" }
}

/// What a custom migration reads and writes. Names of old tables are those before the step, of new ones those after it.
public final class MigrationContext {
    let connection: Connection
    let temporaryNames: [String: String]

    private let transaction: ReadTransaction
    /// The tables of the step's own, in the temporary database, that hold the keys of rows added to unchanged tables.
    private var additions: [String: String] = [:]

    init(connection: Connection, temporaryNames: [String: String]) {
        self.connection = connection
        self.temporaryNames = temporaryNames
        self.transaction = ReadTransaction(connection)
    }

    /// Ends the step: its cursors can no longer be read.
    func end() throws {
        transaction.end()
        for table in additions.values { try connection.execute("DROP TABLE temp.\(SQL.quoted(table))") }
    }

    /// The rows of an old entity, one at a time, in the order in which they were stored.
    public func old<Old: StoredEntity>(_ type: Old.Type) throws -> Cursor<Old> {
        let table = Old.table
        var sql = table.select
        if temporaryNames[table.name] == nil {
            // The table is the new one too: what the step has added to it is not old.
            let added = try additions(to: table)
            let pairs = table.key.enumerated().map { place, name in
                "added.\"key\(place)\" = \(SQL.quoted(table.name)).\(SQL.quoted(name))"
            }
            // Asked of each row: a list of the keys would be drawn up once and miss what is added meanwhile.
            sql +=
                " WHERE NOT EXISTS (SELECT 1 FROM temp.\(SQL.quoted(added)) AS added "
                + "WHERE \(pairs.joined(separator: " AND ")))"
        }
        return Cursor(try connection.prepare(sql), of: transaction) { try Old.read($0) }
    }

    private func additions(to table: EntityTable) throws -> String {
        if let name = additions[table.name] { return name }
        let name = "strata_added_" + table.name
        let columns = SQL.list(table.key.indices.map { "key\($0)" })
        try connection.execute(
            "CREATE TABLE temp.\(SQL.quoted(name)) (\(columns), PRIMARY KEY (\(columns))) WITHOUT ROWID")
        additions[table.name] = name
        return name
    }

    /// The row of a new entity whose key is `id`, or nil while there is none.
    public func find<New: StoredEntity>(_ type: New.Type, id: New.ID) throws -> New? {
        let statement = try connection.cached(New.table.find(in: name(of: New.table)))
        try statement.bind(id, at: 1)
        defer { statement.reset() }
        return try statement.step() ? New.read(statement.row) : nil
    }

    /// Writes a row of a new entity.
    public func insert<New: StoredEntity>(_ entity: New) throws {
        let statement = try connection.cached(New.table.insert(into: name(of: New.table)))
        try entity.bind(to: statement)
        try statement.run()
        guard temporaryNames[New.table.name] == nil else { return }
        let added = try additions(to: New.table)
        let record = try connection.cached(
            "INSERT INTO temp.\(SQL.quoted(added)) VALUES (\(SQL.parameters(New.ID.columnCount)))")
        try record.bind(New.id(of: entity), at: 1)
        try record.run()
    }

    private func name(of table: EntityTable) -> String {
        temporaryNames[table.name] ?? table.name
    }
}

/// One run of a step that has code, as the generated code sees it.
public final class CustomStep {
    /// What the migration's functions are given.
    public let context: MigrationContext
    /// The rows that were migrated by code.
    private(set) var rows = 0

    init(context: MigrationContext) {
        self.context = context
    }

    /// Runs `body` with every row of an entity that goes, and writes what becomes of it into another's table. A row
    /// that is dropped goes with its table.
    public func merge<Old: StoredEntity, New: StoredEntity>(
        _ type: Old.Type, _ body: (Old, MigrationContext) throws -> Outcome<New>
    ) throws {
        let cursor = try context.old(type)
        while let old = try cursor.next() {
            switch try body(old, context) {
            case .keep(let new): try context.insert(new)
            case .drop, .merge: break
            }
            rows += 1
        }
    }

    /// Runs `body` with every row of an old entity, and writes what becomes of it. No more than one row is in memory.
    public func migrate<Old: StoredEntity, New: StoredEntity>(
        _ type: Old.Type, _ body: (Old, MigrationContext) throws -> Outcome<New>
    ) throws {
        let cursor = try context.old(type)
        while let old = try cursor.next() {
            switch try body(old, context) {
            case .keep(let new):
                guard AnyHashable(New.id(of: new)) == AnyHashable(Old.id(of: old)) else {
                    throw MigrationError.unsupportedOutcome(table: New.table.name, outcome: "a row with another key")
                }
                try context.insert(new)
            case .drop:
                throw MigrationError.unsupportedOutcome(table: New.table.name, outcome: "a dropped row")
            case .merge:
                throw MigrationError.unsupportedOutcome(table: New.table.name, outcome: "a merged row")
            }
            rows += 1
        }
    }
}
