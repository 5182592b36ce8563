import SQLSchema

/// The SQL of an index, or of another object that the app created.
struct UserIndex {
    private let sql: String

    init(_ sql: String) { self.sql = sql }

    /// The lowercased words and names.
    var words: Set<String> { Set(Self.pieces(of: sql).compactMap { $0.word?.lowercased() }) }

    /// Whether the index has an expression or a condition.
    var isComputed: Bool {
        let pieces = Self.pieces(of: sql)
        return words.contains("where") || pieces.count { $0.text == "(" } > 1
    }

    /// Returns the statement with new names for the index, the table and columns.
    func renamed(_ name: String, table: String, columns: [String: String]) -> String {
        var pieces = Self.pieces(of: sql)
        // CREATE [UNIQUE] INDEX [IF NOT EXISTS] [schema.]name ON table (…)
        guard let on = pieces.firstIndex(where: { $0.word?.uppercased() == "ON" }) else { return sql }
        let isUnique = pieces[..<on].contains { $0.word?.uppercased() == "UNIQUE" }
        guard let target = pieces[(on + 1)...].firstIndex(where: { $0.word != nil }) else { return sql }
        pieces[target] = .init(text: SQL.quoted(table), word: nil)
        let renames = Dictionary(columns.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { one, _ in one })
        for place in pieces.indices.dropFirst(target + 1) {
            guard let word = pieces[place].word, let new = renames[word.lowercased()] else { continue }
            pieces[place] = .init(text: SQL.quoted(new), word: nil)
        }
        let rest = pieces[(on + 1)...].map(\.text).joined()
        return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQL.quoted(name)) ON\(rest)"
    }

    private struct Piece {
        var text: String
        /// The word or the unquoted name; nil for anything else.
        var word: String?
    }

    /// Splits SQL into words, quoted names and strings, and single other characters.
    private static func pieces(of sql: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = Substring(sql)
        let ends: [Character: Character] = ["\"": "\"", "`": "`", "[": "]", "'": "'"]
        while let first = rest.first {
            if let end = ends[first] {
                var place = rest.index(after: rest.startIndex)
                while place < rest.endIndex {
                    let next = rest.index(after: place)
                    if rest[place] == end {
                        // A quote inside quotes is doubled.
                        if end != "]", next < rest.endIndex, rest[next] == end {
                            place = rest.index(after: next)
                            continue
                        }
                        break
                    }
                    place = next
                }
                let close = place < rest.endIndex ? rest.index(after: place) : place
                let text = String(rest[..<close])
                let name = text.dropFirst().dropLast().split(
                    separator: "\(end)\(end)", omittingEmptySubsequences: false)
                pieces.append(Piece(text: text, word: first == "'" ? nil : name.joined(separator: String(end))))
                rest = rest[close...]
            } else if first.isLetter || first == "_" || first.isNumber {
                let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
                pieces.append(Piece(text: String(word), word: String(word)))
                rest = rest[word.endIndex...]
            } else {
                pieces.append(Piece(text: String(first), word: nil))
                rest = rest.dropFirst()
            }
        }
        return pieces
    }
}
