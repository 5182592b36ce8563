import CSQLite
import Foundation

extension Store {
    /// Observes the rows of a request.
    ///
    /// The sequence delivers the rows immediately, and again after each transaction that changes them.
    ///
    /// ```swift
    /// for try await movies in store.observe(Movie.all.orderBy { $0.title.ascending }) {
    ///     print(movies.map(\.title))
    ///     …
    /// }
    /// ```
    ///
    /// A consumer that is slower than the transactions gets the newest rows and skips the others. The sequence ends when its
    /// task is cancelled or the store is closed, and with an error if the rows cannot be read. If the store is busy or suspended,
    /// or its file is protected because the device is locked, the sequence continues and tries again.
    ///
    /// Writes of other `Store` objects and other processes are seen after ``StoreOptions/otherWritersInterval`` at the latest.
    public func observe<Entity: StoredEntity>(_ request: Request<Entity>) -> AsyncThrowingStream<[Entity], any Error> {
        observe { try $0.fetch(request) }
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
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = Observation(of: self, body, continuation)
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
private final class Observation<Value: Equatable & Sendable>: Observer {
    private enum Activity {
        case idle
        /// A read is scheduled or running. `isStale` tells whether there was a change after it began.
        case reading(isStale: Bool)
    }

    private let store: Store
    private let body: @Sendable (ReadTransaction) throws -> Value
    private let continuation: AsyncThrowingStream<Value, any Error>.Continuation
    private let last = Locked<Value?>(nil)
    private let activity = Locked(Activity.idle)
    /// The time to wait before the next attempt after an error, in seconds.
    private let delay = Locked(0.1)

    init(
        of store: Store, _ body: @escaping @Sendable (ReadTransaction) throws -> Value,
        _ continuation: AsyncThrowingStream<Value, any Error>.Continuation
    ) {
        self.store = store
        self.body = body
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
            let (value, tables) = try store.readWithTables(body)
            store.observers.setTables(tables, of: self)
            delay.withLock { $0 = 0.1 }
            if last.replace(by: value) { continuation.yield(value) }
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
