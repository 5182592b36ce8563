import Foundation
import SQLSchema

/// A value of a subtype or a list, which is stored in one column.
public protocol ColumnValue: ColumnStorable, Hashable, Sendable {
    /// Returns the stored value.
    ///
    /// - Throws: `UnstorableValue` if the value contains a NaN.
    func columnValue() throws -> SQLiteValue
}

/// An enum that is stored as the value of its case. Strata generates the conformances.
public protocol StoredEnum: ColumnValue, ColumnEquatable, JSONConvertible, RawRepresentable, CaseIterable
where RawValue == String {}

extension StoredEnum {
    /// Reads the case from a column.
    public init(row: Row, at index: Int) throws {
        guard let value = Self(rawValue: try row.string(index)) else {
            throw row.malformed(index, "a case of \(Self.self)")
        }
        self = value
    }

    /// Returns the value of the case.
    public func columnValue() -> SQLiteValue { .text(rawValue) }

    /// Reads the case from JSON.
    public init(json: JSONReader) throws {
        guard let value = Self(rawValue: try String(json: json)) else { throw json.malformed("a case of \(Self.self)") }
        self = value
    }

    /// Writes the value of the case.
    public func write(to json: inout JSONWriter) throws { rawValue.write(to: &json) }
}

/// An option set that is stored as bits. Unknown bits are preserved. Strata generates the conformances.
public protocol StoredOptions: ColumnValue, ColumnEquatable, JSONConvertible, OptionSet where RawValue == Int {}

extension StoredOptions {
    /// Reads the options from a column.
    public init(row: Row, at index: Int) throws { self.init(rawValue: try row.int(index)) }
    /// Returns the bits.
    public func columnValue() -> SQLiteValue { .integer(Int64(rawValue)) }
    /// Reads the options from JSON.
    public init(json: JSONReader) throws { self.init(rawValue: try Int(json: json)) }
    /// Writes the bits.
    public func write(to json: inout JSONWriter) throws { rawValue.write(to: &json) }
}

/// A struct that is stored as a JSON object. Strata generates the conformances.
public protocol StoredStruct: ColumnValue, JSONConvertible {
    /// The members for conditions and orders, with one property for each.
    associatedtype Members: StructMembers = NoMembers
}

/// The members of a struct in queries. Strata generates the conformances.
public protocol StructMembers: Sendable {
    /// Creates the members.
    init()
}

/// The members of a struct that cannot be queried, as those of a superseded struct.
public struct NoMembers: StructMembers {
    /// Creates no members.
    public init() {}
}

/// A member of a struct in queries.
public struct StructMember<Struct: StoredStruct, Value>: Sendable {
    /// The path of SQLite's JSON functions.
    let path: String

    /// Creates the member with a name in JSON.
    public init(_ name: String) {
        path = SQLite.jsonPath(name)
    }
}

extension ColumnValue where Self: JSONConvertible {
    /// Reads the value from a column with JSON.
    public init(row: Row, at index: Int) throws {
        do {
            try self.init(json: JSONReader(parsing: try row.string(index)))
        } catch let error as MalformedJSON {
            throw row.malformed(index, error.expected)
        }
    }

    /// Returns the value as JSON.
    public func columnValue() throws -> SQLiteValue {
        .text(try JSONWriter.text(of: self))
    }
}

extension Array: Selectable, ColumnStorable, ColumnValue where Element: JSONConvertible {}
extension Dictionary: Selectable, ColumnStorable, ColumnValue where Key: JSONKey, Value: JSONConvertible {}

extension Row {
    /// Reads a value of a subtype or a list.
    public func value<Value: ColumnValue>(_ index: Int) throws -> Value { try Value(row: self, at: index) }

    /// Reads a value of a subtype or a list, or nil for NULL.
    public func optionalValue<Value: ColumnValue>(_ index: Int) throws -> Value? {
        isNull(index) ? nil : try Value(row: self, at: index)
    }
}

extension ColumnValue {
    /// Binds the stored value.
    public func bind(to statement: Statement, at index: Int) throws {
        do {
            try statement.bind(try columnValue(), at: index)
        } catch var error as UnstorableValue {
            error.parameter = index
            throw error
        }
    }
}

extension SQLiteValue {
    /// Creates the stored value of a subtype or a list; NULL for nil.
    public init(value: (some ColumnValue)?) throws {
        self = try value?.columnValue() ?? .null
    }
}
