import Foundation
import SchemaSQL

/// A copy of a database in a file of its own, which is whole or not there.
enum DatabaseCopy {
    /// Writes a backup of a store while its transaction keeps other processes from writing, and checks it. A backup of the
    /// same version from an earlier attempt is good enough; one of another version is replaced.
    ///
    /// - Throws: `MigrationError.destinationExists` if there is another file, or one that SQLite would take for its journal.
    static func backUp(_ connection: Connection, to url: URL, _ options: StoreOptions) throws {
        let store = try StoreMetadata(reading: connection)
        let existing = metadata(ofBackup: url, options)
        let isSameSchema = existing?.schema == store.schema
        if isSameSchema, existing?.fingerprint == store.fingerprint { return }
        guard let path = try connection.text("SELECT file FROM pragma_database_list WHERE name = 'main'") else {
            return
        }
        if isSameSchema { try endJournal(of: url, options) }
        // A backup of another version, from an earlier update, must not keep this one from opening.
        let draft = try DraftFile(of: url, replacing: isSameSchema)
        defer { draft.remove() }
        // VACUUM does not run in a transaction. Another connection reads what was committed before it.
        let reader = try StoreFile.connect(to: URL(fileURLWithPath: path), .readOnly, options)
        reader.setCheckpointsOnClose(false)
        reader.setBusyTimeout(Int32(max(0, min(options.busyTimeout, 86_400)) * 1000))
        try reader.interruptible(by: options.isMigrationCancelled) { try write(reader, to: draft.url, options) }
        try draft.publish()
    }

    /// The metadata of a sound store at `url`; nil if there is none.
    private static func metadata(ofBackup url: URL, _ options: StoreOptions) -> StoreMetadata? {
        guard FileManager.default.fileExists(atPath: url.path),
            let copy = try? StoreFile.connect(to: url, .readOnly, options),
            (try? copy.text("PRAGMA quick_check(1)")) == "ok"
        else { return nil }
        return try? StoreMetadata(reading: copy)
    }

    /// Brings the journal of a backup that will be replaced into its file: SQLite would apply it to the new one.
    private static func endJournal(of url: URL, _ options: StoreOptions) throws {
        let copy = try StoreFile.connect(to: url, .readWrite, options)
        guard try copy.text("PRAGMA journal_mode = DELETE") == "delete" else {
            throw MigrationError.destinationExists(url.path)
        }
    }

    /// Writes all that the database holds into a new file at `url`, and checks it.
    static func write(_ connection: Connection, to url: URL, _ options: StoreOptions) throws {
        do {
            try connection.execute("VACUUM INTO \(SQL.literal(url.path))")
            let copy = try StoreFile.connect(to: url, .readOnly, options)
            guard try copy.text("PRAGMA integrity_check") == "ok",
                try copy.integer("PRAGMA user_version") == connection.integer("PRAGMA user_version")
            else { throw MigrationError.badCopy(url.path) }
        } catch {
            remove(url)
            throw error
        }
    }

    /// Checks that nothing is at `url`, nor what SQLite would take for a journal of what comes there: it would bring it
    /// back into the new file.
    static func check(_ url: URL) throws {
        for suffix in ["", "-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            throw MigrationError.destinationExists(url.path + suffix)
        }
    }

    static func remove(_ url: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }
}

extension Store {
    /// Makes a store of the newest version at `destination` of all that the store at `source` holds, which is only read.
    ///
    /// The new file appears when it is whole, written to the disk, and without a journal. What fails leaves none.
    ///
    /// - Returns: What the migration did; nil where the store was of the newest version already.
    /// - Throws: What opening the store throws, and `MigrationError.destinationExists` where there is a file at
    ///   `destination`, or one that SQLite would take for its journal.
    @discardableResult public static func migrate(
        from source: URL, to destination: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()
    ) throws -> MigrationReport? {
        guard destination.isFileURL else { throw StoreError.notAFile }
        let draft = try DraftFile(of: destination)
        defer { draft.remove() }
        try SQLiteError.translated {
            let connection = try StoreFile.connect(to: source, .readOnly, options)
            // A database that is not a store of the schema is refused before anything is copied.
            _ = try Migrator(connection: connection, schema: KnownSchema(schema), options: options).source()
            try connection.interruptible(by: options.isMigrationCancelled) {
                try DatabaseCopy.write(connection, to: draft.url, options)
            }
        }
        let journal = options.journal
        var options = options
        options.journal = .delete
        options.isReadOnly = false
        let report = try Store(at: draft.url, schema: schema, options: options).migrationReport
        try draft.setJournal(journal, options)
        try draft.publish()
        return report
    }
}
