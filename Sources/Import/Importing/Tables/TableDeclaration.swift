import SQLSchema

/// The parts of a `CREATE TABLE` statement that no pragma reports.
struct TableDeclaration {
    /// A CHECK constraint.
    struct Check: Hashable {
        /// The name; nil if the constraint has none.
        var name: String?
        /// The condition, without the enclosing parentheses.
        var condition: String
    }

    /// The CHECK constraints.
    private(set) var checks: [Check] = []
    /// The expressions of the generated columns, in the order of the columns.
    private(set) var generated: [String] = []
    /// Whether the primary key of a deleted row is never reused.
    private(set) var isAutoincrement = false

    /// The actions of the constraints on a row that breaks them, other than to refuse it: `REPLACE`, `IGNORE`.
    private(set) var conflictClauses: [String] = []

    /// Parses the statement.
    init(_ sql: String) {
        var depth = 0
        var last: SQLToken?
        var isConflict = false
        var open: (start: Int, depth: Int, isCheck: Bool)?
        var constraint: String?
        let bytes = Array(sql.utf8)
        for token in SQLToken.tokens(of: sql) where token.isCode {
            defer { last = token }
            if isConflict, !token.isWord("ABORT"), !conflictClauses.contains(token.text.uppercased()) {
                conflictClauses.append(token.text.uppercased())
            }
            isConflict = token.isWord("CONFLICT") && last?.isWord("ON") == true
            if let name = token.name {
                if last?.isWord("CONSTRAINT") == true { constraint = name }
                if token.isWord("AUTOINCREMENT") { isAutoincrement = true }
            } else if token.isWord("(") {
                depth += 1
                guard open == nil, let last, last.isWord("CHECK") || last.isWord("AS") else { continue }
                open = (token.range.upperBound, depth, last.isWord("CHECK"))
            } else if token.isWord(")") {
                defer { depth -= 1 }
                guard let found = open, found.depth == depth else { continue }
                open = nil
                let expression = String(decoding: bytes[found.start..<token.range.lowerBound], as: UTF8.self)
                if found.isCheck {
                    checks.append(Check(name: constraint, condition: expression))
                    constraint = nil
                } else {
                    generated.append(expression)
                }
            } else if token.isWord(","), open == nil {
                constraint = nil
            }
        }
    }
}
