/// Names and texts as every dialect of SQL writes them.
package enum SQL {
    /// `identifier` as SQLite reads it back whatever it holds: `"a""b"` for `a"b`.
    package static func quoted(_ identifier: String) -> String {
        "\"" + escaped(identifier, 0x22) + "\""
    }

    /// The identifiers quoted and separated by commas.
    package static func list(_ identifiers: [String]) -> String {
        identifiers.map(quoted).joined(separator: ", ")
    }

    /// `text` as a string literal: `'it''s'`.
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
