import Dispatch

extension Array where Element: Sendable {
    /// Returns the results of `transform` for all elements, in order. It uses all processors.
    ///
    /// - Throws: The error of the first element for which `transform` fails.
    package func concurrentMap<Result: Sendable, Failure: Error>(
        _ transform: @Sendable (Element) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
        let results = [Swift.Result<Result, Failure>?](unsafeUninitializedCapacity: count) { buffer, count in
            buffer.initialize(repeating: nil)
            // Each iteration writes only to its own position.
            nonisolated(unsafe) let slots = buffer
            DispatchQueue.concurrentPerform(iterations: self.count) { index in
                do throws(Failure) {
                    slots[index] = .success(try transform(self[index]))
                } catch {
                    slots[index] = .failure(error)
                }
            }
            count = self.count
        }
        var all: [Result] = []
        all.reserveCapacity(count)
        for case .some(let result) in results { all.append(try result.get()) }
        return all
    }
}
