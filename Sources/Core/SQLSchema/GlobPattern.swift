/// A pattern of SQLite's `GLOB` operator (https://sqlite.org/lang_expr.html#the_like_glob_regexp_match_and_extract_operators).
package struct GlobPattern: Hashable, Sendable {
    private enum Part: Hashable {
        /// `*`: any text.
        case any
        /// `?`: one character.
        case one
        case scalar(Unicode.Scalar)
        /// `[a-z]`: one of these characters; `[^a-z]`: one of the others.
        case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .any, .one: true
            case .scalar(let own): own == scalar
            case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
            }
        }
    }

    private let parts: [Part]

    /// Parses a pattern; nil if a bracket is not closed, because such a pattern matches no text.
    package init?(_ text: String) {
        var parts: [Part] = []
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*": if parts.last != .any { parts.append(.any) }
            case "?": parts.append(.one)
            case "[":
                let isNegated = rest.first == "^"
                if isNegated { rest.removeFirst() }
                var ranges: [ClosedRange<Unicode.Scalar>] = []
                var isFirst = true
                while let next = rest.first, isFirst || next != "]" {
                    rest.removeFirst()
                    // A bracket directly after the opening one is a character, and begins no range.
                    let beginsRange = !(isFirst && next == "]")
                    isFirst = false
                    ranges.append(next...next)
                    if beginsRange, rest.first == "-", let last = rest.dropFirst().first, last != "]" {
                        rest.removeFirst(2)
                        if next <= last { ranges.append(next...last) }
                    }
                }
                guard rest.popFirst() == "]" else { return nil }
                parts.append(.set(ranges, isNegated: isNegated))
            default: parts.append(.scalar(scalar))
            }
        }
        self.parts = parts
    }

    /// The length of the shortest text that the pattern matches, in Unicode scalars, and `Int.max` if it matches texts of
    /// every greater length.
    package var lengths: [Int] {
        let least = parts.count { $0 != .any }
        return parts.contains(.any) ? [least, .max] : [least]
    }

    /// Returns whether the pattern matches a complete text. The text ends before its first NUL.
    package func matches(_ text: String) -> Bool {
        let text = Array(text.unicodeScalars.prefix { $0 != "\0" })
        var (part, index) = (0, 0)
        // The last `*`, and the place in the text after what it matches. Only the last one has to be tried again.
        var star: (part: Int, index: Int)?
        while index < text.count || part < parts.count {
            if part < parts.count, parts[part] == .any {
                star = (part, index)
                part += 1
            } else if part < parts.count, index < text.count, parts[part].contains(text[index]) {
                part += 1
                index += 1
            } else if let (before, end) = star, end < text.count {
                star = (before, end + 1)
                (part, index) = (before + 1, end + 1)
            } else {
                return false
            }
        }
        return true
    }

    /// Returns a text that the pattern matches, and that no other number gives; nil if there are no more such texts, or
    /// if a set has no letter, digit or common symbol.
    ///
    /// - Parameters:
    ///   - number: The number of the text, from 0.
    ///   - length: The length that the text should at least have. Only a `*` can make it longer.
    package func text(_ number: Int, length: Int = 0) -> String? {
        var number = number
        var texts: [String.UnicodeScalarView] = []
        for part in parts {
            switch part {
            case .any: texts.append(.init())
            case .scalar(let scalar): texts.append(.init([scalar]))
            case .one, .set:
                let choices = Self.common.filter(part.contains)
                guard !choices.isEmpty else { return nil }
                texts.append(.init([choices[number % choices.count]]))
                number /= choices.count
            }
        }
        guard let index = parts.firstIndex(of: .any) else { return number == 0 ? String(texts) : nil }
        let digits = number == 0 ? "" : String(number)
        let missing = length - texts.reduce(0) { $0 + $1.count } - digits.count
        texts[index] = (String(repeating: "x", count: max(0, missing)) + digits).unicodeScalars
        return String(texts)
    }

    /// The pattern as an advanced regular expression of PostgreSQL
    /// (https://www.postgresql.org/docs/15/functions-matching.html#POSIX-SYNTAX-DETAILS).
    package var regularExpression: String {
        func escaped(_ scalar: Unicode.Scalar) -> String {
            let isPlain = scalar.properties.isAlphabetic || scalar.value > 127 || ("0"..."9").contains(scalar)
            return isPlain ? String(scalar) : "\\" + String(scalar)
        }
        return parts.reduce(into: "^") { regex, part in
            switch part {
            case .any: regex += ".*"
            case .one: regex += "."
            case .scalar(let scalar): regex += escaped(scalar)
            case .set(let ranges, let isNegated):
                // No character is in an empty set.
                let members = ranges.map { range in
                    range.lowerBound == range.upperBound
                        ? escaped(range.lowerBound) : escaped(range.lowerBound) + "-" + escaped(range.upperBound)
                }
                regex += members.isEmpty ? (isNegated ? "." : "(?!)") : "[\(isNegated ? "^" : "")\(members.joined())]"
            }
        } + "$"
    }

    private static let common = Array(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.,:;/@#é".unicodeScalars)
}

extension String {
    fileprivate init(_ texts: [String.UnicodeScalarView]) {
        self = texts.reduce(into: "") { $0.unicodeScalars.append(contentsOf: $1) }
    }
}
