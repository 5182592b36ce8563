import Foundation

/// A value that is read from a row by itself.
public protocol ColumnReadable {
    /// The number of columns that it is kept in.
    static var columnCount: Int { get }
    /// The value in the columns of `row` from `index` on, counted from 0.
    ///
    /// - Throws: `MalformedValue` where what is stored is no such value.
    init(row: Row, at index: Int) throws
}

extension ColumnReadable {
    /// One.
    @inlinable public static var columnCount: Int { 1 }
}

extension Int: ColumnReadable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.int(index) }
}

extension Bool: ColumnReadable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.bool(index) }
}

extension Double: ColumnReadable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.double(index) }
}

extension Float: ColumnReadable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.float(index) }
}

extension String: ColumnReadable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.string(index) }
}

extension URL: ColumnReadable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.url(index) }
}

extension Date: ColumnReadable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.date(index) }
}

extension Data: ColumnReadable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.data(index) }
}

extension UUID: ColumnReadable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.uuid(index) }
}

extension Decimal: ColumnReadable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.decimal(index) }
}

extension Optional: ColumnReadable where Wrapped: ColumnReadable {
    /// The number of columns that the value is kept in.
    @inlinable public static var columnCount: Int { Wrapped.columnCount }
    /// The value in a column, or nil for NULL.
    @inlinable public init(row: Row, at index: Int) throws {
        self = row.isNull(index) ? nil : try Wrapped(row: row, at: index)
    }
}
