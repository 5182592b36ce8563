import CSQLite
import Foundation

/// The tables that a transaction changes.
final class ChangedTables {
    private var names: Set<String> = []
    private var last: UnsafePointer<CChar>?
    private var count: Int64 = 0
    private let before: Int64
    private let connection: Connection

    /// Records the tables that `connection` changes from now on, until `end`.
    init(by connection: Connection) {
        self.connection = connection
        before = sqlite3_total_changes64(connection.pointer)
        sqlite3_update_hook(
            connection.pointer,
            { context, _, _, table, _ in
                guard let context, let table else { return }
                Unmanaged<ChangedTables>.fromOpaque(context).takeUnretainedValue().add(table)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func add(_ table: UnsafePointer<CChar>) {
        count += 1
        // Most changes are in the same table as the one before.
        if table == last { return }
        last = table
        names.insert(String(cString: table))
    }

    /// Ends the recording.
    ///
    /// SQLite does not report each row if a statement deletes all rows of a table, nor rows of a table without row numbers
    /// (https://sqlite.org/c3ref/update_hook.html). Any table may then have changed.
    func end() -> TableChanges {
        sqlite3_update_hook(connection.pointer, nil, nil)
        let changes = sqlite3_total_changes64(connection.pointer) - before
        if changes == 0 { return .tables([]) }
        return changes == count ? .tables(names) : .any
    }
}

/// The tables that a transaction has changed.
enum TableChanges: Sendable {
    case tables(Set<String>)
    /// The tables are unknown, so any table may have changed.
    case any

    /// Whether `table` may have changed; nil stands for any table.
    func concern(_ table: String?) -> Bool {
        switch self {
        case .any: true
        case .tables(let names): table.map(names.contains) ?? !names.isEmpty
        }
    }
}

/// The observers of a store.
final class Observers: Sendable {
    private struct Observer: Sendable {
        /// The observed table; nil for all tables.
        let table: String?
        let wake: @Sendable () -> Void
    }

    private let observers = Locked<[UUID: Observer]>([:])

    var isEmpty: Bool { observers.withLock(\.isEmpty) }

    /// Calls `wake` after each transaction that may have changed `table`, or any table if it is nil, until `remove`.
    func add(_ table: String?, _ wake: @escaping @Sendable () -> Void) -> UUID {
        let id = UUID()
        observers.withLock { $0[id] = Observer(table: table, wake: wake) }
        return id
    }

    func remove(_ id: UUID) {
        observers.withLock { $0[id] = nil }
    }

    /// Wakes the observers of the tables that may have changed.
    func wake(for changes: TableChanges) {
        for observer in observers.withLock({ $0.values.filter { changes.concern($0.table) } }) { observer.wake() }
    }
}

extension Store {
    /// Observes the rows of a request.
    ///
    /// The sequence delivers the rows immediately, and again after each transaction of this store that changes them.
    ///
    /// ```swift
    /// for try await movies in store.observe(Movie.all.orderBy { $0.title.ascending }) {
    ///     print(movies.map(\.title))
    ///     …
    /// }
    /// ```
    ///
    /// A consumer that is slower than the transactions gets the newest rows and skips the others. The sequence does not see
    /// writes by other `Store` objects and other processes until this store writes. It ends when its task is cancelled, and
    /// with an error if the rows cannot be read. If the store is busy, or its file is protected because the device is locked,
    /// the sequence continues and tries again.
    public func observe<Entity: StoredEntity>(_ request: Request<Entity>) -> AsyncThrowingStream<[Entity], any Error> {
        observe(Entity.table.name) { try $0.fetch(request) }
    }

    /// Observes a value that `body` reads from the store, such as related rows.
    ///
    /// ```swift
    /// for try await genres in store.observe({ try $0.related(favourite, \.genres) }) {
    ///     print(genres.map(\.name))
    ///     …
    /// }
    /// ```
    ///
    /// The sequence delivers the value immediately, and again after each transaction of this store that changes it. `body`
    /// runs after every transaction of this store. Otherwise this is like the observation of a request.
    public func observe<Value: Equatable & Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        observe(nil, body)
    }

    private func observe<Value: Equatable & Sendable>(
        _ table: String?, _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = Observation(of: self, body, continuation)
            let id = observers.add(table) { observation.wake() }
            continuation.onTermination = { [observers] _ in observers.remove(id) }
            observation.wake()
        }
    }
}

/// Reads a value on a separate queue when it may have changed, and delivers it if it has.
private final class Observation<Value: Equatable & Sendable>: Sendable {
    private let store: Store
    private let body: @Sendable (ReadTransaction) throws -> Value
    private let continuation: AsyncThrowingStream<Value, any Error>.Continuation
    private let queue = DispatchQueue(label: "strata.observation")
    private let last = Locked<Value?>(nil)
    private let isWaiting = Locked(false)
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

    /// Reads the value soon. If several changes come before it is read, it is read once.
    func wake() {
        guard isWaiting.replace(by: true) else { return }
        queue.async { [self] in
            _ = isWaiting.replace(by: false)
            read()
        }
    }

    private func read() {
        do {
            let value = try store.read(body)
            delay.withLock { $0 = 0.1 }
            if last.replace(by: value) { continuation.yield(value) }
        } catch  where Self.isTransient(error) {
            let delay = delay.withLock { delay in
                defer { delay = min(2 * delay, 10) }
                return delay
            }
            queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.wake() }
        } catch {
            continuation.finish(throwing: error)
        }
    }

    /// Whether the same read may succeed later without another change of the store.
    private static func isTransient(_ error: any Error) -> Bool {
        switch error {
        case StoreError.busy, StoreError.unreadable: true
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
