/// Parses JSON as RFC 8259 defines it. Any other text is an error at the position of its first problem.
package struct JSONParser {
    /// The maximum depth of nested arrays and objects. Deeper nesting is refused, as RFC 8259, section 9, allows.
    package static let maximumDepth = 200

    private let bytes: [UInt8]
    private var index = 0

    /// Parses the JSON text in `bytes`.
    ///
    /// - Throws: `JSONError` with the first problem.
    package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
        var parser = JSONParser(bytes: bytes)
        return try parser.parseDocument()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func parseDocument() throws(JSONError) -> JSON {
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { throw error(.byteOrderMark) }
        if let offset = invalidUTF8Offset() { throw JSONError(.notUTF8, at: offset) }
        skipSpace()
        if index == bytes.count { throw error(.emptyFile) }
        let value = try parseValue(depth: 0)
        skipSpace()
        if index < bytes.count { throw error(.contentAfterEnd) }
        return value
    }

    private func invalidUTF8Offset() -> Int? {
        // Nearly all files are ASCII, which needs no decoding.
        if bytes.withUnsafeBufferPointer({ bytes in
            for byte in bytes where byte >= 0x80 { return false }
            return true
        }) {
            return nil
        }
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSON {
        let start = index
        let value = try parseContent(depth: depth)
        return JSON(value: value, offset: start, end: index)
    }

    private mutating func parseContent(depth: Int) throws(JSONError) -> JSON.Value {
        guard index < bytes.count else { throw error(.unexpectedEnd) }
        if depth > Self.maximumDepth { throw error(.nestedTooDeep(Self.maximumDepth)) }
        switch bytes[index] {
        case 0x7b: return .object(try parseObject(depth: depth))
        case 0x5b: return .array(try parseArray(depth: depth))
        case 0x22: return .string(try parseString())
        case 0x74:
            try parseWord("true")
            return .bool(true)
        case 0x66:
            try parseWord("false")
            return .bool(false)
        case 0x6e:
            try parseWord("null")
            return .null
        case 0x2d, 0x30...0x39: return .number(try parseNumber())
        default: throw error(.unexpectedCharacter(character(), expected: "a value"))
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONError) -> [JSON.Member] {
        index += 1
        var members: [JSON.Member] = []
        var keys: Set<String> = []
        skipSpace()
        if try consume(0x7d) { return members }
        while true {
            skipSpace()
            let keyOffset = index
            guard index < bytes.count else { throw error(.unexpectedEnd) }
            guard bytes[index] == 0x22 else {
                throw error(.unexpectedCharacter(character(), expected: "a key in double quotes"))
            }
            let key = try parseString()
            if !keys.insert(key).inserted { throw JSONError(.duplicateKey(key), at: keyOffset) }
            skipSpace()
            guard try consume(0x3a) else { throw error(.unexpectedCharacter(character(), expected: "`:`")) }
            skipSpace()
            let value = try parseValue(depth: depth + 1)
            members.append(JSON.Member(key: key, keyOffset: keyOffset, value: value))
            skipSpace()
            if try consume(0x7d) { return members }
            guard try consume(0x2c) else { throw error(.unexpectedCharacter(character(), expected: "`,` or `}`")) }
        }
    }

    private mutating func parseArray(depth: Int) throws(JSONError) -> [JSON] {
        index += 1
        var elements: [JSON] = []
        skipSpace()
        if try consume(0x5d) { return elements }
        while true {
            skipSpace()
            elements.append(try parseValue(depth: depth + 1))
            skipSpace()
            if try consume(0x5d) { return elements }
            guard try consume(0x2c) else { throw error(.unexpectedCharacter(character(), expected: "`,` or `]`")) }
        }
    }

    private mutating func parseString() throws(JSONError) -> String {
        let start = index
        index += 1
        var text: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case 0x22:
                index += 1
                return String(decoding: text, as: UTF8.self)
            case 0x5c:
                try parseEscape(into: &text)
            case 0..<0x20:
                throw error(.controlCharacterInString)
            default:
                text.append(byte)
                index += 1
            }
        }
        throw JSONError(.unterminatedString, at: start)
    }

    private mutating func parseEscape(into text: inout [UInt8]) throws(JSONError) {
        let start = index
        guard index + 1 < bytes.count else { throw error(.unexpectedEnd) }
        index += 2
        switch bytes[index - 1] {
        case 0x22: text.append(0x22)
        case 0x5c: text.append(0x5c)
        case 0x2f: text.append(0x2f)
        case 0x62: text.append(0x08)
        case 0x66: text.append(0x0c)
        case 0x6e: text.append(0x0a)
        case 0x72: text.append(0x0d)
        case 0x74: text.append(0x09)
        case 0x75:
            var code = try parseHexadecimal(from: start)
            if code >= 0xdc00 && code <= 0xdfff { throw JSONError(.loneSurrogate, at: start) }
            if code >= 0xd800 && code <= 0xdbff {
                guard index + 1 < bytes.count, bytes[index] == 0x5c, bytes[index + 1] == 0x75 else {
                    throw JSONError(.loneSurrogate, at: start)
                }
                index += 2
                let low = try parseHexadecimal(from: start)
                guard low >= 0xdc00 && low <= 0xdfff else { throw JSONError(.loneSurrogate, at: start) }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw JSONError(.loneSurrogate, at: start) }
            text.append(contentsOf: String(scalar).utf8)
        default:
            throw JSONError(.unknownEscape, at: start)
        }
    }

    private mutating func parseHexadecimal(from start: Int) throws(JSONError) -> UInt32 {
        guard index + 4 <= bytes.count else { throw JSONError(.unknownEscape, at: start) }
        var code: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch bytes[index] {
            case 0x30...0x39: digit = bytes[index] - 0x30
            case 0x41...0x46: digit = bytes[index] - 0x41 + 10
            case 0x61...0x66: digit = bytes[index] - 0x61 + 10
            default: throw JSONError(.unknownEscape, at: start)
            }
            code = code << 4 | UInt32(digit)
            index += 1
        }
        return code
    }

    private mutating func parseNumber() throws(JSONError) -> String {
        let start = index
        if bytes[index] == 0x2d { index += 1 }
        let whole = skipDigits()
        let isPadded = whole > 1 && bytes[index - whole] == 0x30
        var isWellFormed = whole > 0 && !isPadded
        if index < bytes.count, bytes[index] == 0x2e {
            index += 1
            isWellFormed = skipDigits() > 0 && isWellFormed
        }
        if index < bytes.count, bytes[index] == 0x65 || bytes[index] == 0x45 {
            index += 1
            if index < bytes.count, bytes[index] == 0x2b || bytes[index] == 0x2d { index += 1 }
            isWellFormed = skipDigits() > 0 && isWellFormed
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if !isWellFormed { throw JSONError(.malformedNumber(text), at: start) }
        return text
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while index < bytes.count, bytes[index] >= 0x30, bytes[index] <= 0x39 { index += 1 }
        return index - start
    }

    private mutating func parseWord(_ word: String) throws(JSONError) {
        for byte in word.utf8 {
            guard index < bytes.count else { throw error(.unexpectedEnd) }
            guard bytes[index] == byte else {
                throw error(.unexpectedCharacter(character(), expected: "`\(word)`"))
            }
            index += 1
        }
    }

    private mutating func consume(_ byte: UInt8) throws(JSONError) -> Bool {
        guard index < bytes.count else { throw error(.unexpectedEnd) }
        guard bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0a, 0x0d, 0x09: index += 1
            default: return
            }
        }
    }

    private func character() -> String {
        String(decoding: bytes[index...].prefix(4), as: UTF8.self).first.map(String.init) ?? ""
    }

    private func error(_ problem: JSONProblem) -> JSONError {
        JSONError(problem, at: index)
    }
}
