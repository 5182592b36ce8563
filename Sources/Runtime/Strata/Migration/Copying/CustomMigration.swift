import SQLSchema

/// A custom migration: the code that you write for one migration step. For each such step, Strata generates a protocol
/// that refines this one.
public protocol CustomMigration {
    /// The namespace of the version before the step.
    associatedtype OldVersion = Never
    /// The namespace of the version after the step.
    associatedtype NewVersion = Never

    /// Creates the custom migration. Strata creates one instance for each run, so the instance may keep state.
    init()
    /// Runs before the custom migration receives its first row. Rows that need no custom migration are copied already.
    mutating func willMigrate(_ context: MigrationContext<OldVersion, NewVersion>) throws
    /// Runs when all rows are migrated. The old tables are still readable.
    mutating func didMigrate(_ context: MigrationContext<OldVersion, NewVersion>) throws
}

extension CustomMigration {
    /// Does nothing.
    public mutating func willMigrate(_ context: MigrationContext<OldVersion, NewVersion>) throws {}
    /// Does nothing.
    public mutating func didMigrate(_ context: MigrationContext<OldVersion, NewVersion>) throws {}
}

/// An old row that reads each column on access, while the row is migrated. Strata generates the conformances.
public protocol OldRow: ~Copyable {
    /// The entity of the old version.
    associatedtype Entity: StoredEntity
    /// Creates an old row that reads its columns from `row`.
    init(_ row: Row)
}

/// The values of a new row that only a custom migration can provide, where the row keeps its primary key. Strata
/// generates the conformances.
public protocol MigratedValues: MigratedRow where ID == Entity.ID {
    /// The entity of the new version.
    associatedtype Entity: StoredEntity
    /// The unquoted names of the columns that these values are for.
    static var columns: [String] { get }
    /// Returns the value for a column.
    ///
    /// - Parameter index: The index of the column in `columns`.
    func columnValue(at index: Int) throws -> SQLiteValue
}

/// The result of a custom migration for one old row.
public enum Outcome<New: MigratedRow> {
    /// The old row becomes this row.
    case keep(New)
    /// The old row is deleted.
    case drop
    /// The old row is deleted. Rows that referenced it reference the row with this primary key instead.
    case merge(into: New.ID)
}

/// An error that a generated custom migration throws until you write it.
public struct UnwrittenMigration: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file of the custom migration.
    public let file: String
    /// The function that you have to write.
    public let function: String

    /// Creates an error that names the file and the function that throw it.
    public init(file: StaticString = #fileID, function: StaticString = #function) {
        self.file = "\(file)"
        self.function = "\(function)"
    }

    /// A message that names the file and the function.
    public var description: String { "\(file): \(function) is not written yet" }
}
