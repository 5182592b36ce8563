import CSQLite
import Foundation
import SQLSchema
import Strata

/// A database in memory in which the files of a history run, one after the other.
///
/// It follows renamed tables and columns, which the resulting schemas do not show, and notes the statements that change rows.
final class SQLReplay {
    /// A table, with numbers that identify it and its columns while they are renamed.
    private struct Table {
        var name: String
        var token: Int
        var columns: [(name: String, token: Int)]

        func token(of column: String) -> Int? {
            columns.first { $0.name.lowercased() == column.lowercased() }?.token
        }
    }

    /// A statement that fills a new table with the rows of another one.
    private struct Copy {
        var source: String
        /// The columns that get the unchanged values of a column.
        var columns: [(target: String, source: String)]
        /// Whether the statement computes no values.
        var isExact: Bool
        var change: RowChange
    }

    /// A statement that changes rows, which the descriptions do not express.
    private struct RowChange {
        var verb: String
        var line: Int
    }

    private let database: OpaquePointer
    private let observer = ReplayObserver()
    /// The tables by name in lowercase.
    private var tables: [String: Table] = [:]
    private var lastToken = 0
    /// The tables that the file has created, and what it did with them, by name in lowercase.
    private var newTables: Set<String> = []
    private var copies: [String: Copy] = [:]
    private var rowChanges: [String: [RowChange]] = [:]

    /// - Throws: `ImportError` if SQLite has no memory.
    init() throws {
        var pointer: OpaquePointer?
        guard sqlite3_open_v2(":memory:", &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
            let pointer
        else {
            sqlite3_close_v2(pointer)
            throw ImportError("SQLite cannot open a database in memory", path: ":memory:")
        }
        database = pointer
        _ = strata_db_config_switch(pointer, Int32(SQLITE_DBCONFIG_DEFENSIVE), 1)
        sqlite3_limit(pointer, SQLITE_LIMIT_LENGTH, 10_000_000)
        sqlite3_exec(pointer, "PRAGMA max_page_count = 20000", nil, nil, nil)
        observer.observe(pointer)
    }

    deinit { sqlite3_close_v2(database) }

    // MARK: Running

    /// Runs the statements of a file.
    ///
    /// - Throws: `ImportError` with the line of a statement that SQLite refuses.
    func run(_ text: String, path: String) throws {
        (newTables, copies, rowChanges) = ([], [:], [:])
        let bytes = Array(text.utf8)
        func line(at offset: Int) -> Int { bytes[..<min(offset, bytes.count)].count { $0 == 0x0a } + 1 }
        if let index = bytes.firstIndex(of: 0) {
            throw ImportError("it contains a NUL byte", path: path, line: line(at: index))
        }
        try (bytes + [0]).withUnsafeBytes { buffer in
            guard let base = buffer.bindMemory(to: CChar.self).baseAddress else { return }
            var offset = 0
            while true {
                offset = Self.start(bytes, from: offset)
                guard offset < bytes.count else { break }
                var statement: OpaquePointer?
                var tail: UnsafePointer<CChar>?
                observer.begin()
                let code = sqlite3_prepare_v2(database, base + offset, -1, &statement, &tail)
                defer { sqlite3_finalize(statement) }
                func refusal(at index: Int) -> ImportError {
                    let isEndless = sqlite3_errcode(database) == SQLITE_INTERRUPT
                    let message = isEndless ? "it does not end" : String(cString: sqlite3_errmsg(database))
                    return ImportError("SQLite refuses this statement: \(message)", path: path, line: line(at: index))
                }
                guard code == SQLITE_OK else {
                    throw refusal(at: offset + max(0, Int(sqlite3_error_offset(database))))
                }
                let end = tail.map { $0 - base } ?? bytes.count
                let sql = String(decoding: bytes[offset..<end], as: UTF8.self)
                // VACUUM changes nothing in a new database, and could write a file.
                if statement != nil, sql.prefix(6).uppercased() != "VACUUM" {
                    var result = sqlite3_step(statement)
                    while result == SQLITE_ROW { result = sqlite3_step(statement) }
                    guard result == SQLITE_DONE else { throw refusal(at: offset) }
                    try record(sql, line: line(at: offset))
                }
                guard end > offset else { break }
                offset = end
            }
        }
        if sqlite3_get_autocommit(database) == 0 { sqlite3_exec(database, "COMMIT", nil, nil, nil) }
        // The source still exists, so the version before did not have these rows in the new table.
        for (table, copy) in copies { rowChanges[table, default: []].append(copy.change) }
    }

    /// Returns the offset of the next statement: after spaces, semicolons and comments.
    private static func start(_ bytes: [UInt8], from offset: Int) -> Int {
        var offset = offset
        while let token = SQLToken.next(in: bytes, at: offset), !token.isCode || token.isWord(";") {
            offset = token.range.upperBound
        }
        return offset
    }

    // MARK: Recording

    private func record(_ sql: String, line: Int) throws {
        let actions = observer.actions
        if actions.changesTables {
            try updateTables(isAlter: actions.isAlter)
            // `CREATE TABLE … AS SELECT` fills the table.
            if let table = actions.created, newTables.contains(table), actions.selects {
                rowChanges[table, default: []].append(RowChange(verb: "CREATE TABLE … AS", line: line))
            }
            return
        }
        for (name, verb) in actions.changes {
            let key = name.lowercased()
            guard let table = tables[key] else { continue }
            let change = RowChange(verb: verb, line: line)
            let copy = verb == "INSERT" && newTables.contains(key) ? copy(sql, to: table, change) : nil
            if let copy, copies[key] == nil, rowChanges[key] == nil {
                copies[key] = copy
            } else {
                // Rows of two tables are not a copy of one of them.
                if copy != nil, let first = copies.removeValue(forKey: key) {
                    rowChanges[key, default: []].append(first.change)
                }
                rowChanges[key, default: []].append(change)
            }
        }
    }

    /// Parses a statement that copies all rows of a table: `INSERT INTO new (a, b) SELECT c, upper(d) FROM old`.
    private func copy(_ sql: String, to target: Table, _ change: RowChange) -> Copy? {
        let statement =
            /(?is)INSERT\s+INTO\s+[^\s(]+\s*(?:\(([^()]*)\)\s*)?SELECT\s+(.+?)\s+FROM\s+([^\s,();]+)(?:\s+(?:AS\s+)?[\w$]+)?\s*;?\s*/
        // With these words, a row of the new table may belong to several rows of the old one, or to none.
        let grouping =
            /(?i)\b(?:DISTINCT|FROM|UNION|EXCEPT|INTERSECT|(?:avg|count|max|min|sum|total|\w*group\w*|string_agg)\s*\()/
        guard let match = sql.wholeMatch(of: statement), match.2.firstMatch(of: grouping) == nil,
            let source = Self.column(match.3).flatMap({ tables[$0.lowercased()] })
        else { return nil }
        let targets = match.1.map { Self.items($0).map { Self.column($0) ?? "" } } ?? target.columns.map(\.name)
        let items = Self.items(match.2)
        let isWhole = items.count == 1 && items[0].wholeMatch(of: /\s*(?:[^\s]+\.)?\*\s*/) != nil
        let sources = isWhole ? source.columns.map(\.name) : items.map { Self.column($0) ?? "" }
        guard targets.count == sources.count else { return nil }
        let columns = zip(targets, sources).filter { source.token(of: $1) != nil }
        return Copy(
            source: source.name.lowercased(), columns: columns.map { ($0, $1) },
            isExact: columns.count == sources.count, change: change)
    }

    /// Returns the items of a list: the texts between the commas outside of parentheses and quotes.
    private static func items(_ list: Substring) -> [Substring] {
        var items: [Substring] = []
        var start = list.startIndex
        var depth = 0
        var quote: Character?
        for (characterIndex, character) in zip(list.indices, list) {
            switch character {
            case _ where quote != nil: if character == quote { quote = nil }
            case "'", "\"", "`": quote = character
            case "[": quote = "]"
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth == 0:
                items.append(list[start..<characterIndex])
                start = list.index(after: characterIndex)
            default: break
            }
        }
        return items + [list[start...]]
    }

    /// Returns the last name in `"old"."name" AS other`; nil if the text is another expression.
    private static func column(_ text: Substring) -> String? {
        let pattern =
            /(?is)\s*(?:[^\s.(]+\s*\.\s*)?("[^"]+"|`[^`]+`|\[[^\]]+\]|[\w$]+)(?:\s+AS\s+("[^"]+"|`[^`]+`|\[[^\]]+\]|[\w$]+))?\s*/
        return text.wholeMatch(of: pattern).map {
            $0.1.trimmingCharacters(in: CharacterSet(charactersIn: "\"`[]"))
        }
    }

    /// Compares the tables with those before a statement.
    private func updateTables(isAlter: Bool) throws {
        var found: [(name: String, columns: [String])] = []
        for row in try rows(
            """
            SELECT m.name, x.name FROM (SELECT name, type FROM sqlite_master UNION ALL SELECT name, type FROM sqlite_temp_master)
              AS m JOIN pragma_table_xinfo(m.name) AS x WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """)
        {
            if found.last?.name != row[0] { found.append((row[0], [])) }
            found[found.count - 1].columns.append(row[1])
        }
        let keys = Set(found.map { $0.name.lowercased() })
        let gone = tables.keys.filter { !keys.contains($0) }
        let came = found.filter { tables[$0.name.lowercased()] == nil }
        if isAlter, gone.count == 1, came.count == 1 {
            rename(gone[0], to: came[0].name)
        } else {
            for name in gone { drop(name) }
            for table in came {
                let key = table.name.lowercased()
                tables[key] = Table(
                    name: table.name, token: newToken(), columns: table.columns.map { ($0, newToken()) })
                newTables.insert(key)
            }
        }
        for (name, columns) in found {
            let key = name.lowercased()
            guard var table = tables[key] else { continue }
            table.name = name
            let changed = zip(table.columns, columns).filter { $0.name != $1 }
            if isAlter, table.columns.count == columns.count, changed.count == 1 {
                table.columns = zip(columns, table.columns).map { ($0, $1.token) }
            } else if table.columns.map(\.name) != columns {
                table.columns = columns.map { ($0, table.token(of: $0) ?? newToken()) }
            }
            tables[key] = table
        }
    }

    private func newToken() -> Int {
        lastToken += 1
        return lastToken
    }

    private func rename(_ old: String, to name: String) {
        let new = name.lowercased()
        tables[new] = tables.removeValue(forKey: old)
        if newTables.remove(old) != nil { newTables.insert(new) }
        copies[new] = copies.removeValue(forKey: old)
        rowChanges[new] = rowChanges.removeValue(forKey: old)
        for key in copies.keys where copies[key]?.source == old { copies[key]?.source = new }
    }

    /// Removes a table. The new table to which the file has copied its rows takes its place, if there is one.
    private func drop(_ name: String) {
        let changes = rowChanges.removeValue(forKey: name) ?? []
        copies[name] = nil
        newTables.remove(name)
        guard let table = tables.removeValue(forKey: name) else { return }
        let takers = copies.filter { $0.value.source == name }
        for (key, copy) in takers {
            copies[key] = nil
            rowChanges[key, default: []] += changes
            if takers.count > 1 || !copy.isExact { rowChanges[key, default: []].append(copy.change) }
            if takers.count > 1 { continue }
            tables[key]?.token = table.token
            for (target, source) in copy.columns {
                guard let token = table.token(of: source),
                    let index = tables[key]?.columns.firstIndex(where: { $0.name.lowercased() == target.lowercased() })
                else { continue }
                tables[key]?.columns[index].token = token
            }
        }
    }

    private func rows(_ sql: String) throws -> [[String]] {
        observer.isRecording = false
        defer { observer.isRecording = true }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            throw ImportError(String(cString: sqlite3_errmsg(database)), path: ":memory:")
        }
        var rows: [[String]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
                })
        }
        return rows
    }

    // MARK: The schema

    /// Returns the present schema.
    func schema(named name: String, path: String) throws -> SourceSchema {
        let objects = try rows(
            "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        var schema = SourceSchema(
            formerName: name, path: path,
            objects: objects.map { SchemaObject(type: $0[0], name: $0[1], table: $0[2], sql: $0[3]) })
        for table in tables.values {
            schema.tokens[.init(table.name, "")] = "#\(table.token)"
            for column in table.columns { schema.tokens[.init(table.name, column.name)] = "#\(column.token)" }
        }
        for table in try schema.tables() {
            for column in table.columns where !column.isGenerated {
                let (type, finding) = LiveDatabase.Values().type(declared: column)
                schema.add(type, finding, of: column, in: table)
            }
        }
        let file = NumberedFile(path: path, number: []).name
        for (key, changes) in rowChanges.sorted(by: { $0.key < $1.key }) {
            guard let table = tables[key], !schema.unreadTables.contains(table.name) else { continue }
            for change in changes.sorted(by: { $0.line < $1.line }) {
                schema.leftOut.append(
                    (table.name, .rowChange(file: file, line: change.line, verb: change.verb)))
            }
        }
        return schema
    }
}
