/// SQL text, written in one way everywhere: identifiers quoted, literals escaped.
public enum SQL {
    /// `identifier` as SQLite reads it back whatever it holds: `"a""b"` for `a"b`.
    public static func quoted(_ identifier: String) -> String {
        "\"" + escaped(identifier, 0x22) + "\""
    }

    /// The identifiers quoted and separated by commas.
    public static func list(_ identifiers: [String]) -> String {
        identifiers.map(quoted).joined(separator: ", ")
    }

    /// `text` as a string literal: `'it''s'`.
    public static func literal(_ text: String) -> String {
        "'" + escaped(text, 0x27) + "'"
    }

    /// `bytes` as a blob literal: `X'00FF'`.
    public static func literal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return "X'" + String(decoding: text, as: UTF8.self) + "'"
    }

    private static func escaped(_ text: String, _ quote: UInt8) -> String {
        guard text.utf8.contains(quote) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            bytes.append(byte)
            if byte == quote { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The identifier that `text` begins with in quotes, unescaped; nil where it begins with anything else.
    package static func leadingIdentifier(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.first == 0x22 else { return nil }
        var name: [UInt8] = []
        var index = 1
        while index < bytes.count {
            if bytes[index] == 0x22 {
                guard index + 1 < bytes.count, bytes[index + 1] == 0x22 else {
                    return String(decoding: name, as: UTF8.self)
                }
                index += 1
            }
            name.append(bytes[index])
            index += 1
        }
        return nil
    }
}
