import CSQLite
import Foundation

/// The row that a statement stands on; its columns count from 0. It is valid until the statement moves on.
///
/// Every function gives the value of a column in the type that the column was declared for, and throws
/// `MalformedValue` where what is stored is no such value: it never gives a nil or a zero in its place.
public struct Row {
    /// The statement that has the columns.
    @usableFromInline let pointer: OpaquePointer
    /// What reads the columns where they are not those of the row that the statement stands on.
    @usableFromInline let source: Unmanaged<RowSource>?

    @usableFromInline init(_ pointer: OpaquePointer, _ source: Unmanaged<RowSource>? = nil) {
        self.pointer = pointer
        self.source = source
    }

    /// The value of a column. That of a statement is "unprotected" (https://sqlite.org/c3ref/value.html), which matters
    /// to threads that share a connection; here each has its own.
    @inlinable @inline(__always) func cell(_ index: Int) -> OpaquePointer? {
        if let source { return source._withUnsafeGuaranteedRef { $0.cell(index) } }
        return sqlite3_column_value(pointer, Int32(index))
    }

    /// The number of columns.
    public var columnCount: Int { Int(sqlite3_column_count(pointer)) }

    /// The name of a column.
    public func name(_ index: Int) -> String {
        sqlite3_column_name(pointer, Int32(index)).map { String(cString: $0) } ?? ""
    }

    /// Whether a column is NULL.
    @inlinable public func isNull(_ index: Int) -> Bool {
        sqlite3_value_type(cell(index)) == SQLITE_NULL
    }

    @usableFromInline func malformed(_ index: Int, _ expected: String) -> MalformedValue {
        let name = source?._withUnsafeGuaranteedRef { $0.name(index) } ?? name(index)
        return MalformedValue(table: nil, column: name, expected: expected)
    }

    /// The value of a column, which is to be of a type of SQLite's.
    @inlinable @inline(__always) func cell(_ index: Int, _ type: Int32, _ expected: String) throws -> OpaquePointer? {
        let cell = cell(index)
        guard sqlite3_value_type(cell) == type else { throw malformed(index, expected) }
        return cell
    }

    // MARK: Values

    /// An integer.
    @inlinable public func int(_ index: Int) throws -> Int {
        Int(sqlite3_value_int64(try cell(index, SQLITE_INTEGER, "an integer")))
    }

    /// A truth value, stored as 0 or 1.
    @inlinable public func bool(_ index: Int) throws -> Bool {
        switch try int(index) {
        case 0: return false
        case 1: return true
        default: throw malformed(index, "0 or 1")
        }
    }

    /// A number.
    @inlinable public func double(_ index: Int) throws -> Double {
        sqlite3_value_double(try cell(index, SQLITE_FLOAT, "a real number"))
    }

    /// A number that has the precision of a `Float`.
    @inlinable public func float(_ index: Int) throws -> Float {
        Float(try double(index))
    }

    /// Text, with all its bytes.
    @inlinable public func string(_ index: Int) throws -> String {
        let cell = try cell(index, SQLITE_TEXT, "text")
        guard let bytes = sqlite3_value_text(cell) else { throw malformed(index, "text") }
        let count = Int(sqlite3_value_bytes(cell))
        let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        // SQLite keeps whatever bytes it is given; decoding mends them, and what was mended would be written back.
        let isWhole = text.utf8.withContiguousStorageIfAvailable { decoded in
            guard decoded.count == count, let start = decoded.baseAddress else { return count == 0 }
            return memcmp(start, bytes, count) == 0
        }
        guard isWhole == true else { throw malformed(index, "UTF-8") }
        return text
    }

    /// A URL.
    public func url(_ index: Int) throws -> URL {
        guard let url = URL(string: try string(index)) else { throw malformed(index, "a URL") }
        return url
    }

    /// A color: `#RRGGBB` or `#RRGGBBAA`.
    public func color(_ index: Int) throws -> String {
        let text = try string(index)
        guard isColor(text) else { throw malformed(index, "#RRGGBB or #RRGGBBAA") }
        return text
    }

    /// A date, stored as the seconds since 2001-01-01 UTC.
    @inlinable public func date(_ index: Int) throws -> Date {
        Date(timeIntervalSinceReferenceDate: try double(index))
    }

    /// The bytes of a text or a blob, whatever they are.
    func bytes(_ index: Int) -> Data {
        let cell = cell(index)
        guard let bytes = sqlite3_value_blob(cell) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_value_bytes(cell)))
    }

    /// Bytes.
    @inlinable public func data(_ index: Int) throws -> Data {
        let cell = try cell(index, SQLITE_BLOB, "a blob")
        let count = Int(sqlite3_value_bytes(cell))
        guard count > 0, let bytes = sqlite3_value_blob(cell) else { return Data() }
        return Data(bytes: bytes, count: count)
    }

    /// A UUID, stored as sixteen bytes.
    @inlinable public func uuid(_ index: Int) throws -> UUID {
        let cell = try cell(index, SQLITE_BLOB, "sixteen bytes")
        guard sqlite3_value_bytes(cell) == 16, let bytes = sqlite3_value_blob(cell) else {
            throw malformed(index, "sixteen bytes")
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    /// A decimal number, stored as its digits.
    public func decimal(_ index: Int) throws -> Decimal {
        guard let value = Decimal(stored: try string(index)) else { throw malformed(index, "a decimal number") }
        return value
    }

    /// A key.
    @inlinable public func id<ID: EntityID>(_ index: Int) throws -> ID {
        try ID(row: self, at: index)
    }

    // MARK: Values that may be NULL

    /// An integer, or nil for NULL.
    @inlinable public func optionalInt(_ index: Int) throws -> Int? {
        isNull(index) ? nil : try int(index)
    }

    /// A truth value, or nil for NULL.
    @inlinable public func optionalBool(_ index: Int) throws -> Bool? {
        isNull(index) ? nil : try bool(index)
    }

    /// A number, or nil for NULL.
    @inlinable public func optionalDouble(_ index: Int) throws -> Double? {
        isNull(index) ? nil : try double(index)
    }

    /// A number, or nil for NULL.
    @inlinable public func optionalFloat(_ index: Int) throws -> Float? {
        isNull(index) ? nil : try float(index)
    }

    /// Text, or nil for NULL.
    @inlinable public func optionalString(_ index: Int) throws -> String? {
        isNull(index) ? nil : try string(index)
    }

    /// A URL, or nil for NULL.
    public func optionalURL(_ index: Int) throws -> URL? {
        isNull(index) ? nil : try url(index)
    }

    /// A color, or nil for NULL.
    public func optionalColor(_ index: Int) throws -> String? {
        isNull(index) ? nil : try color(index)
    }

    /// A date, or nil for NULL.
    @inlinable public func optionalDate(_ index: Int) throws -> Date? {
        isNull(index) ? nil : try date(index)
    }

    /// Bytes, or nil for NULL.
    @inlinable public func optionalData(_ index: Int) throws -> Data? {
        isNull(index) ? nil : try data(index)
    }

    /// A UUID, or nil for NULL.
    @inlinable public func optionalUUID(_ index: Int) throws -> UUID? {
        isNull(index) ? nil : try uuid(index)
    }

    /// A decimal number, or nil for NULL.
    public func optionalDecimal(_ index: Int) throws -> Decimal? {
        isNull(index) ? nil : try decimal(index)
    }

    /// A key, or nil for NULL.
    @inlinable public func optionalID<ID: EntityID>(_ index: Int) throws -> ID? {
        isNull(index) ? nil : try ID(row: self, at: index)
    }
}

/// Columns of a row that are elsewhere than in the row that a statement stands on, or in another order.
@usableFromInline class RowSource {
    /// The value of a column.
    @usableFromInline func cell(_ index: Int) -> OpaquePointer? { nil }
    /// The name of a column; nil where it is that of the statement's.
    @usableFromInline func name(_ index: Int) -> String? { nil }
}

/// A stored value that is none of its column's type.
public struct MalformedValue: Error, Hashable, Sendable, CustomStringConvertible {
    /// The table, where it is known.
    public private(set) var table: String?
    /// The column.
    public let column: String
    /// What was expected in its place.
    public let expected: String

    @usableFromInline init(table: String?, column: String, expected: String) {
        self.table = table
        self.column = column
        self.expected = expected
    }

    /// The same, with the table named where it is not yet.
    @usableFromInline func named(_ table: String) -> MalformedValue {
        MalformedValue(table: self.table ?? table, column: column, expected: expected)
    }

    /// The table, the column, and what was expected.
    public var description: String {
        "the value in \(table.map { $0 + "." } ?? "")\(column) is not \(expected)"
    }
}

private let posix = Locale(identifier: "en_US_POSIX")

extension Decimal {
    /// The number whose digits are `text`; nil where `text` is not what the number would be stored as.
    init?(stored text: String) {
        // Foundation reads as far as it understands: only what it would write again was understood whole.
        guard let value = Decimal(string: text, locale: posix), !value.isNaN, value.description == text else {
            return nil
        }
        self = value
    }
}
