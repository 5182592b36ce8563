import Foundation

/// A connection that one thread at a time may use, and that is opened when it is first needed.
///
/// `@unchecked Sendable` is sound: `open`, which is `@Sendable`, and the three locks are constants. `store` and `isLogged` are
/// written while both `lock` and `openedLock` are held, and read while one of them is. The connection is used only in
/// `withLock`. `Store` gives away only transactions and cursors of it: they are not `Sendable`, so the compiler keeps them on
/// the thread that holds the lock, and they throw once it is released.
final class LockedConnection: @unchecked Sendable {
    /// Held by whoever uses the connection.
    private let lock = NSLock()
    /// Held for a moment by whoever asks what was opened, whatever is done with the connection meanwhile.
    private let openedLock = NSLock()
    /// Held by whoever finds out whether others read beside the connection, which nobody does who uses it.
    private let findingLock = NSLock()
    private let open: @Sendable () throws -> StoreConnections
    private var store: StoreConnections?
    /// Whether others read beside it, once that is known.
    private var isLogged: Bool?

    /// A connection that `open` makes when it is first needed.
    init(_ open: @escaping @Sendable () throws -> StoreConnections) {
        self.open = open
    }

    /// What was done to open it, once that is done.
    var opened: (setAside: URL?, report: MigrationReport?)? {
        openedLock.withLock { store.map { ($0.setAside, $0.report) } }
    }

    /// The connections that read beside it; nil where they would have to wait for it. That is found out when something is
    /// first read or written: opening reads one number.
    func readers() throws -> ReaderPool? {
        func known() -> ReaderPool?? { isLogged.map { $0 ? store?.readers : nil } }
        if let readers = openedLock.withLock(known) { return readers }
        return try findingLock.withLock {
            // Another may have found out while this one waited; by now that one may write.
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
        if let store { return try body(store.connection) }
        let store = try open()
        openedLock.withLock { self.store = store }
        return try body(store.connection)
    }
}
