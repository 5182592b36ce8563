import CSQLite
import Foundation

/// The tables that a transaction changes.
final class ChangedTables {
    private var names: Set<String> = []
    private var last: UnsafePointer<CChar>?
    private var count: Int64 = 0
    private let before: Int64
    private let connection: Connection

    /// What is changed by `connection` from now on, until `end`.
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

    /// Whether one of those tables may be `name`. Rows that all go at once are not told one by one
    /// (https://sqlite.org/c3ref/update_hook.html): then it may be any.
    func end() -> @Sendable (_ name: String) -> Bool {
        sqlite3_update_hook(connection.pointer, nil, nil)
        let changes = sqlite3_total_changes64(connection.pointer) - before
        let (names, isWhole) = (names, changes == count)
        return { changes > 0 && (!isWhole || names.contains($0)) }
    }
}

/// Who wants to know when tables change.
final class Observers: Sendable {
    private struct Observer: Sendable {
        let table: String
        let wake: @Sendable () -> Void
    }

    private let observers = Locked<[UUID: Observer]>([:])

    var isEmpty: Bool { observers.withLock(\.isEmpty) }

    /// Calls `wake` when `table` may have changed, until `remove`.
    func add(_ table: String, _ wake: @escaping @Sendable () -> Void) -> UUID {
        let id = UUID()
        observers.withLock { $0[id] = Observer(table: table, wake: wake) }
        return id
    }

    func remove(_ id: UUID) {
        observers.withLock { $0[id] = nil }
    }

    /// Wakes those whose tables may have changed.
    func wake(where hasChanged: (String) -> Bool) {
        for observer in observers.withLock({ $0.values.filter { hasChanged($0.table) } }) { observer.wake() }
    }
}

extension Store {
    /// The rows that `request` means: at once, and again after each transaction of this store that has changed them.
    ///
    /// Who is slower than the transactions gets the newest rows, and not those between. What other stores and other
    /// processes write is not seen until this one writes. The sequence ends when its task is cancelled, and with an error
    /// where the store cannot be read.
    public func observe<Entity: StoredEntity>(_ request: Request<Entity>) -> AsyncThrowingStream<[Entity], any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let queue = DispatchQueue(label: "strata.observation")
            let last = Locked<[Entity]?>(nil)
            let read: @Sendable () -> Void = { [self] in
                do {
                    let rows = try self.read { (transaction: ReadTransaction) throws in try transaction.fetch(request) }
                    if last.replace(by: rows) { continuation.yield(rows) }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            let isWaiting = Locked(false)
            let id = observers.add(Entity.table.name) {
                // Of several changes that come while rows are read, the last is enough.
                guard isWaiting.replace(by: true) else { return }
                queue.async {
                    _ = isWaiting.replace(by: false)
                    read()
                }
            }
            continuation.onTermination = { [observers] _ in observers.remove(id) }
            queue.async(execute: read)
        }
    }
}
