/// A token of Swift source.
struct SwiftToken: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case word, number, symbol
        /// A string literal, with its value; nil if it contains an interpolation or an escape for a scalar.
        case string(String?)
    }

    var kind: Kind
    /// The text in the source. A symbol is a single character.
    var text: String
    /// The line, starting at 1.
    var line: Int
    /// Whether a space, a comment or a line end comes before the token.
    var isSpaced: Bool
}

/// Splits Swift source into tokens. Comments are skipped.
struct SwiftLexer {
    private let bytes: [UInt8]
    private let path: String
    private var index = 0
    private var line = 1
    private var isSpaced = true

    static func tokens(of text: String, path: String) throws -> [SwiftToken] {
        var lexer = SwiftLexer(bytes: Array((text.first == "\u{feff}" ? text.dropFirst() : text[...]).utf8), path: path)
        return try lexer.tokens()
    }

    private init(bytes: [UInt8], path: String) { (self.bytes, self.path) = (bytes, path) }

    private func byte(_ offset: Int = 0) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    private func matches(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { wanted in
            index + wanted.count <= bytes.count && wanted.enumerated().allSatisfy { bytes[index + $0] == $1 }
        }
    }

    /// Whether the next two bytes are U+00A0, which is a space for the compiler too.
    private var isNoBreakSpace: Bool { byte() == 0xc2 && byte(1) == 0xa0 }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
            || (0x61...0x7a).contains(byte)
    }

    private mutating func tokens() throws -> [SwiftToken] {
        var tokens: [SwiftToken] = []
        func text(from start: Int) -> String { String(decoding: bytes[start..<index], as: UTF8.self) }
        while let next = byte() {
            let (start, first) = (index, line)
            let kind: SwiftToken.Kind
            if [0x0a, 0x20, 0x09, 0x0d, 0x0b, 0x0c, 0x00].contains(next) || isNoBreakSpace {
                if next == 0x0a || next == 0x0d && byte(1) != 0x0a { line += 1 }
                index += isNoBreakSpace ? 2 : 1
                isSpaced = true
                continue
            } else if matches("//") {
                index = bytes[index...].firstIndex { $0 == 0x0a || $0 == 0x0d } ?? bytes.count
                isSpaced = true
                continue
            } else if matches("/*") {
                try skipComment()
                continue
            } else if next == UInt8(ascii: "\"") || next == UInt8(ascii: "#") && isRawString {
                kind = .string(try string())
            } else if next == UInt8(ascii: "`") {
                index = bytes[(index + 1)...].firstIndex(of: next).map { $0 + 1 } ?? bytes.count
                kind = .word
            } else if (0x30...0x39).contains(next) {
                let isHexadecimal = matches("0x")
                while let next = byte(),
                    Self.isWord(next) || next == UInt8(ascii: ".") && (0x30...0x39).contains(byte(1) ?? 0)
                {
                    index += 1
                    // `1e-3`
                    if !isHexadecimal, next | 0x20 == UInt8(ascii: "e"), [0x2b, 0x2d].contains(byte() ?? 0) {
                        index += 1
                    }
                }
                kind = .number
            } else if Self.isWord(next) {
                while let next = byte(), Self.isWord(next), !isNoBreakSpace { index += 1 }
                kind = .word
            } else {
                index += 1
                kind = .symbol
            }
            let written = text(from: start)
            let name = written.hasPrefix("`") ? String(written.dropFirst().dropLast()) : written
            tokens.append(SwiftToken(kind: kind, text: name, line: first, isSpaced: isSpaced))
            isSpaced = false
        }
        return tokens
    }

    private mutating func skipComment() throws {
        let first = line
        var depth = 0
        repeat {
            if matches("/*") {
                (depth, index) = (depth + 1, index + 2)
            } else if matches("*/") {
                (depth, index) = (depth - 1, index + 2)
            } else {
                guard let next = byte() else { throw ImportError("this comment does not end", path: path, line: first) }
                if next == 0x0a { line += 1 }
                index += 1
            }
        } while depth > 0
        isSpaced = true
    }

    /// Whether a string literal begins here with `#`.
    private var isRawString: Bool {
        bytes[index...].first { $0 != UInt8(ascii: "#") } == UInt8(ascii: "\"")
    }

    /// Reads a string literal, and returns its value; nil if it is not simple.
    private mutating func string() throws -> String? {
        let first = line
        var hashes = 0
        while byte() == UInt8(ascii: "#") { (hashes, index) = (hashes + 1, index + 1) }
        let isLong = matches("\"\"\"")
        let quotes = isLong ? 3 : 1
        index += quotes
        func ends() -> Bool {
            index + quotes + hashes <= bytes.count
                && (0..<quotes).allSatisfy { byte($0) == UInt8(ascii: "\"") }
                && (0..<hashes).allSatisfy { byte(quotes + $0) == UInt8(ascii: "#") }
        }
        func escapes() -> Bool {
            byte() == UInt8(ascii: "\\") && (0..<hashes).allSatisfy { byte(1 + $0) == UInt8(ascii: "#") }
        }
        var value: [UInt8]? = isLong ? nil : []
        while !ends() {
            guard let next = byte(), isLong || next != 0x0a else {
                throw ImportError("this string does not end", path: path, line: first)
            }
            if next == 0x0a { line += 1 }
            guard escapes() else {
                value?.append(next)
                index += 1
                continue
            }
            index += 1 + hashes
            switch byte() {
            case UInt8(ascii: "n"): value?.append(0x0a)
            case UInt8(ascii: "t"): value?.append(0x09)
            case UInt8(ascii: "\""): value?.append(UInt8(ascii: "\""))
            case UInt8(ascii: "\\"): value?.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "("):
                value = nil
                try skipInterpolation(first)
                continue
            default: value = nil
            }
            if byte() != 0x0a { index += 1 }
        }
        index += quotes + hashes
        return value.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Skips the parentheses of an interpolation, which may contain strings.
    private mutating func skipInterpolation(_ first: Int) throws {
        var depth = 0
        repeat {
            guard let next = byte() else { throw ImportError("this string does not end", path: path, line: first) }
            switch next {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "\""):
                _ = try string()
                continue
            case 0x0a: line += 1
            default: break
            }
            index += 1
        } while depth > 0
    }
}
