import CSQLite
import Foundation

/// The thread that uses a connection, and the statements that other threads have released.
///
/// A cursor, a transaction or a row that has left its closure may be released on any thread, and its statement with it. SQLite lets
/// only one thread at a time use a connection, so the next thread that uses it finalizes such a statement.
///
/// `@unchecked Sendable` is sound: the lock is a constant, and the variables are read and written only while it is held. Nothing else
/// refers to a statement in `released`: its object has ended. It is finalized by the thread that uses the connection, or, once nothing
/// refers to the connection, while the lock is held.
final class ConnectionUse: @unchecked Sendable {
    private enum User {
        /// One thread opens the connection, and no other one knows it.
        case opener
        case thread(pthread_t)
        case none
        /// Nothing refers to the connection any more. SQLite keeps it until its last statement is finalized.
        case left
        /// The connection is closed, and all its statements are finalized.
        case closed
    }

    private let lock = NSLock()
    private var user = User.opener
    /// The statements that have an object. A search has others, which it finalizes itself.
    private var statements: Set<OpaquePointer> = []
    private var released: [OpaquePointer] = []

    /// Notes a new statement, which `release` or `close` finalizes.
    func add(_ statement: OpaquePointer) { lock.withLock { _ = statements.insert(statement) } }

    /// Notes that this thread begins to use the connection.
    func begin() {
        lock.withLock { user = .thread(pthread_self()) }
        finalizeReleased()
    }

    /// Notes that this thread no longer uses the connection.
    func end() {
        finalizeReleased()
        lock.withLock { user = .none }
    }

    /// Closes a connection to which nothing refers any more, unless it is closed.
    func leave(_ database: OpaquePointer) {
        lock.withLock {
            if case .closed = user { return }
            for statement in released { sqlite3_finalize(statement) }
            user = .left
            sqlite3_close_v2(database)
        }
    }

    /// Closes a connection, although what has left its closure may still have statements. Nothing uses them any more.
    func close(_ database: OpaquePointer) {
        lock.withLock {
            for statement in statements.union(released) { sqlite3_finalize(statement) }
            user = .closed
            sqlite3_close_v2(database)
        }
    }

    /// Finalizes a statement that nothing refers to any more, now or when the connection is used next.
    func release(_ statement: OpaquePointer) {
        let isMine = lock.withLock {
            statements.remove(statement)
            switch user {
            case .opener: return true
            case .thread(let thread) where pthread_equal(thread, pthread_self()) != 0: return true
            case .thread, .none: released.append(statement)
            // Other threads may be releasing the last statements too.
            case .left: sqlite3_finalize(statement)
            case .closed: break
            }
            return false
        }
        // SQLite may call the closure that receives the durations of statements.
        if isMine { sqlite3_finalize(statement) }
    }

    /// Finalizes what other threads have released. This thread uses the connection.
    private func finalizeReleased() {
        let statements = lock.withLock {
            defer { released = [] }
            return released
        }
        for statement in statements { sqlite3_finalize(statement) }
    }
}
