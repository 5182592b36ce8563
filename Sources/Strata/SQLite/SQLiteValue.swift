import CSQLite
import Foundation

/// A value as SQLite stores it (https://sqlite.org/datatype3.html).
public enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int)
    case real(Double)
    case text(String)
    case blob(Data)

    /// An integer, or NULL for nil.
    public init(_ value: Int?) { self = value.map(Self.integer) ?? .null }
    /// 0 or 1, or NULL for nil.
    public init(_ value: Bool?) { self = value.map { .integer($0 ? 1 : 0) } ?? .null }
    /// A number, or NULL for nil. -0.0 is 0.0, as SQLite has it.
    public init(_ value: Double?) { self = value.map { .real($0 == 0 ? 0 : $0) } ?? .null }
    /// A number, or NULL for nil.
    public init(_ value: Float?) { self.init(value.map(Double.init)) }
    /// Text, or NULL for nil.
    public init(_ value: String?) { self = value.map(Self.text) ?? .null }
    /// The URL's text, or NULL for nil.
    public init(_ value: URL?) { self = value.map { .text($0.absoluteString) } ?? .null }
    /// The seconds since 2001-01-01 UTC, or NULL for nil.
    public init(_ value: Date?) { self.init(value?.timeIntervalSinceReferenceDate) }
    /// Bytes, or NULL for nil.
    public init(_ value: Data?) { self = value.map(Self.blob) ?? .null }
    /// Sixteen bytes, or NULL for nil.
    public init(_ value: UUID?) {
        self = value.map { uuid in withUnsafeBytes(of: uuid.uuid) { .blob(Data($0)) } } ?? .null
    }
    /// Digits as text, or NULL for nil. A NaN, which is no number, is that of `Double`.
    public init(_ value: Decimal?) {
        self = value.map { $0.isNaN ? .real(.nan) : .text($0.description) } ?? .null
    }
    /// A color, or NULL for nil.
    ///
    /// - Throws: `UnstorableValue` for a text that is not `#RRGGBB` or `#RRGGBBAA`.
    public init(color value: String?) throws {
        if let value, !isColor(value) { throw UnstorableValue.notAColor }
        self.init(value)
    }
}

extension SQLiteValue: CustomStringConvertible {
    /// The value as SQL, cut where it is long.
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

extension Row {
    /// The value of a column as it is stored.
    public func value(_ index: Int) -> SQLiteValue {
        let cell = cell(index)
        switch sqlite3_value_type(cell) {
        case SQLITE_INTEGER: return .integer(Int(sqlite3_value_int64(cell)))
        case SQLITE_FLOAT: return .real(sqlite3_value_double(cell))
        case SQLITE_TEXT:
            let bytes = sqlite3_value_text(cell)
            let count = Int(sqlite3_value_bytes(cell))
            return .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let count = Int(sqlite3_value_bytes(cell))
            guard count > 0, let bytes = sqlite3_value_blob(cell) else { return .blob(Data()) }
            return .blob(Data(bytes: bytes, count: count))
        default: return .null
        }
    }

    /// The values of all columns as they are stored.
    public var values: [SQLiteValue] { (0..<columnCount).map(value) }
}

extension SQLiteValue: ColumnStorable {
    /// The value of a column as it is stored.
    ///
    /// - Throws: `MalformedValue` for text that is not UTF-8.
    public init(row: Row, at index: Int) throws {
        let value = row.value(index)
        self = if case .text = value { .text(try row.string(index)) } else { value }
    }

    /// Binds the value as it is to be stored.
    public func bind(to statement: Statement, at index: Int) throws {
        switch self {
        case .null: try statement.bindNull(at: index)
        case .integer(let value): try statement.bind(value, at: index)
        case .real(let value): try statement.bind(value, at: index)
        case .text(let value): try statement.bind(value, at: index)
        case .blob(let value): try statement.bind(value, at: index)
        }
    }
}
