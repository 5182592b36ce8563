import Foundation

/// The key of a stored entity.
public protocol EntityID: ColumnReadable, Hashable, Sendable {
    /// Binds the key to the parameters from `index` on, counted from 1.
    func bind(to statement: Statement, at index: Int) throws
}

/// A key of one column; `ID` types that Strata generates are such.
public protocol RawEntityID: EntityID, RawRepresentable where RawValue: IdentifierValue {
    /// The key whose stored value is `rawValue`.
    init(rawValue: RawValue)
}

extension RawEntityID {
    /// The key in a column.
    @inlinable public init(row: Row, at index: Int) throws {
        self.init(rawValue: try RawValue.read(row, at: index))
    }

    /// Binds the key.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try rawValue.bind(to: statement, at: index)
    }
}

/// A type whose values a key may have: `Int`, `String` and `UUID`.
public protocol IdentifierValue: Hashable, Sendable {
    /// The value in column `index` of `row`.
    static func read(_ row: Row, at index: Int) throws -> Self
    /// Binds the value to the parameter `index`.
    func bind(to statement: Statement, at index: Int) throws
}

extension Int: IdentifierValue {
    /// The integer in a column.
    @inlinable public static func read(_ row: Row, at index: Int) throws -> Int { try row.int(index) }
    /// Binds the integer.
    @inlinable public func bind(to statement: Statement, at index: Int) throws { try statement.bind(self, at: index) }
}

extension String: IdentifierValue {
    /// The text in a column.
    @inlinable public static func read(_ row: Row, at index: Int) throws -> String { try row.string(index) }
    /// Binds the text.
    @inlinable public func bind(to statement: Statement, at index: Int) throws { try statement.bind(self, at: index) }
}

extension UUID: IdentifierValue {
    /// The UUID in a column.
    @inlinable public static func read(_ row: Row, at index: Int) throws -> UUID { try row.uuid(index) }
    /// Binds the UUID.
    @inlinable public func bind(to statement: Statement, at index: Int) throws { try statement.bind(self, at: index) }
}

extension RawEntityID where Self: ExpressibleByIntegerLiteral, RawValue == Int {
    /// A key written as a number.
    public init(integerLiteral value: Int) { self.init(rawValue: value) }
}

extension RawEntityID where Self: ExpressibleByStringLiteral, RawValue == String {
    /// A key written as text.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}
