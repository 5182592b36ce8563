import Foundation
import SchemaSQL

/// The columns of an entity, a property each, by which it is asked for. Strata generates the conformances.
public protocol EntityColumns: Sendable {
    /// The columns.
    init()
}

/// The columns of an entity that is not asked for by any.
public struct NoColumns: EntityColumns {
    /// None.
    public init() {}
}

/// A property of an entity in a condition, an order or a projection: one column, or those of a key.
public struct Column<Entity: StoredEntity, Value>: Sendable {
    /// The names of its columns, unquoted.
    let names: [String]

    /// The property that is kept in the column `name`.
    public init(_ name: String) {
        names = [name]
    }

    /// The key that is kept in the columns `names`.
    public init(_ names: [String]) {
        self.names = names
    }

    /// The name of the first column, quoted.
    var sql: String { SQL.quoted(names[0]) }

    /// All names, quoted, as a value of SQL.
    var rowValue: String { names.count == 1 ? sql : "(" + SQL.list(names) + ")" }
}

/// A value that SQL can tell from others as Swift does.
public protocol ColumnEquatable: Sendable {
    /// What a column holds for it.
    var stored: SQLiteValue { get }
}

/// A value that SQL puts in the order in which Swift puts it, or, of text, in that of its bytes.
///
/// A `Decimal` is none: it is kept as digits.
public protocol ColumnComparable: ColumnEquatable {}

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

extension Decimal: ColumnEquatable {
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
