import SQLSchema

/// The text of statements that SQLite keeps of a real database.
package enum SQLText {
    /// The parts of a `CREATE TABLE` statement between its outermost parentheses, which commas separate.
    ///
    /// - Parameter isNamed: Whether they have the names of their constraints.
    package static func elements(of statement: String, named isNamed: Bool = true) -> [String] {
        var elements: [[SQLToken]] = [[]]
        var depth = 0
        var last: SQLToken?
        for token in SQLToken.tokens(of: statement) {
            if token.isWord(")") { depth -= 1 }
            let isName = token.name != nil && last?.isWord("CONSTRAINT") == true
            if depth == 1, token.isWord(",") {
                elements.append([])
            } else if depth > 0, isNamed || !isName {
                elements[elements.count - 1].append(token)
            }
            if token.isWord("(") { depth += 1 }
            if token.isCode { last = token }
        }
        return elements.map { tokens in
            let end = tokens.lastIndex { $0.kind != .space }.map { $0 + 1 } ?? 0
            return tokens[..<end].drop { $0.kind == .space }.map(\.text).joined()
        }
    }

    /// The condition of a `CREATE INDEX` statement, which follows the list of columns; nil if there is none.
    package static func condition(ofIndex statement: String) -> String? {
        let tokens = SQLToken.tokens(of: statement)
        var depth = 0
        let end = tokens.firstIndex { token in
            depth += token.isWord("(") ? 1 : token.isWord(")") ? -1 : 0
            return depth == 0 && token.isWord(")")
        }
        guard let end, let word = tokens[(end + 1)...].firstIndex(where: \.isCode), tokens[word].isWord("WHERE") else {
            return nil
        }
        return tokens[(word + 1)...].drop { !$0.isCode }.map(\.text).joined()
    }
}
