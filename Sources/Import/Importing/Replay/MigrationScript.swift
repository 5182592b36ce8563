import Foundation
import SQLSchema

/// A file of a history, as SQLite can run it: without what only its tool understands. The lines keep their numbers.
struct MigrationScript: Sendable {
    let path: String
    private(set) var sql: String
    /// The types of columns in the app's code, by the names in the statement that creates them.
    private(set) var types: [SourceSchema.ColumnName: String] = [:]
    /// Flyway's placeholders without a value.
    private(set) var missing: [String] = []

    var name: String { URL(fileURLWithPath: path).lastPathComponent }

    init(path: String, sql: String, types: [SourceSchema.ColumnName: String]) {
        (self.path, self.sql, self.types) = (path, sql, types)
    }

    /// Reads a file.
    ///
    /// - Parameter placeholders: The values of Flyway's placeholders.
    /// - Throws: `ImportError` if the file cannot be read.
    init(path: String, placeholders: [String: String] = [:]) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ImportError("it cannot be read", path: path)
        }
        guard var text = String(data: data, encoding: .utf8) else { throw ImportError("it is not UTF-8", path: path) }
        if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
        // dbmate, goose and sql-migrate.
        if let undo = text.firstMatch(of: /(?im)^--\s*(?:\+goose|\+migrate|migrate:)\s*down\b/) {
            text = String(text[..<undo.range.lowerBound])
        }
        self.path = path
        sql = text
        if path.hasSuffix(".sqm") || path.hasSuffix(".sq") {
            readSQLDelight(declarationsOnly: path.hasSuffix(".sq"))
        } else if text.contains("${") {
            replace(placeholders)
        }
        if sql.contains("sqlite_") { removeOwnTables() }
    }

    /// Replaces parts of the SQL by spaces, which keeps the numbers of the lines.
    private mutating func blank(_ ranges: [Range<Int>]) {
        var bytes = Array(sql.utf8)
        for index in ranges.joined() where bytes[index] != 0x0a { bytes[index] = 0x20 }
        sql = String(decoding: bytes, as: UTF8.self)
    }

    /// Removes the statements of a dump that create tables such as `sqlite_sequence`. SQLite creates them itself.
    private mutating func removeOwnTables() {
        let own = Self.statements(of: sql).filter { tokens in
            tokens.count > 2 && tokens[0].isWord("CREATE") && tokens[1].isWord("TABLE")
                && tokens[2].name?.lowercased().hasPrefix("sqlite_") == true
        }
        blank(own.compactMap { tokens in tokens.last.map { tokens[0].range.lowerBound..<$0.range.upperBound } })
    }

    // MARK: Flyway

    /// Replaces `${name}` outside of comments.
    private mutating func replace(_ placeholders: [String: String]) {
        var parts: [(text: String, isComment: Bool)] = []
        for token in SQLToken.tokens(of: sql) {
            let isComment = token.kind == .comment
            if parts.last?.isComment != isComment { parts.append(("", isComment)) }
            parts[parts.count - 1].text += token.text
        }
        sql = ""
        for part in parts {
            guard !part.isComment else {
                sql += part.text
                continue
            }
            sql += part.text.replacing(/\$\{([^}\n]+)\}/) { match in
                let name = String(match.1)
                if let value = placeholders[name] { return value }
                if !missing.contains(name) { missing.append(name) }
                return String(match.0)
            }
        }
    }

    // MARK: SQLDelight

    /// Removes the imports of Kotlin types, and the types of columns: `done INTEGER AS Boolean`.
    ///
    /// - Parameter declarationsOnly: Whether only statements that create something are kept. Others are queries of the app.
    private mutating func readSQLDelight(declarationsOnly: Bool) {
        var ranges: [Range<Int>] = []
        for tokens in Self.statements(of: sql) {
            guard let first = tokens.first, let last = tokens.last else { continue }
            let label = tokens.count > 1 && tokens[1].isWord(":") ? 2 : 0
            let isDeclaration = tokens.dropFirst(label).first?.isWord("CREATE") == true
            if first.isWord("IMPORT") || declarationsOnly && !isDeclaration {
                ranges.append(first.range.lowerBound..<last.range.upperBound)
            } else {
                if label > 0 { ranges.append(first.range.lowerBound..<tokens[1].range.upperBound) }
                ranges += readTypes(Array(tokens.dropFirst(label)))
            }
        }
        blank(ranges)
    }

    /// Returns the tokens of each statement, with its semicolon. The statements of a trigger, and those in braces, belong together.
    private static func statements(of sql: String) -> [[SQLToken]] {
        var statements: [[SQLToken]] = [[]]
        var depth = 0
        for token in SQLToken.tokens(of: sql) where token.isCode {
            let current = statements[statements.count - 1]
            statements[statements.count - 1].append(token)
            if token.isWord("{") { depth += 1 }
            if token.isWord("}") { depth -= 1 }
            let isTrigger = current.prefix(3).contains { $0.isWord("TRIGGER") }
            let isOpen = depth > 0 || isTrigger && current.last?.isWord("END") != true
            if token.isWord(";") && !isOpen || token.isWord("}") && depth == 0 { statements.append([]) }
        }
        return statements
    }

    /// Records the types in a statement that creates a table or adds a column, and returns the places to leave out.
    private mutating func readTypes(_ tokens: [SQLToken]) -> [Range<Int>] {
        let isAlter = tokens.first?.isWord("ALTER") == true
        guard let word = tokens.prefix(3).firstIndex(where: { $0.isWord("TABLE") }) else { return [] }
        var index = word + 1
        if tokens.dropFirst(index).first?.isWord("IF") == true { index += 3 }
        // The name of a schema can precede the table's.
        while index + 1 < tokens.count, tokens[index + 1].isWord(".") { index += 2 }
        guard index < tokens.count, let table = tokens[index].name else { return [] }
        var ranges: [Range<Int>] = []
        var depth = 0
        var column: String?
        while index + 1 < tokens.count {
            index += 1
            let token = tokens[index]
            if token.isWord("(") { depth += 1 }
            if token.isWord(")") { depth -= 1 }
            let last = tokens[index - 1]
            let startsColumn =
                isAlter
                ? last.isWord("COLUMN") || last.isWord("ADD") && !token.isWord("COLUMN")
                : depth == 1 && (last.isWord("(") || last.isWord(","))
            if startsColumn, let name = token.name { column = name }
            guard token.isWord("AS"), depth == (isAlter ? 0 : 1), let column else { continue }
            var start = index + 1
            while start + 1 < tokens.count, tokens[start].isWord("@") {
                start = Self.endOfAnnotation(tokens, from: start + 1)
            }
            guard start < tokens.count, tokens[start].name != nil else { continue }
            let end = Self.endOfType(tokens, from: start)
            let parts = tokens[start..<end]
            types[.init(table, column)] = parts.map(\.text).joined()
            ranges.append(token.range.lowerBound..<tokens[end - 1].range.upperBound)
            index = end - 1
        }
        return ranges
    }

    /// Returns the index after the name and the arguments of an annotation.
    private static func endOfAnnotation(_ tokens: [SQLToken], from start: Int) -> Int {
        var index = start + 1
        while index + 1 < tokens.count, tokens[index].isWord(".") { index += 2 }
        guard index < tokens.count, tokens[index].isWord("(") else { return index }
        return (tokens[index...].firstIndex { $0.isWord(")") } ?? index) + 1
    }

    /// Returns the index after a Kotlin type: `kotlin.collections.List<String?>`.
    private static func endOfType(_ tokens: [SQLToken], from start: Int) -> Int {
        var index = start + 1
        var depth = 0
        while index < tokens.count {
            let token = tokens[index]
            if token.isWord("<") {
                depth += 1
            } else if token.isWord(">") {
                depth -= 1
            } else if depth == 0, !token.isWord("."), !token.isWord("?"), !tokens[index - 1].isWord(".") {
                return index
            }
            index += 1
        }
        return index
    }
}
