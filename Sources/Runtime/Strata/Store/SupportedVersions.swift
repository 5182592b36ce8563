import SQLSchema

/// The versions of a store that its connections accept: the newest one of the schema, and a newer one that the app can use.
///
/// All connections to a store share it.
final class SupportedVersions: Sendable {
    let schema: SchemaDefinition
    /// The `user_version` of the newer version; nil if the store has the app's own version.
    private let newer = Locked<Int?>(nil)
    /// The `user_version` that another program has given to a store of the app's own version.
    private let changed = Locked<Int?>(nil)

    init(_ schema: SchemaDefinition) { self.schema = schema }

    /// Whether the store has a newer version.
    var isNewer: Bool { newer.withLock { $0 != nil } }

    /// Returns whether a store with this `user_version` has one of the versions.
    func accepts(_ userVersion: Int) -> Bool {
        userVersion == Int(schema.fingerprint.userVersion) || newer.withLock { $0 == userVersion }
            || changed.withLock { $0 == userVersion }
    }

    /// Accepts a newer version.
    func accept(newer userVersion: Int) { newer.withLock { $0 = userVersion } }

    /// Accepts a number that another program has written.
    func accept(changed userVersion: Int) { changed.withLock { $0 = userVersion } }
}

extension SupportedVersions: ConnectionDelegate {
    /// Checks that no other process has migrated the store, since it was opened, to a version that the app cannot use:
    /// columns may have new names then.
    ///
    /// - Throws: `StoreError.newer` if the store was migrated to such a version; the errors of an opening if the file has become
    ///   something else.
    func check(_ connection: Connection) throws {
        let statement = try connection.cached("PRAGMA user_version")
        defer { statement.reset() }
        guard try statement.step() else { return }
        let found = try statement.row.int(0)
        if accepts(found) { return }
        let identity = try SQLiteError.translated { try StoreIdentity(reading: connection) }
        if identity.isNewer(than: schema) { return accept(newer: found) }
        let path = try MigrationPath(from: identity, in: schema)
        guard path.steps.isEmpty else {
            throw StoreError.needsMigration(found: path.source.name, newest: path.newest.name)
        }
        // The store has the app's version, but another program has changed its number.
        accept(changed: found)
    }

    /// Returns an error if a store that is kept at an older version misses a column or a table.
    func error(for error: SQLiteError) -> (any Error)? {
        let isMissing = ["no such column", "no such table", "has no column"].contains(where: error.message.contains)
        guard isMissing, let limit = schema.limit else { return nil }
        return StoreError.older(found: limit.version, newest: limit.last)
    }

    func conditions(ofUniqueIndexesOf table: String, on columns: [String]) -> [String] {
        let tables = schema.versions.last?.tables ?? []
        let indexes = tables.first { $0.name == table }?.indexes ?? []
        return indexes.filter { $0.isUnique && Set($0.columns) == Set(columns) }
            .compactMap { $0.shape.condition.map { SQLite.expression($0) } }
    }
}
