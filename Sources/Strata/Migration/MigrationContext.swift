import Foundation
import SchemaSQL

/// What a custom migration reads and writes. Names of old tables are those before the step, of new ones those after it.
public final class MigrationContext {
    /// The moment at which the migration began: the same one for all of it.
    public let now: Date
    /// The moment for all migrations, where what two of them do is to be compared.
    @TaskLocal package static var fixedNow: Date?

    let connection: Connection
    let temporaryNames: [String: String]
    /// What became of the keys of rows that code has migrated, by the new table.
    var keyMaps: [String: KeyMap] = [:]

    /// Whether rows were changed that may have to follow others to their keys.
    private(set) var hasChangedRows = false
    /// The old tables whose rows become rows of new ones, by those.
    private let sources: [String: String]
    private let old: ReadTransaction
    private let new: WriteTransaction
    /// A table of the step's own that holds the tables and the keys of rows that were added by `insert`. It is there from
    /// the beginning: SQLite gives up a query of one temporary table while another is made.
    private static let additions = "temp.\"strata_added\""

    init(
        connection: Connection, temporaryNames: [String: String], sources: [String: String], now: Date
    ) throws {
        self.sources = sources
        self.newIDs = try NewIDs(reading: connection)
        self.connection = connection
        self.temporaryNames = temporaryNames
        self.now = now
        self.old = ReadTransaction(connection, names: [:])
        self.new = WriteTransaction(connection, names: temporaryNames)
        let width = try connection.integer(
            "SELECT max(t.pk) FROM sqlite_schema AS s, pragma_table_info(s.name) AS t WHERE s.type = 'table'")
        let columns = ["\"table\""] + (0..<max(1, width ?? 1)).map { "k\($0)" }
        let list = columns.joined(separator: ", ")
        try connection.execute("CREATE TABLE \(Self.additions) (\(list))")
        try connection.execute("CREATE INDEX temp.\"strata_added_key\" ON \"strata_added\" (\(list))")
    }

    /// Ends the step: its cursors can no longer be read.
    func end() throws {
        old.end()
        new.end()
        connection.forgetStatements()
        try connection.execute("DROP TABLE \(Self.additions)")
        for map in keyMaps.values { try connection.execute("DROP TABLE \(map.name)") }
    }

    // MARK: Old rows

    /// The rows of an old entity, one at a time, in the order in which they were stored.
    public func old<Old: StoredEntity>(_ type: Old.Type) throws -> Cursor<Old> {
        let table = Old.table
        var sql = table.select
        if temporaryNames[table.name] == nil {
            // The table is the new one too: what the step has added to it is not old. It is asked of each row: a list of
            // the keys would be drawn up once and miss what is added meanwhile.
            sql += " AS t WHERE " + isNotAdded(table.name, table.key)
        }
        return Cursor(try old.open().prepare(sql), of: old) { try Old.read($0) }
    }

    /// The old rows that the old row `source` points at, in order.
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws -> [Target] {
        try old.related(source, path)
    }

    /// The old row that the old row `source` points at, or nil.
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToOne<Source, Target>>
    ) throws -> Target? {
        try old.related(source, path)
    }

    // MARK: New rows

    /// The row of a new entity whose key is `id`, or that of the row which the old row `id` has become; nil while there
    /// is none.
    public func find<New: StoredEntity>(_ type: New.Type, id: New.ID) throws -> New? {
        try new.find(type, id: keyMaps[New.table.name]?.key(for: id) ?? id)
    }

    /// The key of the row which the old row `id` has become, where code has given it another: nil where it went, or
    /// where it still has its own.
    public func key<New: StoredEntity, OldID: EntityID>(of type: New.Type, for id: OldID) throws -> New.ID? {
        try keyMaps[New.table.name]?.key(for: id)
    }

    /// Writes a row of a new entity.
    public func insert<New: StoredEntity>(_ entity: New) throws {
        try new.insert(entity)
        let width = New.ID.columnCount
        let columns = (0..<width).map { ", k\($0)" }.joined()
        let record = try new.open().cached(
            "INSERT INTO \(Self.additions) (\"table\"\(columns)) VALUES (\(SQL.parameters(width + 1)))")
        try record.bind(New.table.name, at: 1)
        try record.bind(New.id(of: entity), at: 2)
        try record.run()
    }

    /// Writes all columns of the row of a new entity that has the same key.
    ///
    /// - Throws: `RelationshipError.noSuchRow` where there is none.
    public func update<New: StoredEntity>(_ entity: New) throws {
        hasChangedRows = true
        try new.update(entity)
    }

    /// Makes `targets` the rows that the new row `source` points at, in their order.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>, to targets: [Target.ID]
    ) throws {
        hasChangedRows = true
        try new.setRelated(source, path, to: targets)
    }

    /// Makes `target` the row that the new row `source` points at.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToOne<Source, Target>>, to target: Target.ID?
    ) throws {
        hasChangedRows = true
        try new.setRelated(source, path, to: target)
    }

    /// Runs a statement of your own: `execute("UPDATE \(name(of: Movie.self)) SET rating = ?", [0.5])`. While the step runs,
    /// `name(of:)` is the name of a new entity's table.
    ///
    /// - Parameters:
    ///   - sql: The statement; without arguments, also several.
    ///   - arguments: The values of the parameters, in their order; a key of several columns is as many.
    /// - Throws: `SQLiteError`, or `QueryError` if it begins or ends a transaction, attaches a database or sets a pragma, or
    ///   if it has other parameters than `arguments`.
    public func execute(_ sql: String, _ arguments: [(any ColumnStorable)?] = []) throws {
        hasChangedRows = true
        let connection = try new.open()
        if arguments.isEmpty { return try connection.executeConfined(sql) }
        try connection.query(sql, arguments).run()
    }

    /// What the table of a new entity is called while the step runs, in quotes.
    public func name<New: StoredEntity>(of type: New.Type) -> String {
        quoted(New.table.name)
    }

    // MARK: New keys

    /// A key that no row of the entity has, old or new, and that was not given before: the store remembers it.
    public func newID<New: StoredEntity>(of type: New.Type) throws -> New.ID
    where New.ID: RawEntityID, New.ID.RawValue == Int {
        let table = New.table.name
        let id = try newIDs.next(
            for: table, knownAs: sources[table] ?? table, keys: try integerKeys(of: table), connection)
        return New.ID(rawValue: id)
    }

    private(set) var newIDs: NewIDs

    /// The integer keys of a table as it was and as it will be; it may be new, or its key may have been called otherwise.
    private func integerKeys(of table: String) throws -> [(table: String, column: String)] {
        try Set([sources[table] ?? table, temporaryNames[table] ?? table]).compactMap { name in
            try connection.text(
                "SELECT name FROM pragma_table_info(\(SQL.literal(name))) WHERE pk = 1 AND type = 'INTEGER'"
            ).map { (SQL.quoted(name), SQL.quoted($0)) }
        }
    }

    /// A UUID that depends on `text` alone: the same one whenever and wherever the migration runs.
    ///
    /// It is of version 8, which leaves all other bits to whoever makes it (RFC 9562, section 5.8).
    public func uuid(for text: String) -> UUID { Self.uuid(for: text) }

    /// A UUID that depends on `text` alone.
    package static func uuid(for text: String) -> UUID {
        var bytes: [UInt8] = []
        for seed: UInt64 in [0xcbf2_9ce4_8422_2325, 0x9e37_79b9_7f4a_7c15] {
            // FNV-1a, and then the finalizer of SplitMix64, which spreads it over all bits.
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

    // MARK: Tables

    func quoted(_ table: String) -> String {
        SQL.quoted(temporaryNames[table] ?? table)
    }

    /// The condition that the row `t` of `table` was not added by `insert`.
    func isNotAdded(_ table: String, _ key: [String]) -> String {
        let pairs = key.enumerated().map { "added.k\($0) = t.\(SQL.quoted($1))" }
        return """
            NOT EXISTS (SELECT 1 FROM \(Self.additions) AS added \
            WHERE added."table" = \(SQL.literal(table)) AND \(pairs.joined(separator: " AND ")))
            """
    }
}
