import Foundation

/// A value of a type of the model's own, as a column keeps it: a case, a set of options, a struct, a list.
public protocol ColumnValue: ColumnStorable, Hashable, Sendable {
    /// What a column holds for the value.
    ///
    /// - Throws: `UnstorableValue` for a number that is none.
    func columnValue() throws -> SQLiteValue
}

/// An enum whose cases are kept by their values. Strata generates the conformances.
public protocol StoredEnum: ColumnValue, ColumnEquatable, JSONConvertible, RawRepresentable, CaseIterable
where RawValue == String {}

extension StoredEnum {
    /// The case in a column.
    public init(row: Row, at index: Int) throws {
        guard let value = Self(rawValue: try row.string(index)) else {
            throw row.malformed(index, "a case of \(Self.self)")
        }
        self = value
    }

    /// The case's value.
    public func columnValue() -> SQLiteValue { .text(rawValue) }

    /// The case inside of JSON.
    public init(json: JSONReader) throws {
        guard let value = Self(rawValue: try String(json: json)) else { throw json.malformed("a case of \(Self.self)") }
        self = value
    }

    /// Writes the case's value.
    public func write(to json: inout JSONWriter) throws { rawValue.write(to: &json) }
}

/// A set of options that is kept as bits. Bits of no option are kept as they are. Strata generates the conformances.
public protocol StoredOptions: ColumnValue, ColumnEquatable, JSONConvertible, OptionSet where RawValue == Int {}

extension StoredOptions {
    /// The options in a column.
    public init(row: Row, at index: Int) throws { self.init(rawValue: try row.int(index)) }
    /// The bits.
    public func columnValue() -> SQLiteValue { .integer(Int64(rawValue)) }
    /// The options inside of JSON.
    public init(json: JSONReader) throws { self.init(rawValue: try Int(json: json)) }
    /// Writes the bits.
    public func write(to json: inout JSONWriter) throws { rawValue.write(to: &json) }
}

/// A struct that is kept as an object of JSON. Strata generates the conformances.
public protocol StoredStruct: ColumnValue, JSONConvertible {}

extension ColumnValue where Self: JSONConvertible {
    /// The value in a column of JSON.
    public init(row: Row, at index: Int) throws {
        do {
            try self.init(json: JSONReader(parsing: try row.string(index)))
        } catch let error as MalformedJSON {
            throw row.malformed(index, error.expected)
        }
    }

    /// The value as JSON.
    public func columnValue() throws -> SQLiteValue {
        var json = JSONWriter()
        try write(to: &json)
        return .text(json.text)
    }
}

extension Array: ColumnStorable, ColumnValue where Element: JSONConvertible {}

extension Row {
    /// A value of the model's own.
    public func value<Value: ColumnValue>(_ index: Int) throws -> Value { try Value(row: self, at: index) }

    /// A value of the model's own, or nil for NULL.
    public func optionalValue<Value: ColumnValue>(_ index: Int) throws -> Value? {
        isNull(index) ? nil : try Value(row: self, at: index)
    }
}

extension ColumnValue {
    /// Binds what a column holds for the value.
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
    /// What a column holds for a value of the model's own; NULL for nil.
    public init(value: (some ColumnValue)?) throws {
        self = try value?.columnValue() ?? .null
    }
}
