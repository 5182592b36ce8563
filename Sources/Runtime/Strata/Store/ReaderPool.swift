import Foundation

/// Connections that read a store with a write-ahead log, each used by one thread at a time, beside the one that writes.
///
/// `@unchecked Sendable` is sound: `limit`, `condition` and `connect`, which is `@Sendable`, are constants. `idle` and `count`
/// are read and written only while `condition` is held. A connection is either in `idle` or with the one thread that took it:
/// `withReader` lends it for the duration of `body`, and the transactions that `Store` makes of it are not `Sendable`.
final class ReaderPool: @unchecked Sendable {
    private let condition = NSCondition()
    private var idle: [Connection] = []
    private var count = 0
    private let limit: Int
    private let connect: @Sendable () throws -> Connection

    /// At most `limit` connections, which `connect` makes when they are needed.
    init(limit: Int, _ connect: @escaping @Sendable () throws -> Connection) {
        self.limit = max(1, limit)
        self.connect = connect
    }

    /// Runs `body` with a connection that nobody else has, waiting for one if all are taken.
    func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    private func take() throws -> Connection {
        condition.lock()
        while idle.isEmpty && count == limit { condition.wait() }
        if let connection = idle.popLast() {
            condition.unlock()
            return connection
        }
        count += 1
        condition.unlock()
        do {
            return try connect()
        } catch {
            condition.withLock {
                count -= 1
                condition.signal()
            }
            throw error
        }
    }

    private func giveBack(_ connection: Connection) {
        condition.withLock {
            idle.append(connection)
            condition.signal()
        }
    }
}

/// The threads that are inside of a transaction of a store.
final class TransactingThreads: Sendable {
    private let threads = Locked<Set<ObjectIdentifier>>([])

    /// Runs `body` unless this thread is in a transaction already.
    ///
    /// - Throws: `StoreError.nestedTransaction`: it would wait for itself, or not see what it has written.
    func withThread<Result>(_ body: () throws -> Result) throws -> Result {
        let thread = ObjectIdentifier(Thread.current)
        guard threads.withLock({ $0.insert(thread).inserted }) else { throw StoreError.nestedTransaction }
        defer { threads.withLock { _ = $0.remove(thread) } }
        return try body()
    }
}
