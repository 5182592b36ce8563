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
        let tokens = SQLToken.tokens(of: text)
        if tokens.count == 1, tokens[0].isComplete {
            // Room writes texts in double quotes too.
            if tokens[0].kind == .string || text.hasPrefix("\"") { return literal(tokens[0].content, type: type) }
            if type == .data, let bytes = tokens[0].bytes { return .blob(bytes) }
        }
        switch (type, text.uppercased()) {
        case (.bool, "TRUE"), (.int, "TRUE"): return .integer(1)
        case (.bool, "FALSE"), (.int, "FALSE"): return .integer(0)
        default: break
        }
        guard text.wholeMatch(of: /[+-]?\s*[0-9.]+(?:[eE][+-]?[0-9]+)?/) != nil else { return nil }
        // SQLite converts a number that is not an integer to text in its own format.
        if type == .string, Int(text) == nil { return nil }
        return literal(text.filter { !$0.isWhitespace && $0 != "+" }, type: type)
    }

    /// Returns the form of a column whose default has another type, and the default as an app reads it: SQLite converts it then.
    /// nil if the default has the type of the column, or if SQLite converts it when it is stored.
    static func otherType(sql: String, type: ScalarType) -> (form: String, value: Literal)? {
        let tokens = SQLToken.tokens(of: sql).filter { $0.isCode && !$0.isWord("(") && !$0.isWord(")") }
        guard tokens.count == 1, [.string, .number].contains(tokens[0].kind) else { return nil }
        let text = tokens[0].kind == .string ? tokens[0].content : tokens[0].text
        let isNumber = tokens[0].kind == .number || Double(text.trimmingCharacters(in: .whitespaces)) != nil
        return switch type {
        case .data: ("cast_to_data", .blob(Array(text.utf8)))
        // What does not begin with a number is 0.
        case .int where !isNumber && text.prefixMatch(of: /\s*[+-]?[0-9]/) == nil: ("cast_to_int", .integer(0))
        case .double where !isNumber && text.prefixMatch(of: /\s*[+-]?\.?[0-9]/) == nil: ("cast_to_double", .real(0))
        default: nil
        }
    }

    /// Returns the value of `text` in a column of type `type`, converted by SQLite's affinity rules.
    private static func literal(_ text: String, type: ScalarType) -> Literal? {
        switch type {
        case .int, .milliseconds:
            Literal(text, type: type) ?? Double(text).flatMap { Int64(exactly: $0) }.map(Literal.integer)
        case .bool: ["0": .integer(0), "1": .integer(1), "false": .integer(0), "true": .integer(1)][text.lowercased()]
        case .data: .blob(Array(text.utf8))
        case .color, .date: nil
        case .double, .seconds, .float, .string, .decimal, .url, .uuid: Literal(text, type: type)
        }
    }
}
