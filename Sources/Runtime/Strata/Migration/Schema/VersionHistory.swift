import SQLSchema

/// The versions of a schema and the steps between them, added one by one. Generated code builds its schema with it.
///
/// Each version and each step is described by lines of text, because the compiler takes longer for the same values in Swift.
///
/// ```swift
/// var history = VersionHistory()
/// history.version(
///     "1.0", fingerprint: 0x1,
///     """
///     table note
///       id integer key
///     """)
/// history.version(
///     "1.1", fingerprint: 0x2,
///     """
///     change note
///       + text text?
///     """)
/// history.step(from: "1.0", to: "1.1", "map note")
/// ```
public struct VersionHistory: Sendable {
    /// The versions, oldest first.
    public private(set) var versions: [SchemaVersion] = []
    /// The steps, in the order in which they were added.
    public private(set) var steps: [MigrationStep] = []

    /// Creates a history without versions.
    public init() {}

    /// Adds a version.
    ///
    /// - Parameters:
    ///   - name: The version: `1.0`.
    ///   - fingerprint: The fingerprint of the version.
    ///   - oldest: The oldest version whose apps can use stores of this version; nil if apps of older versions cannot use them.
    ///   - tables: The tables that differ from those of the version before.
    /// - Precondition: `tables` is as Strata generates it.
    public mutating func version(
        _ name: String, fingerprint: UInt64, compatibleSince oldest: String? = nil, _ tables: String
    ) {
        let tables = read(name) { () throws(SchemaTextError) in
            try SchemaText.tables(tables, after: versions.last?.tables ?? [])
        }
        let first = versions.firstIndex { $0.name == oldest } ?? versions.endIndex
        versions.append(
            SchemaVersion(name, fingerprint: fingerprint, tables: tables, compatible: Array(versions[first...])))
    }

    /// Adds a step.
    ///
    /// - Parameters:
    ///   - from: The version before.
    ///   - to: The version after.
    ///   - changes: The changes of tables.
    /// - Precondition: `changes` is as Strata generates it.
    public mutating func step(from: String, to: String, _ changes: String) {
        steps.append(MigrationStep(from: from, to: to, changes: read(from, to, changes)))
    }

    /// Adds a step with a custom migration.
    ///
    /// - Parameters:
    ///   - from: The version before.
    ///   - to: The version after.
    ///   - changes: The changes of tables.
    ///   - code: The type of the custom migration.
    ///   - rows: Passes the rows of the old tables to the custom migration.
    /// - Precondition: `changes` is as Strata generates it.
    public mutating func step<Code: CustomMigration>(
        from: String, to: String, _ changes: String, code: Code.Type,
        rows: @escaping @Sendable (CustomStep, RunningMigration<Code>) throws -> Void
    ) {
        steps.append(MigrationStep(from: from, to: to, changes: read(from, to, changes), code: code, rows: rows))
    }

    private func read(_ from: String, _ to: String, _ changes: String) -> [TableChange] {
        read("\(from)-\(to)") { () throws(SchemaTextError) in try SchemaText.changes(changes) }
    }

    private func read<Value>(_ name: String, _ body: () throws(SchemaTextError) -> Value) -> Value {
        do {
            return try body()
        } catch {
            preconditionFailure("\(name): \(error); generate the schema again")
        }
    }
}
