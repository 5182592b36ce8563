import Foundation

/// A connection that only one thread at a time can use. It is opened when it is first needed.
///
/// It can be used until it is suspended, and again when it is resumed, until it is closed, which nothing changes any more. `stop` is
/// this state. Its changes interrupt what runs, and what waits sees them in `isStopped`.
///
/// `@unchecked Sendable` is sound: `open` and `isStopped`, which are `Sendable`, and the three locks are constants. `store` and `isLogged` are
/// written while both `lock` and `openedLock` are held, and read while one of them is; `stop` is used while `openedLock` is
/// held. The connection is used only while `lock` is held. Only `interrupt` uses it without: SQLite allows that on any thread
/// while the connection is open, and `openedLock` keeps it from being closed meanwhile. `Store` passes only
/// transactions, cursors and rows to its callers. They are not `Sendable`, so the compiler keeps them on the thread that holds the
/// lock, and they throw after it is released. If one outlives its closure, `ConnectionUse` keeps its statement for the next thread
/// that holds the lock.
final class LockedConnection: @unchecked Sendable {
    /// Guards the connection.
    private let lock = NSLock()
    /// Guards `store` and `isLogged` for reads that must not wait for the connection.
    private let openedLock = NSLock()
    /// Guards finding out whether the store has a write-ahead log. A thread that uses the connection never takes it.
    private let findingLock = NSLock()
    private let open: @Sendable () throws -> StoreConnections
    private var store: StoreConnections?
    /// Whether the store has a write-ahead log; nil until it is known.
    private var isLogged: Bool?
    /// The error of further transactions: `closed` or `suspended`; nil while the store can be used.
    private var stop: StoreError?
    /// Whether it is not nil. The connection asks for it while it waits for a lock, and while the store is opened.
    private let isStopped: Locked<Bool>

    /// Creates a connection that `open` opens when it is first needed.
    ///
    /// - Parameters:
    ///   - isStopped: Receives whether the store is closed or suspended.
    ///   - open: Opens the store.
    init(_ isStopped: Locked<Bool> = Locked(false), _ open: @escaping @Sendable () throws -> StoreConnections) {
        self.isStopped = isStopped
        self.open = open
    }

    /// The results of opening the store; nil before it is opened.
    var opened: (setAside: URL?, report: MigrationReport?, version: SupportedVersions)? {
        openedLock.withLock { store.map { ($0.setAside, $0.report, $0.version) } }
    }

    /// The connections that can read while this one writes; nil if the store has no write-ahead log.
    ///
    /// The first read or write finds it out, because opening a store reads as little as possible.
    func readers() throws -> ReaderPool? {
        func known() -> ReaderPool?? { isLogged.map { $0 ? store?.readers : nil } }
        if let readers = openedLock.withLock(known) { return readers }
        return try findingLock.withLock {
            // Another thread may have found it out meanwhile, and may be using the connection now.
            if let readers = openedLock.withLock(known) { return readers }
            return try withLock { connection in
                let isLogged = try connection.text("PRAGMA journal_mode") == "wal"
                return openedLock.withLock {
                    self.isLogged = isLogged
                    return isLogged ? store?.readers : nil
                }
            }
        }
    }

    func withLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        lock.lock()
        defer { lock.unlock() }
        try checkStop()
        do {
            if let store { return try store.connection.used(body) }
            let store = try open()
            openedLock.withLock { self.store = store }
            try checkStop()
            return try store.connection.used(body)
        } catch  where error.isOfWaiting || store == nil && error.isOfInterruption {
            // It did not wait until the end, or it did not open the store.
            try checkStop()
            throw error
        }
    }

    /// Throws `closed` or `suspended` if the store is.
    func checkStop() throws {
        if let stop = openedLock.withLock({ stop }) { throw stop }
    }

    /// Runs `body` if the store is open and nothing uses the connection now.
    func ifIdle<Result>(_ body: (Connection) -> Result?) -> Result? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        guard openedLock.withLock({ stop == nil }), let store else { return nil }
        return store.connection.used(body)
    }

    /// Interrupts the statements that run now.
    func interrupt() {
        openedLock.withLock {
            store?.connection.interrupt()
            store?.readers?.interrupt()
        }
    }

    /// Refuses further transactions with `error`, interrupts the present ones, and waits for their end; nil allows transactions
    /// again. A closed store stays closed.
    func setStop(_ error: StoreError?) {
        let readers = openedLock.withLock { () -> ReaderPool? in
            if stop == .closed { return nil }
            stop = error
            isStopped.withLock { $0 = error != nil }
            store?.readers?.setStop(error)
            return store?.readers
        }
        guard let error else { return }
        readers?.waitForEnd()
        while !lock.lock(before: Date().addingTimeInterval(0.005)) {
            // It may have been resumed meanwhile.
            if openedLock.withLock({ stop == nil }) { return }
            // A statement that begins after the interruption is interrupted the next time.
            interrupt()
        }
        defer { lock.unlock() }
        guard error == .closed else { return }
        // An interruption lasts until the next statement, and would keep SQLite from emptying the log.
        _ = try? store?.connection.used { try $0.integer("SELECT 1") }
        let closed = openedLock.withLock {
            defer { store = nil }
            return store
        }
        closed?.connection.close()
    }
}
