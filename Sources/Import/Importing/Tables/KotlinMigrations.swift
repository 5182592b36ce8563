import Foundation
import SQLSchema

/// Reads the defaults of new columns from the source code of Room's migrations, which its exported schemas may lack.
enum KotlinMigrations {
    /// The default that `ALTER TABLE … ADD COLUMN` gives to existing rows.
    struct AddedColumn: Equatable {
        /// The version to which the migration leads; nil if the code does not say it.
        let version: Int?
        let table: String
        let column: String
        /// The default, as SQL.
        let value: String
    }

    /// Reads the `.kt` and `.java` files of a folder.
    ///
    /// - Throws: `ImportError` if there are none.
    static func read(in folder: String) throws -> [AddedColumn] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let files = all.filter { $0.hasSuffix(".kt") || $0.hasSuffix(".java") }.sorted()
        guard !files.isEmpty else { throw ImportError("there are no .kt or .java files in it", path: folder) }
        return try files.flatMap { name -> [AddedColumn] in
            let path = "\(folder)/\(name)"
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw ImportError("it is not UTF-8", path: path)
            }
            return addedColumns(in: text)
        }
    }

    /// Returns the columns that the texts of a file add.
    static func addedColumns(in source: String) -> [AddedColumn] {
        var version: Int?
        return parts(of: source).flatMap { part -> [AddedColumn] in
            switch part {
            case .code(let code):
                // `object : Migration(12, 13) {`
                if let match = code.matches(of: /Migration\s*\(\s*\d+\s*,\s*(\d+)/).last { version = Int(match.1) }
                return []
            case .text(let text): return SQLToken.statements(of: text).compactMap { addedColumn(in: $0, version) }
            }
        }
    }

    private static func addedColumn(in statement: String, _ version: Int?) -> AddedColumn? {
        let tokens = SQLToken.tokens(of: statement).filter(\.isCode)
        guard tokens.count > 5, tokens[0].isWord("ALTER"), tokens[1].isWord("TABLE"), let table = tokens[2].name,
            tokens[3].isWord("ADD")
        else { return nil }
        let start = tokens[4].isWord("COLUMN") ? 5 : 4
        guard tokens.indices.contains(start), let column = tokens[start].name,
            let word = tokens.firstIndex(where: { $0.isWord("DEFAULT") }), word + 1 < tokens.count
        else { return nil }
        let isSigned = tokens[word + 1].isWord("-") || tokens[word + 1].isWord("+")
        let value = tokens[(word + 1)...].prefix(isSigned ? 2 : 1).map(\.text).joined()
        return AddedColumn(version: version, table: table, column: column, value: value)
    }

    private enum Part {
        case code(String)
        case text(String)
    }

    /// Returns the code of a file and the texts in it, in their order. Texts that `+` joins are one.
    private static func parts(of source: String) -> [Part] {
        let token = /(?s)\/\/[^\n]*|\/\*.*?\*\/|"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"/
        var parts: [Part] = []
        var end = source.startIndex
        for match in source.matches(of: token) {
            let code = String(source[end..<match.range.lowerBound])
            end = match.range.upperBound
            guard let text = match.1 ?? match.2 else {
                parts.append(.code(code))
                continue
            }
            let literal = match.1.map { String($0) } ?? unescaped(text)
            if case .text(let last)? = parts.last, code.allSatisfy({ $0.isWhitespace || $0 == "+" }) {
                parts[parts.count - 1] = .text(last + literal)
            } else {
                parts += [.code(code), .text(literal)]
            }
        }
        return parts + [.code(String(source[end...]))]
    }

    /// Returns a text without its escapes (https://kotlinlang.org/docs/characters.html).
    private static func unescaped(_ text: Substring) -> String {
        String(text).replacing(/\\(u[0-9a-fA-F]{4}|.)/) { match -> String in
            switch match.1.first {
            case "n": "\n"
            case "t": "\t"
            case "r": "\r"
            case "u":
                UInt32(match.1.dropFirst(), radix: 16).flatMap(UnicodeScalar.init).map { String(Character($0)) } ?? ""
            default: String(match.1)
            }
        }
    }
}
