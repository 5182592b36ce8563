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
        // Most rows are of the same table as the one before.
        if table == last { return }
        last = table
        names.insert(String(cString: table))
    }

    /// Ends the recording.
    ///
    /// SQLite does not report each row if a statement deletes all rows of a table, nor rows of a table without row numbers
    /// (https://sqlite.org/c3ref/update_hook.html). The change is then of any table.
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
    /// Not known, so each table may have changed.
    case any

    /// Whether something that reads `table` may have changed; nil for something that reads any table.
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
        /// The table to observe; nil for all.
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
    /// Observes the rows of a request: they come at once, and again after each transaction of this store that changed them.
    ///
    /// A consumer that is slower than the transactions gets the newest rows and misses those in between. Changes of other
    /// stores and other processes are not seen until this store writes. The sequence ends when its task is cancelled, and
    /// with an error if the rows cannot be read. While the store is only busy or its file cannot be read for a time, as
    /// on a locked device, the sequence goes on and reads again.
    public func observe<Entity: StoredEntity>(_ request: Request<Entity>) -> AsyncThrowingStream<[Entity], any Error> {
        observe(Entity.table.name) { try $0.fetch(request) }
    }

    /// Observes any value that is read from the store, such as the related rows of an entity in their order:
    ///
    /// ```swift
    /// for try await titles in store.observe({ try $0.related(playlist, \.tracks).map(\.title) }) { … }
    /// ```
    ///
    /// The value comes at once, and again when a transaction of this store has changed it. `body` is run after every
    /// transaction that changes a table. In everything else this is like the observation of a request.
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

/// Reads a value on a queue of its own whenever it may have changed, and passes it on if it has.
private final class Observation<Value: Equatable & Sendable>: Sendable {
    private let store: Store
    private let body: @Sendable (ReadTransaction) throws -> Value
    private let continuation: AsyncThrowingStream<Value, any Error>.Continuation
    private let queue = DispatchQueue(label: "strata.observation")
    private let last = Locked<Value?>(nil)
    private let isWaiting = Locked(false)
    /// How long to wait before the next attempt after an error, in seconds.
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
            // A protected file of a locked device cannot be read for a time: IOERR, AUTH, PERM or CANTOPEN.
            [
                SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_INTERRUPT, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_AUTH,
                SQLITE_PERM, SQLITE_READONLY,
            ].contains(
                error.code)
        default: false
        }
    }
}
