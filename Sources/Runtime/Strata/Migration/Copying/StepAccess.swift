import Foundation
import SQLSchema

/// The tables, transactions and primary keys of a step while its custom migration runs. Generated code creates a
/// ``MigrationContext`` from it.
///
/// Old tables have their names before the step, new tables their names after it.
public final class StepAccess {
    /// A fixed value for `now`, so that the results of two migrations can be compared; nil for the current time.
    @TaskLocal package static var fixedNow: Date?

    let now: Date
    let connection: Connection
    /// The present names of new tables that do not have their final names yet, by these.
    let temporaryNames: [String: String]
    /// The present names of old tables that have another name, by their own names.
    private let oldNames: [String: String]
    /// The views through which the custom migration sees tables before the step, and after it.
    let views: DeferredTable.Views
    /// The views of old rows in tables that also get the new rows, with the names of these tables.
    let oldViews: [String: String]
    /// The transactions of a migration that can be resumed; nil if all runs in one transaction.
    let batches: MigrationBatches?
    /// The changed primary keys of the rows that the custom migration converts, by the name of the new table.
    var keyMaps: [String: KeyMap] = [:]
    /// The new primary keys of rows that became rows of another entity, with its table.
    var mergedKeys: [(table: String, map: KeyMap)] = []
    /// Reads the rows before the step.
    let old: ReadTransaction
    /// Reads and writes the rows after the step. Rows that wait to be written are written first.
    let new: WriteTransaction
    /// Whether the custom migration has used new rows since `writesRows` was called.
    private(set) var usesNewRows = false
    /// Whether the custom migration has changed new rows. Strata may still have to update references in such rows.
    private(set) var hasChangedRows: Bool
    private(set) var newIDs: NewIDs
    /// The old tables whose rows become rows of new tables, by the names of the new tables.
    private let sources: [String: String]
    /// The database of the tables that the step needs.
    let database: String
    /// A table with the table name and the primary key of each row that `insert` has added. It is temporary, unless the
    /// migration can be resumed. It is created before any row is read: creating a temporary table makes SQLite abort a
    /// running query on another one.
    private let additions: String

    init(
        connection: Connection, stage: MigrationStage, temporaryNames: [String: String],
        oldNames: [String: String] = [:], now: Date, batches: MigrationBatches? = nil
    ) throws {
        self.sources = stage.sources
        self.connection = connection
        self.temporaryNames = temporaryNames
        self.oldNames = oldNames
        self.now = now
        self.batches = batches
        let state = batches?.pending.state
        hasChangedRows = state?.custom.hasChangedRows ?? false
        newIDs = NewIDs(
            known: try state?.lastIDs ?? LastIDs.read(from: connection), given: state?.custom.newIDs ?? [:])
        database = batches == nil ? "temp" : "main"
        let additions = "\(database).\"strata_added\""
        self.additions = additions
        let width = try connection.integer(
            "SELECT max(t.pk) FROM sqlite_schema AS s, pragma_table_info(s.name) AS t WHERE s.type = 'table'")
        let columns = ["\"table\""] + (0..<max(1, width ?? 1)).map { "k\($0)" }
        let list = columns.joined(separator: ", ")
        try connection.execute("CREATE TABLE IF NOT EXISTS \(additions) (\(list))")
        try connection.execute(
            "CREATE INDEX IF NOT EXISTS \(database).\"strata_added_key\" ON \"strata_added\" (\(list))")
        views = try DeferredTable.Views(stage.deferred, oldNames, temporaryNames, connection)
        // A table that is not copied before the code runs gets the new rows too.
        let newNames = Set(stage.mapping.new.map(\.name))
        var (oldViews, viewedTables) = (views.old, [String: String]())
        for table in stage.mapping.old where newNames.contains(table.name) {
            let name = table.name
            let present = oldNames[name] ?? name
            guard present == (temporaryNames[name] ?? name) else { continue }
            let view = oldViews[name] ?? "strata_old_" + name
            viewedTables[view] = present
            if oldViews.updateValue(view, forKey: name) != nil { continue }
            let isNotAdded = table.isJoinTable ? "1" : Self.isNotAdded(name, table.primaryKey, in: additions)
            try connection.execute(
                "CREATE TEMP VIEW \(SQL.quoted(view)) AS SELECT * FROM \(SQL.quoted(present)) AS t WHERE \(isNotAdded)")
        }
        self.oldViews = viewedTables
        old = ReadTransaction(
            connection, names: oldNames.merging(oldViews) { $1 }, rolledBack: MigrationError.rolledBack)
        new = WriteTransaction(
            connection, names: temporaryNames.merging(views.new) { $1 }, rolledBack: MigrationError.rolledBack)
    }

    /// Ends the step. Its cursors can no longer be read.
    func end() throws {
        closeStatements()
        try connection.fillReplacedSearches()
        try connection.execute("DROP TABLE \(additions)")
        for map in keyMaps.values + mergedKeys.map(\.map) { try connection.execute("DROP TABLE \(map.name)") }
    }

    /// Closes all statements. The cursors of the step can no longer be read.
    func closeStatements() {
        old.end()
        new.end()
        connection.resetStatements()
        connection.forgetStatements()
    }

    /// Sets the function that writes the rows which wait to be written; nil for none.
    func writesRows(_ body: (() throws -> Void)?) {
        usesNewRows = false
        let write = body.map { body in
            { [unowned self] in
                usesNewRows = true
                try body()
            }
        }
        new.willUse = write
        // SQL that reads old rows can name any table.
        old.willRunSQL = write
    }

    /// Throws if the step has ended.
    func checkOpen() throws { try old.checkOpen() }

    // MARK: Tables

    /// The quoted present name of a new table.
    func quoted(_ table: String) -> String {
        SQL.quoted(temporaryNames[table] ?? table)
    }

    /// The present name of an old table.
    func oldName(_ table: String) -> String { oldNames[table] ?? table }

    // MARK: Rows

    /// Returns the new row with a primary key, which may be that of the old row; nil if no such row exists yet.
    func find<New: StoredEntity>(_ type: New.Type, id: New.ID) throws -> New? {
        try new.checkOpen()
        return try new.find(type, id: keyMaps[New.table.name]?.change(of: id, to: New.ID.self)?.key ?? id)
    }

    /// Inserts a new row, and records that it comes from no old row.
    func insert<New: StoredEntity>(_ entity: New) throws {
        try new.insert(entity)
        let width = New.ID.columnCount
        let columns = (0..<width).map { ", k\($0)" }.joined()
        let record = try new.open().cached(
            "INSERT INTO \(additions) (\"table\"\(columns)) VALUES (\(SQL.parameters(width + 1)))")
        try record.bind(New.table.name, at: 1)
        try record.bind(New.id(of: entity), at: 2)
        try record.run()
    }

    /// Deletes a row that `insert` has added.
    func delete<New: StoredEntity>(_ entity: New) throws {
        let id = New.id(of: entity)
        let key = (0..<New.ID.columnCount).map { "k\($0)" }
        let forget = try new.open().cached(
            "DELETE FROM \(additions) WHERE \"table\" = ?1 AND \(SQL.matches(key, from: 2))")
        try forget.bind(New.table.name, at: 1)
        try forget.bind(id, at: 2)
        try forget.run()
        let isMerged = try mergedKeys.contains { try $0.table == New.table.name && $0.map.leads(to: id) }
        guard try !isMerged && new.open().changes > 0 else {
            throw MigrationError.notInserted(table: New.table.name, key: "\(id)")
        }
        hasChangedRows = true
        try new.delete(entity)
    }

    /// Changes new rows.
    func change<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
        hasChangedRows = true
        return try body(new)
    }

    /// Runs an SQL statement of the custom migration.
    func execute(_ sql: String, _ arguments: [(any ColumnStorable)?]) throws {
        hasChangedRows = true
        let connection = try new.open()
        try batches?.prepareSQL()
        do {
            if arguments.isEmpty { return try connection.executeConfined(sql) }
            try connection.query(sql, arguments).run()
        } catch {
            try batches?.check()
            throw error
        }
    }

    /// Returns an integer primary key that no row of `table` has before or after the step.
    func newID(of table: String) throws -> Int {
        try new.checkOpen()
        return try newIDs.next(
            for: table, knownAs: sources[table] ?? table, keys: try integerKeys(of: table), connection)
    }

    /// The integer primary keys of a table before and after the step. The table may be new, and the name of its primary
    /// key may have changed.
    private func integerKeys(of table: String) throws -> [(table: String, column: String)] {
        try Set([oldName(sources[table] ?? table), temporaryNames[table] ?? table]).compactMap { name in
            try connection.text(
                "SELECT name FROM pragma_table_info(\(SQL.literal(name))) WHERE pk = 1 AND type = 'INTEGER'"
            ).map { (SQL.quoted(name), SQL.quoted($0)) }
        }
    }

    /// The SQL condition that the row `t` of `table` was not added by `insert`.
    func isNotAdded(_ table: String, _ key: [String]) -> String { Self.isNotAdded(table, key, in: additions) }

    private static func isNotAdded(_ table: String, _ key: [String], in additions: String) -> String {
        let pairs = key.enumerated().map { "added.k\($0) = t.\(SQL.quoted($1))" }
        return """
            NOT EXISTS (SELECT 1 FROM \(additions) AS added \
            WHERE added."table" = \(SQL.literal(table)) AND \(pairs.joined(separator: " AND ")))
            """
    }

    /// Returns a UUID that depends only on `text`.
    package static func uuid(for text: String) -> UUID {
        var bytes: [UInt8] = []
        for seed: UInt64 in [0xcbf2_9ce4_8422_2325, 0x9e37_79b9_7f4a_7c15] {
            // FNV-1a, followed by the finalizer of SplitMix64, which distributes the hash over all bits.
            var hash = seed
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
            hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
            hash ^= hash >> 31
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * UInt64($0))) }
        }
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
