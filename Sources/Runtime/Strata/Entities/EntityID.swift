import Foundation

/// The key of a stored entity.
public protocol EntityID: ColumnStorable, Hashable, Sendable {}

/// A key of one column; `ID` types that Strata generates are such.
public protocol RawEntityID: EntityID, RawRepresentable where RawValue: IdentifierValue {
    /// The key whose stored value is `rawValue`.
    init(rawValue: RawValue)
}

extension RawEntityID {
    /// The key in a column.
    @inlinable public init(row: Row, at index: Int) throws {
        self.init(rawValue: try RawValue(row: row, at: index))
    }

    /// Binds the key.
    @inlinable public func bind(to statement: Statement, at index: Int) throws {
        try rawValue.bind(to: statement, at: index)
    }
}

extension RawEntityID where Self: Decodable, RawValue == UUID {
    /// Decodes the key from a single value, as the standard library does for a key that is a number or text.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(UUID.self))
    }
}

extension RawEntityID where Self: Encodable, RawValue == UUID {
    /// Encodes the key as a single value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// A type whose values a key may have: `Int`, `String` and `UUID`.
public protocol IdentifierValue: ColumnStorable, Hashable, Sendable {}

extension Int: IdentifierValue {}
extension String: IdentifierValue {}
extension UUID: IdentifierValue {}

extension RawEntityID where Self: ExpressibleByIntegerLiteral, RawValue == Int {
    /// A key written as a number.
    public init(integerLiteral value: Int) { self.init(rawValue: value) }
}

extension RawEntityID where Self: ExpressibleByStringLiteral, RawValue == String {
    /// A key written as text.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}
