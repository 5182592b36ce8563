import Foundation
import SQLSchema

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
    /// The collations of the columns of the primary key that a foreign key references, with "" for the default; empty if
    /// all have the default.
    private let collations: [String]

    /// The property that is kept in the column `name`.
    ///
    /// - Parameters:
    ///   - name: The name of the column.
    ///   - collation: The collation of the primary key that a foreign key references. SQLite accepts a foreign key by
    ///     this collation, but its column does not have it.
    public init(_ name: String, collation: String? = nil) {
        names = [name]
        collations = collation.map { [$0] } ?? []
    }

    /// The key that is kept in the columns `names`.
    ///
    /// - Parameters:
    ///   - names: The names of the columns.
    ///   - collations: The collations of the primary key that a foreign key references, with "" for the default; empty if
    ///     all have the default.
    public init(_ names: [String], collations: [String] = []) {
        self.names = names
        self.collations = collations
    }

    /// The name of the first column, quoted.
    var sql: String { SQL.quoted(names[0]) }

    /// All names, quoted, as a value of SQL.
    var rowValue: String { names.count == 1 ? sql : "(" + SQL.list(names) + ")" }

    /// The names, quoted, each with the collation by which it is compared.
    var collatedNames: [String] { SQL.collated(names.map(SQL.quoted), collations) }

    /// `rowValue` with the collations by which it is compared.
    var collatedRowValue: String {
        collations.isEmpty
            ? rowValue : names.count == 1 ? collatedNames[0] : "(" + collatedNames.joined(separator: ", ") + ")"
    }

    /// Whether the values are decimal numbers, which SQLite stores as text.
    static var isDecimal: Bool { Value.self == Decimal.self || Value.self == Decimal?.self }

    /// The first column, with the collation that orders its values.
    var orderedSQL: String {
        Self.isDecimal ? "\(sql) COLLATE \(DecimalFunctions.collation)" : collations.isEmpty ? sql : collatedNames[0]
    }
}

extension SQL {
    /// Columns, each with its collation if it has one other than the default.
    static func collated(_ columns: [String], _ collations: [String]) -> [String] {
        collations.isEmpty
            ? columns : zip(columns, collations).map { $1.isEmpty ? $0 : "\($0) COLLATE \($1)" }
    }
}

/// A value that SQL can tell from others as Swift does.
public protocol ColumnEquatable: Sendable {
    /// What a column holds for it.
    var stored: SQLiteValue { get }
}

/// A value that SQL orders as Swift does. Text is ordered by its bytes, and a `Decimal`, which is stored as text, by its
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
