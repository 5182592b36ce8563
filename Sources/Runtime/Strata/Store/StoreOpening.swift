import Foundation

/// Brings the database behind a fresh connection to the newest version of a schema, or refuses it.
package struct StoreOpening {
    let connection: Connection
    let schema: KnownSchema
    let options: StoreOptions

    /// Nothing is written, not even a write-ahead log brought back, until the store is known to be one of `schema`.
    ///
    /// - Returns: What was done where the store had to be migrated.
    func open() throws -> MigrationReport? {
        var report: MigrationReport?
        connection.setCheckpointsOnClose(false)
        setBusyTimeout()
        if let isOn = options.erasesDeletedContent { try connection.execute("PRAGMA secure_delete = \(isOn)") }
        let userVersion = try SQLiteError.translated { try connection.integer("PRAGMA user_version") ?? 0 }
        if userVersion != Int(schema.fingerprint.userVersion) {
            if options.isReadOnly {
                try refuse()
            } else if try SQLiteError.translated({ try userVersion == 0 && isEmpty() }) {
                report = try create()
            } else {
                report = try migrate()
            }
            if report != nil { truncateLog() }
        } else if try connection.integer("PRAGMA application_id") != StoreMetadata.applicationID {
            throw StoreError.notAStore
        }
        connection.setCheckpointsOnClose(true)
        try connection.execute("PRAGMA foreign_keys = ON")
        connection.openedSchema = schema
        return report
    }

    /// Says why a store is none that the schema can open, where it is none. Nothing is written.
    func identify() throws {
        connection.setCheckpointsOnClose(false)
        setBusyTimeout()
        let userVersion = try SQLiteError.translated { try connection.integer("PRAGMA user_version") ?? 0 }
        if userVersion == Int(schema.fingerprint.userVersion) { return }
        try SQLiteError.translated {
            if try userVersion == 0 && isEmpty() { return }
            _ = try Migrator(connection: connection, schema: schema, options: options).source()
        }
    }

    /// Makes a further connection to a store that is open one that only reads.
    func read() throws {
        setBusyTimeout()
        try connection.execute("PRAGMA query_only = ON")
        connection.openedSchema = schema
    }

    private func setBusyTimeout() {
        connection.setBusyTimeout(Int32(max(0, min(options.busyTimeout, 86_400)) * 1000))
    }

    /// Says why a store cannot be read as it is.
    private func refuse() throws {
        let migrator = Migrator(connection: connection, schema: schema, options: options)
        if let step = try SQLiteError.translated({ try migrator.source() }).first {
            throw StoreError.needsMigration(found: step.from, newest: schema.versions.last?.name ?? "")
        }
    }

    private func isEmpty() throws -> Bool {
        try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
            && connection.integer("PRAGMA application_id") == 0
    }

    private func create() throws -> MigrationReport? {
        guard let newest = schema.versions.last else { return nil }
        try SQLiteError.translated {
            try connection.transaction("BEGIN IMMEDIATE") {
                // Another process may have been faster.
                guard try isEmpty() else { return }
                try Self.create(newest, schema: schema.name, in: connection)
            }
        }
        if options.journal == .wal { try keepWriteAheadLog() }
        let version = try connection.integer("PRAGMA user_version")
        return version == Int(newest.fingerprint.userVersion) ? nil : try migrate()
    }

    /// Changes the journal, which needs the database for itself and does not wait for it. Where others do not leave it
    /// alone, whoever of them comes last changes it; until then the store is as good with a rollback journal.
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
        setBusyTimeout()
    }

    private func migrate() throws -> MigrationReport? {
        // SQLite opens for reading what it cannot open for writing.
        if connection.isReadOnly { try refuse() }
        let migrator = Migrator(connection: connection, schema: schema, options: options)
        do {
            return try migrator.run()
        } catch let error as SQLiteError where error.isDamage {
            throw StoreError.corrupt(reason: error.message)
        } catch let error as SQLiteError where error.isBusy {
            throw StoreError.busy
        } catch let error as SQLiteError where error.code == 1 {  // SQLITE_ERROR: a name that is not there, for one
            let objects = try migrator.drift()
            if objects.isEmpty { throw error }
            throw MigrationError.oldSchemaDiffers(objects: objects, cause: error)
        }
    }

    /// Makes all tables of `version` in an empty database.
    package static func create(
        _ version: SchemaVersion, schema name: String, in connection: Connection
    ) throws {
        try StoreMetadata.create(in: connection)
        for statement in version.statements { try connection.execute(statement) }
        try StoreMetadata.write(version, schema: name, to: connection)
    }
}
