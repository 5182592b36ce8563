import SQLSchema

/// The SQL of an index, or of another object that the app created.
struct UserIndex {
    private let sql: String
    private let tokens: [SQLToken]

    init(_ sql: String) {
        self.sql = sql
        tokens = SQLToken.tokens(of: sql)
    }

    /// The lowercased words and names.
    var words: Set<String> { Set(tokens.compactMap { $0.name?.lowercased() }) }

    /// Whether the index has an expression or a condition.
    var isComputed: Bool { tokens.contains { $0.isWord("WHERE") } || tokens.count { $0.isWord("(") } > 1 }

    /// Returns the statement with new names for the index, the table and columns.
    func renamed(_ name: String, table: String, columns: [String: String]) -> String {
        // CREATE [UNIQUE] INDEX [IF NOT EXISTS] [schema.]name ON table (…)
        guard let on = tokens.firstIndex(where: { $0.isWord("ON") }),
            let target = tokens[(on + 1)...].firstIndex(where: { $0.name != nil })
        else { return sql }
        let unique = tokens[..<on].contains { $0.isWord("UNIQUE") } ? "UNIQUE " : ""
        let renames = Dictionary(columns.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { one, _ in one })
        let rest = tokens[(target + 1)...].map { token in
            token.name.flatMap { renames[$0.lowercased()] }.map(SQL.quoted) ?? token.text
        }
        return "CREATE \(unique)INDEX \(SQL.quoted(name)) ON \(SQL.quoted(table))\(rest.joined())"
    }
}
