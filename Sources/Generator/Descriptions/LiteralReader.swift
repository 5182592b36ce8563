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
        case (.int, .number(let text)), (.milliseconds, .number(let text)):
            return Int64(text).map(Literal.integer)
        case (.bool, .bool(let value)):
            return .integer(value ? 1 : 0)
        case (.double, .number(let text)), (.seconds, .number(let text)), (.date, .number(let text)):
            return Double(text).flatMap { $0.isFinite ? .real($0 == 0 ? 0 : $0) : nil }
        case (.float, .number(let text)):
            return Float(text).flatMap { $0.isFinite ? .real(Double($0 == 0 ? 0 : $0)) : nil }
        case (.string, .string(let text)):
            return text.utf8.contains(0) ? nil : .text(text)
        case (.url, .string(let text)):
            return URL(string: text).map { .text($0.absoluteString) }
        case (.color, .string(let text)):
            let digits = text.dropFirst()
            let isColor =
                text.hasPrefix("#") && [6, 8].contains(digits.count)
                && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
            return isColor ? .text(text) : nil
        case (.date, .string(let text)):
            return date(text).map { .real($0.timeIntervalSinceReferenceDate) }
        case (.data, .string(let text)):
            return Data(base64Encoded: text).map { .blob([UInt8]($0)) }
        case (.uuid, .string(let text)):
            return UUID(uuidString: text).map { uuid in withUnsafeBytes(of: uuid.uuid) { .blob([UInt8]($0)) } }
        case (.decimal, .string(let text)), (.decimal, .number(let text)):
            return decimal(text).map { .text($0.description) }
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

    /// Parses a decimal number; nil if `text` contains anything else, or more digits than a `Decimal` stores.
    private static func decimal(_ text: String) -> Decimal? {
        guard let match = text.wholeMatch(of: /[+-]?([0-9]+)(?:\.([0-9]+))?(?:[eE][+-]?[0-9]{1,3})?/) else {
            return nil
        }
        let digits = (match.1 + (match.2 ?? "")).drop { $0 == "0" }
        guard digits.count <= 38, let value = Decimal(string: text), !value.isNaN else { return nil }
        return value
    }

    /// The hint in messages that explains how to write a value of `type`.
    static func hint(_ type: ScalarType) -> String {
        switch type {
        case .int, .milliseconds: "write a whole number of at most 64 bits"
        case .bool: "write true or false"
        case .double, .float, .seconds: "write a finite number"
        case .string: "write a string without U+0000"
        case .url: "write a URL as a string"
        case .color: "write \"#RRGGBB\" or \"#RRGGBBAA\""
        case .date: "write \"2001-01-01T00:00:00Z\", or the seconds since then as a number"
        case .data: "write the bytes in base64"
        case .uuid: "write a UUID as a string"
        case .decimal: "write the digits as a string or a number"
        }
    }
}
