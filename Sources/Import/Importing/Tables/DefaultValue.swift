import Foundation
import SchemaModel
import SQLSchema

/// Parses the default values of columns.
enum DefaultValue {
    /// Returns the value of the SQL literal `sql` in a column of type `type`; nil if `sql` is not a literal or does not
    /// fit the type.
    static func literal(sql: String, type: ScalarType) -> Literal? {
        var text = sql.trimmingCharacters(in: .whitespaces)
        while text.hasPrefix("("), text.hasSuffix(")") {
            text = String(text.dropFirst().dropLast()).trimmingCharacters(in: .whitespaces)
        }
        if let string = string(text) { return literal(string, type: type) }
        switch (type, text.uppercased()) {
        case (.bool, "TRUE"), (.int, "TRUE"): return .integer(1)
        case (.bool, "FALSE"), (.int, "FALSE"): return .integer(0)
        default: break
        }
        if let match = text.wholeMatch(of: /[xX]'((?:[0-9a-fA-F]{2})*)'/), type == .data {
            let digits = Array(match.1.utf8)
            return .blob(
                stride(from: 0, to: digits.count, by: 2).compactMap {
                    UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
                })
        }
        guard text.wholeMatch(of: /[+-]?\s*[0-9.]+(?:[eE][+-]?[0-9]+)?/) != nil else { return nil }
        // SQLite converts a number that is not an integer to text in its own format.
        if type == .string, Int(text) == nil { return nil }
        return literal(text.filter { !$0.isWhitespace && $0 != "+" }, type: type)
    }

    /// Returns the string value of a quoted literal: `it's` for `'it''s'`. Room writes double quotes too.
    private static func string(_ text: String) -> String? {
        guard let quote = text.first, quote == "'" || quote == "\"", text.last == quote, text.count > 1 else {
            return nil
        }
        let pieces = text.dropFirst().dropLast().components(separatedBy: "\(quote)\(quote)")
        // A quote that is not doubled ends the string, so the text is an expression.
        return pieces.contains { $0.contains(quote) } ? nil : pieces.joined(separator: String(quote))
    }

    /// Returns the value of `text` in a column of type `type`, converted by SQLite's affinity rules.
    private static func literal(_ text: String, type: ScalarType) -> Literal? {
        switch type {
        case .int, .milliseconds:
            Literal(text, type: type) ?? Double(text).flatMap { Int64(exactly: $0) }.map(Literal.integer)
        case .bool: ["0": .integer(0), "1": .integer(1)][text]
        case .color, .date, .data: nil
        case .double, .seconds, .float, .string, .decimal, .url, .uuid: Literal(text, type: type)
        }
    }
}
