extension SQL {
    /// A piece of SQL text.
    enum Token {
        /// A name in double quotes, unescaped.
        case name(String)
        /// A string in single quotes, as it is written.
        case string(String)
        /// What stands between names and strings, as it is written.
        case other(String)
    }

    /// The pieces of `sql`, which puts all its names in double quotes.
    static func tokens(_ sql: String) -> [Token] {
        var tokens: [Token] = []
        let bytes = Array(sql.utf8)
        var index = 0
        while index < bytes.count {
            let start = index
            let quote = bytes[index]
            guard quote == 0x22 || quote == 0x27 else {
                while index < bytes.count, bytes[index] != 0x22, bytes[index] != 0x27 { index += 1 }
                tokens.append(.other(String(decoding: bytes[start..<index], as: UTF8.self)))
                continue
            }
            index += 1
            // A quote inside quotes is doubled.
            while index < bytes.count, bytes[index] != quote || (index + 1 < bytes.count && bytes[index + 1] == quote) {
                index += bytes[index] == quote ? 2 : 1
            }
            index = min(index + 1, bytes.count)
            let text = String(decoding: bytes[start..<index], as: UTF8.self)
            tokens.append(quote == 0x22 ? .name(leadingIdentifier(text) ?? text) : .string(text))
        }
        return tokens
    }

    /// The expression `sql` with each column, which stands in double quotes, replaced by its expression in `columns`.
    ///
    /// Gives nil where `columns` does not have one of them. So what one step says over the columns of the version
    /// before it is said over those of an older one.
    public static func substituting(_ columns: [String: String], in sql: String) -> String? {
        if let name = column(sql) { return columns[name] }
        var result = ""
        for token in tokens(sql) {
            switch token {
            case .name(let name):
                guard let value = columns[name] else { return nil }
                result += column(value) == nil ? "(\(value))" : value
            case .string(let text), .other(let text): result += text
            }
        }
        return result
    }

    /// About how much of SQLite's parser stack an expression takes, which has 100 entries in older versions
    /// ("parser stack overflow"): some for each parenthesis that is open, and more for each subquery and CASE.
    static func depth(of sql: String) -> Int {
        var depth = 0
        var greatest = 0
        var open: [Int] = []
        var word: [UInt8] = []
        for byte in words(sql).utf8 + [0x20] {
            if (0x41...0x5a).contains(byte) {
                word.append(byte)
                continue
            }
            switch String(decoding: word, as: UTF8.self) {
            case "SELECT":
                depth += 8
                open.indices.last.map { open[$0] += 8 }
            case "CASE": depth += 4
            case "END": depth -= 4
            default: break
            }
            word = []
            if byte == 0x28 {
                open.append(4)
                depth += 4
            } else if byte == 0x29 {
                depth -= open.popLast() ?? 0
            }
            greatest = max(greatest, depth)
        }
        return greatest
    }

    /// What stands in `sql` besides names and strings.
    package static func words(_ sql: String) -> String {
        tokens(sql).map { if case .other(let text) = $0 { text } else { "" } }.joined()
    }

    /// The name of the column that `expression` is, and nothing else.
    package static func column(_ expression: String) -> String? {
        leadingIdentifier(expression).flatMap { quoted($0) == expression ? $0 : nil }
    }
}

extension Table {
    /// How a column is compared, as it stands in a definition: ` COLLATE NOCASE`, or nothing for the usual way.
    package func collation(of column: String) -> String {
        words(of: column).contains(" COLLATE NOCASE") ? " COLLATE NOCASE" : ""
    }

    /// Whether a column is never NULL.
    package func isMandatory(_ column: String) -> Bool {
        let words = words(of: column)
        return words.contains(" NOT NULL") || words.contains("INTEGER PRIMARY KEY")
    }

    /// The definition of a column, without names and strings.
    private func words(of column: String) -> String {
        SQL.words(elements.first { SQL.leadingIdentifier($0) == column } ?? "")
    }

    /// What the column called `name` has where a row is inserted without it: its default, or `NULL`.
    func defaultValue(of name: String) -> String {
        guard let element = elements.first(where: { SQL.leadingIdentifier($0) == name }) else { return "NULL" }
        var prefix: String?
        for token in SQL.tokens(element) {
            switch token {
            case .string(let text):
                if let prefix { return prefix + text }
            case .other(let text):
                guard prefix == nil, let place = text.firstRange(of: " DEFAULT ") else { continue }
                let value = String(text[place.upperBound...].prefix { $0 != " " })
                // What begins in front of quotes is a string or a blob: `'…'` or `X'…'`.
                if !value.isEmpty && value != "X" { return value }
                prefix = value
            case .name: break
            }
        }
        return "NULL"
    }
}
