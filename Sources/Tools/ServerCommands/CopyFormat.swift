import Foundation
import PostgreSQL
import SQLSchema
import Strata

/// The text format of `COPY` (https://www.postgresql.org/docs/15/sql-copy.html#id-1.9.3.55.9.2), for values of a store.
struct CopyFormat {
    /// A value that the other side cannot hold.
    enum Problem: Error, Hashable, CustomStringConvertible {
        case nul
        case notUTF8
        case date(Double)
        case json(String)
        case decimal(String)
        case notANumber
        case kind(String, ServerType)

        var description: String {
            switch self {
            case .nul: "PostgreSQL has no texts with U+0000"
            case .notUTF8: "the text is not UTF-8"
            case .date(let seconds): "PostgreSQL has no date \(seconds) seconds after 2001"
            case .json(let reason): "the text is not JSON that PostgreSQL can keep: \(reason)"
            case .decimal(let text):
                "\(text.prefix(40).debugDescription) is not a number of at most 131072 digits before the point and 16383 after it"
            case .notANumber: "SQLite has no NaN"
            case .kind(let kind, let type): "\(kind) is not a value of type \(type.rawValue)"
            }
        }
    }

    private static let tab = UInt8(ascii: "\t")
    private static let newline = UInt8(ascii: "\n")
    /// The seconds from 2000 to 2001.
    private static let yearInSeconds = 366 * 86_400
    private static let backslash = UInt8(ascii: "\\")

    // MARK: Writing

    /// Returns the value of a column of a store.
    ///
    /// - Throws: `Problem` if it is a text that is not UTF-8.
    static func value(_ row: Row, _ index: Int) throws(Problem) -> SQLiteValue {
        let value = row.value(index)
        // U+FFFD replaces wrong bytes.
        if case .text(let text) = value, text.unicodeScalars.contains("\u{fffd}"),
            String(data: row.bytes(index), encoding: .utf8) == nil
        {
            throw .notUTF8
        }
        return value
    }

    /// Appends a value of a column to a line.
    static func append(_ value: SQLiteValue, _ type: ServerType, to line: inout [UInt8]) throws(Problem) {
        switch (value, type) {
        case (.null, _): line += [backslash, UInt8(ascii: "N")]
        case (.integer(0), .boolean): line.append(UInt8(ascii: "f"))
        case (.integer(1), .boolean): line.append(UInt8(ascii: "t"))
        case (.integer(let value), .timestamptz): try append(.real(Double(value)), .timestamptz, to: &line)
        case (.integer(let value), .bigint), (.integer(let value), .numeric), (.integer(let value), .double),
            (.integer(let value), .real):
            append(value, to: &line)
        case (.real(let value), .timestamptz):
            if value.isInfinite {
                line += Array((value < 0 ? "-infinity" : "infinity").utf8)
            } else {
                // PostgreSQL's dates begin on 24 November 4714 BC, and end in the year 294276.
                guard (-211_845_110_400..<9_223_339_708_800).contains(value) else { throw .date(value) }
                line += Array(PostgreSQL.timestamp(value).utf8)
            }
        case (.real(let value), .double), (.real(let value), .real):
            line += Array((value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : "\(value)").utf8)
        case (.text(let text), .text), (.text(let text), .numeric), (.text(let text), .jsonb):
            if type == .numeric, DecimalText(text) == nil { throw .decimal(text) }
            try append(type == .jsonb ? try JSONBText.text(of: text) : text, to: &line)
        case (.blob(let data), .uuid) where data.count != 16: throw .kind("data of \(data.count) bytes", type)
        case (.blob(let data), .bytea), (.blob(let data), .uuid):
            let digits = hexadecimal([UInt8](data)).utf8
            if type == .bytea { line += [backslash, backslash, UInt8(ascii: "x")] }
            line += digits
        case (.integer(let value), _): throw .kind("\(value)", type)
        case (.real, _): throw .kind("a number", type)
        case (.text, _): throw .kind("a text", type)
        case (.blob, _): throw .kind("data", type)
        }
    }

    private static func append(_ value: Int64, to line: inout [UInt8]) {
        if value < 0 { line.append(UInt8(ascii: "-")) }
        let start = line.count
        var rest = value.magnitude
        repeat {
            line.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        line[start...].reverse()
    }

    private static func append(_ text: String, to line: inout [UInt8]) throws(Problem) {
        for byte in text.utf8 {
            switch byte {
            case 0: throw .nul
            case backslash: line += [backslash, backslash]
            case tab: line += [backslash, UInt8(ascii: "t")]
            case newline: line += [backslash, UInt8(ascii: "n")]
            case 13: line += [backslash, UInt8(ascii: "r")]
            default: line.append(byte)
            }
        }
    }

    // MARK: Reading

    /// Returns the fields of a line; nil is NULL.
    static func fields(_ line: UnsafeBufferPointer<UInt8>) -> [[UInt8]?] {
        var fields: [[UInt8]?] = []
        var field: [UInt8] = []
        var isNull = false
        var offset = 0
        while offset < line.count {
            let byte = line[offset]
            switch byte {
            case tab, newline:
                fields.append(isNull ? nil : field)
                (field, isNull) = ([], false)
                if byte == newline { return fields }
            case backslash where offset + 1 < line.count:
                offset += 1
                switch line[offset] {
                case UInt8(ascii: "N"): isNull = true
                case UInt8(ascii: "n"): field.append(newline)
                case UInt8(ascii: "t"): field.append(tab)
                case UInt8(ascii: "r"): field.append(13)
                case UInt8(ascii: "b"): field.append(8)
                case UInt8(ascii: "f"): field.append(12)
                case UInt8(ascii: "v"): field.append(11)
                case let other: field.append(other)
                }
            default: field.append(byte)
            }
            offset += 1
        }
        return fields
    }

    /// Returns the value of a column in a store.
    static func value(_ field: [UInt8]?, _ type: ServerType) throws(Problem) -> SQLiteValue {
        guard let field else { return .null }
        let text = String(decoding: field, as: UTF8.self)
        switch type {
        case .boolean: return .integer(text == "t" ? 1 : 0)
        case .bigint: return Int64(text).map { .integer($0) } ?? .null
        // SQLite stores NaN as NULL.
        case .real, .double:
            guard text != "NaN" else { throw .notANumber }
            let text = text.replacing("Infinity", with: "inf")
            return (type == .real ? Float(text).map(Double.init) : Double(text)).map { .real($0) } ?? .null
        case .numeric:
            guard DecimalText(text) != nil else { throw .decimal(text) }
            return .text(text)
        case .timestamptz: return date(text).map { .real($0) } ?? .null
        case .bytea: return .blob(Data(bytes(of: field.dropFirst(2))))
        case .uuid: return .blob(Data(bytes(of: field.filter { $0 != UInt8(ascii: "-") }[...])))
        case .text, .jsonb: return .text(text)
        }
    }

    /// Returns the seconds since 2001 of a number of microseconds since 2000, in which PostgreSQL stores a moment.
    private static func date(_ text: String) -> Double? {
        if text == "inf" || text == "-inf" { return Double(text) }
        return Int64(text).map { Double($0 - Int64(Self.yearInSeconds) * 1_000_000) / 1_000_000 }
    }

    private static func bytes(of digits: ArraySlice<UInt8>) -> [UInt8] {
        func value(_ digit: UInt8) -> UInt8 { digit < 58 ? digit - 48 : (digit | 32) - 87 }
        return stride(from: digits.startIndex, to: digits.endIndex - 1, by: 2).map {
            value(digits[$0]) << 4 | value(digits[$0 + 1])
        }
    }

    /// Returns the statement that sends all rows of a table so that `value` can read them.
    static func selection(of table: ServerTable) -> String {
        let columns = table.table.columns.map { selected($0.name, table.type(of: $0.name)) }
        return "COPY (SELECT \(columns.joined(separator: ", ")) FROM \(PostgreSQL.quoted(table.name))) TO STDOUT"
    }

    private static func selected(_ column: String, _ type: ServerType) -> String {
        let name = PostgreSQL.quoted(column)
        guard type == .timestamptz else { return name }
        return "CASE WHEN isfinite(\(name)) THEN \(micros(name)) WHEN \(name) > now() THEN 'inf' "
            + "WHEN \(name) < now() THEN '-inf' END"
    }

    private static func micros(_ name: String) -> String {
        "((extract(epoch FROM \(name)) - 946684800) * 1000000)::bigint::text"
    }
}
