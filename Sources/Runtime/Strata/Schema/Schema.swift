import SQLSchema

/// A schema with all its versions. Strata generates the conformances.
public protocol Schema: Sendable {
    /// The schema's name, which a store keeps.
    static var name: String { get }
    /// The fingerprint of the newest version: all that is compared when a store is already there.
    static var fingerprint: UInt64 { get }
    /// All versions, oldest first; read only where a store is made or migrated.
    static var versions: [SchemaVersion] { get }
    /// The steps between neighbouring versions, oldest first.
    static var steps: [MigrationStep] { get }
    /// What its databases were before, where it was imported from another library.
    static var imported: ImportedFormat? { get }
}

extension Schema {
    /// Its databases were always Strata's.
    public static var imported: ImportedFormat? { nil }
}

/// One version of a schema, as a store has it.
public struct SchemaVersion: Hashable, Sendable {
    /// The version as it is written: `1.0`.
    public let name: String
    /// 64-bit FNV-1a over the version's logical form.
    public let fingerprint: UInt64
    /// All tables.
    package let tables: [Table]

    /// A version of these tables.
    package init(_ name: String, fingerprint: UInt64, tables: [Table]) {
        self.name = name
        self.fingerprint = fingerprint
        self.tables = tables
    }

    /// The statements that make the tables and their indexes.
    package var statements: [String] {
        tables.flatMap(SQLite.create)
    }
}

/// One step from a version to the next.
public struct MigrationStep: Sendable {
    /// The version before.
    public let from: String
    /// The version after.
    public let to: String
    /// What is done to each table that does not stay as it is.
    package let changes: [TableChange]
    /// The code that a person wrote for the step, if it needs some.
    let custom: (@Sendable (CustomStep) throws -> Void)?

    /// A step that does `changes`, and runs `custom` when all has been copied that needs no code.
    package init(
        from: String, to: String, changes: [TableChange] = [],
        custom: (@Sendable (CustomStep) throws -> Void)? = nil
    ) {
        self.from = from
        self.to = to
        self.changes = changes
        self.custom = custom
    }

    /// Whether a person wrote code for the step.
    public var isCustom: Bool { custom != nil }
}
