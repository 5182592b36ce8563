import Foundation

/// Connections that read a store with a write-ahead log while another connection writes. Each is used by one thread at a time.
///
/// `@unchecked Sendable` is sound: `limit`, `condition` and `connect`, which is `@Sendable`, are constants. The variables are
/// read and written only while `condition` is held. A connection is either in `idle` or with the one thread that took it:
/// `withReader` lends it for the duration of `body`. The transactions that `Store` makes of it are not `Sendable`, and what outlives
/// `body` leaves its statements to `ConnectionUse`. Only interruptions use it on another thread, which SQLite allows while the
/// connection is open: a connection in `all` is open, and `condition` is held while it is interrupted and while it is closed.
final class ReaderPool: @unchecked Sendable {
    private let condition = NSCondition()
    private var idle: [Connection] = []
    private var all: [Connection] = []
    private var stop: StoreError?
    private var count = 0
    private let limit: Int
    private let connect: @Sendable () throws -> Connection

    /// Creates a pool of at most `limit` connections, which `connect` opens when they are needed.
    init(limit: Int, _ connect: @escaping @Sendable () throws -> Connection) {
        self.limit = max(1, limit)
        self.connect = connect
    }

    /// Runs `body` with a free connection. If all are in use, waits for one.
    func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        do {
            let connection = try take()
            defer { giveBack(connection) }
            return try connection.used(body)
        } catch  where error.isOfWaiting {
            // It did not wait until the end.
            throw condition.withLock { stop } ?? error
        }
    }

    private func take() throws -> Connection {
        condition.lock()
        while idle.isEmpty && count == limit && stop == nil { condition.wait() }
        if let stop {
            condition.unlock()
            throw stop
        }
        if let connection = idle.popLast() {
            condition.unlock()
            return connection
        }
        count += 1
        condition.unlock()
        do {
            let connection = try connect()
            condition.withLock { all.append(connection) }
            return connection
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
            condition.broadcast()
        }
    }

    /// Interrupts the statements that run now.
    func interrupt() {
        condition.withLock { for connection in all { connection.interrupt() } }
    }

    /// Refuses further reads with `error`; nil allows reads again, unless the store is closed.
    func setStop(_ error: StoreError?) {
        condition.withLock {
            if stop == .closed { return }
            stop = error
            condition.broadcast()
        }
    }

    /// Interrupts the reads that run, and waits for their end, or until reads are allowed again.
    func waitForEnd() {
        condition.withLock {
            while stop != nil, idle.count < count {
                // A statement that begins after the interruption is interrupted the next time.
                for connection in all { connection.interrupt() }
                _ = condition.wait(until: Date().addingTimeInterval(0.005))
            }
            if stop == .closed {
                for connection in all { connection.close() }
                (idle, all, count) = ([], [], 0)
            }
        }
    }
}

/// The threads that are in a transaction of a store.
final class TransactingThreads: Sendable {
    private let threads = Locked<Set<ObjectIdentifier>>([])

    /// Runs `body`, which begins a transaction.
    ///
    /// - Throws: `StoreError.nestedTransaction` if this thread is in a transaction already. The inner one would wait for the
    ///   outer one, or would not see what it has written.
    func withThread<Result>(_ body: () throws -> Result) throws -> Result {
        let thread = ObjectIdentifier(Thread.current)
        guard threads.withLock({ $0.insert(thread).inserted }) else { throw StoreError.nestedTransaction }
        defer { threads.withLock { _ = $0.remove(thread) } }
        return try body()
    }
}
