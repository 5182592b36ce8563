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
