/// The result of a migration. Rows are counted by table, under the table's name in the version in which it happened.
public struct MigrationReport: Hashable, Sendable, Codable {
    /// The version before.
    public var from: String
    /// The version after.
    public var to: String
    /// The duration, in seconds.
    public var seconds: Double = 0
    /// A view, trigger or index of yours that no longer fits the tables.
    public struct DroppedObject: Hashable, Sendable, Codable {
        /// `view`, `trigger` or `index`.
        public var type: String
        /// The name of the object.
        public var name: String
        /// The SQL that created it.
        public var sql: String
    }

    /// The number of rows that were copied or that a custom migration received.
    public var rows = 0
    /// Views, triggers and indexes of yours that no longer fit the tables. The table `strata_dropped` keeps their SQL.
    public var droppedObjects: [DroppedObject] = []
    /// The new names of your tables whose names the schema needs, by the old names.
    public var renamedTables: [String: String] = [:]
    /// The number of rows that custom migrations dropped, including rows that a cascade deleted.
    public var droppedRows: [String: Int] = [:]
    /// The number of rows that no struct of their version can hold, and that the table `strata_set_aside` keeps
    /// (``StoreOptions/malformedRows``).
    public var setAsideRows: [String: Int] = [:]
    /// The number of rows that custom migrations merged into other rows.
    public var mergedRows: [String: Int] = [:]
    /// The number of rows with dangling foreign keys that were set to NULL or deleted before the first step.
    public var repairedRows: [String: Int] = [:]

    init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    /// Adds the rows of a step with a custom migration.
    mutating func add(_ step: CustomStep) {
        rows += step.rows
        droppedRows.merge(step.droppedRows, uniquingKeysWith: +)
        mergedRows.merge(step.mergedRows, uniquingKeysWith: +)
        setAsideRows.merge(step.setAsideRows, uniquingKeysWith: +)
    }
}
