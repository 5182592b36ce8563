import CSQLite
import Foundation

/// The thread that uses a connection, and the statements that other threads have released.
///
/// A cursor, a transaction or a row that has left its closure may be released on any thread, and its statement with it. SQLite lets
/// only one thread at a time use a connection, so the next thread that uses it finalizes such a statement.
///
/// `@unchecked Sendable` is sound: the lock is a constant, and the variables are read and written only while it is held.
final class ConnectionUse: @unchecked Sendable {
    private enum User {
        /// One thread opens the connection, and no other one knows it.
        case opener
        case thread(pthread_t)
        case none
        /// The connection is closed. SQLite keeps it until its last statement is finalized.
        case closed
    }

    private let lock = NSLock()
    private var user = User.opener
    private var released: [OpaquePointer] = []

    /// Notes that this thread begins to use the connection.
    func begin() {
        lock.withLock {
            user = .thread(pthread_self())
            finalizeReleased()
        }
    }

    /// Notes that this thread no longer uses the connection.
    func end() {
        lock.withLock {
            finalizeReleased()
            user = .none
        }
    }

    /// Notes that the connection is closed.
    func close() {
        lock.withLock {
            finalizeReleased()
            user = .closed
        }
    }

    /// Finalizes a statement that nothing refers to any more, now or when the connection is used next.
    func release(_ statement: OpaquePointer) {
        lock.withLock {
            switch user {
            case .opener, .closed: sqlite3_finalize(statement)
            case .thread(let thread) where pthread_equal(thread, pthread_self()) != 0: sqlite3_finalize(statement)
            case .thread, .none: released.append(statement)
            }
        }
    }

    private func finalizeReleased() {
        for statement in released { sqlite3_finalize(statement) }
        released = []
    }
}
