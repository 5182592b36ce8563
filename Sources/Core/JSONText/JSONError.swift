/// The first error in a text that is not JSON, and its position.
package struct JSONError: Error, Hashable, Sendable {
    /// The problem.
    package let problem: JSONProblem
    /// The offset of the byte that causes the error.
    package let offset: Int

    init(_ problem: JSONProblem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}
