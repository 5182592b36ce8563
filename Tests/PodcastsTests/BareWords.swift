import CSQLite

/// The words of a statement that are not quoted, and that SQLite may take for the name of a column.
///
/// Only the keywords of SQLite cannot be that. `TRUE`, `rowid` and `excluded` are no keywords
/// (https://sqlite.org/lang_keywords.html).
struct BareWords {
    private enum Token: Equatable {
        case word(String)
        case other(Character)
    }

    /// The words after the name of a column or of a table.
    private static let types: Set = ["ANY", "BLOB", "INTEGER", "REAL", "STRICT", "TEXT"]

    private(set) var words: Set<String> = []

    /// - Parameter sql: One or more statements.
    init(_ sql: String) {
        let tokens = Self.tokens(of: sql)
        var names: Set<String> = []
        for (place, token) in tokens.enumerated().dropFirst() {
            if case .word(let word) = token, case .word(let before) = tokens[place - 1],
                ["AS", "WITH", "RECURSIVE"].contains(before.uppercased())
            {
                names.insert(word.lowercased())
            }
        }
        var isPragma = false
        for (place, token) in tokens.enumerated() {
            let before = place > 0 ? tokens[place - 1] : .other(";")
            let after = place + 1 < tokens.count ? tokens[place + 1] : .other(";")
            if before == .other(";") { isPragma = token == .word("PRAGMA") }
            guard case .word(let word) = token, !isPragma, after != .other("("), after != .other(".") else { continue }
            if Self.types.contains(word) { continue }
            // A column of an alias of `json_each`, or of a subquery.
            if before == .other("."), ["key", "list", "value"].contains(word) { continue }
            let isName = names.contains(word.lowercased()) || word.hasPrefix("strata_") || word.hasPrefix("sqlite_")
            if isName || before == .word("COLLATE") || sqlite3_keyword_check(word, Int32(word.utf8.count)) != 0 {
                continue
            }
            words.insert(word)
        }
    }

    private static func tokens(of sql: String) -> [Token] {
        var tokens: [Token] = []
        var rest = Substring(sql)
        func isPart(_ character: Character) -> Bool { character.isLetter || character.isNumber || character == "_" }
        while let first = rest.first {
            if rest.hasPrefix("--") {
                rest = rest.drop { !$0.isNewline }
            } else if first == "'" || first == "\"" {
                rest.removeFirst()
                rest = rest.drop { $0 != first }.dropFirst()
                tokens.append(.other(first))
            } else if first.isNumber || first == "?" {
                rest = rest.dropFirst().drop { isPart($0) || $0 == "." }
                tokens.append(.other(first))
            } else if isPart(first) {
                let word = rest.prefix(while: isPart)
                rest = rest.dropFirst(word.count)
                // A blob: X'00'.
                if !(word.uppercased() == "X" && rest.first == "'") { tokens.append(.word(String(word))) }
            } else {
                rest.removeFirst()
                if !first.isWhitespace { tokens.append(.other(first)) }
            }
        }
        return tokens
    }
}
