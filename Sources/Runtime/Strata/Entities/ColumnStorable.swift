import CSQLite
import Foundation

/// A value that is kept in columns of a row, and is read and bound by itself.
public protocol ColumnStorable {
    /// The number of columns that it is kept in.
    static var columnCount: Int { get }
    /// The value in the columns of `row` from `index` on, counted from 0.
    ///
    /// - Throws: `MalformedValue` where what is stored is no such value.
    init(row: Row, at index: Int) throws
    /// Binds the value to the parameters of `statement` from `index` on, counted from 1.
    ///
    /// - Throws: `UnstorableValue` where SQLite cannot keep it as it is.
    func bind(to statement: Statement, at index: Int) throws
}

extension ColumnStorable {
    /// One.
    @inlinable public static var columnCount: Int { 1 }
}

extension Int: ColumnStorable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.int(index) }

    /// Binds an integer.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try statement.check(sqlite3_bind_int64(statement.pointer, Int32(index), Int64(self)))
    }
}

extension Int64: ColumnStorable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.int64(index) }

    /// Binds an integer.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try statement.check(sqlite3_bind_int64(statement.pointer, Int32(index), self))
    }
}

extension Bool: ColumnStorable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.bool(index) }

    /// Binds 1 for true and 0 for false.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try (self ? 1 : 0).bind(to: statement, at: index)
    }
}

extension Double: ColumnStorable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.double(index) }

    /// Binds a number. SQLite stores -0.0 as 0.0.
    ///
    /// - Throws: `UnstorableValue` for a NaN, which SQLite would store as NULL.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        if isNaN { throw UnstorableValue.notANumber(at: index) }
        try statement.check(sqlite3_bind_double(statement.pointer, Int32(index), self))
    }
}

extension Float: ColumnStorable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.float(index) }

    /// Binds a number, exactly.
    ///
    /// - Throws: `UnstorableValue` for a NaN.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try Double(self).bind(to: statement, at: index)
    }
}

extension String: ColumnStorable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.string(index) }

    /// Binds text with all its bytes, U+0000 included.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        let code = utf8.withContiguousStorageIfAvailable { statement.bind($0, at: index) }
        if let code { return try statement.check(code) }
        var value = self
        try statement.check(value.withUTF8 { statement.bind($0, at: index) })
    }
}

extension URL: ColumnStorable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.url(index) }

    /// Binds the URL's text.
    public func bind(to statement: Statement, at index: Int) throws {
        try absoluteString.bind(to: statement, at: index)
    }
}

extension Date: ColumnStorable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.date(index) }

    /// Binds the seconds since 2001-01-01 UTC.
    ///
    /// - Throws: `UnstorableValue` for a NaN.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try timeIntervalSinceReferenceDate.bind(to: statement, at: index)
    }
}

extension Data: ColumnStorable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.data(index) }

    /// Binds bytes.
    public func bind(to statement: Statement, at index: Int) throws {
        try statement.check(withUnsafeBytes { statement.bind($0, at: index) })
    }
}

extension UUID: ColumnStorable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.uuid(index) }

    /// Binds the sixteen bytes.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try statement.check(withUnsafeBytes(of: uuid) { statement.bind($0, at: index) })
    }
}

extension Decimal: ColumnStorable {
    /// The value in a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.decimal(index) }

    /// Binds the digits as text.
    ///
    /// - Throws: `UnstorableValue` for a NaN.
    public func bind(to statement: Statement, at index: Int) throws {
        if isNaN { throw UnstorableValue.notANumber(at: index) }
        try description.bind(to: statement, at: index)
    }
}

extension Optional: ColumnStorable where Wrapped: ColumnStorable {
    /// The number of columns that the value is kept in.
    @inlinable public static var columnCount: Int { Wrapped.columnCount }

    /// The value in a column, or nil for NULL. A key of several columns is nil if one of them is NULL: such a foreign key
    /// refers to no row (https://sqlite.org/foreignkeys.html#fk_composite).
    @inlinable public init(row: Row, at index: Int) throws {
        let count = Wrapped.columnCount
        let isNull = count == 1 ? row.isNull(index) : (index..<index + count).contains { row.isNull($0) }
        self = isNull ? nil : try Wrapped(row: row, at: index)
    }

    /// Binds the value, or NULL for nil.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        if let self { return try self.bind(to: statement, at: index) }
        for column in 0..<Wrapped.columnCount { try statement.bindNull(at: index + column) }
    }
}
