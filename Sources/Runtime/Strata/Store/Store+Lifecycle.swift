import CSQLite
import Foundation
import SQLSchema

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

    /// Runs `body` on the connection that writes, outside of a transaction.
    private func exclusively<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try threads.withThread { try writer.sync { try connection.withLock(body) } }
    }

    /// Removes a migration that another version of the app began in a store of this app's version, and that is not running. Only
    /// the first call does anything.
    func discardForeignMigration(_ connection: Connection) throws {
        if hasLookedForMigration.withLock(\.self) { return }
        let pending = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'strata_pending'"
        if try connection.integer(pending) == 1 {
            try connection.execute("PRAGMA foreign_keys = OFF")
            defer { connection.enforceForeignKeys() }
            try connection.transaction("BEGIN IMMEDIATE") {
                let found = try PendingMigration.find(in: connection)
                if let found, MigrationOwner.mayBeRunning(found.owner) { return }
                try PendingMigration.discard(in: connection)
            }
        }
        hasLookedForMigration.withLock { $0 = true }
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
        try transaction("BEGIN IMMEDIATE") {
            for name in try searches() { try execute(SearchIndex.rebuild(name)) }
        }
    }
}
