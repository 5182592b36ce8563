/// Something that a check found wrong.
public struct Failure: Hashable, Sendable, CustomStringConvertible {
    /// The text: versions, tables and columns by name, and rows by primary key.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
