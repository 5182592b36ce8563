import CSQLite
import Foundation

/// How a connection waits for the lock of another one.
///
/// SQLite's own handler sleeps up to 100 ms between two attempts, and nothing can end it. This one looks for the lock at least every
/// 20 ms, and ends when the store is closed or suspended, or when what the connection does is cancelled.
final class LockWait {
    /// The times at which connections of this process have last found a file locked, by its path.
    private static let waiting = Locked<[String: ContinuousClock.Instant]>([:])
    /// The greatest time between two attempts, in seconds.
    private static let longestPause = 0.02

    private let path: String?
    private let timeout: Duration
    private let isStopped: (@Sendable () -> Bool)?
    /// Tells whether what the connection does is cancelled; nil if it cannot be.
    var isCancelled: (@Sendable () -> Bool)?
    private var began = ContinuousClock.now

    /// - Parameters:
    ///   - path: The file of the database; nil for one in memory.
    ///   - seconds: The time to wait.
    ///   - isStopped: Tells whether the store is closed or suspended.
    init(for path: String?, seconds: Double, until isStopped: (@Sendable () -> Bool)?) {
        self.path = path
        timeout = .milliseconds(Int(max(0, min(seconds, 86_400)) * 1_000))
        self.isStopped = isStopped
    }

    /// Sets the handler of a connection, which must keep this object alive.
    func add(to database: OpaquePointer) {
        sqlite3_busy_handler(
            database,
            { context, count in
                guard let context else { return 0 }
                return Unmanaged<LockWait>.fromOpaque(context).takeUnretainedValue().waits(count) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Waits before the next attempt.
    ///
    /// - Parameter count: The number of attempts before.
    /// - Returns: Whether to try again.
    private func waits(_ count: Int32) -> Bool {
        let now = ContinuousClock.now
        if count == 0 { began = now }
        if isCancelled?() == true || isStopped?() == true || now - began >= timeout { return false }
        if let path {
            Self.waiting.withLock { waiting in
                // A time that is lost costs a waiter one more batch.
                if waiting.count >= 1_000 { waiting = [:] }
                waiting[path] = now
            }
        }
        Thread.sleep(forTimeInterval: min(0.001 * Double(1 << min(count, 5)), Self.longestPause))
        return true
    }

    /// Lets others write to a file whose lock this thread has just released.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - isLong: Whether to wait until another process looks for the lock again: SQLite's own handler does so every 100 ms.
    static func giveWay(in path: String?, isLong: Bool) {
        let last = path.flatMap { path in waiting.withLock { $0.removeValue(forKey: path) } }
        let isAwaited = last.map { ContinuousClock.now - $0 < .seconds(2 * longestPause) } ?? false
        Thread.sleep(forTimeInterval: isLong ? 0.11 : isAwaited ? 1.5 * longestPause : 0.001)
    }
}
