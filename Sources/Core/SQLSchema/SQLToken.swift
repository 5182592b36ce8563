/// A token of SQL that others wrote: an app, another library, or the author of a description
/// (https://sqlite.org/lang_keywords.html, https://sqlite.org/lang_comment.html).
package struct SQLToken: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A keyword, or a name without quotes.
        case word
        /// A name in double quotes, backquotes or brackets.
        case name
        /// A text in single quotes.
        case string
        /// Bytes: `X'00FF'`.
        case blob
        case number
        /// A character, or the two characters of an operator.
        case symbol
        case space, comment
    }

    package let kind: Kind
    /// The token as it is written.
    package let text: String
    /// Its bytes in the text.
    package let range: Range<Int>
    /// Whether it has its closing quote, or the end of a comment.
    package let isComplete: Bool

    /// Whether the token has a meaning for SQLite.
    package var isCode: Bool { kind != .space && kind != .comment }

    /// Whether this is a keyword, given in uppercase letters, or a symbol.
    package func isWord(_ word: String) -> Bool {
        kind == .word ? text.uppercased() == word : kind == .symbol && text == word
    }

    /// The name without its quotes; nil unless the token is a word or a name.
    package var name: String? {
        switch kind {
        case .word: text
        case .name: content
        default: nil
        }
    }

    /// The text between the quotes. A closing quote that is written twice is one of its characters.
    package var content: String {
        var bytes = Array((kind == .blob ? text.dropFirst() : text[...]).utf8)
        guard let close = bytes.first.map(Self.close) else { return "" }
        bytes.removeFirst()
        if isComplete { bytes.removeLast() }
        var content: [UInt8] = []
        var isSecond = false
        for byte in bytes {
            isSecond = byte == close && !isSecond
            if !isSecond { content.append(byte) }
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// The bytes of `X'00FF'`; nil for another token, or if they are not hexadecimal.
    package var bytes: [UInt8]? {
        guard kind == .blob, isComplete else { return nil }
        let digits = content.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    /// The quote that ends what `quote` begins.
    private static func close(_ quote: UInt8) -> UInt8 { quote == UInt8(ascii: "[") ? UInt8(ascii: "]") : quote }

    /// Returns the tokens, which together are the complete text.
    package static func tokens(of sql: String) -> [SQLToken] {
        let bytes = Array(sql.utf8)
        var tokens: [SQLToken] = []
        var offset = 0
        while let token = next(in: bytes, at: offset) {
            tokens.append(token)
            offset = token.range.upperBound
        }
        return tokens
    }

    /// Returns the statements, without the semicolons, spaces and comments between them.
    package static func statements(of sql: String) -> [String] {
        var statements: [[SQLToken]] = [[]]
        for token in tokens(of: sql) {
            let code = statements[statements.count - 1].filter(\.isCode)
            // The statements of a trigger are between BEGIN and END. A case also ends with END.
            let isInTrigger =
                code.prefix(3).contains { $0.isWord("TRIGGER") }
                && !(code.last?.isWord("END") == true && code.dropLast().last?.isWord(";") == true)
            if token.isWord(";"), !isInTrigger {
                statements.append([])
            } else if token.isCode || !code.isEmpty {
                statements[statements.count - 1].append(token)
            }
        }
        return statements.compactMap { tokens in
            guard let end = tokens.lastIndex(where: \.isCode) else { return nil }
            return tokens[...end].map(\.text).joined()
        }
    }

    /// Returns the token that begins at `offset`; nil at the end of the text.
    package static func next(in bytes: [UInt8], at offset: Int) -> SQLToken? {
        guard offset < bytes.count else { return nil }
        var end = offset + 1
        var isComplete = true
        func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
        func skip(while condition: (Int) -> Bool) { while end < bytes.count, condition(end) { end += 1 } }
        /// Skips what is in quotes, from its first byte on.
        func skipQuoted(from start: Int) {
            let close = close(bytes[start])
            end = start + 1
            repeat {
                skip { bytes[$0] != close }
                isComplete = end < bytes.count
                end = min(end + 1, bytes.count)
                // A closing quote that is doubled is part of the text.
                guard close != UInt8(ascii: "]"), byte(end) == close else { break }
                end += 1
            } while true
        }
        let kind: Kind
        switch (bytes[offset], byte(offset + 1)) {
        case (let first, _) where first.isSpace:
            kind = .space
            skip { bytes[$0].isSpace }
        case (UInt8(ascii: "'"), _):
            kind = .string
            skipQuoted(from: offset)
        case (UInt8(ascii: "\""), _), (UInt8(ascii: "`"), _), (UInt8(ascii: "["), _):
            kind = .name
            skipQuoted(from: offset)
        case (UInt8(ascii: "x"), UInt8(ascii: "'")), (UInt8(ascii: "X"), UInt8(ascii: "'")):
            kind = .blob
            skipQuoted(from: offset + 1)
        case (UInt8(ascii: "-"), UInt8(ascii: "-")):
            kind = .comment
            skip { bytes[$0] != UInt8(ascii: "\n") }
        case (UInt8(ascii: "/"), UInt8(ascii: "*")):
            kind = .comment
            end += 1
            skip { bytes[$0] != UInt8(ascii: "*") || byte($0 + 1) != UInt8(ascii: "/") }
            isComplete = end < bytes.count
            end = min(end + 2, bytes.count)
        case (let first, _) where first.isDigit:
            kind = .number
            skip { bytes[$0].continuesNumber(after: bytes[$0 - 1]) }
        case (let first, _) where first.isWord || first >= 0x80:
            kind = .word
            skip { bytes[$0].isWord || bytes[$0] >= 0x80 || bytes[$0] == UInt8(ascii: "$") }
        case (UInt8(ascii: "<"), UInt8(ascii: "=")), (UInt8(ascii: ">"), UInt8(ascii: "=")),
            (UInt8(ascii: "<"), UInt8(ascii: ">")), (UInt8(ascii: "!"), UInt8(ascii: "=")),
            (UInt8(ascii: "="), UInt8(ascii: "=")), (UInt8(ascii: "|"), UInt8(ascii: "|")):
            kind = .symbol
            end += 1
        default: kind = .symbol
        }
        let text = String(decoding: bytes[offset..<end], as: UTF8.self)
        return SQLToken(kind: kind, text: text, range: offset..<end, isComplete: isComplete)
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }

    /// Whether the byte continues a number: a digit, a point, the mark of an exponent, or the exponent's sign.
    fileprivate func continuesNumber(after previous: UInt8) -> Bool {
        if isDigit || [0x2e, 0x65, 0x45].contains(self) { return true }
        return (self == 0x2b || self == 0x2d) && (previous == 0x65 || previous == 0x45)
    }
}
