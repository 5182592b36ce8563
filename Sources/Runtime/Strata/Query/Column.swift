import Foundation
import SQLSchema

/// The columns of an entity for conditions, orders and values. Strata generates the conformances.
public protocol EntityColumns: Sendable {
    /// Creates the columns.
    init()
}

/// The columns of an entity that cannot be queried, as those of a superseded struct.
public struct NoColumns: EntityColumns {
    /// Creates no columns.
    public init() {}
}

/// A property of an entity in a query. It has one column, or the columns of a composite primary key.
public struct Column<Entity: StoredEntity, Value>: Sendable {
    /// The unquoted names of the columns.
    let names: [String]
    /// The collations of the columns of the primary key that a foreign key references, with "" for the default; empty if
    /// all have the default.
    private let collations: [String]

    /// Creates a property that is stored in one column.
    ///
    /// - Parameters:
    ///   - name: The name of the column.
    ///   - collation: The collation of the primary key that a foreign key references. SQLite accepts a foreign key by
    ///     this collation, but its column does not have it.
    public init(_ name: String, collation: String? = nil) {
        names = [name]
        collations = collation.map { [$0] } ?? []
    }

    /// Creates a primary key or foreign key that is stored in several columns.
    ///
    /// - Parameters:
    ///   - names: The names of the columns.
    ///   - collations: The collations of the primary key that a foreign key references, with "" for the default; empty if
    ///     all have the default.
    public init(_ names: [String], collations: [String] = []) {
        self.names = names
        self.collations = collations
    }

    /// The quoted name of the first column.
    var sql: String { SQL.quoted(names[0]) }

    /// The quoted names of all columns, as a row value of SQL.
    var rowValue: String { names.count == 1 ? sql : "(" + SQL.list(names) + ")" }

    /// The quoted names, each with the collation of its comparisons.
    var collatedNames: [String] { SQL.collated(names.map(SQL.quoted), collations) }

    /// `rowValue` with the collations of its comparisons.
    var collatedRowValue: String {
        collations.isEmpty
            ? rowValue : names.count == 1 ? collatedNames[0] : "(" + collatedNames.joined(separator: ", ") + ")"
    }

    /// Whether the values are decimal numbers, which SQLite stores as text.
    static var isDecimal: Bool { Value.self == Decimal.self || Value.self == Decimal?.self }

    /// The first column, with the collation of its order.
    var orderedSQL: String {
        Self.isDecimal ? "\(sql) COLLATE \(DecimalFunctions.collation)" : collations.isEmpty ? sql : collatedNames[0]
    }
}

extension SQL {
    /// Columns, each with its collation if it does not have the default.
    static func collated(_ columns: [String], _ collations: [String]) -> [String] {
        collations.isEmpty
            ? columns : zip(columns, collations).map { $1.isEmpty ? $0 : "\($0) COLLATE \($1)" }
    }
}

/// A value that SQL compares for equality as Swift does.
public protocol ColumnEquatable: Sendable {
    /// The stored value.
    var stored: SQLiteValue { get }
}

/// A value that SQL orders as Swift does. Text is ordered by its bytes. A `Decimal` is stored as text and ordered by its
/// value.
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
