import Foundation

/// A primary key.
public protocol EntityID: ColumnStorable, OrderedValue, Hashable, Sendable {}

/// A primary key with one column. `PrimaryKey` is such a type.
public protocol RawEntityID: EntityID, RawRepresentable where RawValue: IdentifierValue {
    /// Creates a key.
    init(rawValue: RawValue)
}

extension RawEntityID {
    /// Whether the key is SQLite's number of the row (https://sqlite.org/lang_createtable.html#rowid).
    static var isRowNumber: Bool { RawValue.self == Int.self }

    /// Reads the key from a column.
    @inlinable public init(row: Row, at index: Int) throws {
        self.init(rawValue: try RawValue(row: row, at: index))
    }

    /// Binds the key.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try rawValue.bind(to: statement, at: index)
    }
}

/// The primary key of the rows of one entity, with one column.
///
/// Strata generates a name for each: `LaundryID` is `PrimaryKey<LaundryKey, Int>`. `Entity` has no values. It only makes
/// the keys of different entities different types, so that you cannot mix them up:
///
/// ```swift
/// let id: Laundry.ID = 7
/// let laundry = try store.read { try $0.find(Laundry.self, id: id) }
/// ```
@frozen public struct PrimaryKey<Entity, RawValue: IdentifierValue>: RawEntityID {
    /// The value in the column.
    public var rawValue: RawValue

    /// Creates a key.
    @inlinable public init(rawValue: RawValue) { self.rawValue = rawValue }

    /// Creates a key.
    ///
    /// ```swift
    /// let id = Laundry.ID(number)
    /// ```
    @inlinable public init(_ rawValue: RawValue) { self.rawValue = rawValue }

    /// Whether two keys are the same in SQLite. Texts are the same if their bytes are, also where Swift's `==` calls two forms
    /// of a character equal.
    @inlinable public static func == (left: Self, right: Self) -> Bool {
        RawValue.isSame(left.rawValue, right.rawValue)
    }
}

extension PrimaryKey where RawValue == UUID {
    /// Creates a new random key.
    ///
    /// ```swift
    /// let studio = Studio(id: Studio.ID(), name: "Lenfilm")
    /// ```
    @inlinable public init() { rawValue = UUID() }
}

extension PrimaryKey: CustomStringConvertible {
    /// The value in the column, as text.
    public var description: String { "\(rawValue)" }
}

extension PrimaryKey: ExpressibleByIntegerLiteral where RawValue == Int {}
extension PrimaryKey: ExpressibleByUnicodeScalarLiteral where RawValue == String {}
extension PrimaryKey: ExpressibleByExtendedGraphemeClusterLiteral where RawValue == String {}
extension PrimaryKey: ExpressibleByStringLiteral where RawValue == String {}

extension PrimaryKey: Encodable where RawValue: Encodable {
    /// Encodes the key as a single value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension PrimaryKey: Decodable where RawValue: Decodable {
    /// Decodes the key from a single value.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(RawValue.self))
    }
}

/// A type of primary keys: `Int`, `String` or `UUID`.
public protocol IdentifierValue: ColumnStorable, Hashable, Sendable {
    /// Whether two keys are the same in SQLite.
    static func isSame(_ left: Self, _ right: Self) -> Bool
}

extension IdentifierValue {
    /// Whether two keys are equal.
    @inlinable public static func isSame(_ left: Self, _ right: Self) -> Bool { left == right }
}

extension Int: IdentifierValue {}
extension UUID: IdentifierValue {}
extension String: IdentifierValue {}

extension RawEntityID where Self: ExpressibleByIntegerLiteral, RawValue == Int {
    /// Creates a key from an integer literal.
    public init(integerLiteral value: Int) { self.init(rawValue: value) }
}

extension RawEntityID where Self: ExpressibleByStringLiteral, RawValue == String {
    /// Creates a key from a string literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension Row {
    /// Returns a primary key that starts at a column.
    @inlinable public func id<ID: EntityID>(_ index: Int) throws -> ID {
        try ID(row: self, at: index)
    }

    /// Returns a primary key that starts at a column, or nil if that column is NULL.
    @inlinable public func optionalID<ID: EntityID>(_ index: Int) throws -> ID? {
        isNull(index) ? nil : try ID(row: self, at: index)
    }
}
