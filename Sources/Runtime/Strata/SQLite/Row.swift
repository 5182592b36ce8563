import CSQLite
import Foundation
import SQLSchema

/// The current row of a statement. The index of the first column is 0. A row is valid until the statement steps to the
/// next row.
///
/// Each method returns the value of a column as one type. It throws `MalformedValue` if the stored value is not of this
/// type, and never returns nil or zero instead.
public struct Row {
    /// The statement that has the columns.
    @usableFromInline let pointer: OpaquePointer?
    /// The values of the columns, if SQLite passes them to a function.
    @usableFromInline let arguments: UnsafeMutablePointer<OpaquePointer?>?
    /// The number of `arguments`.
    @usableFromInline let argumentCount: Int
    /// Reads the columns if they are not those of the statement's current row.
    @usableFromInline let source: Unmanaged<RowSource>?

    @usableFromInline init(_ pointer: OpaquePointer?, _ source: Unmanaged<RowSource>? = nil) {
        self.pointer = pointer
        (arguments, argumentCount) = (nil, 0)
        self.source = source
    }

    /// Creates a row with the values of a function's arguments.
    init(_ values: UnsafeMutablePointer<OpaquePointer?>, _ count: Int, _ names: Unmanaged<RowSource>) {
        pointer = nil
        (arguments, argumentCount) = (values, count)
        source = names
    }

    /// The value of a column; nil or the value NULL for an index that no column has. The value of a statement is "unprotected" (https://sqlite.org/c3ref/value.html). That is
    /// safe here, because no two threads use a connection at the same time.
    @inlinable @inline(__always) func cell(_ index: Int) -> OpaquePointer? {
        if let arguments { return UInt(bitPattern: index) < UInt(bitPattern: argumentCount) ? arguments[index] : nil }
        if let source { return source._withUnsafeGuaranteedRef { $0.cell(index) } }
        return sqlite3_column_value(pointer, Int32(clamping: index))
    }

    /// The number of columns.
    public var columnCount: Int {
        source?._withUnsafeGuaranteedRef { $0.names.count } ?? Int(sqlite3_column_count(pointer))
    }

    /// Returns the name of a column; an empty text for an index that no column has.
    public func name(_ index: Int) -> String {
        if let source {
            return source._withUnsafeGuaranteedRef { $0.names.indices.contains(index) ? $0.names[index] : "" }
        }
        return sqlite3_column_name(pointer, Int32(clamping: index)).map { String(cString: $0) } ?? ""
    }

    /// Returns whether a column is NULL, or no column has this index.
    @inlinable public func isNull(_ index: Int) -> Bool {
        guard let cell = cell(index) else { return true }
        return sqlite3_value_type(cell) == SQLITE_NULL
    }

    @usableFromInline func malformed(_ index: Int, _ expected: String) -> MalformedValue {
        MalformedValue(table: nil, column: name(index), expected: expected)
    }

    /// Returns the value of a column after checking its SQLite storage class.
    @inlinable @inline(__always) func cell(_ index: Int, _ type: Int32, _ expected: String) throws -> OpaquePointer? {
        guard let cell = cell(index), sqlite3_value_type(cell) == type else { throw malformed(index, expected) }
        return cell
    }

    // MARK: Values

    /// Returns an integer. Where `Int` has 32 bits, as on some watches, a number that does not fit is a
    /// `MalformedValue`.
    @inlinable @inline(__always) public func int(_ index: Int) throws -> Int {
        try integer(index)
    }

    /// Returns an integer of 64 bits, which is what SQLite stores.
    @inlinable @inline(__always) public func int64(_ index: Int) throws -> Int64 {
        sqlite3_value_int64(try cell(index, SQLITE_INTEGER, "an integer"))
    }

    /// Returns an integer as a type that may have fewer bits than SQLite stores.
    @inlinable @inline(__always) package func integer<Value: FixedWidthInteger>(_ index: Int) throws -> Value {
        let stored = try int64(index)
        guard let value = Value(exactly: stored) else {
            throw malformed(index, "an integer of \(Value.bitWidth) bits, but \(stored)")
        }
        return value
    }

    /// Returns a Boolean value, which is stored as 0 or 1.
    @inlinable @inline(__always) public func bool(_ index: Int) throws -> Bool {
        switch try int(index) {
        case 0: return false
        case 1: return true
        default: throw malformed(index, "0 or 1")
        }
    }

    /// Returns a real number.
    @inlinable @inline(__always) public func double(_ index: Int) throws -> Double {
        sqlite3_value_double(try cell(index, SQLITE_FLOAT, "a real number"))
    }

    /// Returns a real number, rounded to the precision of `Float`.
    @inlinable public func float(_ index: Int) throws -> Float {
        let stored = try double(index)
        let value = Float(stored)
        // The app would write infinity back.
        guard value.isFinite == stored.isFinite else { throw malformed(index, "a number of 32 bits") }
        return value
    }

    /// Returns text with all its bytes, including NUL.
    @inlinable @inline(__always) public func string(_ index: Int) throws -> String {
        let cell = try cell(index, SQLITE_TEXT, "text")
        guard let bytes = sqlite3_value_text(cell) else { throw malformed(index, "text") }
        let count = Int(sqlite3_value_bytes(cell))
        let buffer = UnsafeBufferPointer(start: bytes, count: count)
        let text = String(decoding: buffer, as: UTF8.self)
        return Self.isASCII(buffer) ? text : try checked(text, buffer, index)
    }

    /// Returns text if it has exactly the bytes that are stored.
    @usableFromInline func checked(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) throws -> String {
        // SQLite stores any bytes. Decoding repairs invalid UTF-8, and the app would write the repaired text back.
        let isWhole = text.utf8.withContiguousStorageIfAvailable { decoded in
            guard decoded.count == bytes.count, let start = decoded.baseAddress, let stored = bytes.baseAddress else {
                return bytes.isEmpty
            }
            return memcmp(start, stored, bytes.count) == 0
        }
        guard isWhole == true else { throw malformed(index, "UTF-8") }
        return text
    }

    /// Whether no byte is greater than 127.
    @inlinable @inline(__always) static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= 8, let start = UnsafeRawPointer(bytes.baseAddress) else {
            return bytes.allSatisfy { $0 < 0x80 }
        }
        // The last eight bytes may have been read already.
        var bits = start.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        var offset = 0
        while offset < bytes.count - 8 {
            bits |= start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// Returns a URL.
    public func url(_ index: Int) throws -> URL {
        guard let url = URL(stored: try string(index)) else { throw malformed(index, "a URL") }
        return url
    }

    /// Returns a color: `#RRGGBB` or `#RRGGBBAA`.
    public func color(_ index: Int) throws -> String {
        let text = try string(index)
        guard isColor(text) else { throw malformed(index, "#RRGGBB or #RRGGBBAA") }
        return text
    }

    /// Returns a date, which is stored as the seconds since 2001-01-01 UTC.
    @inlinable @inline(__always) public func date(_ index: Int) throws -> Date {
        Date(timeIntervalSinceReferenceDate: try double(index))
    }

    /// Returns the bytes of a text or a blob without checking them.
    package func bytes(_ index: Int) -> Data {
        guard let cell = cell(index), let bytes = sqlite3_value_blob(cell) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_value_bytes(cell)))
    }

    /// Returns a blob.
    @inlinable public func data(_ index: Int) throws -> Data {
        let cell = try cell(index, SQLITE_BLOB, "a blob")
        let count = Int(sqlite3_value_bytes(cell))
        guard count > 0, let bytes = sqlite3_value_blob(cell) else { return Data() }
        return Data(bytes: bytes, count: count)
    }

    /// Returns a UUID, which is stored as sixteen bytes.
    @inlinable public func uuid(_ index: Int) throws -> UUID {
        let cell = try cell(index, SQLITE_BLOB, "sixteen bytes")
        guard sqlite3_value_bytes(cell) == 16, let bytes = sqlite3_value_blob(cell) else {
            throw malformed(index, "sixteen bytes")
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    /// Returns a decimal number, which is stored as text with its digits.
    public func decimal(_ index: Int) throws -> Decimal {
        guard let value = Decimal(stored: try string(index)) else { throw malformed(index, "a decimal number") }
        return value
    }

    /// Returns the stored value of a column, whatever its storage class.
    public func value(_ index: Int) -> SQLiteValue {
        SQLiteValue(cell: cell(index))
    }

    /// The stored values of all columns.
    public var values: [SQLiteValue] { (0..<columnCount).map(value) }

    // MARK: Values that may be NULL

    /// Returns an integer, or nil for NULL.
    @inlinable public func optionalInt(_ index: Int) throws -> Int? {
        isNull(index) ? nil : try int(index)
    }

    /// Returns a Boolean value, or nil for NULL.
    @inlinable public func optionalBool(_ index: Int) throws -> Bool? {
        isNull(index) ? nil : try bool(index)
    }

    /// Returns a real number, or nil for NULL.
    @inlinable public func optionalDouble(_ index: Int) throws -> Double? {
        isNull(index) ? nil : try double(index)
    }

    /// Returns a real number, rounded to the precision of `Float`, or nil for NULL.
    @inlinable public func optionalFloat(_ index: Int) throws -> Float? {
        isNull(index) ? nil : try float(index)
    }

    /// Returns text, or nil for NULL.
    @inlinable public func optionalString(_ index: Int) throws -> String? {
        isNull(index) ? nil : try string(index)
    }

    /// Returns a URL, or nil for NULL.
    public func optionalURL(_ index: Int) throws -> URL? {
        isNull(index) ? nil : try url(index)
    }

    /// Returns a color, or nil for NULL.
    public func optionalColor(_ index: Int) throws -> String? {
        isNull(index) ? nil : try color(index)
    }

    /// Returns a date, or nil for NULL.
    @inlinable public func optionalDate(_ index: Int) throws -> Date? {
        isNull(index) ? nil : try date(index)
    }

    /// Returns a blob, or nil for NULL.
    @inlinable public func optionalData(_ index: Int) throws -> Data? {
        isNull(index) ? nil : try data(index)
    }

    /// Returns a UUID, or nil for NULL.
    @inlinable public func optionalUUID(_ index: Int) throws -> UUID? {
        isNull(index) ? nil : try uuid(index)
    }

    /// Returns a decimal number, or nil for NULL.
    public func optionalDecimal(_ index: Int) throws -> Decimal? {
        isNull(index) ? nil : try decimal(index)
    }
}
