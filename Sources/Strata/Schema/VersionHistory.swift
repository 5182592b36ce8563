/// The versions of a schema and the steps between them, added one statement at a time.
///
/// Generated code builds its schema with it: a statement for each table that changes in a version. One array literal of all
/// versions would take the compiler time and memory that grow faster than the array.
///
/// ```swift
/// var history = VersionHistory()
/// history.add(Table("note", ["\"id\" INTEGER PRIMARY KEY"]))
/// history.version("1.0", fingerprint: 0x1)
/// history.add(Table("note", ["\"id\" INTEGER PRIMARY KEY", "\"text\" TEXT"]))
/// history.version("1.1", fingerprint: 0x2)
/// history.change(.map(from: "note", to: "note", columns: [:], filter: nil))
/// history.step(from: "1.0", to: "1.1")
/// ```
public struct VersionHistory: Sendable {
    /// The versions that are complete, oldest first.
    public private(set) var versions: [SchemaVersion] = []
    /// The steps that are complete, in the order in which they were added.
    public private(set) var steps: [MigrationStep] = []
    private var tables: [Table] = []
    private var changes: [TableChange] = []

    /// A history without versions.
    public init() {}

    /// Adds a table to the next version, in place of the table of that name in the version before.
    public mutating func add(_ table: Table) {
        tables.put(table, by: \.name)
    }

    /// Removes the table called `name`, which the version before has, from the next one.
    public mutating func remove(_ name: String) {
        tables.removeAll { $0.name == name }
    }

    /// Completes a version: it has the tables that were added and not removed.
    public mutating func version(_ name: String, fingerprint: UInt64) {
        versions.append(SchemaVersion(name, fingerprint: fingerprint, tables: tables))
    }

    /// Adds a change of a table to the next step.
    public mutating func change(_ change: TableChange) {
        changes.append(change)
    }

    /// Completes the step between two versions: it has the changes that were added since the step before.
    public mutating func step(
        from: String, to: String, custom: (@Sendable (CustomStep) throws -> Void)? = nil
    ) {
        steps.append(MigrationStep(from: from, to: to, changes: changes, custom: custom))
        changes = []
    }
}
