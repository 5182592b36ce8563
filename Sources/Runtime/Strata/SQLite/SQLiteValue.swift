import CSQLite
import Foundation
import SQLSchema

/// A value in one of SQLite's storage classes (https://sqlite.org/datatype3.html).
public enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)

    /// Whether two values are the same in SQLite. Texts are the same if their bytes are.
    public static func == (left: SQLiteValue, right: SQLiteValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.text(let left), .text(let right)): String.isSame(left, right)
        case (.blob(let left), .blob(let right)): left == right
        case (.null, _), (.integer, _), (.real, _), (.text, _), (.blob, _): false
        }
    }

    /// Creates an integer, or NULL for nil.
    public init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
    /// Creates the integer 1 for true or 0 for false, or NULL for nil.
    public init(_ value: Bool?) { self = value.map { .integer($0 ? 1 : 0) } ?? .null }
    /// Creates a real number, or NULL for nil. -0.0 becomes 0.0, because SQLite stores no negative zero.
    public init(_ value: Double?) { self = value.map { .real($0 == 0 ? 0 : $0) } ?? .null }
    /// Creates a real number, or NULL for nil.
    public init(_ value: Float?) { self.init(value.map(Double.init)) }
    /// Creates text, or NULL for nil.
    public init(_ value: String?) { self = value.map(Self.text) ?? .null }
    /// Creates text with the URL, or NULL for nil.
    public init(_ value: URL?) { self = value.map { .text($0.absoluteString) } ?? .null }
    /// Creates a real number with the seconds since 2001-01-01 UTC, or NULL for nil.
    public init(_ value: Date?) { self.init(value?.timeIntervalSinceReferenceDate) }
    /// Creates a blob, or NULL for nil.
    public init(_ value: Data?) { self = value.map(Self.blob) ?? .null }
    /// Creates a blob of sixteen bytes, or NULL for nil.
    public init(_ value: UUID?) {
        self = value.map { uuid in withUnsafeBytes(of: uuid.uuid) { .blob(Data($0)) } } ?? .null
    }
    /// Creates text with the decimal digits, or NULL for nil. NaN becomes the NaN of `Double`.
    public init(_ value: Decimal?) {
        self = value.map { $0.isNaN ? .real(.nan) : .text($0.description) } ?? .null
    }
    /// Creates text with a color, or NULL for nil.
    ///
    /// - Throws: `UnstorableValue` if the text is not `#RRGGBB` or `#RRGGBBAA`.
    public init(color value: String?) throws {
        if let value, !isColor(value) { throw UnstorableValue.notAColor }
        self.init(value)
    }
}

extension SQLiteValue: CustomStringConvertible {
    /// The value as text. Long text and long blobs are shortened.
    public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value):
            value.count > 60
                ? "\(value.prefix(60).debugDescription)… (\(value.utf8.count) bytes)" : value.debugDescription
        case .blob(let value):
            value.count > 16
                ? "a blob of \(value.count) bytes" : "X'" + value.map { String(format: "%02X", $0) }.joined() + "'"
        }
    }
}

extension SQLiteValue {
    /// Creates the value of a column; NULL without one.
    init(cell: OpaquePointer?) {
        guard let cell else {
            self = .null
            return
        }
        switch sqlite3_value_type(cell) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(cell))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(cell))
        case SQLITE_TEXT: self = .text(String(decoding: Self.utf8(cell), as: UTF8.self))
        case SQLITE_BLOB:
            let count = Int(sqlite3_value_bytes(cell))
            guard count > 0, let bytes = sqlite3_value_blob(cell) else {
                self = .blob(Data())
                return
            }
            self = .blob(Data(bytes: bytes, count: count))
        default: self = .null
        }
    }

    /// Creates the value of an argument of an SQL function; nil if it is a text that is not UTF-8.
    package init?(argument: OpaquePointer?) {
        if sqlite3_value_type(argument) == SQLITE_TEXT, !Self.isUTF8(argument) { return nil }
        self.init(cell: argument)
    }

    /// Returns whether a text argument of an SQL function is UTF-8.
    package static func isUTF8(_ argument: OpaquePointer?) -> Bool {
        let bytes = utf8(argument)
        if Row.isASCII(bytes) { return true }
        // Decoding replaces bytes that are not UTF-8.
        return String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
    }

    private static func utf8(_ cell: OpaquePointer?) -> UnsafeBufferPointer<UInt8> {
        let bytes = sqlite3_value_text(cell)
        return UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_value_bytes(cell)))
    }

    /// Sets the value as the result of an SQL function.
    package func give(to context: OpaquePointer?) {
        switch self {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_result_text64(context, $0.baseAddress, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let value):
            value.withUnsafeBytes { bytes in
                bytes.isEmpty
                    ? sqlite3_result_zeroblob(context, 0)
                    : sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), transient)
            }
        }
    }
}

/// The value of `SQLITE_TRANSIENT`, which makes SQLite copy a bound value.
@inlinable var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
