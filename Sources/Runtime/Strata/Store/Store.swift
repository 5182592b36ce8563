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

    /// What becomes of foreign keys that led nowhere before a migration.
    public enum DanglingForeignKeys: String, Sendable {
        /// They stay what they are.
        case keep
        /// It is as if the rows that they point at were deleted: what the old version says of that is done.
        case repair
        /// The store is not migrated.
        case refuse
    }

    /// How a store is taken through several versions.
    public var migrationStrategy: MigrationStrategy = .fused
    /// What becomes of foreign keys that led nowhere before a migration; none that a migration makes is allowed.
    public var danglingForeignKeys: DanglingForeignKeys = .keep
    /// Whether a store is checked wholly before and after a migration (https://sqlite.org/pragma.html#pragma_integrity_check),
    /// and not migrated where it is damaged. It takes as long as reading all of it.
    public var checksIntegrity = false
    /// Whether a migration is refused at once, with `MigrationError.diskFull`, where the disk has no place for the tables
    /// that it copies. Without it, SQLite finds that out on the way, and the migration is undone.
    public var checksFreeSpace = true
    /// Where a copy of a store is written before it is migrated: checked, and kept. There must be no file yet. Nil writes
    /// none.
    public var backup: URL?
    /// Called while a store is migrated, on the thread that opens it: about twenty times a second at most.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
    /// Asked again and again while a store is migrated: when it says true, opening throws `MigrationError.cancelled`, and
    /// the store stays what it was.
    public var isMigrationCancelled: (@Sendable () -> Bool)?
    /// The journal of a store that is made anew; one that is there keeps its own.
    public var journal: Journal = .wal
    /// Whether what is deleted is overwritten with zeros (https://sqlite.org/pragma.html#pragma_secure_delete); nil leaves
    /// it to how SQLite was built. Where it is not, a migration that copies tables takes a fifth less time, and old rows
    /// can be read in the file until their place is used again.
    public var erasesDeletedContent: Bool?
    /// Called with each new connection before anything else is done with it: it may give a key to an encrypted database,
    /// or functions and collations to SQL.
    public var setUp: (@Sendable (ConnectionSetUp) throws -> Void)?
    /// How many connections read a store with a write-ahead log at once, beside the one that writes.
    public var maximumReaders = 5
    /// How long to wait for another connection's lock, in seconds.
    public var busyTimeout: TimeInterval = 5

    /// Whether a store that a draft of the newest version wrote, which has changed since, is deleted and made anew
    /// instead of being refused with `StoreError.draftChanged`. It is so in debug builds only: no released app has
    /// written such a store.
    public var recreatesChangedDrafts = false

    /// Whether a store that is not of this schema, or of a version or a draft that it does not know, is set aside under
    /// another name, and a new one made. It never acts on what cannot be read, is damaged or is no database: a file that
    /// is locked or encrypted looks like that.
    public var recreatesOnMismatch = false

    /// Whether the store is only read: nothing is made, migrated or written, and an older one is refused.
    public var isReadOnly = false

    /// The usual options.
    public init() {}
}

/// A database of a schema, at the schema's newest version.
///
/// Opening takes a store from whatever version it finds to the newest, in one transaction: afterwards it is
/// wholly new, or, where anything fails, exactly what it was.
public final class Store: Sendable {
    private let connection: LockedConnection
    private let isReadOnly: Bool
    private let threads = TransactingThreads()
    /// The queue of writes: one at a time, in the order in which they came.
    private let writer = DispatchQueue(label: "strata.writer")
    /// The queue of reads that tasks wait for.
    private let readers = OperationQueue()
    let observers = Observers()
    /// What has to be there as long as the store is.
    private let owner: (any Sendable)?

    /// Opens the store at `url`, migrates it if it is old, or makes it if there is none.
    ///
    /// - Throws: `StoreError` where the file is no store that this schema can open; it is then unchanged to the byte.
    ///   `MigrationError`, `SQLiteError`, or what a custom migration threw, where a migration fails; the store is then
    ///   at its old version with all its rows.
    public convenience init(at url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()) throws {
        try self.init(at: url, knowing: KnownSchema(schema), options: options)
    }

    /// Opens the store at `url` as an app does that knows those versions of its schema.
    ///
    /// - `owner`: what has to be there as long as the store is.
    package convenience init(
        at url: URL, knowing schema: KnownSchema, options: StoreOptions = StoreOptions(), owner: (any Sendable)? = nil
    ) throws {
        self.init(lazilyAt: url, knowing: schema, options: options, owner: owner)
        try connection.withLock { _ in }
    }

    /// The store at `url`, which is opened, migrated or made when it is first read or written: that then throws what
    /// opening throws, and tries again the next time.
    public convenience init(lazilyAt url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()) {
        self.init(lazilyAt: url, knowing: KnownSchema(schema), options: options)
    }

    private init(
        lazilyAt url: URL, knowing schema: KnownSchema, options: StoreOptions, owner: (any Sendable)? = nil
    ) {
        self.owner = owner
        isReadOnly = options.isReadOnly
        connection = LockedConnection { try StoreConnections(at: url, schema, options) }
        readers.maxConcurrentOperationCount = max(1, options.maximumReaders)
    }

    /// A store of its own in memory, which is gone when it is let go.
    public init(inMemory schema: any Schema.Type) throws {
        owner = nil
        isReadOnly = false
        connection = LockedConnection { try StoreConnections(inMemory: KnownSchema(schema)) }
        readers.maxConcurrentOperationCount = 1
        try connection.withLock { _ in }
    }

    /// Opens the store at `url` like the initializer, on a thread of its own. A task that is cancelled gives a migration
    /// up.
    public static func open(
        at url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()
    ) async throws -> Store {
        for try await event in opening(at: url, schema: schema, options: options) {
            if case .opened(let store) = event { return store }
        }
        throw CancellationError()
    }

    /// Opens the store at `url` on a thread of its own, and tells how far a migration is. Who stops listening gives it up.
    public static func opening(
        at url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()
    ) -> AsyncThrowingStream<StoreOpeningEvent, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(8)) { continuation in
            let listening = Progress(totalUnitCount: 1)
            continuation.onTermination = { _ in listening.cancel() }
            var options = options
            let (report, isCancelled) = (options.migrationProgress, options.isMigrationCancelled)
            options.migrationProgress = { progress in
                report?(progress)
                continuation.yield(.migrating(progress))
            }
            options.isMigrationCancelled = { listening.isCancelled || isCancelled?() == true }
            let final = options
            DispatchQueue.global().async {
                do {
                    continuation.yield(.opened(try Store(at: url, schema: schema, options: final)))
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
        }
    }

    /// What the migration did that opening the store has made; nil where there was none.
    public var migrationReport: MigrationReport? {
        connection.opened?.report
    }

    /// Where the file is that was there before, if `StoreOptions.recreatesOnMismatch` has set it aside.
    public var setAside: URL? {
        connection.opened?.setAside
    }

    /// Runs `body` in a read transaction: it sees one state of the store, whatever others write.
    public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        try threads.withThread {
            func read(_ connection: Connection) throws -> Result {
                try connection.transaction("BEGIN") {
                    try connection.checkVersion()
                    let transaction = ReadTransaction(connection)
                    defer { transaction.end() }
                    return try body(transaction)
                }
            }
            guard let readers = try connection.readers() else { return try connection.withLock(read) }
            return try readers.withReader(read)
        }
    }

    /// Runs `body` in a read transaction, on another thread. As many run at a time as `StoreOptions.maximumReaders` says;
    /// the others wait without a thread.
    ///
    /// - Throws: What `body` throws; `CancellationError` if the task is cancelled before its turn comes.
    public func read<Result: Sendable>(
        _ body: sending @escaping (ReadTransaction) throws -> Result
    ) async throws -> Result {
        let body = Sent(value: body)
        return try await queued({ [readers] in readers.addOperation($0) }) { try self.read(body.value) }
    }

    /// Runs `body` in a write transaction, on another thread. One write runs at a time, in the order in which they came;
    /// the others wait without a thread.
    ///
    /// - Throws: What `body` throws; `CancellationError` if the task is cancelled before its turn comes.
    @discardableResult public func write<Result: Sendable>(
        _ body: sending @escaping (WriteTransaction) throws -> Result
    ) async throws -> Result {
        let body = Sent(value: body)
        return try await queued({ [writer] in writer.async(execute: $0) }) {
            try self.threads.withThread { try self.writeInTurn(body.value) }
        }
    }

    /// Runs `body` on a thread of a queue: while it waits for a lock or a disk, it must not hold up the threads on which
    /// tasks run.
    private func queued<Result: Sendable>(
        _ add: (@escaping @Sendable () -> Void) -> Void, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let isCancelled = Locked(false)
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                add {
                    continuation.resume(
                        with: Swift.Result {
                            if isCancelled.withLock({ $0 }) { throw CancellationError() }
                            return try body()
                        })
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// The closure of a caller, on its way to the thread that runs it once.
    ///
    /// `@unchecked Sendable` is sound: `value` is a constant and comes from a `sending` parameter, which the compiler does not let
    /// the caller use again. Only the one closure that `queued` runs calls it.
    private struct Sent<Value>: @unchecked Sendable {
        let value: Value
    }

    /// Runs `body` in a write transaction: all that it writes is there afterwards, or nothing where it throws.
    @discardableResult public func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
        try threads.withThread { try writer.sync { try writeInTurn(body) } }
    }

    /// Runs `body` in a write transaction, on the queue of writes.
    private func writeInTurn<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
        if isReadOnly { throw StoreError.readOnly }
        // Or the first who reads would wait for this to end.
        _ = try connection.readers()
        return try connection.withLock { connection in
            let changed = observers.isEmpty ? nil : ChangedTables(by: connection)
            var isCommitted = false
            defer {
                // Nothing was recorded if the first observer came during the transaction.
                let changes = changed?.end() ?? .any
                if isCommitted { observers.wake(for: changes) }
            }
            let result = try connection.transaction("BEGIN IMMEDIATE") {
                try connection.checkVersion()
                let transaction = WriteTransaction(connection)
                defer { transaction.end() }
                let result = try body(transaction)
                try transaction.finish()
                return result
            }
            isCommitted = true
            return result
        }
    }
}
