import Foundation
import SQLSchema

/// A resumable migration that has begun in a store and is not finished: the table `strata_pending` holds its state.
///
/// The migration copies rows to new tables in short transactions. Each of them also writes the state, so a migration that is
/// killed goes on after its last transaction. Triggers on the old tables notice what anything else writes meanwhile.
struct PendingMigration {
    let connection: Connection
    var state: State

    /// The state of the migration, with which any later process of the app can go on.
    struct State: Hashable, Codable {
        /// The format of the state.
        var format = Self.newestFormat
        /// The app that began the migration.
        var app: String
        /// The way in which the migration passes several versions.
        var strategy: String
        /// The versions from which its steps lead.
        var versions: [String]
        /// The fingerprints of the versions before and after.
        var from: UInt64
        var to: UInt64
        /// The moment at which the migration started.
        var now: Date
        /// The backup that was written before; nil for none.
        var backup: Backup?
        /// The tables of `MigrationRun.written`.
        var written: Set<String> = []
        /// The report so far.
        var report: MigrationReport
        /// The progress, in rows. The total is 0 until it is needed.
        var completedRows = 0
        var totalRows = 0
        /// The greatest primary keys that `newID` has returned, under the names that tables have before the present stage.
        var lastIDs: [String: Int64] = [:]
        /// The first stage that runs in the last transaction; nil if the stages themselves decide that.
        var transactionStage: Int?
        /// Tables that a custom migration writes to although its stage does not change them, by stage.
        var copied: [Int: Set<String>] = [:]
        /// Whether unique indexes are created in the last transaction.
        var createsUniqueIndexesLast = false
        /// Whether foreign keys have to be checked in the last transaction.
        var checksForeignKeysLast = false
        /// The stage that is running.
        var stage = 0
        /// The finished tasks of this stage.
        var done: Set<String> = []
        /// The numbers of the last rows that the unfinished tasks have finished.
        var rows: [String: Int64] = [:]
        /// The times that unfinished tasks have begun.
        var attempts: [String: Int] = [:]
        /// The state of the custom migration.
        var custom = CustomState()
        /// The number of changes of the store's schema (https://sqlite.org/pragma.html#pragma_schema_version). VACUUM changes
        /// it too, and may give rows new numbers.
        var schemaVersion = 0

        static let newestFormat = 3

        /// Whether the numbers are those of a migration. Arithmetic on others could overflow.
        fileprivate var isSound: Bool {
            let counts =
                [stage, completedRows, totalRows, report.rows, custom.rows, transactionStage ?? 0] + attempts.values
                + [
                    report.droppedRows, report.mergedRows, report.setAsideRows, report.repairedRows, custom.droppedRows,
                    custom.mergedRows, custom.setAsideRows,
                ].flatMap(\.values)
            return format == Self.newestFormat && counts.allSatisfy { 0...(1 << 60) ~= Int64($0) }
                && report.seconds >= 0 && report.seconds < 1e12 && abs(now.timeIntervalSince1970) < 1e12
        }
    }

    /// A file that was written as a backup.
    struct Backup: Hashable, Codable {
        var name: String
        var bytes: Int64?

        init(_ file: URL) { (name, bytes) = (file.lastPathComponent, StoreFile.size(of: file.path)) }
    }

    /// The state of a stage's custom migration.
    struct CustomState: Hashable, Codable {
        /// The encoded value of its type; nil if the type stores nothing.
        var code: Data?
        var rows = 0
        var droppedRows: [String: Int] = [:]
        var mergedRows: [String: Int] = [:]
        var setAsideRows: [String: Int] = [:]
        var hasChangedRows = false
        /// The greatest primary keys that `newID` has returned in this stage.
        var newIDs: [String: Int64] = [:]
    }

    /// The table of the state, with the hash of its text. `stale` is 1 if anything else has written to a table that the
    /// migration reads. `written` is 1 if it has written to another table.
    private static let table = Table(
        "strata_pending",
        ["id integer key", "state text", "hash integer", "owner text", "stale integer", "written integer"])

    // MARK: Reading

    /// The state in a store, and whether anything else has written to the copied tables.
    struct Found {
        let state: State
        let owner: String
        let isStale: Bool
    }

    /// Returns the pending migration of a store; nil if there is none that this version of Strata can read, or if its state is
    /// damaged.
    static func find(in connection: Connection) throws -> Found? {
        // Another process may finish the migration at any time.
        try connection.readingOneState { try exists(in: connection) ? read(from: connection) : nil }
    }

    private static func read(from connection: Connection) throws -> Found? {
        var found: Found?
        let schemaVersion = try connection.integer("PRAGMA schema_version")
        let columns = Set(try connection.texts("SELECT name FROM pragma_table_info('strata_pending')"))
        guard columns.isSuperset(of: table.columnNames) else { return nil }
        try connection.query("SELECT state, hash, owner, stale FROM strata_pending") { row in
            guard let text = try? row.string(0), let hash = try? row.int64(1), hash == Self.hash(of: text),
                let owner = try? row.string(2), let mark = try? row.int(3),
                let state = try? decoder.decode(State.self, from: Data(text.utf8)), state.isSound
            else { return }
            found = Found(state: state, owner: owner, isStale: mark != 0 || state.schemaVersion != schemaVersion)
        }
        return found
    }

    private static func exists(in connection: Connection) throws -> Bool {
        try connection.integer("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'strata_pending'") == 1
    }

    /// A change of the store since the last transaction of the migration.
    enum Change {
        case none, written, stale, taken
    }

    /// Returns how the store has changed since the last transaction of the owner.
    func change(owner: MigrationOwner) throws -> Change {
        guard try Self.exists(in: connection) else { return .taken }
        let row = try connection.cached("SELECT owner = ?1, stale, written FROM strata_pending")
        try row.bind(owner.description, at: 1)
        defer { row.reset() }
        guard try row.step(), try row.row.int(0) == 1 else { return .taken }
        if try row.row.int(1) != 0 || schemaVersion() != state.schemaVersion { return .stale }
        return try row.row.int(2) != 0 ? .written : .none
    }

    // MARK: Writing

    /// Creates the table of the state, and the triggers.
    ///
    /// - Parameter sources: The tables that the migration reads; nil for all.
    mutating func begin(owner: MigrationOwner, sources: Set<String>?) throws {
        try connection.execute(SQLite.createTable(Self.table))
        let insert = try connection.prepare("INSERT INTO strata_pending VALUES (1, '', 0, ?1, 0, 0)")
        try insert.bind(owner.description, at: 1)
        try insert.run()
        for table in try Self.watchedTables(connection) {
            let column = sources?.contains(table) != false || table == "strata_metadata" ? "stale" : "written"
            for event in ["INSERT", "UPDATE", "DELETE"] {
                let name = SQL.quoted("strata_pending_\(event.lowercased()) \(table)")
                try connection.execute(
                    """
                    CREATE TRIGGER \(name) AFTER \(event) ON \(SQL.quoted(table)) BEGIN \
                    UPDATE "strata_pending" SET "\(column)" = 1 WHERE "\(column)" = 0; END
                    """)
            }
        }
        try save()
    }

    /// Writes the state.
    mutating func save() throws {
        state.schemaVersion = try schemaVersion()
        let update = try connection.cached("UPDATE strata_pending SET state = ?1, hash = ?2")
        let text = String(decoding: try Self.encoder.encode(state), as: UTF8.self)
        try update.bind(text, at: 1)
        try update.bind(Self.hash(of: text), at: 2)
        try update.run()
    }

    /// Takes the migration over from an owner that has ended.
    static func take(owner: MigrationOwner, in connection: Connection) throws {
        let update = try connection.prepare("UPDATE strata_pending SET owner = ?1")
        try update.bind(owner.description, at: 1)
        try update.run()
    }

    /// Drops the triggers. From then on, the migration itself may write to the old tables.
    static func dropTriggers(in connection: Connection) throws {
        let triggers = try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        for name in triggers where ReservedNames.isPendingTrigger(name) {
            try connection.execute("DROP TRIGGER \(SQL.quoted(name))")
        }
    }

    /// Removes a pending migration with its tables. Does nothing if there is none.
    ///
    /// Foreign keys must be off.
    ///
    /// - Returns: Whether there was one.
    @discardableResult static func discard(in connection: Connection) throws -> Bool {
        guard try exists(in: connection) else { return false }
        try dropTriggers(in: connection)
        for name in try ownTables(connection) { try connection.execute("DROP TABLE IF EXISTS \(SQL.quoted(name))") }
        return true
    }

    /// The tables of a pending migration. The search indexes (`strata_0_search_name`) come before the tables that they
    /// consist of.
    private static func ownTables(_ connection: Connection) throws -> [String] {
        try connection.texts(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'view' ORDER BY type = 'virtual' DESC"
        ).filter(ReservedNames.isPendingTable)
    }

    /// The tables that others may write to: those of the schema and those of the app.
    static func watchedTables(_ connection: Connection) throws -> [String] {
        try connection.texts(
            """
            SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
            AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
            AND (name NOT LIKE 'strata\\_%' ESCAPE '\\' OR name = 'strata_metadata')
            """)
    }

    private func schemaVersion() throws -> Int {
        let row = try connection.cached("PRAGMA schema_version")
        defer { row.reset() }
        return try row.step() ? row.row.int(0) : 0
    }

    private static func hash(of text: String) -> Int64 {
        var hash = FNV1a()
        hash.add(text)
        return Int64(bitPattern: hash.value)
    }

    static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }()

    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }()
}
