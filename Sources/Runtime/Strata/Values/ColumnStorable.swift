import CSQLite
import Foundation

/// A value that is stored in one or several columns.
public protocol ColumnStorable: Selectable {
    /// Binds the value to parameters.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - index: The number of the first parameter, counted from 1.
    /// - Throws: `UnstorableValue` if SQLite cannot store the value unchanged.
    func bind(to statement: Statement, at index: Int) throws
}

extension ColumnStorable {
    /// One.
    @inlinable public static var columnCount: Int { 1 }

    /// Returns whether a column is NULL. A key with several columns is missing if one of them is NULL: such a foreign key
    /// references no row (https://sqlite.org/foreignkeys.html#fk_composite).
    @inlinable public static func isMissing(in row: Row, at index: Int) -> Bool {
        let count = columnCount
        return count == 1 ? row.isNull(index) : (index..<index + count).contains { row.isNull($0) }
    }
}

extension Int: ColumnStorable {
    /// Reads the value from a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.int(index) }

    /// Binds an integer.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try statement.bindInteger(Int64(self), at: index)
    }
}

extension Int64: ColumnStorable {
    /// Reads the value from a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.int64(index) }

    /// Binds an integer.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try statement.bindInteger(self, at: index)
    }
}

extension Bool: ColumnStorable {
    /// Reads the value from a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.bool(index) }

    /// Binds 1 for true and 0 for false.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try (self ? 1 : 0).bind(to: statement, at: index)
    }
}

extension Double: ColumnStorable {
    /// Reads the value from a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.double(index) }

    /// Binds a number. SQLite stores -0.0 as 0.0.
    ///
    /// - Throws: `UnstorableValue` for a NaN, which SQLite would store as NULL.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        if isNaN { throw UnstorableValue.notANumber(at: index) }
        try statement.bindReal(self, at: index)
    }
}

extension Float: ColumnStorable {
    /// Reads the value from a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.float(index) }

    /// Binds a number. SQLite stores it exactly.
    ///
    /// - Throws: `UnstorableValue` for a NaN.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try Double(self).bind(to: statement, at: index)
    }
}

extension String: ColumnStorable {
    /// Reads the value from a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.string(index) }

    /// Binds text, including U+0000.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        let code = utf8.withContiguousStorageIfAvailable { statement.bind($0, at: index) }
        if let code { return try statement.check(code) }
        var value = self
        try statement.check(value.withUTF8 { statement.bind($0, at: index) })
    }
}

extension URL: ColumnStorable {
    /// Reads the value from a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.url(index) }

    /// Binds the URL's text.
    public func bind(to statement: Statement, at index: Int) throws {
        try absoluteString.bind(to: statement, at: index)
    }
}

extension Date: ColumnStorable {
    /// Reads the value from a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.date(index) }

    /// Binds the seconds since 2001-01-01 UTC.
    ///
    /// - Throws: `UnstorableValue` for a NaN.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try timeIntervalSinceReferenceDate.bind(to: statement, at: index)
    }
}

extension Data: ColumnStorable {
    /// Reads the value from a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.data(index) }

    /// Binds bytes.
    public func bind(to statement: Statement, at index: Int) throws {
        try statement.check(withUnsafeBytes { statement.bind($0, at: index) })
    }
}

extension UUID: ColumnStorable {
    /// Reads the value from a column.
    @inlinable public init(row: Row, at index: Int) throws { self = try row.uuid(index) }

    /// Binds the sixteen bytes.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try statement.check(withUnsafeBytes(of: uuid) { statement.bind($0, at: index) })
    }
}

extension Decimal: ColumnStorable {
    /// Reads the value from a column.
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
    /// Binds the value, or NULL for nil.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        if let self { return try self.bind(to: statement, at: index) }
        for column in 0..<Wrapped.columnCount { try statement.bindNull(at: index + column) }
    }
}

extension SQLiteValue: ColumnStorable {
    /// Creates a value from the stored value of a column.
    ///
    /// - Throws: `MalformedValue` if the stored text is not UTF-8.
    public init(row: Row, at index: Int) throws {
        let value = row.value(index)
        self = if case .text = value { .text(try row.string(index)) } else { value }
    }

    /// Binds the value to a parameter.
    public func bind(to statement: Statement, at index: Int) throws {
        switch self {
        case .null: try statement.bindNull(at: index)
        case .integer(let value): try statement.bind(value, at: index)
        case .real(let value): try statement.bind(value, at: index)
        case .text(let value): try statement.bind(value, at: index)
        case .blob(let value): try statement.bind(value, at: index)
        }
    }
}

extension Statement {
    /// Binds a value to one or more parameters, starting at `index`.
    ///
    /// - Throws: `UnstorableValue` for NaN, which SQLite would store as NULL.
    @inlinable public func bind<Value: ColumnStorable>(_ value: Value, at index: Int) throws {
        try value.bind(to: self, at: index)
    }
}
