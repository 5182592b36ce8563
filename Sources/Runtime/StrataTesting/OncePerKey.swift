import Strata

/// A cache that computes the value for each key once, even if several threads need it.
final class OncePerKey<Value: Sendable>: Sendable {
    /// The result for one key; nil until the first thread needs it. Other threads wait for its lock.
    private typealias Entry = Locked<Result<Value, any Error>?>

    private let entries = Locked<[String: Entry]>([:])

    /// Returns the value for `key`. Calls `compute` if no other thread has done so.
    ///
    /// - Throws: The error of `compute`. The error is kept like a value, and thrown again.
    func value(of key: String, _ compute: () throws -> Value) throws -> Value {
        let entry = entries.withLock { entries in
            let entry = entries[key] ?? Entry(nil)
            entries[key] = entry
            return entry
        }
        return try entry.withLock { result in
            let known = result ?? Result(catching: compute)
            result = known
            return try known.get()
        }
    }
}
