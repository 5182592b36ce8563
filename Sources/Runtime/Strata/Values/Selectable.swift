/// A value that a query can select: a value of one or several columns, a complete row, or an optional one.
public protocol Selectable: Equatable, Sendable {
    /// The number of columns.
    static var columnCount: Int { get }
    /// Reads the value from a row.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - index: The index of the first column, counted from 0.
    /// - Throws: `MalformedValue` if the stored value has another type.
    init(row: Row, at index: Int) throws
    /// Returns whether the columns from `index` on have no value.
    static func isMissing(in row: Row, at index: Int) -> Bool
}

extension Optional: Selectable where Wrapped: Selectable {
    /// The number of columns of the value.
    @inlinable public static var columnCount: Int { Wrapped.columnCount }

    /// Reads the value; nil if there is none.
    @inlinable public init(row: Row, at index: Int) throws {
        self = Wrapped.isMissing(in: row, at: index) ? nil : try Wrapped(row: row, at: index)
    }

    /// Returns whether there is no value.
    @inlinable public static func isMissing(in row: Row, at index: Int) -> Bool {
        Wrapped.isMissing(in: row, at: index)
    }
}
