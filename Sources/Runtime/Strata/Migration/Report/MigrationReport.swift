import SQLSchema

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
}

extension StoreMetadata {
    /// The table of the app's views, triggers and indexes that migrations dropped. It exists only if there are any.
    private static let dropped = Table(
        "strata_dropped",
        ["id integer key", "version text", "type text", "name text", "sql text"])

    /// Logs the objects that the migration to a version dropped.
    static func log(
        _ objects: [MigrationReport.DroppedObject], to version: String, in connection: Connection
    ) throws {
        if objects.isEmpty { return }
        if try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'strata_dropped'") == 0 {
            try connection.execute(SQLite.createTable(dropped))
        }
        let statement = try connection.prepare(
            "INSERT INTO \"strata_dropped\" (\"version\", \"type\", \"name\", \"sql\") VALUES (?1, ?2, ?3, ?4)")
        for object in objects {
            for (index, text) in [version, object.type, object.name, object.sql].enumerated() {
                try statement.bind(text, at: index + 1)
            }
            try statement.run()
        }
    }
}
