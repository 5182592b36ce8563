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

/// What a row becomes: a whole row of a new entity, or those values of it that a migration gives.
public protocol MigratedRow {
    /// The key of the new entity.
    associatedtype ID: EntityID
}

/// An old row whose columns are read when they are asked for, while the row is migrated. Strata generates the
/// conformances.
public protocol OldRow: ~Copyable {
    /// The entity of the old version.
    associatedtype Entity: StoredEntity
    /// The row.
    init(_ row: Row)
}

/// The values of a new row that only code can give, where it keeps its key. Strata generates the conformances.
public protocol MigratedValues: MigratedRow where ID == Entity.ID {
    /// The entity of the new version.
    associatedtype Entity: StoredEntity
    /// The names of the columns that they are for, unquoted.
    static var columns: [String] { get }
    /// The value for a column, counted from 0.
    func columnValue(at index: Int) throws -> SQLiteValue
}

/// What becomes of an old row.
public enum Outcome<New: MigratedRow> {
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
