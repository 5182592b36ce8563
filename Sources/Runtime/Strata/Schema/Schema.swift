import SQLSchema

/// A schema with all its versions. Strata generates the conformances.
public protocol Schema: Sendable {
    /// The name of the schema. Each store contains it.
    static var name: String { get }
    /// The fingerprint of the newest version. Opening a store of this version compares nothing else.
    static var fingerprint: UInt64 { get }
    /// All versions, oldest first. They are only read when a store is created or migrated.
    static var versions: [SchemaVersion] { get }
    /// The migration steps, oldest first.
    static var steps: [MigrationStep] { get }
    /// The format of the databases that the schema was imported from; nil if it was not imported.
    static var imported: ImportedFormat? { get }
    /// The types of the newest version's values that its tables do not show, one a line. Debug builds compare them when a
    /// draft has changed; release builds do not contain them.
    static var valueTypes: String { get }
}

extension Schema {
    /// nil: the schema was not imported.
    public static var imported: ImportedFormat? { nil }
    /// Empty: the tables show all types, or this is a release build.
    public static var valueTypes: String { "" }
}

/// A version of a schema.
public struct SchemaVersion: Hashable, Sendable {
    /// The version: `1.0`.
    public let name: String
    /// The 64-bit FNV-1a hash of the version's entities.
    public let fingerprint: UInt64
    /// The oldest version whose apps can use stores of this version; the version's own name if apps of older versions cannot use them.
    public let compatibleSince: String
    /// All tables.
    package let tables: [Table]
    /// The fingerprints of the older versions whose apps can use stores of this version.
    package let compatible: [UInt64]

    /// Creates a version.
    ///
    /// - Parameter compatible: The older versions whose apps can use stores of this version, oldest first.
    package init(_ name: String, fingerprint: UInt64, tables: [Table], compatible: [SchemaVersion] = []) {
        self.name = name
        self.fingerprint = fingerprint
        self.tables = tables
        self.compatible = compatible.map(\.fingerprint)
        compatibleSince = compatible.first?.name ?? name
    }

    /// The statements that create the tables and their indexes.
    package var statements: [String] {
        tables.flatMap(SQLite.create)
    }
}

/// A migration step from a version to the next one.
public struct MigrationStep: Sendable {
    /// The version before.
    public let from: String
    /// The version after.
    public let to: String
    /// The changes of tables.
    package let changes: [TableChange]
    /// Runs the custom migration; nil if there is none.
    let custom: (@Sendable (CustomStep) throws -> Void)?
    /// Whether the rows of the step can be copied in several transactions. The type of the custom migration must store
    /// nothing, or be `Codable`.
    public let isResumable: Bool
    /// Whether only the app has the custom migration.
    let isUnknown: Bool

    /// Creates a step. `custom` runs after the rows of all other tables have been copied, in one transaction with them.
    package init(
        from: String, to: String, changes: [TableChange] = [],
        custom: (@Sendable (CustomStep) throws -> Void)? = nil
    ) {
        self.from = from
        self.to = to
        self.changes = changes
        self.custom = custom
        isResumable = custom == nil
        isUnknown = false
    }

    /// Creates a step for a tool that does not have the custom migration of the app.
    package init(from: String, to: String, changes: [TableChange], isCustom: Bool) {
        (self.from, self.to, self.changes) = (from, to, changes)
        let unwritten: @Sendable (CustomStep) throws -> Void = { _ in throw UnwrittenMigration() }
        custom = isCustom ? unwritten : nil
        isResumable = !isCustom
        isUnknown = isCustom
    }

    /// Creates a step with a custom migration.
    ///
    /// - Parameters:
    ///   - code: The type of the custom migration.
    ///   - rows: Passes the rows of the old tables to the custom migration.
    package init<Code: CustomMigration>(
        from: String, to: String, changes: [TableChange] = [], code: Code.Type,
        rows: @escaping @Sendable (CustomStep, RunningMigration<Code>) throws -> Void
    ) {
        self.from = from
        self.to = to
        self.changes = changes
        // This is sound: `rows` is `@Sendable`, and `run` captures nothing else. The compiler complains about the type `Code`,
        // whose conformance could belong to one actor. Each run creates its value of `Code`, and uses it on one thread.
        nonisolated(unsafe) let run: (CustomStep) throws -> Void = { try $0.run(rows) }
        custom = { try run($0) }
        isUnknown = false
        isResumable = MemoryLayout<Code>.size == 0 || code is any Codable.Type
    }

    /// Whether the step has a custom migration.
    public var isCustom: Bool { custom != nil }
}
