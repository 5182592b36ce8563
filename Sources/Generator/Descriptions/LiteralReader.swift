import Foundation
import JSONText
import SchemaModel
import SQLSchema

/// Reads default values and backfill values.
package enum LiteralReader {
    /// Returns whether a value is valid for `type`.
    package static func isLiteral(_ json: JSON, type: ScalarType) -> Bool { literal(json, type: type) != nil }

    /// Returns a value in the form in which `type` is stored; nil if it is not valid for the type.
    static func literal(_ json: JSON, type: ScalarType) -> Literal? {
        switch (type, json.value) {
        case (.bool, .bool(let value)):
            return .integer(value ? 1 : 0)
        case (.date, .number(let text)):
            return Literal(text, type: .seconds)
        case (.date, .string(let text)):
            return date(text).map { .real($0.timeIntervalSinceReferenceDate) }
        case (.data, .string(let text)):
            return Data(base64Encoded: text).map { .blob([UInt8]($0)) }
        case (.int, .number(let text)), (.milliseconds, .number(let text)), (.double, .number(let text)),
            (.seconds, .number(let text)), (.float, .number(let text)), (.decimal, .number(let text)),
            (.decimal, .string(let text)), (.string, .string(let text)), (.url, .string(let text)),
            (.color, .string(let text)), (.uuid, .string(let text)):
            return Literal(text, type: type)
        default:
            return nil
        }
    }

    /// Parses an ISO 8601 date. Its day is checked first, because the formatter reads February 30 as March 1.
    private static func date(_ text: String) -> Date? {
        guard let match = text.prefixMatch(of: /([0-9]{4})-([0-9]{2})-([0-9]{2})T/), let year = Int(match.1),
            let month = Int(match.2), let day = Int(match.3)
        else { return nil }
        let components = DateComponents(calendar: Calendar(identifier: .gregorian), year: year, month: month, day: day)
        return components.isValidDate ? ISO8601DateFormatter().date(from: text) : nil
    }

    /// Returns the hint in messages that explains how to write a value of `type`.
    static func hint(_ type: ScalarType) -> String {
        switch type {
        case .int, .milliseconds: "write a whole number of at most 64 bits, without quotes"
        case .bool: "write true or false"
        case .double, .float, .seconds: "write a finite number, without quotes"
        case .string: "write text in quotes, without the character U+0000"
        case .url: "write a valid URL in quotes"
        case .color: "write \"#RRGGBB\" or \"#RRGGBBAA\""
        case .date: "write \"2001-01-01T00:00:00Z\", or the seconds since then as a number"
        case .data: "write the bytes in base64, in quotes"
        case .uuid: "write a valid UUID in quotes"
        case .decimal: "write a decimal number of at most 38 digits, with or without quotes"
        }
    }
}
