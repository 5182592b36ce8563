/// Something that a check found wrong.
public struct Failure: Hashable, Sendable, CustomStringConvertible {
    /// What is wrong: versions, tables and columns by name, rows by key.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
