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
