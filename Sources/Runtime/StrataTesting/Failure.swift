/// A problem that a check found.
public struct Failure: Hashable, Sendable, CustomStringConvertible {
    /// The message. It identifies versions, tables and columns by name, and rows by primary key.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
