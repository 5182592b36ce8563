import SQLSchema

/// The changed primary keys of a table's rows in one step, stored in a table of the temporary database, or of the store if
/// the migration can be resumed.
///
/// Each old primary key is mapped to the new one, or to NULL if the row was dropped. A row that was merged is mapped to
/// the primary key of the row that it was merged into. Rows that keep their primary key are not in the map.
package final class KeyMap {
    /// The table's name, quoted.
    let name: String
    let oldColumns: [String]
    let newColumns: [String]
    /// Whether no row was recorded.
    private(set) var isEmpty: Bool
    /// Whether the primary key compares its texts in another way after the step.
    let isRecollated: Bool
    /// The old table and the columns of its primary key.
    private let source: (name: String, key: [String])
    /// The type of the old primary keys; nil if it is that of the new ones.
    private let oldType: Any.Type?
    private let connection: Connection

    /// Creates an empty map for `table`. In the store, there may already be one.
    ///
    /// - Parameters:
    ///   - table: The name of the new table.
    ///   - source: The name of the old table, and the columns of its primary key.
    ///   - oldType: The type of the old primary keys; nil for that of the new ones.
    ///   - old: The collations of the old primary key's columns.
    ///   - new: The collations of the new primary key's columns.
    ///   - database: `temp`, or `main` if the migration can be resumed.
    init(
        _ table: String, from source: (name: String, key: [String]), ofType oldType: Any.Type? = nil, old: [Collation?],
        new: [Collation?], _ connection: Connection, in database: String
    ) throws {
        (self.source, self.oldType) = (source, oldType)
        isRecollated = old.count == new.count && old != new
        name = "\(database).\(SQL.quoted("strata_keys_" + table))"
        oldColumns = old.indices.map { "o\($0)" }
        newColumns = new.indices.map { "n\($0)" }
        self.connection = connection
        // Columns without a type store every value unchanged. They need the collations of the primary keys, or lookups
        // would miss rows.
        let columns = zip(oldColumns + newColumns, old + new).map { $0 + SQLite.collate($1) }.joined(separator: ", ")
        let key = oldColumns.joined(separator: ", ")
        try connection.execute("CREATE TABLE IF NOT EXISTS \(name) (\(columns), PRIMARY KEY (\(key))) WITHOUT ROWID")
        let index = "\(database).\(SQL.quoted("strata_keyindex_" + table))"
        let table = SQL.quoted("strata_keys_" + table)
        try connection.execute(
            "CREATE INDEX IF NOT EXISTS \(index) ON \(table) (\(newColumns.joined(separator: ", ")))")
        isEmpty = try connection.integer("SELECT 1 FROM \(name)") == nil
    }

    /// Records the new primary key of a row; nil for a dropped row.
    func record<Old: EntityID, New: EntityID>(_ old: Old, as new: New?) throws {
        try record(new) { try $0.bind(old, at: 1) }
    }

    /// Records the new primary key of a row.
    ///
    /// - Parameters:
    ///   - old: The values of the old primary key's columns.
    ///   - new: The new primary key; nil for a dropped row.
    func record<New: EntityID>(_ old: [SQLiteValue], as new: New?) throws {
        try record(new) { statement in
            for (index, value) in old.enumerated() { try statement.bind(value, at: 1 + index) }
        }
    }

    /// Records a row that was left out.
    ///
    /// - Parameter old: The values of the old primary key's columns.
    func record(dropped old: [SQLiteValue]) throws {
        isEmpty = false
        let statement = try insertion()
        for (index, value) in old.enumerated() { try statement.bind(value, at: 1 + index) }
        for index in newColumns.indices { try statement.bindNull(at: 1 + oldColumns.count + index) }
        try statement.run()
    }

    private func insertion() throws -> Statement {
        try connection.cached("INSERT INTO \(name) VALUES (\(SQL.parameters(oldColumns.count + newColumns.count)))")
    }

    private func record<New: EntityID>(_ new: New?, _ bindOld: (Statement) throws -> Void) throws {
        isEmpty = false
        let statement = try insertion()
        try bindOld(statement)
        try statement.bind(new, at: 1 + oldColumns.count)
        try statement.run()
    }

    /// Records the rows that keep their primary key. References to them may be spelled in another way, which the former
    /// collation allowed. The map of a step with another collation needs them.
    func recordUnchanged() throws {
        let key = SQL.list(source.key)
        let rows = "SELECT \(key), \(key) FROM \(SQL.quoted(source.name))"
        try connection.execute("INSERT OR IGNORE INTO \(name) \(rows)")
        isEmpty = isEmpty && connection.changes == 0
    }

    /// A change of a row's primary key.
    struct Change<New> {
        /// The new primary key; nil if the row was dropped.
        let key: New?
    }

    /// Whether the map is for primary keys of the type `Old`.
    func maps<Old: EntityID, New: EntityID>(_ old: Old.Type, to new: New.Type) -> Bool { (oldType ?? new) == old }

    /// Returns the change of the row with the old primary key `id`; nil if none is recorded.
    func change<Old: EntityID, New: EntityID>(of id: Old, to type: New.Type) throws -> Change<New>? {
        let statement = try connection.cached(
            "SELECT \(newColumns.joined(separator: ", ")) FROM \(name) WHERE \(SQL.matches(oldColumns))")
        try statement.bind(id, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return Change(key: statement.row.isNull(0) ? nil : try New(row: statement.row, at: 0))
    }

    /// Whether a row got the new primary key `id`.
    func leads(to id: some EntityID) throws -> Bool { try hasRow(in: name, newColumns, id) }

    /// Returns whether the old table has a row with the primary key `id`.
    func hasOldRow(_ id: some EntityID) throws -> Bool { try hasRow(in: SQL.quoted(source.name), source.key, id) }

    private func hasRow(in table: String, _ key: [String], _ id: some EntityID) throws -> Bool {
        let statement = try connection.cached("SELECT 1 FROM \(table) WHERE \(SQL.matches(key))")
        try statement.bind(id, at: 1)
        defer { statement.reset() }
        return try statement.step()
    }
}
