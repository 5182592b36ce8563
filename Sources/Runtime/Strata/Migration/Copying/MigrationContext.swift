import Foundation
import SQLSchema

/// The access of a custom migration to the old rows and the new rows.
///
/// Old tables have their names before the step, new tables their names after it.
public final class MigrationContext {
    /// The moment at which the migration started. It is the same for all steps of the migration.
    public let now: Date
    /// A fixed value for `now`, so that the results of two migrations can be compared; nil for the current time.
    @TaskLocal package static var fixedNow: Date?

    let connection: Connection
    /// The present names of new tables that do not have their final names yet, by these.
    let temporaryNames: [String: String]
    /// The present names of old tables that have another name, by their own names.
    private let oldNames: [String: String]
    /// The views through which the custom migration sees tables before the step, and after it.
    let views: DeferredTable.Views
    /// The transactions of a migration that can be resumed; nil if all runs in one transaction.
    let batches: MigrationBatches?
    /// The changed primary keys of the rows that the custom migration converts, by the name of the new table.
    var keyMaps: [String: KeyMap] = [:]
    /// The new primary keys of rows that became rows of another entity, with its table.
    var mergedKeys: [(table: String, map: KeyMap)] = []

    /// Whether the custom migration has changed new rows. Strata may still have to update references in such rows.
    private(set) var hasChangedRows: Bool
    /// The old tables whose rows become rows of new tables, by the names of the new tables.
    private let sources: [String: String]
    private let old: ReadTransaction
    private let new: WriteTransaction
    /// The database of the tables that the step needs.
    let database: String
    /// A table with the table name and the primary key of each row that `insert` has added. It is temporary, unless the
    /// migration can be resumed. It is created before any row is read: creating a temporary table makes SQLite abort a
    /// running query on another one.
    private let additions: String

    init(
        connection: Connection, temporaryNames: [String: String], oldNames: [String: String] = [:],
        deferred: [DeferredTable] = [], sources: [String: String], now: Date, batches: MigrationBatches? = nil
    ) throws {
        self.sources = sources
        self.connection = connection
        self.temporaryNames = temporaryNames
        self.oldNames = oldNames
        self.now = now
        self.batches = batches
        views = try DeferredTable.Views(deferred, oldNames, temporaryNames, connection)
        self.old = ReadTransaction(connection, names: oldNames.merging(views.old) { $1 })
        self.new = WriteTransaction(connection, names: temporaryNames.merging(views.new) { $1 })
        let state = batches?.pending.state
        hasChangedRows = state?.custom.hasChangedRows ?? false
        newIDs = NewIDs(
            known: try state?.lastIDs ?? StoreMetadata.lastIDs(reading: connection), given: state?.custom.newIDs ?? [:])
        database = batches == nil ? "temp" : "main"
        additions = "\(database).\"strata_added\""
        let width = try connection.integer(
            "SELECT max(t.pk) FROM sqlite_schema AS s, pragma_table_info(s.name) AS t WHERE s.type = 'table'")
        let columns = ["\"table\""] + (0..<max(1, width ?? 1)).map { "k\($0)" }
        let list = columns.joined(separator: ", ")
        try connection.execute("CREATE TABLE IF NOT EXISTS \(additions) (\(list))")
        try connection.execute(
            "CREATE INDEX IF NOT EXISTS \(database).\"strata_added_key\" ON \"strata_added\" (\(list))")
    }

    /// Ends the step. Its cursors can no longer be read.
    func end() throws {
        closeStatements()
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

    // MARK: Old rows

    /// Returns a cursor over the rows of an old entity, in the order in which they are stored.
    ///
    /// ```swift
    /// try context.old(V1_0.LaundryData.self).forEach { data in
    ///     try context.insert(
    ///         V2_0.LaundryDetail(storeID: LaundryDetail.ID(rawValue: data.storeID.rawValue), masterID: data.storeID))
    /// }
    /// ```
    public func old<Old: StoredEntity>(_ type: Old.Type) throws -> Cursor<Old> {
        let table = Old.table
        let name = views.old[table.name] ?? oldName(table.name)
        var sql = table.select(from: name)
        if views.new[table.name] == nil, name == temporaryNames[table.name] ?? table.name {
            // The table is also the new table, so rows that the step has inserted must be skipped. The condition is
            // evaluated for each row. A list of primary keys would be computed once and miss later insertions.
            sql += " AS t WHERE " + isNotAdded(table.name, table.key)
        }
        return Cursor(try old.open().prepare(sql), of: old) { try Old.read($0) }
    }

    /// Returns the old rows in a to-many relationship of the old row `source`, in order.
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>
    ) throws -> [Target] {
        try old.related(source, path)
    }

    /// Returns the old row in a to-one relationship of the old row `source`; nil if there is none.
    ///
    /// ```swift
    /// let price = try context.related(old, \.product)?.price ?? 0
    /// ```
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToOne<Source, Target>>
    ) throws -> Target? {
        try old.related(source, path)
    }

    /// Returns the old row in a to-one relationship in which each row has a related row.
    ///
    /// ```swift
    /// .keep(.init(migrating: old, price: try context.related(old, \.product)?.price ?? 0))
    /// ```
    ///
    /// - Returns: The related row; nil if there is none, because something else than Strata has deleted it. A migration that
    ///   fails then would fail again at each launch.
    public func related<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, RequiredToOne<Source, Target>>
    ) throws -> Target? {
        try old.related(source, path)
    }

    // MARK: New rows

    /// Returns the row of a new entity with a primary key; nil if no such row exists yet.
    ///
    /// - Parameters:
    ///   - type: The new entity.
    ///   - id: The primary key. If the old row with this primary key got a new one or was merged into another row, the
    ///     new primary key is used instead.
    public func find<New: StoredEntity>(_ type: New.Type, id: New.ID) throws -> New? {
        try new.find(type, id: keyMaps[New.table.name]?.change(of: id, to: New.ID.self)?.key ?? id)
    }

    /// Returns the new primary key of an old row, for a reference that is never nil.
    ///
    /// ```swift
    /// let country = try context.key(of: V2_0.Country.self, for: old.countryID)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The new entity.
    ///   - id: The primary key of the old row. The row may be one of an entity that is merged into the new one.
    /// - Throws: `MigrationError.noNewRow` if the row was dropped or never existed, or `MigrationError.notMigratedYet`.
    public func key<New: StoredEntity, OldID: EntityID>(of type: New.Type, for id: OldID) throws -> New.ID {
        guard let key = try key(of: type, for: Optional(id)) else {
            throw MigrationError.noNewRow(table: New.table.name, key: "\(id)")
        }
        return key
    }

    /// Returns the new primary key of an old row, for a reference that may be nil.
    ///
    /// ```swift
    /// let country = try context.key(of: V2_0.Country.self, for: old.countryID)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The new entity.
    ///   - id: The primary key of the old row. The row may be one of an entity that is merged into the new one.
    /// - Returns: The new primary key; nil if `id` is nil, or if the row was dropped or never existed. If the new primary key
    ///   has the same type, a row that never existed keeps the one it is referenced by.
    /// - Throws: `MigrationError.notMigratedYet` if the new primary key has another type, and is not known yet.
    public func key<New: StoredEntity, OldID: EntityID>(of type: New.Type, for id: OldID?) throws -> New.ID? {
        guard let id else { return nil }
        let merged = mergedKeys.filter { $0.table == New.table.name }.map(\.map)
        let maps = [keyMaps[New.table.name]].compactMap(\.self) + merged
        let map = maps.first { $0.maps(OldID.self, to: New.ID.self) }
        if let change = try map?.change(of: id, to: New.ID.self) { return change.key }
        if let same = id as? New.ID { return same }
        if try map?.hasOldRow(id) == false { return nil }
        throw MigrationError.notMigratedYet(table: New.table.name, key: "\(id)")
    }

    /// Inserts a row of a new entity.
    ///
    /// ```swift
    /// let address = V2_0.Address(
    ///     id: Address.ID(rawValue: context.uuid(for: "address of \(old.id.rawValue)")), street: old.street,
    ///     city: old.city)
    /// try context.insert(address)
    /// ```
    public func insert<New: StoredEntity>(_ entity: New) throws {
        try new.insert(entity)
        let width = New.ID.columnCount
        let columns = (0..<width).map { ", k\($0)" }.joined()
        let record = try new.open().cached(
            "INSERT INTO \(additions) (\"table\"\(columns)) VALUES (\(SQL.parameters(width + 1)))")
        try record.bind(New.table.name, at: 1)
        try record.bind(New.id(of: entity), at: 2)
        try record.run()
    }

    /// Updates all columns of the row of a new entity that has the same primary key.
    ///
    /// - Throws: `RelationshipError.noSuchRow` if there is no such row.
    public func update<New: StoredEntity>(_ entity: New) throws {
        hasChangedRows = true
        try new.update(entity)
    }

    /// Sets a to-many relationship of the new row `source` to `targets`, in their order.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>, to targets: [Target.ID]
    ) throws {
        hasChangedRows = true
        try new.setRelated(source, path, to: targets)
    }

    /// Sets a to-one relationship of the new row `source` to `target`; nil clears it.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToOne<Source, Target>>, to target: Target.ID?
    ) throws {
        hasChangedRows = true
        try new.setRelated(source, path, to: target)
    }

    /// Sets a to-one relationship of the new row `source` in which each row has a related row.
    public func setRelated<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, RequiredToOne<Source, Target>>, to target: Target.ID
    ) throws {
        try setRelated(source, path.appending(path: \.optional), to: target)
    }

    /// Runs an SQL statement that you write.
    ///
    /// ```swift
    /// try context.execute("UPDATE \(context.name(of: Movie.self)) SET popularity = ?", [0.5])
    /// ```
    ///
    /// While the step runs, a new table may have a temporary name. `name(of:)` returns it.
    ///
    /// - Parameters:
    ///   - sql: The statement. Without arguments, it may be several statements.
    ///   - arguments: The values of the parameters, in their order. A composite primary key fills one parameter for
    ///     each of its columns.
    /// - Throws: `SQLiteError`; `QueryError` if the statement begins or ends a transaction, attaches a database or sets
    ///   a pragma, or if its parameters do not match `arguments`.
    public func execute(_ sql: String, _ arguments: [(any ColumnStorable)?] = []) throws {
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

    /// Returns the quoted name that the table of a new entity has while the step runs.
    public func name<New: StoredEntity>(of type: New.Type) -> String {
        views.new[New.table.name].map(SQL.quoted) ?? quoted(New.table.name)
    }

    // MARK: New primary keys

    /// Returns a primary key that no old or new row of the entity has. The store remembers the primary keys that it has
    /// returned, and never returns one twice.
    ///
    /// ```swift
    /// let artist = V2_0.Artist(id: try context.newID(of: V2_0.Artist.self), name: old.artistName)
    /// try context.insert(artist)
    /// ```
    public func newID<New: StoredEntity>(of type: New.Type) throws -> New.ID
    where New.ID: RawEntityID, New.ID.RawValue == Int {
        let table = New.table.name
        let id = try newIDs.next(
            for: table, knownAs: sources[table] ?? table, keys: try integerKeys(of: table), connection)
        return New.ID(rawValue: id)
    }

    private(set) var newIDs: NewIDs

    /// The integer primary keys of a table before and after the step. The table may be new, and the name of its primary
    /// key may have changed.
    private func integerKeys(of table: String) throws -> [(table: String, column: String)] {
        try Set([oldName(sources[table] ?? table), temporaryNames[table] ?? table]).compactMap { name in
            try connection.text(
                "SELECT name FROM pragma_table_info(\(SQL.literal(name))) WHERE pk = 1 AND type = 'INTEGER'"
            ).map { (SQL.quoted(name), SQL.quoted($0)) }
        }
    }

    /// Returns a UUID that depends only on `text`. It is the same whenever and wherever the migration runs.
    ///
    /// The UUID has version 8, whose other bits are implementation-specific (RFC 9562, section 5.8).
    ///
    /// ```swift
    /// let address = V2_0.Address(
    ///     id: Address.ID(rawValue: context.uuid(for: "address of \(old.id.rawValue)")), street: old.street,
    ///     city: old.city)
    /// ```
    public func uuid(for text: String) -> UUID { Self.uuid(for: text) }

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

    // MARK: Tables

    func quoted(_ table: String) -> String {
        SQL.quoted(temporaryNames[table] ?? table)
    }

    /// The present name of an old table.
    func oldName(_ table: String) -> String { oldNames[table] ?? table }

    /// The SQL condition that the row `t` of `table` was not added by `insert`.
    func isNotAdded(_ table: String, _ key: [String]) -> String {
        let pairs = key.enumerated().map { "added.k\($0) = t.\(SQL.quoted($1))" }
        return """
            NOT EXISTS (SELECT 1 FROM \(additions) AS added \
            WHERE added."table" = \(SQL.literal(table)) AND \(pairs.joined(separator: " AND ")))
            """
    }
}
