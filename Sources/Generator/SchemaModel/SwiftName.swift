/// The names in Swift of the elements of descriptions.
package enum SwiftName {
    /// The words that are written in uppercase.
    private static let acronyms: Set<String> = ["id", "url", "uuid", "json", "html", "sql"]

    /// Returns the name of a Swift property: `storeID` for `store_id`. A name in camelCase stays unchanged.
    package static func member(_ name: String) -> String {
        let words = words(of: name)
        if words == [name], startsSmall(name) { return name }
        guard words.count > 1 else { return valid(words.first.map(lowercasedStart) ?? "") }
        let rest = words.dropFirst().map(capitalized)
        return valid(lowercasedStart(words[0]) + rest.joined())
    }

    /// Returns the name of a Swift type: `LaundryItem` for `laundry_item`.
    package static func type(_ name: String) -> String {
        valid(words(of: name).map(capitalized).joined())
    }

    /// Returns the name in camelCase as Lucid writes it in JSON: `storeId` for `store_id`.
    package static func camelCase(_ name: String) -> String {
        var result = ""
        for word in name.split(separator: "_") {
            var isInside = false
            for character in word {
                // A letter after a digit is a capital, too.
                result += isInside ? character.lowercased() : character.uppercased()
                isInside = character.isLetter
            }
        }
        // `a_b_cd` is `abCd`.
        let start = result.prefix { String($0) == $0.uppercased() }
        let small = start.count > 1 && start.count < result.count ? start.dropLast() : start
        return small.lowercased() + result.dropFirst(small.count)
    }

    /// Returns the name as an identifier, in backticks if it is a keyword.
    package static func escaped(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    /// Returns the name as an argument label in a call, in backticks if necessary. All keywords except `inout` can be
    /// labels.
    package static func label(_ name: String) -> String {
        name == "inout" ? "`inout`" : name
    }

    /// Returns the words of a name: its runs of letters and digits.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var bytes: [UInt8] = []
        var isASCII = true
        for byte in name.utf8 {
            if isLetterOrDigit(byte) {
                bytes.append(byte)
            } else if !bytes.isEmpty {
                words.append(String(decoding: bytes, as: UTF8.self))
                bytes = []
            }
            if byte >= 0x80 { isASCII = false }
        }
        if !bytes.isEmpty { words.append(String(decoding: bytes, as: UTF8.self)) }
        if isASCII { return words }
        words = []
        var word = ""
        for character in name {
            if character.isLetter || character.isNumber {
                word.append(character)
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// Returns whether the byte is an ASCII letter or an ASCII digit.
    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte >= 0x61 && byte <= 0x7a || byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5a
    }

    private static func startsSmall(_ word: String) -> Bool {
        word.utf8.first.map { (0x61...0x7a).contains($0) } ?? false
    }

    private static func capitalized(_ word: String) -> String {
        if acronyms.contains(word) { return word.uppercased() }
        return word.prefix(1).uppercased() + word.dropFirst()
    }

    private static func lowercasedStart(_ word: String) -> String {
        if startsSmall(word) { return word }
        if word.allSatisfy({ $0.isUppercase || $0.isNumber }) { return word.lowercased() }
        return word.prefix(1).lowercased() + word.dropFirst()
    }

    /// Returns whether an identifier of Swift can contain a scalar (The Swift Programming Language, Lexical Structure,
    /// "Identifiers").
    package static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "_" || isLetterOrDigit(UInt8(scalar.value)) }
        switch scalar.value {
        case 0xa8, 0xaa, 0xaf, 0xb2...0xb5, 0xb7...0xba, 0xbc...0xbe, 0xc0...0xd6, 0xd8...0xf6, 0xf8...0x167f,
            0x1681...0x180d, 0x180f...0x1fff, 0x203f...0x2040, 0x2054, 0x2070...0x218f, 0x2460...0x24ff,
            0x2776...0x2793,
            0x2c00...0x2dff, 0x2e80...0x2fff, 0x3004...0x3007, 0x3021...0x302f, 0x3031...0xd7ff, 0xf900...0xfd3d,
            0xfd40...0xfdcf, 0xfdf0...0xfe44, 0xfe47...0xfffd:
            return true
        case 0x10000...0xeffff: return scalar.value & 0xffff < 0xfffe
        default: return false
        }
    }

    private static func valid(_ name: String) -> String {
        guard let first = name.first else { return "" }
        return first.isNumber ? "_" + name : name
    }

    /// The words that need backticks to be names (The Swift Programming Language, Lexical Structure, "Keywords and
    /// Punctuation").
    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
        "internal", "let", "open", "operator", "precedencegroup", "private", "protocol", "public", "rethrows", "static",
        "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do",
        "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return", "switch", "throw", "where", "while",
        "Any", "as", "await", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "Type",
        "Protocol",
    ]
}
