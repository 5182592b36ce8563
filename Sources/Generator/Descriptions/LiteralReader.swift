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
        case (.seconds, .string(let text)), (.milliseconds, .string(let text)):
            return duration(text, type)
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

    /// Parses a duration as Lucid writes it: `3s` or `100ms`.
    private static func duration(_ text: String, _ type: ScalarType) -> Literal? {
        guard let match = text.wholeMatch(of: /(-?[0-9]+(?:\.[0-9]+)?)(m?)s/), let number = Double(match.1) else {
            return nil
        }
        let isMilliseconds = !match.2.isEmpty
        switch (type, isMilliseconds) {
        case (.seconds, false): return .real(number)
        case (.seconds, true): return .real(number / 1_000)
        default:
            let count = isMilliseconds ? number : number * 1_000
            return Int64(exactly: count).map { .integer($0) }
        }
    }

    /// Parses an ISO 8601 date. Its parts are checked first, because the formatter reads February 30 as March 1, and 24:00 as
    /// the next day.
    private static func date(_ text: String) -> Date? {
        let pattern =
            /([0-9]{4})-([0-9]{2})-([0-9]{2})T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])/
        guard let match = text.wholeMatch(of: pattern), let year = Int(match.1), let month = Int(match.2),
            let day = Int(match.3)
        else { return nil }
        let components = DateComponents(calendar: Calendar(identifier: .gregorian), year: year, month: month, day: day)
        return components.isValidDate ? ISO8601DateFormatter().date(from: text) : nil
    }
}
