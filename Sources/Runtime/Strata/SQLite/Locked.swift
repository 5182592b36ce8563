import Foundation

/// A value that several threads read and change, one at a time.
///
/// `@unchecked Sendable` is sound: `lock` is a constant, and `value`, which is `Sendable` itself, is private and accessed only
/// in `withLock`, while `lock` is held.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
