import CSQLite
import Foundation
import SQLSchema

/// Copies a database into a separate file. The copy is either complete or does not exist.
package enum DatabaseCopy {
    /// Writes and checks a backup of a store. The store's open transaction keeps other processes from writing.
    ///
    /// An earlier backup is kept if it has the same bytes, and is replaced if it is a backup of the same store.
    ///
    /// - Returns: The backup; nil for a database in memory.
    /// - Throws: `MigrationError.sameFile` if the backup is the store; `MigrationError.destinationExists` if another file is at
    ///   `url`, or a file that SQLite would use as the backup's journal.
    static func backUp(
        _ connection: Connection, to backup: StoreOptions.Backup, _ options: StoreOptions
    ) throws -> URL? {
        guard let path = connection.file else { return nil }
        let store = try StoreIdentity(reading: connection)
        // Another connection reads the state before the transaction.
        let file = URL(fileURLWithPath: path)
        let reader = try StoreFile.connect(to: file, .readOnly, options)
        reader.setCheckpointsOnClose(false)
        switch backup {
        case .file(let url):
            try check(url, isNot: connection)
            let isReplaced = try isBackup(url, of: connection, options)
            let draft = try DraftFile(of: url, replacing: isReplaced)
            defer { draft.remove() }
            try write(reader, to: draft, options)
            if isReplaced, FileManager.default.contentsEqual(atPath: draft.url.path, andPath: url.path) { return url }
            try draft.publish()
            return url
        case .automatic:
            let backups = AutomaticBackups(of: file, options)
            let (file, isNew) = try backups.write(reader, store)
            if isNew { backups.removeOthers(than: file, of: store) }
            return file
        }
    }

    /// The identity of the store at `url`; nil if the file is missing, damaged, or not a store.
    ///
    /// - Parameter isChecked: Whether the complete file is read to find damage.
    static func identity(
        ofBackup url: URL, _ options: StoreOptions, checked isChecked: Bool = true
    ) -> StoreIdentity? {
        guard FileManager.default.fileExists(atPath: url.path),
            let copy = try? StoreFile.connect(to: url, .readOnly, options),
            !isChecked || (try? copy.cancellable(options, { try copy.text("PRAGMA quick_check(1)") })) == "ok"
        else { return nil }
        return try? StoreIdentity(reading: copy)
    }

    /// Applies and removes the journal of a backup that will be replaced. SQLite would apply it to the new backup.
    private static func endJournal(of url: URL, _ options: StoreOptions) throws {
        let copy = try StoreFile.connect(to: url, .readWrite, options)
        guard try copy.text("PRAGMA journal_mode = DELETE") == "delete" else {
            throw MigrationError.destinationExists(url.path)
        }
    }

    /// Copies a database to a draft, and checks the copy. The draft has the permissions of the database's file.
    ///
    /// - Throws: `StoreError.corrupt` if the database is damaged; `CancellationError`.
    static func write(_ source: Connection, to draft: DraftFile, _ options: StoreOptions) throws {
        if let file = source.file { draft.create(like: URL(fileURLWithPath: file)) }
        try source.transaction("BEGIN") {
            // The first read begins the transaction (https://sqlite.org/lang_transaction.html).
            _ = try source.integer("PRAGMA user_version")
            try copy(source, to: draft.url, options) { progress in
                if progress.completedPages < progress.totalPages, options.isOpeningEnded() {
                    throw CancellationError()
                }
            }
        }
        let written = try StoreFile.connect(to: draft.url, .readOnly, options)
        let result = try written.cancellable(options) { try written.text("PRAGMA integrity_check(1)") ?? "" }
        if result != "ok" { throw StoreError.corrupt(reason: result) }
    }

    /// Returns the names of the search indexes of tables without an integer as primary key. VACUUM may give the rows of such a
    /// table other numbers (https://sqlite.org/lang_vacuum.html), so these indexes must be filled again after it.
    static func unnumberedSearchIndexes(of connection: Connection) throws -> [String] {
        try connection.searches().filter { search in
            let table = SQL.literal(SearchIndex.table(of: search))
            return try connection.integer(
                "SELECT count(*) = 1 AND max(type) = 'INTEGER' FROM pragma_table_info(\(table)) WHERE pk") != 1
        }
    }

    /// Whether the file at `url` is a backup of the store, perhaps of another version.
    static func isBackup(_ url: URL, of store: Connection, _ options: StoreOptions) throws -> Bool {
        if let file = store.file, StoreFile.isSame(URL(fileURLWithPath: file), url) { return false }
        let schema = try StoreIdentity(reading: store).schema
        if OpenFile.exists(at: url) { throw StoreError.busy }
        guard identity(ofBackup: url, options)?.schema == schema else { return false }
        try endJournal(of: url, options)
        return true
    }

    /// Copies the pages of a database into a new file at `url` (https://sqlite.org/backup.html). The copy is a single file
    /// until it is opened.
    ///
    /// If the database is in a transaction, the copy has its state. Otherwise the copy begins again when another process
    /// writes.
    package static func copy(
        _ source: Connection, to url: URL, _ options: StoreOptions,
        _ progress: (BackupProgress) throws -> Void = { _ in }
    ) throws {
        let copy = try Connection(path: url.path, mode: .create)
        try options.setUp?(ConnectionSetUp(connection: copy))
        try copy.replaceContent(by: source, progress)
        try copy.execute("PRAGMA journal_mode = DELETE")
    }

    /// Returns a copy of a database in memory.
    package static func inMemory(_ source: Connection) throws -> Connection {
        let copy = try Connection(path: ":memory:", mode: .create)
        try copy.replaceContent(by: source) { _ in }
        return copy
    }

    /// Checks that `url` is not the file of a database that is to be copied there.
    static func check(_ url: URL, isNot source: Connection) throws {
        guard let file = source.file, StoreFile.isSame(URL(fileURLWithPath: file), url) else { return }
        throw MigrationError.sameFile(url.path)
    }

    /// Checks that neither a file at `url` exists nor a journal of it. SQLite would apply the journal to the new file.
    static func check(_ url: URL) throws {
        for suffix in [""] + StoreFile.journalSuffixes
        where FileManager.default.fileExists(atPath: url.path + suffix) {
            throw MigrationError.destinationExists(url.path + suffix)
        }
    }
}

extension Connection {
    /// Rewrites the file without the space of deleted rows.
    package func vacuum() throws {
        try execute("VACUUM")
        for index in try DatabaseCopy.unnumberedSearchIndexes(of: self) { try execute(SearchIndex.rebuild(index)) }
    }

    /// Replaces the content of the database by that of `source`.
    fileprivate func replaceContent(by source: Connection, _ progress: (BackupProgress) throws -> Void) throws {
        guard let backup = sqlite3_backup_init(pointer, "main", source.pointer, "main") else {
            throw SQLiteError(of: pointer)
        }
        var isFinished = false
        defer { if !isFinished { sqlite3_backup_finish(backup) } }
        var code: Int32
        repeat {
            code = sqlite3_backup_step(backup, 1_000)
            guard code == SQLITE_OK || code == SQLITE_DONE else { throw SQLiteError(code) }
            let total = Int(sqlite3_backup_pagecount(backup))
            try progress(
                BackupProgress(completedPages: total - Int(sqlite3_backup_remaining(backup)), totalPages: total))
        } while code == SQLITE_OK
        isFinished = true
        code = sqlite3_backup_finish(backup)
        guard code == SQLITE_OK else { throw SQLiteError(code) }
    }
}
