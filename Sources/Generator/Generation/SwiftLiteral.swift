import SchemaModel
import SQLSchema

/// Swift literals.
enum SwiftLiteral {
    /// Returns a string literal. It is a raw literal if `text` contains quotes or backslashes, but no control
    /// characters.
    static func string(_ text: String) -> String {
        var (isPlain, hasQuotes) = (true, false)
        for scalar in text.unicodeScalars {
            if !Self.isPlain(scalar) { isPlain = false }
            if scalar == "\"" || scalar == "\\" { hasQuotes = true }
        }
        guard isPlain else { return escaped(text) }
        guard hasQuotes else { return "\"\(text)\"" }
        let hashes = hashes(around: [text])
        return "\(hashes)\"\(text)\"\(hashes)"
    }

    /// Returns the number signs that make a raw literal of texts: one more than follow a quote or a backslash in them.
    ///
    /// The compiler reads bytes, for which a sign with a combining mark is a sign too.
    static func hashes(around texts: [String]) -> String {
        var most = 0
        for text in texts {
            var count: Int?
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): count = 0
                case UInt8(ascii: "#"): count = count.map { $0 + 1 }
                default: count = nil
                }
                most = max(most, count ?? 0)
            }
        }
        return String(repeating: "#", count: most + 1)
    }

    /// Returns an array literal of strings, on one line.
    static func strings(_ texts: [String]) -> String {
        "[" + texts.map(string).joined(separator: ", ") + "]"
    }

    /// Returns the literal of a value that is stored, for the type `SQLiteValue`.
    static func sqliteValue(_ value: Literal) -> String {
        switch value {
        case .integer(let value): ".integer(\(value))"
        case .real(let value): ".real(\(value))"
        case .text(let text): ".text(\(string(text)))"
        case .blob(let bytes): ".blob(Foundation.Data(\(bytes)))"
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            default:
                result += isPlain(scalar) ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return result + "\""
    }

    /// Returns whether the scalar can be in a literal without an escape. Controls, line separators and invisible characters
    /// cannot.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar.value >= 0x20 && scalar.value != 0x7f : !scalar.isInvisible
    }

    /// Returns the literal of a default value or backfill value.
    ///
    /// - Parameter foundation: The module `Foundation` with a dot, if its types need it.
    static func value(_ literal: Literal, type: ScalarType, _ foundation: String) -> String {
        switch (type, literal) {
        case (.bool, .integer(let value)): return value == 1 ? "true" : "false"
        case (_, .integer(let value)): return String(value)
        case (.date, .real(let value)): return "\(foundation)Date(timeIntervalSinceReferenceDate: \(value))"
        case (_, .real(let value)): return String(value)
        // The forced unwrapping cannot fail: reading the description has already parsed these texts in the same way.
        case (.url, .text(let value)): return "\(foundation)URL(string: \(string(value)))!"
        case (.decimal, .text(let value)): return "\(foundation)Decimal(string: \(string(value)))!"
        case (_, .text(let value)): return string(value)
        case (.uuid, .blob(let bytes)): return "\(foundation)UUID(uuid: (\(list(bytes))))"
        case (_, .blob(let bytes)): return "\(foundation)Data([\(list(bytes))])"
        }
    }

    private static func list(_ bytes: [UInt8]) -> String {
        bytes.map { "0x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ", ")
    }
}
