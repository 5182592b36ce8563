import Foundation
import SchemaSQL

/// A copy of a database in a file of its own, which is whole or not there.
enum DatabaseCopy {
    /// Writes all that the database holds into a new file at `url`, in whatever moment it is, and checks it.
    ///
    /// - Throws: `MigrationError.destinationExists` where there is a file already, or what would be taken for its journal.
    static func write(_ connection: Connection, to url: URL, _ options: StoreOptions) throws {
        try check(url)
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
        try DatabaseCopy.check(destination)
        let draft = destination.appendingPathExtension("draft")
        DatabaseCopy.remove(draft)
        do {
            try SQLiteError.translated {
                let connection = try StoreFile.connect(to: source, .readOnly, options)
                // Whatever is no store of the schema is refused before anything is copied.
                _ = try Migrator(connection: connection, schema: KnownSchema(schema), options: options).source()
                try connection.interruptible(by: options.isMigrationCancelled) {
                    try DatabaseCopy.write(connection, to: draft, options)
                }
            }
            var options = options
            options.journal = .delete
            options.isReadOnly = false
            let report = try Store(at: draft, schema: schema, options: options).migrationReport
            try DatabaseCopy.check(destination)
            try StoreFile.synchronize(draft)
            try FileManager.default.moveItem(at: draft, to: destination)
            try? StoreFile.synchronize(destination.deletingLastPathComponent())
            return report
        } catch {
            DatabaseCopy.remove(draft)
            throw error
        }
    }
}
