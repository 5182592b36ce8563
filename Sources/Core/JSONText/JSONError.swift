/// Why a text is no JSON, and where.
package struct JSONError: Error, Hashable, Sendable {
    /// What is wrong.
    package let problem: JSONProblem
    /// The offset of the byte at which it is wrong.
    package let offset: Int

    init(_ problem: JSONProblem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}
