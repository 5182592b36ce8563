/// The quoting of names and texts in standard SQL.
package enum SQL {
    /// Returns `identifier` in double quotes. Each double quote inside it is doubled: `"a""b"` for `a"b`.
    package static func quoted(_ identifier: String) -> String {
        "\"" + escaped(identifier, 0x22) + "\""
    }

    /// Returns the quoted identifiers, separated by commas.
    package static func list(_ identifiers: [String]) -> String {
        identifiers.map(quoted).joined(separator: ", ")
    }

    /// Returns `text` as a string literal: `'it''s'`.
    package static func literal(_ text: String) -> String {
        "'" + escaped(text, 0x27) + "'"
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
}
