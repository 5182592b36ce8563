/// A token of the text of a schema.
enum SchemaTextToken: Equatable {
    /// A reserved word, or a name without quotes.
    case word(String)
    /// A name in double quotes.
    case name(String)
    /// A text in single quotes.
    case text(String)
    case number(String)
    /// `(`, `)`, `,`, `?`, `=`, `+`, `-`, `->` or `<-`.
    case symbol(String)
    case lineEnd
}

extension SchemaTextToken {
    /// Returns the tokens of a text, each with its line.
    static func tokens(
        of text: String
    ) throws(SchemaTextError) -> [(token: SchemaTextToken, line: Int)] {
        var tokens: [(token: SchemaTextToken, line: Int)] = []
        let bytes = Array(text.utf8)
        var index = 0
        var line = 1
        func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        while index < bytes.count {
            let start = index
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            index += 1
            switch byte {
            case 0x0a:
                if let last = tokens.last?.token, last != .lineEnd { tokens.append((.lineEnd, line)) }
                line += 1
            case 0x20: break
            case 0x22, 0x27:
                while index < bytes.count, bytes[index] != byte { index += bytes[index] == 0x5c ? 2 : 1 }
                guard index < bytes.count else {
                    throw SchemaTextError(line: line, message: "the closing quote is missing")
                }
                let text = try Self.unescaped(bytes[(start + 1)..<index], line)
                tokens.append((byte == 0x22 ? .name(text) : .text(text), line))
                index += 1
            case 0x2d where next == 0x3e, 0x3c where next == 0x2d:
                index += 1
                tokens.append((.symbol(string(start..<index)), line))
            case _ where byte.isDigit || byte == 0x2d && next.isDigit:
                while index < bytes.count,
                    bytes[index].isWord || bytes[index] == 0x2e
                        || [0x2b, 0x2d].contains(bytes[index]) && bytes[index - 1] | 0x20 == 0x65
                { index += 1 }
                tokens.append((.number(string(start..<index)), line))
            case _ where byte.isWord:
                while index < bytes.count, bytes[index].isWord { index += 1 }
                tokens.append((.word(string(start..<index)), line))
            default: tokens.append((.symbol(string(start..<index)), line))
            }
        }
        if let last = tokens.last?.token, last != .lineEnd { tokens.append((.lineEnd, line)) }
        return tokens
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>, _ line: Int) throws(SchemaTextError) -> String {
        guard bytes.contains(0x5c) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == 0x5c else {
                result.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { break }
            guard escaped == 0x75 else {
                result.append(escaped)
                continue
            }
            let digits = String(decoding: rest.prefix { $0 != 0x7d }.dropFirst(), as: UTF8.self)
            guard let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else {
                throw SchemaTextError(line: line, message: "\\u{\(digits)} is not a character")
            }
            result += Array(String(scalar).utf8)
            rest = rest.dropFirst(digits.utf8.count + 2)
        }
        return String(decoding: result, as: UTF8.self)
    }
}
