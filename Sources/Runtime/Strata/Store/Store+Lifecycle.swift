import CSQLite
import Foundation
import SQLSchema

/// A statement that has ended. ``StoreOptions/trace`` receives it.
public struct StatementTrace: Sendable {
    /// The statement, with parameters instead of values.
    public let sql: String
    /// How long the statement ran, in seconds.
    public let seconds: Double
}

/// How far a backup is.
public struct BackupProgress: Hashable, Sendable {
    /// The number of pages that are copied.
    public let completedPages: Int
    /// The number of all pages.
    public let totalPages: Int
}

extension Store {
    /// Closes the store: interrupts the statements that run, waits for the end of their transactions, and closes all
    /// connections. Further transactions throw ``StoreError/closed``, and the observations of the store end.
    ///
    /// A store that nothing refers to any more is closed, too. Close it yourself to replace or delete its file.
    ///
    /// ```swift
    /// try store.close()
    /// ```
    ///
    /// - Throws: ``StoreError/nestedTransaction`` if this thread is in a transaction.
    public func close() throws {
        try threads.withThread { connection.setStop(.closed) }
        observers.end()
    }

    /// Interrupts the statements that run now. They throw an `SQLiteError` with the code 9 (`SQLITE_INTERRUPT`), and a write
    /// transaction is rolled back.
    public func interrupt() { connection.interrupt() }

    /// Suspends the store: interrupts the statements that run, waits for the end of their transactions, and refuses further
    /// ones with ``StoreError/suspended``, until ``resume()``. Then it holds no lock on its file.
    ///
    /// iOS ends a process that is suspended while it holds a lock on a file in a shared container (`0xdead10cc`). Suspend the
    /// store when the time in the background is about to end.
    ///
    /// ```swift
    /// try store.suspend()
    /// store.resume()
    /// ```
    ///
    /// - Throws: ``StoreError/nestedTransaction`` if this thread is in a transaction.
    public func suspend() throws {
        try threads.withThread { connection.setStop(.suspended) }
    }

    /// Ends the suspension. Observations read their values again.
    public func resume() {
        connection.setStop(nil)
        observers.wake(for: .any)
    }

    /// Writes the write-ahead log into the file of the store, and empties the log. SQLite does this by itself from time to
    /// time. A store with another journal has no log.
    ///
    /// - Returns: Whether the complete log was written. It was not if another transaction still reads from it.
    @discardableResult public func checkpoint() throws -> Bool {
        try exclusively { connection in
            let code = sqlite3_wal_checkpoint_v2(connection.pointer, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
            if code & 0xff == SQLITE_BUSY { return false }
            guard code == SQLITE_OK else { throw SQLiteError(of: connection.pointer) }
            return true
        }
    }

    /// Rewrites the file without the space of deleted rows (https://sqlite.org/lang_vacuum.html). This needs as much free space
    /// as the file has, and takes as long as a write of all rows.
    public func vacuum() throws {
        try exclusively { try $0.vacuum() }
    }

    /// Writes a copy of the store. Other transactions continue; the copy has the state when it was begun.
    ///
    /// The copy appears at `url` when it is complete and synchronized to the disk, with the permissions of the store's file. It
    /// replaces an older backup of the same schema, and no other file.
    ///
    /// ```swift
    /// try store.backup(to: url.appendingPathExtension("backup")) { print($0.completedPages, $0.totalPages) }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file of the copy.
    ///   - progress: A closure that receives the progress. If it throws, no copy is made.
    /// - Throws: `MigrationError.sameFile` or `.destinationExists` if there is another file at `url`; ``StoreError/busy`` if this
    ///   process has a store open there; `SQLiteError`, or the error of `progress`.
    public func backup(to url: URL, progress: (BackupProgress) throws -> Void = { _ in }) throws {
        guard url.isFileURL else { throw StoreError.notAFile }
        try read { transaction in
            let source = try transaction.open()
            try DatabaseCopy.check(url, isNot: source)
            let isBackup = try DatabaseCopy.isBackup(url, of: source, options)
            let draft = try DraftFile(of: url, replacing: isBackup)
            defer { draft.remove() }
            if let file = source.file { draft.create(like: URL(fileURLWithPath: file)) }
            try DatabaseCopy.copy(source, to: draft.url, options) { now in
                try connection.checkStop()
                try progress(now)
            }
            try draft.publish()
        }
    }

    /// Replaces the store at `url` by a backup of it. The backup stays.
    ///
    /// The store must not be open. It keeps its state if the backup is damaged, or if the copy fails. A file that is not known to
    /// be a store of the schema, for example a store in a newer format, is renamed: `Notes.sqlite` becomes
    /// `Notes.aside-1.sqlite`.
    ///
    /// ```swift
    /// try Store.restoreBackup(from: backup, to: url, schema: MoviesSchema.self)
    /// ```
    ///
    /// - Parameters:
    ///   - backup: A file that ``backup(to:progress:)`` or ``StoreOptions/backup`` has written.
    ///   - url: The file of the store.
    ///   - schema: The schema of the store. The backup may have an older version, which the next opening migrates.
    ///   - options: The options for opening both files.
    /// - Throws: `StoreError` if the backup is not a store of the schema, or is damaged; ``StoreError/busy`` if the store is open.
    public static func restoreBackup(
        from backup: URL, to url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()
    ) throws {
        try restore(backup, to: url, SchemaDefinition(schema), options)
    }

    /// Replaces the store at `url` by a backup of it.
    ///
    /// - Parameter keepsOther: Whether any store is renamed.
    package static func restore(
        _ backup: URL, to url: URL, _ known: SchemaDefinition, _ options: StoreOptions = StoreOptions(),
        keepsOther: Bool = false
    ) throws {
        guard url.isFileURL else { throw StoreError.notAFile }
        if StoreFile.isSame(backup, url) { throw MigrationError.sameFile(url.path) }
        let url = StoreFile.resolved(url)
        let draft = try DraftFile(of: url, replacing: true)
        defer { draft.remove() }
        let wasThere = StoreFile.size(of: url.path) != nil
        try SQLiteError.translated {
            let source = try StoreFile.connect(to: backup, .readOnly, options)
            let (identity, known) = (try StoreIdentity(reading: source), try known.applying(options))
            if !identity.isNewer(than: known) { _ = try MigrationPath(from: identity, in: known) }
            if wasThere { draft.create(like: url) }
            try DatabaseCopy.write(source, to: draft, options)
            try draft.setJournal(options.journal, options)
        }
        // It keeps others out of the store until the backup is in its place.
        var owner: Connection?
        var isKnown = !wasThere
        do {
            try SQLiteError.translated {
                owner = try StoreFile.endJournal(of: url, options)
                if owner?.hasMoved == true { throw StoreError.busy }
                if let owner { isKnown = try StoreIdentity(reading: owner).schema == known.name }
            }
        } catch let error as StoreError where error != .busy {
            // A damaged store has a journal that SQLite would apply to the backup, and so may a missing store.
        }
        let hasContent = ["", "-wal"].contains { StoreFile.size(of: url.path + $0) ?? 0 > 0 }
        if hasContent, !isKnown || keepsOther {
            try StoreFile.synchronize(draft.url)
            _ = try StoreFile.setAside(url, linking: true)
        } else {
            try StoreFile.remove(url, StoreFile.journalSuffixes)
        }
        try draft.publish()
        withExtendedLifetime(owner) {}
    }

    /// Runs `body` on the connection that writes, outside of a transaction.
    private func exclusively<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try threads.withThread { try writer.sync { try connection.withLock(body) } }
    }
}

extension Connection {
    /// Runs `body`, a transaction of an open store. Its statements are interrupted when `isCancelled` returns true.
    ///
    /// - Parameters:
    ///   - isWriting: Whether it is a write transaction.
    ///   - isCancelled: The function; nil if the transaction cannot be cancelled.
    ///   - repair: Is called if a virtual table is damaged, so that the next transaction can use the searches.
    ///   - body: The transaction.
    func inUse<Result>(
        isWriting: Bool, until isCancelled: (@Sendable () -> Bool)?, repair: () -> Void, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try cancellable(by: isCancelled, body)
        } catch let error as SQLiteError {
            if error.isDamageOfSearch { repair() }
            throw error.whileInUse(isWriting: isWriting) ?? error
        }
    }

    /// Fills all searches of the schema again.
    func rebuildSearches() throws {
        let searches =
            "SELECT name FROM sqlite_schema WHERE name GLOB 'strata_search_*' AND sql LIKE 'CREATE VIRTUAL TABLE %'"
        try transaction("BEGIN IMMEDIATE") {
            for name in try texts(searches) { try execute(SearchIndex.rebuild(name)) }
        }
    }

    /// Removes a migration that another version of the app began in a store of this app's version, and that is not running. Only
    /// the first call does anything.
    func discardForeignMigration() throws {
        if hasLookedForMigration { return }
        let pending = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'strata_pending'"
        guard try integer(pending) == 1 else {
            hasLookedForMigration = true
            return
        }
        try execute("PRAGMA foreign_keys = OFF")
        defer { enforceForeignKeys() }
        try transaction("BEGIN IMMEDIATE") {
            let found = try PendingMigration.find(in: self)
            if let found, MigrationOwner.mayBeRunning(found.owner) { return }
            try PendingMigration.discard(in: self)
        }
        hasLookedForMigration = true
    }

    /// Receives the durations of statements. SQLite holds no reference to it.
    private final class Trace {
        let receive: @Sendable (StatementTrace) -> Void

        init(_ receive: @escaping @Sendable (StatementTrace) -> Void) { self.receive = receive }
    }

    /// Sets a closure that receives each statement when it has ended.
    func setTrace(_ receive: @escaping @Sendable (StatementTrace) -> Void) {
        let trace = Trace(receive)
        self.trace = trace
        sqlite3_trace_v2(
            pointer, UInt32(SQLITE_TRACE_PROFILE),
            { _, context, statement, nanoseconds in
                guard let context, let statement, let nanoseconds else { return 0 }
                let sql = sqlite3_sql(OpaquePointer(statement)).map { String(cString: $0) } ?? ""
                let seconds = Double(nanoseconds.assumingMemoryBound(to: Int64.self).pointee) / 1e9
                Unmanaged<Trace>.fromOpaque(context).takeUnretainedValue().receive(
                    StatementTrace(sql: sql, seconds: seconds))
                return 0
            }, Unmanaged.passUnretained(trace).toOpaque())
    }

    /// Runs `body`, whose statements are interrupted when `isCancelled` returns true.
    ///
    /// - Throws: `CancellationError` after an interruption, or the error of `body`.
    func cancellable<Result>(by isCancelled: (@Sendable () -> Bool)?, _ body: () throws -> Result) throws -> Result {
        do {
            return try interruptible(by: isCancelled, body)
        } catch  where error.isOfInterruption && isCancelled?() == true {
            throw CancellationError()
        }
    }
}
