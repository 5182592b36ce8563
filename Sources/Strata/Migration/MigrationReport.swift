/// What a migration did. The rows are counted by table, as the table is called in the version in which it happened.
public struct MigrationReport: Hashable, Sendable, Codable {
    /// The version before.
    public var from: String
    /// The version after.
    public var to: String
    /// How long it took, in seconds.
    public var seconds: Double = 0
    /// A view, a trigger or an index of yours that no longer fits the tables.
    public struct DroppedObject: Hashable, Sendable, Codable {
        /// `view`, `trigger` or `index`.
        public var type: String
        /// Its name.
        public var name: String
        /// The SQL that created it.
        public var sql: String
    }

    /// The rows that were copied, or that code migrated.
    public var rows = 0
    /// Views, triggers and indexes of yours that no longer fit the tables. The table `strata_dropped` keeps their SQL.
    public var droppedObjects: [DroppedObject] = []
    /// The new names of tables of yours whose names the schema needs.
    public var renamedTables: [String: String] = [:]
    /// The rows that code dropped, and those that went with them because they pointed at them.
    public var droppedRows: [String: Int] = [:]
    /// The rows that code merged into others.
    public var mergedRows: [String: Int] = [:]
    /// The rows with foreign keys that led nowhere, which were set to NULL or deleted before the first step.
    public var repairedRows: [String: Int] = [:]

    init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    /// Adds what a step with code did.
    mutating func add(_ step: CustomStep) {
        rows += step.rows
        droppedRows.merge(step.droppedRows, uniquingKeysWith: +)
        mergedRows.merge(step.mergedRows, uniquingKeysWith: +)
    }
}
