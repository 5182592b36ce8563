import Strata

/// Computes a value for each key once in a process, however many threads ask for it.
final class OncePerKey<Value: Sendable>: Sendable {
    /// The result for one key; nil before the first thread asks for it. Other threads wait for its lock.
    private typealias Entry = Locked<Result<Value, any Error>?>

    private let entries = Locked<[String: Entry]>([:])

    /// The value for `key`, which `compute` gives to the first thread that asks for it.
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
