import Foundation

/// A value that SQL compares for equality as Swift does.
public protocol ColumnEquatable: Sendable {
    /// The stored value.
    var stored: SQLiteValue { get }
}

/// A value that SQL orders: a primary key, or a `ColumnComparable` value.
public protocol OrderedValue: Sendable {}

/// A value that SQL orders as Swift does. Text is ordered by its bytes. A `Decimal` is stored as text and ordered by its
/// value.
public protocol ColumnComparable: ColumnEquatable, OrderedValue {}

extension Int: ColumnComparable {
    /// The integer.
    public var stored: SQLiteValue { .integer(Int64(self)) }
}

extension Bool: ColumnEquatable {
    /// 1 or 0.
    public var stored: SQLiteValue { SQLiteValue(self) }
}

extension Double: ColumnComparable {
    /// The number.
    public var stored: SQLiteValue { SQLiteValue(self) }
}

extension Float: ColumnComparable {
    /// The number.
    public var stored: SQLiteValue { SQLiteValue(self) }
}

extension String: ColumnComparable {
    /// The text.
    public var stored: SQLiteValue { .text(self) }
}

extension Date: ColumnComparable {
    /// The seconds since 2001-01-01 UTC.
    public var stored: SQLiteValue { SQLiteValue(self) }
}

extension URL: ColumnEquatable {
    /// The URL's text.
    public var stored: SQLiteValue { SQLiteValue(self) }
}

extension Data: ColumnEquatable {
    /// The bytes.
    public var stored: SQLiteValue { .blob(self) }
}

extension UUID: ColumnEquatable {
    /// The sixteen bytes.
    public var stored: SQLiteValue { SQLiteValue(self) }
}

extension Decimal: ColumnComparable {
    /// The digits.
    public var stored: SQLiteValue { SQLiteValue(self) }
}

extension StoredEnum {
    /// The case's value.
    public var stored: SQLiteValue { .text(rawValue) }
}

extension StoredOptions {
    /// The bits.
    public var stored: SQLiteValue { .integer(Int64(rawValue)) }
}
