import CSQLite
import Foundation

/// How a store is opened.
public struct StoreOptions: Sendable {
    /// The journal that a new store keeps (https://sqlite.org/pragma.html#pragma_journal_mode).
    public enum Journal: String, Sendable {
        /// A write-ahead log: readers go on while something is written.
        case wal
        /// A rollback journal: one file when nothing is written.
        case delete
    }

    /// How a store is taken through several versions. The result is the same.
    public enum MigrationStrategy: Sendable {
        /// What needs no code is done once for all versions, by the cheapest means.
        case fused
        /// Version by version.
        case stepwise
    }

    /// How a store is taken through several versions.
    public var migrationStrategy: MigrationStrategy = .fused
    /// The journal of a store that is made anew; one that is there keeps its own.
    public var journal: Journal = .wal
    /// How long to wait for another connection's lock, in seconds.
    public var busyTimeout: TimeInterval = 5

    /// Whether a store that a draft of the newest version wrote, which has changed since, is deleted and made anew
    /// instead of being refused with `StoreError.draftChanged`. It is so in debug builds only: no released app has
    /// written such a store.
    public var recreatesChangedDrafts = false

    /// The usual options.
    public init() {}
}

/// A database of a schema, at the schema's newest version.
///
/// Opening takes a store from whatever version it finds to the newest, in one transaction: afterwards it is
/// wholly new, or, where anything fails, exactly what it was.
public final class Store: Sendable {
    private let connection: LockedConnection

    /// Opens the store at `url`, migrates it if it is old, or makes it if there is none.
    ///
    /// - Throws: `StoreError` where the file is no store that this schema can open; it is then unchanged to the byte.
    ///   `MigrationError`, `SQLiteError`, or what a custom migration threw, where a migration fails; the store is then
    ///   at its old version with all its rows.
    public init(at url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()) throws {
        guard url.isFileURL else { throw StoreError.notAFile }
        #if DEBUG
            do {
                connection = LockedConnection(try Self.open(url, schema, options))
            } catch StoreError.draftChanged(let version)
                where options.recreatesChangedDrafts && version == schema.versions.last?.name
            {
                for suffix in ["", "-wal", "-shm", "-journal"] {
                    let path = url.path + suffix
                    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
                }
                connection = LockedConnection(try Self.open(url, schema, options))
            }
        #else
            connection = LockedConnection(try Self.open(url, schema, options))
        #endif
    }

    private static func open(_ url: URL, _ schema: any Schema.Type, _ options: StoreOptions) throws -> Connection {
        let connection = try SQLiteError.translated { try Connection(path: url.path, mode: .create) }
        try StoreOpening(connection: connection, schema: schema, options: options).open()
        return connection
    }

    /// Runs `body` in a read transaction: it sees one state of the store, whatever others write.
    public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        try connection.withLock { connection in
            if connection.isInTransaction { throw StoreError.nestedTransaction }
            return try connection.transaction("BEGIN") {
                let transaction = ReadTransaction(connection)
                defer { transaction.end() }
                return try body(transaction)
            }
        }
    }

    /// Runs `body` in a write transaction: all that it writes is there afterwards, or nothing where it throws.
    public func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
        try connection.withLock { connection in
            if connection.isInTransaction { throw StoreError.nestedTransaction }
            return try connection.transaction("BEGIN IMMEDIATE") {
                let transaction = WriteTransaction(connection)
                defer { transaction.end() }
                return try body(transaction)
            }
        }
    }
}

/// A connection that one thread at a time may use.
///
/// It is `Sendable` because the connection is reached only in `withLock`, while the lock is held. All that `Store` gives
/// away of it are transactions and their cursors: they are not `Sendable`, so that the compiler keeps them on the thread
/// that holds the lock, and they refuse to work once it is let go. The lock is recursive so that a transaction inside
/// another is found and refused, not waited for.
private final class LockedConnection: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    func withLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(connection)
    }
}
