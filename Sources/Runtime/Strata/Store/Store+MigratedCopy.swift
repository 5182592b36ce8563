import Foundation
import SQLSchema

extension Store {
    /// Migrates a copy of the store at `source` to the newest version and writes it to `destination`. The store at
    /// `source` is only read.
    ///
    /// The new file appears when it is complete and synchronized to the disk. It has no journal file. If the migration
    /// fails, no file is written. It has no space of deleted rows, and the permissions of the file at `source`.
    ///
    /// While the new file is written, this needs disk space for up to three times its size: SQLite rewrites it, with a journal
    /// (https://sqlite.org/lang_vacuum.html).
    ///
    /// ```swift
    /// try Store.migrate(from: url, to: newURL, schema: MoviesSchema.self)
    /// ```
    ///
    /// - Parameters:
    ///   - source: The file of the old store.
    ///   - destination: The file of the new store.
    ///   - schema: The schema of the store.
    ///   - options: The options for opening both stores.
    /// - Returns: The report of the migration; nil if the store had the newest version already.
    /// - Throws: The errors of opening a store; `MigrationError.sameFile`, or `MigrationError.destinationExists` if there is a
    ///   file at `destination`, or a file that SQLite would use as its journal.
    @discardableResult public static func migrate(
        from source: URL, to destination: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()
    ) throws -> MigrationReport? {
        try migrate(from: source, to: destination, definition: SchemaDefinition(schema), options: options)
    }

    /// Migrates a copy of a store, like `migrate(from:to:schema:options:)`.
    @discardableResult package static func migrate(
        from source: URL, to destination: URL, definition schema: SchemaDefinition,
        options: StoreOptions = StoreOptions()
    ) throws -> MigrationReport? {
        guard destination.isFileURL else { throw StoreError.notAFile }
        if StoreFile.isSame(source, destination) { throw MigrationError.sameFile(destination.path) }
        let draft = try DraftFile(of: destination)
        defer { draft.remove() }
        try SQLiteError.translated {
            let connection = try StoreFile.connect(to: source, .readOnly, options)
            // A database that is not a store of the schema is refused before anything is copied.
            _ = try MigrationPath(from: StoreIdentity(reading: connection), in: schema.applying(options))
            try DatabaseCopy.write(connection, to: draft, options)
        }
        let journal = options.journal
        var options = options
        options.journal = .delete
        options.isReadOnly = false
        // The store at `source` is the backup.
        options.backup = nil
        // Nothing goes on with the copy of a process that has ended.
        options.migration = .oneTransaction
        let report = try Store(at: draft.url, definition: schema, options: options).migrationReport
        try SQLiteError.translated {
            let copy = try StoreFile.connect(to: draft.url, .readWrite, options)
            try copy.cancellable(options) { try copy.vacuum() }
        }
        try draft.setJournal(journal, options)
        try draft.publish()
        return report
    }
}
