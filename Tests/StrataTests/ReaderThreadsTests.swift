import Dispatch
import Testing

@testable import Strata

@Suite struct ReaderThreadsTests {
    @Test func `as many reads run at once as there may be threads, and the others wait`() {
        let threads = ReaderThreads(count: 2)
        let counts = Locked((running: 0, most: 0, ended: 0))
        let begun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<6 {
            threads.add {
                counts.withLock { counts in
                    counts.running += 1
                    counts.most = max(counts.most, counts.running)
                }
                begun.signal()
                mayEnd.wait()
                counts.withLock { counts in
                    counts.running -= 1
                    counts.ended += 1
                }
                ended.signal()
            }
        }
        for _ in 0..<2 { #expect(begun.wait(timeout: .now() + 600) == .success) }
        // A third read has no thread.
        #expect(begun.wait(timeout: .now() + 0.2) == .timedOut)
        for _ in 0..<6 { mayEnd.signal() }
        for _ in 0..<6 { #expect(ended.wait(timeout: .now() + 600) == .success) }
        let result = counts.withLock { $0 }
        #expect(result.most == 2)
        #expect(result.ended == 6)
    }
}
