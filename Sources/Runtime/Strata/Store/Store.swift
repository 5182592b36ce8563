import Foundation

/// A database with the newest version of a schema.
///
/// Opening a store of an older version migrates it in one transaction. If the migration fails, the store is unchanged.
///
/// ```swift
/// let store = try Store(at: url, schema: MoviesSchema.self)
/// try store.write { try $0.insert(Movie(id: 7, title: "Solaris", popularity: 8)) }
/// let movies = try store.read { try $0.fetch(Movie.self) }
/// ```
public final class Store: Sendable {
    let connection: LockedConnection
    let options: StoreOptions
    let threads = TransactingThreads()
    /// Runs one write at a time, in the order in which they were requested.
    let writer = DispatchQueue(label: "strata.writer")
    /// Runs the reads that tasks wait for.
    let readers: ReaderThreads
    let observers = Observers()
    private let hasRepairedSearches = Locked(false)
    /// Whether the store was searched for a migration of another version of the app.
    let hasLookedForMigration = Locked(false)
    /// An object that must live as long as the store.
    private let owner: (any Sendable)?

    /// Opens the store at `url`. A store of an older version is migrated, and a missing store is created.
    ///
    /// ```swift
    /// let store = try Store(at: url, schema: MoviesSchema.self)
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - schema: The schema of the store.
    ///   - options: The options for opening it.
    /// - Throws: `StoreError` if the schema cannot open the file, which is then unchanged. `MigrationError`, `SQLiteError`
    ///   or the error of a custom migration if the migration fails. The store then has its old version and all rows.
    public convenience init(at url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()) throws {
        try self.init(at: url, definition: SchemaDefinition(schema), options: options)
    }

    /// Opens the store at `url` with a schema value.
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - schema: The versions and steps that the app knows.
    ///   - options: The options for opening it.
    ///   - owner: An object that must live as long as the store.
    package convenience init(
        at url: URL, definition schema: SchemaDefinition, options: StoreOptions = StoreOptions(),
        owner: (any Sendable)? = nil
    ) throws {
        self.init(lazilyAt: url, definition: schema, options: options, owner: owner)
        try connection.withLock { _ in }
    }

    /// Creates a store that is opened, and migrated if necessary, by the first read or write.
    ///
    /// If opening fails, that read or write throws the error, and the next one tries again.
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - schema: The schema of the store.
    ///   - options: The options for opening it.
    public convenience init(lazilyAt url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()) {
        self.init(lazilyAt: url, definition: SchemaDefinition(schema), options: options)
    }

    /// Creates a store with a schema value, which is opened when it is first needed.
    package init(
        lazilyAt url: URL, definition schema: SchemaDefinition, options: StoreOptions, owner: (any Sendable)? = nil
    ) {
        self.owner = owner
        self.options = options
        let isStopped = Locked(false)
        var stoppable = options
        stoppable.isStopped = { isStopped.withLock { $0 } }
        connection = LockedConnection(isStopped) { [stoppable] in try StoreConnections(at: url, schema, stoppable) }
        readers = ReaderThreads(count: max(1, options.maximumReaders))
    }

    /// Creates an empty store in memory. It exists as long as this object.
    ///
    /// ```swift
    /// let store = try Store(inMemory: MoviesSchema.self)
    /// ```
    public init(inMemory schema: any Schema.Type) throws {
        owner = nil
        options = StoreOptions()
        connection = LockedConnection { try StoreConnections(inMemory: SchemaDefinition(schema)) }
        readers = ReaderThreads(count: 1)
        try connection.withLock { _ in }
    }

    /// Opens the store at `url` on another thread. Cancelling the task cancels the migration.
    ///
    /// ```swift
    /// let store = try await Store.open(at: url, schema: MoviesSchema.self)
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - schema: The schema of the store.
    ///   - options: The options for opening it.
    /// - Throws: The errors of ``init(at:schema:options:)``, and `CancellationError`.
    public static func open(
        at url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()
    ) async throws -> Store {
        for try await event in opening(at: url, schema: schema, options: options) {
            if case .opened(let store) = event { return store }
        }
        throw CancellationError()
    }

    /// Opens the store at `url` on another thread, and reports the progress of a migration. Ending the stream cancels the
    /// migration.
    ///
    /// ```swift
    /// for try await event in Store.opening(at: url, schema: MoviesSchema.self) {
    ///     switch event {
    ///     case .migrating(let progress): print(progress)
    ///     case .opened(let store): print(try await store.read { try $0.count(Movie.self) })
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - schema: The schema of the store.
    ///   - options: The options for opening it.
    /// - Returns: The events. The last one contains the store. If the task is cancelled, the next event is the error
    ///   `CancellationError`.
    public static func opening(
        at url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()
    ) -> StoreOpeningEvents {
        let stream = AsyncThrowingStream<StoreOpeningEvent, any Error>(bufferingPolicy: .bufferingNewest(8)) {
            continuation in
            let listening = Progress(totalUnitCount: 1)
            continuation.onTermination = { _ in listening.cancel() }
            var options = options
            let (report, isCancelled) = (options.migrationProgress, options.isMigrationCancelled)
            options.migrationProgress = { progress in
                report?(progress)
                // The last report says what the next event says.
                if !progress.isFinished { continuation.yield(.migrating(progress)) }
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
        return StoreOpeningEvents(stream: stream)
    }

    /// Opens the store at `url` on another thread, for code that is not async.
    ///
    /// ```swift
    /// Store.open(at: url, schema: MoviesSchema.self) { result in
    ///     if case .success(let store) = result { print(store.isNewer) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - schema: The schema of the store.
    ///   - options: The options for opening it. ``StoreOptions/report(to:)`` reports the progress, and cancels the migration.
    ///   - queue: The queue on which `completion` is called.
    ///   - completion: Receives the store, or the error of ``init(at:schema:options:)``.
    public static func open(
        at url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions(), queue: DispatchQueue = .main,
        completion: @escaping @Sendable (Result<Store, any Error>) -> Void
    ) {
        DispatchQueue.global().async {
            let result = Result { try Store(at: url, schema: schema, options: options) }
            queue.async { completion(result) }
        }
    }

    /// The report of the migration when the store was opened; nil if there was none.
    public var migrationReport: MigrationReport? {
        connection.opened?.report
    }

    /// Whether the store has a newer version than the app, and the app can use it: a newer app has migrated it, and every
    /// change since the app's version is compatible (<doc:OpeningStores>).
    ///
    /// The app reads and writes the columns that it knows, and does not see new ones. An open store can become newer.
    public var isNewer: Bool {
        connection.opened?.version.isNewer ?? false
    }

    /// The file that ``StoreOptions/recreatesOnMismatch`` renamed; nil if there was none.
    public var setAside: URL? {
        connection.opened?.setAside
    }

    /// Runs `body` in a read transaction. It sees one state of the store, regardless of writes at the same time.
    ///
    /// ```swift
    /// let movies = try store.read { try $0.fetch(Movie.self) }
    /// ```
    ///
    /// - Throws: The error of `body`, or `StoreError`.
    public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        try read(until: nil, body)
    }

    /// Runs `body` in a read transaction, whose statements are interrupted when `isCancelled` returns true.
    private func read<Result>(
        until isCancelled: (@Sendable () -> Bool)?, _ body: (ReadTransaction) throws -> Result
    ) throws -> Result {
        try threads.withThread {
            func read(_ connection: Connection) throws -> Result {
                try connection.inUse(isWriting: false, until: isCancelled, repair: repairSearches) {
                    try connection.transaction("BEGIN") {
                        try connection.delegate?.check(connection)
                        let transaction = ReadTransaction(connection)
                        defer { transaction.end() }
                        return try body(transaction)
                    }
                }
            }
            guard let readers = try connection.readers() else { return try connection.withLock(read) }
            return try readers.withReader(read)
        }
    }

    /// Fills the searches again, before the next write, because a virtual table is damaged. It may be one of the app, so this
    /// happens only once.
    private func repairSearches() {
        let isFirst = hasRepairedSearches.withLock { hasRepaired in
            defer { hasRepaired = true }
            return !hasRepaired
        }
        guard isFirst, !options.isReadOnly else { return }
        writer.async { [connection] in try? connection.withLock { try $0.rebuildSearches() } }
    }

    /// Runs `body` in a read transaction on another thread.
    ///
    /// At most ``StoreOptions/maximumReaders`` reads run at the same time. The others wait, and occupy no thread.
    ///
    /// ```swift
    /// let movies = try await store.read { try $0.fetch(Movie.self) }
    /// ```
    ///
    /// If the task is cancelled, the statement that runs is interrupted.
    ///
    /// - Throws: The error of `body`, or `CancellationError` if the task is cancelled.
    public func read<Result: Sendable>(
        _ body: sending @escaping (ReadTransaction) throws -> Result
    ) async throws -> Result {
        let body = Sent(value: body)
        return try await queued({ [readers] in readers.add($0) }) { try self.read(until: $0, body.value) }
    }

    /// Runs `body` in a write transaction on another thread.
    ///
    /// One write runs at a time, in the order in which they were requested. The others wait, and occupy no thread.
    ///
    /// ```swift
    /// try await store.write { try $0.insert(contentsOf: movies) }
    /// ```
    ///
    /// If the task is cancelled, the statement that runs is interrupted, and the transaction is rolled back.
    ///
    /// - Throws: The error of `body`, or `CancellationError` if the task is cancelled.
    @discardableResult public func write<Result: Sendable>(
        _ body: sending @escaping (WriteTransaction) throws -> Result
    ) async throws -> Result {
        let body = Sent(value: body)
        return try await queued({ [writer] in writer.async(execute: $0) }) {
            isCancelled in
            try self.threads.withThread { try self.writeInTurn(until: isCancelled, body.value) }
        }
    }

    /// Runs `body` on a thread of a queue. Waiting for a lock or a disk must not block the threads that run tasks.
    private func queued<Result: Sendable>(
        _ add: (@escaping @Sendable () -> Void) -> Void,
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Result
    ) async throws -> Result {
        let turn = Locked(Turn<Result>())
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isLate = turn.withLock { turn in
                    turn.continuation = turn.isCancelled ? nil : continuation
                    return turn.isCancelled
                }
                if isLate { return continuation.resume(throwing: CancellationError()) }
                add {
                    // A task that was cancelled while it waited has been resumed.
                    let continuation = turn.withLock { $0.take() }
                    continuation?.resume(with: Swift.Result { try body { turn.withLock(\.isCancelled) } })
                }
            }
        } onCancel: {
            let waiting = turn.withLock { turn in
                turn.isCancelled = true
                return turn.take()
            }
            waiting?.resume(throwing: CancellationError())
        }
    }

    /// The turn of a task in a queue.
    private struct Turn<Result: Sendable>: Sendable {
        /// Resumes the task; nil before it waits, and once its turn has come.
        var continuation: CheckedContinuation<Result, any Error>?
        var isCancelled = false

        mutating func take() -> CheckedContinuation<Result, any Error>? {
            defer { continuation = nil }
            return continuation
        }
    }

    /// Carries a caller's closure to the thread that runs it.
    ///
    /// `@unchecked Sendable` is sound: `value` is a constant from a `sending` parameter, which the compiler does not let the
    /// caller use again. Only the closure that `queued` runs calls it, at most once.
    private struct Sent<Value>: @unchecked Sendable {
        let value: Value
    }

    /// Runs `body` in a write transaction. If `body` throws, everything that it wrote is rolled back.
    ///
    /// ```swift
    /// try store.write { transaction in
    ///     try transaction.insert(movie)
    ///     try transaction.delete(Movie.self, id: 1)
    /// }
    /// ```
    ///
    /// - Throws: The error of `body`, `StoreError`, or `SQLiteError`, for example for dangling foreign keys.
    @discardableResult public func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
        try threads.withThread { try writer.sync { try writeInTurn(body) } }
    }

    /// Runs `body` in a write transaction, on the queue of writes.
    private func writeInTurn<Result>(
        until isCancelled: (@Sendable () -> Bool)? = nil, _ body: (WriteTransaction) throws -> Result
    ) throws -> Result {
        if options.isReadOnly { throw StoreError.readOnly }
        // If the write created the reader pool, the first read would wait for the end of the write.
        _ = try connection.readers()
        return try connection.withLock { connection in
            let changed = observers.isEmpty ? nil : ChangedTables(by: connection)
            var isCommitted = false
            defer {
                // If the first observer subscribed during the transaction, no changes were recorded.
                let changes = changed?.end() ?? .any
                if isCommitted { observers.wake(for: changes) }
            }
            let result = try connection.inUse(isWriting: true, until: isCancelled, repair: repairSearches) {
                try discardForeignMigration(connection)
                connection.replacedSearches = []
                return try connection.transaction("BEGIN IMMEDIATE") {
                    try connection.delegate?.check(connection)
                    let transaction = WriteTransaction(connection)
                    defer { transaction.end() }
                    let result = try body(transaction)
                    try transaction.finish()
                    // It may have waited for the lock, or have been too short for an interruption.
                    if isCancelled?() == true { throw CancellationError() }
                    return result
                }
            }
            isCommitted = true
            return result
        }
    }
}
