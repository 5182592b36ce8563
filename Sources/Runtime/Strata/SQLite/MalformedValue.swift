/// An error for a stored value that is not of its column's type.
public struct MalformedValue: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the table; nil if it is not known.
    public private(set) var table: String?
    /// The name of the column.
    public let column: String
    /// A description of the expected value, such as `an integer`.
    public let expected: String

    @usableFromInline init(table: String?, column: String, expected: String) {
        self.table = table
        self.column = column
        self.expected = expected
    }

    /// Returns the same error with the name of the table, unless the error already names one.
    @usableFromInline func named(_ table: String) -> MalformedValue {
        MalformedValue(table: self.table ?? table, column: column, expected: expected)
    }

    /// A message that names the table, the column and the expected value.
    public var description: String {
        "the value in \(table.map { $0 + "." } ?? "")\(column) is not \(expected)"
    }
}
