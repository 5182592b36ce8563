import Foundation

/// The threads that run a store's asynchronous reads, in the order in which they were requested.
///
/// Each thread belongs to a serial queue. The threads of a concurrent queue, or of an `OperationQueue`, may be those that run
/// Swift's tasks on Linux: with as many long reads as the machine has cores, no task would run, not even one that cancels
/// a read.
final class ReaderThreads: Sendable {
    private struct State {
        var idle: [DispatchQueue] = []
        /// How many more queues there may be.
        var remaining: Int
        var waiting: [@Sendable () -> Void] = []
    }

    private let state: Locked<State>

    /// Creates up to `count` threads. A thread exists only while it is needed.
    init(count: Int) {
        state = Locked(State(remaining: count))
    }

    /// Runs `body` on a thread, as soon as one is idle.
    func add(_ body: @escaping @Sendable () -> Void) {
        let queue = state.withLock { state -> DispatchQueue? in
            if let queue = state.idle.popLast() { return queue }
            if state.remaining > 0 {
                state.remaining -= 1
                return DispatchQueue(label: "strata.reader")
            }
            state.waiting.append(body)
            return nil
        }
        if let queue { run(body, on: queue) }
    }

    private func run(_ body: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
        queue.async {
            body()
            let next = self.state.withLock { state -> (@Sendable () -> Void)? in
                if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                state.idle.append(queue)
                return nil
            }
            if let next { self.run(next, on: queue) }
        }
    }
}
