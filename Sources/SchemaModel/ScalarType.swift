import Foundation
import JSONText

/// The types of single values.
public enum ScalarType: String, CaseIterable, Hashable, Sendable {
    case int, bool, double, float, string, url, color, date, seconds, milliseconds, data, uuid, decimal

    /// The storage class of the column in a STRICT table.
    public var storage: String {
        switch self {
        case .int, .bool, .milliseconds: "INTEGER"
        case .double, .float, .date, .seconds: "REAL"
        case .string, .url, .color, .decimal: "TEXT"
        case .data, .uuid: "BLOB"
        }
    }
}

/// The value of a default or of a fill, in the form in which its type is stored.
public enum Literal: Hashable, Sendable {
    /// An integer: `int`, `milliseconds`; 0 or 1 for `bool`.
    case integer(Int)
    /// A finite number: `double`, `float`, `seconds`; for `date` the seconds since 2001-01-01 UTC.
    case real(Double)
    /// Text: `string`, `url`, `color`; for `decimal` its digits.
    case text(String)
    /// Bytes: `data`; for `uuid` sixteen.
    case blob([UInt8])

    /// The value as SQL.
    public var sql: String {
        switch self {
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): SQL.literal(value)
        case .blob(let value): SQL.literal(value)
        }
    }

    /// The value as the lock and messages show it.
    public var text: String {
        switch self {
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): SchemaModel.quoted(value)
        case .blob: sql
        }
    }
}

extension Literal {
    /// The value as it stands inside of JSON.
    package func json(type: ScalarType) -> String {
        switch self {
        case .integer(let value): type == .bool ? (value == 0 ? "false" : "true") : String(value)
        case .real(let value): type == .float ? Float(value).description : JSON.number(value)
        case .text(let value): JSON.quoted(value)
        case .blob(let bytes) where type == .uuid: JSON.quoted(Self.uuid(bytes))
        case .blob(let bytes): JSON.quoted(Data(bytes).base64EncodedString())
        }
    }

    private static func uuid(_ bytes: [UInt8]) -> String {
        let digits = SQL.literal(bytes).dropFirst(2).dropLast()
        var text = ""
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text += "-" }
            text.append(digit)
        }
        return text
    }
}

/// `text` in double quotes, with everything escaped that would leave its line or its field.
func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\" + String(scalar)
        case "\n": result += "\\n"
        case "|": result += "\\u{7c}"
        default:
            let isPlain = scalar.value >= 0x20 && scalar.value != 0x7f && scalar.value != 0x2028
            result += isPlain ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
        }
    }
    return result + "\""
}
