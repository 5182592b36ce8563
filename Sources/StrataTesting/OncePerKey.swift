import Foundation

/// Computes a value for each key once in a process, however many threads ask for it.
final class OncePerKey<Value: Sendable>: Sendable {
    /// The computation for one key. Others that need its value wait for its lock.
    private final class Entry: @unchecked Sendable {
        // Every access to `result` holds the lock.
        let lock = NSLock()
        var result: Result<Value, any Error>?
    }

    private final class Entries: @unchecked Sendable {
        // Every access to `all` holds the lock.
        let lock = NSLock()
        var all: [String: Entry] = [:]
    }

    private let entries = Entries()

    /// The value for `key`, which `compute` gives where it is asked for first.
    func value(of key: String, _ compute: () throws -> Value) throws -> Value {
        let entry = entries.lock.withLock {
            let entry = entries.all[key] ?? Entry()
            entries.all[key] = entry
            return entry
        }
        return try entry.lock.withLock {
            let result = entry.result ?? Result(catching: compute)
            entry.result = result
            return try result.get()
        }
    }
}
