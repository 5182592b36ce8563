import Foundation

/// Opens a database as a store of a schema at its newest version, or refuses it.
///
/// The stages are: `StoreIdentity` tells the version of the store, `MigrationPath` finds the steps from there to the
/// newest version, and `Migrator` carries them out.
package struct StoreOpening {
    let connection: Connection
    let schema: SchemaDefinition
    let options: StoreOptions
    private let monitor: MigrationMonitor
    /// The version that the connections to the store accept.
    let version: SupportedVersions

    package init(connection: Connection, schema: SchemaDefinition, options: StoreOptions) {
        self.init(connection: connection, version: SupportedVersions(schema), options: options)
    }

    /// - Parameter version: The version that all connections to the store accept.
    init(connection: Connection, version: SupportedVersions, options: StoreOptions) {
        self.connection = connection
        self.schema = version.schema
        self.options = options
        self.version = version
        monitor = MigrationMonitor(options)
    }

    /// The state of a database before it is opened.
    private enum State {
        /// A store of the newest version.
        case newest
        /// A store of a newer version that the app can use, with its `user_version`.
        case newer(Int)
        /// A database without tables, which becomes a new store.
        case empty
        /// A store that the steps of this path migrate.
        case store(MigrationPath)
    }

    /// Opens the database behind a new connection. Nothing is written before the database is known to be a store of
    /// `schema`, not even the contents of a write-ahead log.
    ///
    /// - Returns: The report of the migration; nil if there was none.
    func open() throws -> MigrationReport? {
        connection.setCheckpointsOnClose(false)
        if let isOn = options.erasesDeletedContent { try connection.execute("PRAGMA secure_delete = \(isOn)") }
        var report: MigrationReport?
        switch try SQLiteError.translated(state) {
        case .newest: break
        case .newer(let userVersion): version.accept(newer: userVersion)
        case .empty where options.isReadOnly: throw StoreError.notAStore
        case .empty: report = try create()
        case .store(let path): report = try migrate(path)
        }
        if report != nil { truncateLog() }
        if monitor.isWatched { monitor.finish(at: schema.versions.last?.name ?? "") }
        connection.setCheckpointsOnClose(true)
        connection.enforceForeignKeys()
        connection.delegate = version
        return report
    }

    /// Checks that the schema can open the database. Nothing is written.
    func identify() throws {
        connection.setCheckpointsOnClose(false)
        _ = try SQLiteError.translated(state)
    }

    /// Prepares a further connection to an open store, which only reads.
    func read() throws {
        try connection.execute("PRAGMA query_only = ON")
        connection.delegate = version
    }

    private func state() throws -> State {
        let statement = try connection.prepare("PRAGMA user_version")
        defer { statement.rewind() }
        let userVersion = try statement.step() ? statement.row.int(0) : 0
        if userVersion == Int(schema.fingerprint.userVersion) {
            // While the first statement has a row, the second one need not lock the file again.
            let applicationID = try connection.integer("PRAGMA application_id")
            guard applicationID == StoreMetadata.applicationID else { throw StoreError.notAStore }
            return .newest
        }
        statement.rewind()
        // Each statement outside of a transaction locks the file.
        return try connection.transaction("BEGIN") {
            if try userVersion == 0 && isEmpty() { return .empty }
            let identity = try StoreIdentity(reading: connection)
            return identity.isNewer(than: schema)
                ? .newer(userVersion) : .store(try MigrationPath(from: identity, in: schema))
        }
    }

    private func isEmpty() throws -> Bool {
        try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
            && connection.integer("PRAGMA application_id") == 0
    }

    /// Creates a store of the newest version. If another process was faster and has an older version of the schema,
    /// its store is migrated.
    private func create() throws -> MigrationReport? {
        guard let newest = schema.versions.last else { return nil }
        try SQLiteError.translated {
            try connection.transaction("BEGIN IMMEDIATE") {
                if try isEmpty() {
                    try NewStore.create(newest, schema: schema.name, draft: schema.draft, in: connection)
                }
            }
        }
        if options.journal == .wal { try keepWriteAheadLog() }
        if case .store(let path) = try SQLiteError.translated(state) { return try migrate(path) }
        return nil
    }

    /// Turns on the write-ahead log. This needs exclusive access to the database and does not wait for it. If another
    /// process that creates the same store is in the way, that process turns it on.
    private func keepWriteAheadLog() throws {
        do {
            try connection.execute("PRAGMA journal_mode = WAL")
        } catch let error as SQLiteError where error.isBusy {
            return
        }
    }

    /// Moves the write-ahead log into the database and empties it: it contains everything that the migration wrote. If
    /// another process is reading, a later checkpoint does it.
    private func truncateLog() {
        connection.setBusyTimeout(0)
        try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.setBusyTimeout(options)
    }

    private func migrate(_ path: MigrationPath) throws -> MigrationReport? {
        // SQLite opens a database for reading that it cannot open for writing.
        let isLeftToApp = AppIdentity.isExtension && !options.migratesInExtensions
        if options.isReadOnly || connection.isReadOnly || isLeftToApp {
            if path.steps.isEmpty { return nil }
            throw StoreError.needsMigration(found: path.source.name, newest: path.newest.name)
        }
        let migrator = Migrator(connection: connection, schema: schema, options: options, monitor: monitor)
        do {
            let report: MigrationReport?
            do {
                report = try migrator.migrate(along: path)
            } catch let error as SQLiteError where error.isDamageOfSearch {
                // The texts are in the tables.
                try connection.rebuildSearches()
                report = try migrator.migrate(along: path)
            }
            if report != nil, case .automatic(let count) = options.backup, let file = connection.file {
                AutomaticBackups(of: URL(fileURLWithPath: file), options).prune(keeping: count, schema: schema.name)
            }
            return report
        } catch let error as SQLiteError where error.isDamage {
            throw StoreError.corrupt(reason: error.message)
        } catch let error as SQLiteError where error.isBusy {
            throw StoreError.busy
        } catch let error as SQLiteError where error.isOfMovedFile {
            throw StoreError.moved
        } catch let error as SQLiteError where error.isFull {
            throw StoreError.diskFull
        } catch let error as SQLiteError where error.isOutOfMemory {
            throw StoreError.outOfMemory
        } catch let error as SQLiteError where error.code == 1 {  // SQLITE_ERROR: for example, a name does not exist
            let objects = try SchemaComparison.differences(of: connection, from: path.source)
            if objects.isEmpty { throw error }
            throw MigrationError.oldSchemaDiffers(objects: objects, cause: error)
        }
    }
}
