import CSQLite
import Foundation

extension Store {
    /// Observes the results of a request: rows, selected values, groups, or rows with their related rows.
    ///
    /// The sequence delivers the results immediately, and again after each transaction that changes them.
    ///
    /// ```swift
    /// for try await movies in store.observe(Movie.all.orderBy { $0.title.ascending }) {
    ///     print(movies.map(\.title))
    ///     …
    /// }
    /// ```
    ///
    /// ```swift
    /// for try await rows in store.observe(Movie.all.select { ($0, $0.genres.count) }) {
    ///     for (movie, count) in rows { print(movie.title, count) }
    ///     …
    /// }
    /// ```
    ///
    /// A consumer that is slower than the transactions gets the newest rows and skips the others. The sequence ends when its
    /// task is cancelled or the store is closed, and with an error if the rows cannot be read. If the store is busy or suspended,
    /// or its file is protected because the device is locked, the sequence continues and tries again.
    ///
    /// Writes of other `Store` objects and other processes are seen after ``StoreOptions/otherWritersInterval`` at the latest.
    public func observe<Result: ObservableRequest>(_ request: Result) -> AsyncThrowingStream<
        [Result.Element], any Error
    > {
        request.results(in: self)
    }

    /// Observes a value that `body` reads from the store, such as a count, or related rows.
    ///
    /// ```swift
    /// for try await genres in store.observe({ try $0.related(favourite, \.genres) }) {
    ///     print(genres.map(\.name))
    ///     …
    /// }
    /// ```
    ///
    /// The sequence delivers the value immediately, and again when it differs after a transaction. `body` runs after each
    /// transaction that has changed a table that it read the last time. Otherwise this is like the observation of a request.
    public func observe<Value: Equatable & Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        observe(areSame, body)
    }

    /// Observes a tuple of values that `body` reads from the store.
    ///
    /// ```swift
    /// for try await (movies, genres) in store.observe({ try ($0.count(Movie.self), $0.count(Genre.self)) }) {
    ///     print(movies, genres)
    ///     …
    /// }
    /// ```
    @_disfavoredOverload public func observe<each Value: Equatable & Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> (repeat each Value)
    ) -> AsyncThrowingStream<(repeat each Value), any Error> {
        observe(areSameTuples, body)
    }

    /// Observes a value that `body` reads from the store.
    ///
    /// - Parameter areSame: Whether two values are equal.
    func observe<Value: Sendable>(
        _ areSame: @escaping @Sendable (Value, Value) -> Bool,
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        observe(areSame, { $0 }, body)
    }

    /// Observes what `body` reads from the store.
    ///
    /// - Parameters:
    ///   - areSame: Whether two results of `body` are equal.
    ///   - value: The value to deliver of a result.
    ///   - body: Reads from the store.
    func observe<Result: Sendable, Value: Sendable>(
        _ areSame: @escaping @Sendable (Result, Result) -> Bool, _ value: @escaping @Sendable (Result) -> Value,
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) -> AsyncThrowingStream<Value, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = Observation(of: self, areSame, value, body, continuation)
            continuation.onTermination = { [weak self] _ in self?.remove(observation) }
            add(observation)
            observation.wake()
        }
    }

    private func add(_ observer: any Observer) {
        guard observers.add(observer), let interval = options.otherWritersInterval, interval < .infinity else { return }
        watch(every: min(max(interval, 0.01), 86_400))
    }

    private func remove(_ observer: any Observer) { observers.remove(observer) }

    /// Looks for writes of other connections while there are observers.
    private func watch(every interval: TimeInterval) {
        // If it is not known now, the first look wakes the observers: there may have been a write since they have read.
        let last = Locked(writesOfOthers)
        let leeway = DispatchTimeInterval.milliseconds(Int(interval * 100))
        let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: leeway)
        timer.setEventHandler { [weak self] in
            guard let self, self.observers.keepsWatching() else { return timer.cancel() }
            guard let version = self.writesOfOthers else { return }
            if last.replace(by: version) { self.observers.wake(for: .any) }
        }
        timer.resume()
    }

    /// A number that changes with each write of another connection; nil while the connection is in use.
    private var writesOfOthers: Int? {
        connection.ifIdle { try? $0.integer("PRAGMA data_version") }
    }

    /// Reads a value, and returns it with the tables that were read.
    fileprivate func readWithTables<Value>(
        _ body: (ReadTransaction) throws -> Value
    ) throws -> (value: Value, tables: Set<String>) {
        try read { transaction in try transaction.open().observingTables { try body(transaction) } }
    }

    /// Runs `body` on one of the threads that read.
    fileprivate func schedule(_ body: @escaping @Sendable () -> Void) { readers.add(body) }
}

/// Reads a value when it may have changed, and delivers it if it has.
private final class Observation<Result: Sendable, Value: Sendable>: Observer {
    private enum Activity {
        case idle
        /// A read is scheduled or running. `isStale` tells whether there was a change after it began.
        case reading(isStale: Bool)
    }

    private let store: Store
    private let areSame: @Sendable (Result, Result) -> Bool
    private let value: @Sendable (Result) -> Value
    private let body: @Sendable (ReadTransaction) throws -> Result
    private let continuation: AsyncThrowingStream<Value, any Error>.Continuation
    private let last = Locked<Result?>(nil)
    private let activity = Locked(Activity.idle)
    /// The time to wait before the next attempt after an error, in seconds.
    private let delay = Locked(0.1)

    init(
        of store: Store, _ areSame: @escaping @Sendable (Result, Result) -> Bool,
        _ value: @escaping @Sendable (Result) -> Value, _ body: @escaping @Sendable (ReadTransaction) throws -> Result,
        _ continuation: AsyncThrowingStream<Value, any Error>.Continuation
    ) {
        self.store = store
        (self.areSame, self.value, self.body) = (areSame, value, body)
        self.continuation = continuation
    }

    func end() { continuation.finish() }

    /// Reads the value soon. If several changes come before it is read, it is read once.
    func wake() {
        let isIdle = activity.withLock { activity in
            guard case .idle = activity else {
                activity = .reading(isStale: true)
                return false
            }
            activity = .reading(isStale: false)
            return true
        }
        if isIdle { schedule() }
    }

    private func schedule() {
        store.schedule { [self] in
            // Changes before this read are seen by it.
            activity.withLock { $0 = .reading(isStale: false) }
            store.observers.setTables(nil, of: self)
            let wait = read(store)
            if let wait {
                activity.withLock { $0 = .idle }
                DispatchQueue.global().asyncAfter(deadline: .now() + wait) { [weak self] in self?.wake() }
                return
            }
            let isStale = activity.withLock { activity in
                guard case .reading(isStale: true) = activity else {
                    activity = .idle
                    return false
                }
                return true
            }
            if isStale { schedule() }
        }
    }

    /// Reads the value. Returns how long to wait for another attempt after an error that may pass; nil if there was none.
    private func read(_ store: Store) -> Double? {
        do {
            let (result, tables) = try store.readWithTables(body)
            store.observers.setTables(tables, of: self)
            delay.withLock { $0 = 0.1 }
            let isNew = last.withLock { last in
                defer { last = result }
                return last.map { !areSame($0, result) } ?? true
            }
            if isNew { continuation.yield(value(result)) }
        } catch StoreError.closed {
            continuation.finish()
        } catch  where Self.isTransient(error) {
            return delay.withLock { delay in
                defer { delay = min(2 * delay, 10) }
                return delay
            }
        } catch {
            continuation.finish(throwing: error)
        }
        return nil
    }

    /// Whether the same read may succeed later without another change of the store.
    private static func isTransient(_ error: any Error) -> Bool {
        switch error {
        case StoreError.busy, StoreError.suspended, StoreError.unreadable: true
        case let error as SQLiteError:
            // The file is protected while the device is locked: IOERR, AUTH, PERM or CANTOPEN.
            [
                SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_INTERRUPT, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_AUTH,
                SQLITE_PERM, SQLITE_READONLY,
            ].contains(
                error.code)
        default: false
        }
    }
}

extension Locked where Value: Equatable {
    /// Sets the value. Returns whether it has changed.
    fileprivate func replace(by new: Value) -> Bool {
        withLock { value in
            defer { value = new }
            return !areSame(value, new)
        }
    }
}
