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

    /// Returns the condition that at least one of some conditions is true. SQLite allows expressions with at most 1000 levels
    /// (https://sqlite.org/limits.html#max_expr_depth), and each OR is one.
    package static func any(_ conditions: [String]) -> String {
        let most = 100
        if conditions.count <= most { return conditions.joined(separator: " OR ") }
        return stride(from: 0, to: conditions.count, by: most).map { start in
            "(\(any(Array(conditions[start..<min(start + most, conditions.count)]))))"
        }.joined(separator: " OR ")
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
