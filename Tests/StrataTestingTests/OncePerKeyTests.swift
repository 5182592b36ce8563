import Foundation
import Strata
import Testing

@testable import StrataTesting

@Suite struct OncePerKeyTests {
    @Test func `concurrent requests for one key get the value that the first request computes`() throws {
        let values = OncePerKey<Int>()
        let counts = Locked<[String: Int]>([:])
        let results = Locked<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 64) { number in
            let key = number.isMultiple(of: 2) ? "even" : "odd"
            let value = try? values.value(of: key) {
                // Other threads request the same key in the meantime.
                _ = (0..<200_000).reduce(0, &+)
                return counts.withLock { counts in
                    counts[key, default: 0] += 1
                    return counts[key] ?? 0
                }
            }
            results.withLock { $0.append(value ?? -1) }
        }
        #expect(counts.withLock { $0 } == ["even": 1, "odd": 1])
        #expect(results.withLock { $0 } == Array(repeating: 1, count: 64))
    }

    @Test func `an error is kept like a value`() {
        struct Failure: Error {}
        let values = OncePerKey<Int>()
        let count = Locked(0)
        for _ in 0..<2 {
            #expect(throws: Failure.self) {
                try values.value(of: "a") {
                    count.withLock { $0 += 1 }
                    throw Failure()
                }
            }
        }
        #expect(count.withLock { $0 } == 1)
    }
}
