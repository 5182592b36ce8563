import CSQLite
import Foundation
import SQLSchema
import Strata

/// A database in memory in which the files of a history run, one after the other.
///
/// It follows the rows of each table and the values of each column, which the resulting schemas do not show.
final class SQLReplay {
    /// A table and its columns after a file. Numbers identify them as long as they exist, whatever their names are.
    struct Table {
        var name: String
        let number: Int
        var columns: [Column]
        /// The table before the file whose rows these are; nil if the rows have another origin, or there are none.
        var origin: Int?
        /// The column before the file that is not NULL in the rows that these are copies of; nil for copies of all rows.
        var required: Int?
        /// The statements that have copied or changed the rows.
        var statements: [Statement] = []
        /// The statements among them that do it in ways that a description cannot express.
        var changes: [Statement] = []
        /// The statements among them that may leave out rows that break a constraint, and that a description can express otherwise.
        var selections: [Statement] = []

        func column(_ name: String) -> Column? { columns.first { $0.name.lowercased() == name.lowercased() } }
    }

    /// A column of a table after a file.
    struct Column {
        var name: String
        let number: Int
        var value: Value
        /// Its type in the app's code, if the source says it.
        var codeType: String?
    }

    /// The origin of a column's values.
    enum Value: Equatable {
        /// The values of a column before the file.
        case column(Int)
        /// The values of a column before the file, and a constant, as SQL, where they are NULL.
        case coalesce(Int, or: String)
        case constant(String)
        /// The default of the new column.
        case initial
        case unknown
    }

    /// A statement that changes rows.
    struct Statement {
        /// The table whose rows it changes.
        let table: Int
        let verb: String
        let sql: String
        let line: Int
        /// The other tables before the file that the statement reads, and their columns.
        let reads: Set<Int>
        /// The columns of the table itself that the statement reads.
        let ownReads: Set<Int>
    }

    /// The state after a file.
    struct Stage {
        let objects: [SchemaObject]
        let tables: [Table]
        /// The tables before the file whose rows a statement reads or changes.
        let touched: Set<Int>
        /// The statements that copy or change rows, also those of tables that the file has dropped.
        let statements: [Statement]
        /// The number that the files have set with `PRAGMA user_version`; nil if they have not.
        let userVersion: Int?
    }

    private let database: OpaquePointer
    private let observer = ReplayObserver()
    /// The tables by name in lowercase.
    private var tables: [String: Table] = [:]
    private var lastNumber = 0
    private var touched: Set<Int> = []
    private var statements: [Statement] = []
    private var codeTypes: [SourceSchema.ColumnName: String] = [:]

    /// - Parameter path: The file of the database, which nothing else needs.
    /// - Throws: `ImportError` if SQLite cannot open it.
    init(path: String = ":memory:") throws {
        var pointer: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &pointer, flags, nil) == SQLITE_OK, let pointer else {
            sqlite3_close_v2(pointer)
            throw ImportError("SQLite cannot open the database", path: path)
        }
        database = pointer
        _ = strata_db_config_switch(pointer, Int32(SQLITE_DBCONFIG_DEFENSIVE), 1)
        sqlite3_limit(pointer, SQLITE_LIMIT_LENGTH, 10_000_000)
        sqlite3_exec(pointer, "PRAGMA max_page_count = 20000; PRAGMA synchronous = OFF", nil, nil, nil)
        observer.observe(pointer)
    }

    deinit { sqlite3_close_v2(database) }

    // MARK: Running

    /// Runs the statements of a file.
    ///
    /// - Throws: `ImportError` with the line of a statement that SQLite refuses.
    func run(_ script: MigrationScript) throws {
        begin()
        codeTypes = script.types
        let path = script.path
        let bytes = Array(script.sql.utf8)
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
                    // SQLite parses up to a syntax error. It finds other errors at the end of the statement.
                    let isSyntax = String(cString: sqlite3_errmsg(database)).hasSuffix("syntax error")
                    throw refusal(at: isSyntax ? tail.map { $0 - base - 1 } ?? offset : offset)
                }
                let end = tail.map { $0 - base } ?? bytes.count
                let sql = String(decoding: bytes[offset..<end], as: UTF8.self)
                // VACUUM changes nothing in a new database, and could write a file.
                if statement != nil, sql.prefix(6).uppercased() != "VACUUM", !isNested(sql) {
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
    }

    /// Returns the offset of the next statement: after spaces, semicolons and comments.
    private static func start(_ bytes: [UInt8], from offset: Int) -> Int {
        var offset = offset
        while let token = SQLToken.next(in: bytes, at: offset), !token.isCode || token.isWord(";") {
            offset = token.range.upperBound
        }
        return offset
    }

    /// Whether a statement begins or ends a transaction that the tool has begun or ended already. drizzle's files may begin
    /// with COMMIT.
    private func isNested(_ sql: String) -> Bool {
        let word = SQLToken.tokens(of: sql).first { $0.isCode }
        let isOpen = sqlite3_get_autocommit(database) == 0
        return ["COMMIT", "END", "ROLLBACK"].contains { word?.isWord($0) == true } && !isOpen
            || word?.isWord("BEGIN") == true && isOpen
    }

    // MARK: Recording

    /// Begins a file: every table has the rows that it had before.
    private func begin() {
        (touched, statements) = ([], [])
        for (key, table) in tables {
            tables[key] = Table(
                name: table.name, number: table.number,
                columns: table.columns.map {
                    Column(name: $0.name, number: $0.number, value: .column($0.number), codeType: $0.codeType)
                }, origin: table.number)
        }
    }

    private func record(_ sql: String, line: Int) throws {
        let actions = observer.actions
        if actions.changesTables {
            try updateTables(isAlter: actions.isAlter)
            // `CREATE TABLE … AS SELECT` fills the table.
            if let table = actions.created, tables[table] != nil, actions.selects {
                change(table, "CREATE TABLE … AS", sql, line)
            }
            return
        }
        for (name, verb) in actions.changes { change(name.lowercased(), verb, sql, line) }
        for name in actions.caused.sorted() { change(name, "a trigger", sql, line, isCaused: true) }
    }

    /// Returns the columns before the file that the statement reads, of a table or of all others. The others are read themselves.
    private func reads(of key: String, others: Bool) -> Set<Int> {
        var reads: Set<Int> = []
        for name in observer.actions.reads where (name.table == key) != others {
            guard let table = tables[name.table] else { continue }
            if others, let origin = table.origin { reads.insert(origin) }
            switch table.column(name.column)?.value {
            case .column(let number)?, .coalesce(let number, _)?: reads.insert(number)
            default: break
            }
        }
        return reads
    }

    /// Records that a statement changes the rows of a table.
    private func change(_ key: String, _ verb: String, _ sql: String, _ line: Int, isCaused: Bool = false) {
        guard var table = tables[key] else { return }
        let statement = Statement(
            table: table.number, verb: verb, sql: sql, line: line, reads: reads(of: key, others: true),
            ownReads: reads(of: key, others: false))
        if let origin = table.origin { touched.insert(origin) }
        touched.formUnion(statement.reads)
        statements.append(statement)
        // Which rows such a trigger leaves out depends on their values.
        let parsed = isCaused || hasIgnoringTrigger(key) ? nil : RowStatement(parsing: statement.sql)
        let isUnderstood = parsed.map { $0.table.lowercased() == key && take($0, into: &table) } ?? false
        table.statements.append(statement)
        if !isUnderstood {
            table.changes.append(statement)
        } else if parsed?.skipsConflicts == true {
            table.selections.append(statement)
        }
        tables[key] = table
    }

    /// Returns whether a trigger of a table can make SQLite leave out a row in silence.
    private func hasIgnoringTrigger(_ table: String) -> Bool {
        let triggers = try? rows(
            """
            SELECT sql FROM (SELECT * FROM sqlite_master UNION ALL SELECT * FROM sqlite_temp_master)
              WHERE type = 'trigger' AND lower(tbl_name) = \(SQL.literal(table))
            """)
        return (triggers ?? []).contains { trigger in
            let tokens = SQLToken.tokens(of: trigger[0]).filter(\.isCode)
            return zip(tokens, tokens.dropFirst(2)).contains { $0.isWord("RAISE") && $1.isWord("IGNORE") }
        }
    }

    /// Follows the values that a statement gives to a table.
    ///
    /// - Returns: Whether a description can express all that the statement does.
    private func take(_ parsed: RowStatement, into table: inout Table) -> Bool {
        let source: Table
        if let name = parsed.source {
            // Rows of two tables are not the rows of one of them.
            guard let found = tables[name.lowercased()], table.origin == nil, table.statements.isEmpty else {
                return false
            }
            source = found
        } else {
            source = table
        }
        let targets = parsed.columns ?? table.columns.map(\.name)
        let values = parsed.values ?? source.columns.map { .column($0.name) }
        guard targets.count == values.count else { return false }
        var result = table
        for (target, value) in zip(targets, values) {
            guard let index = result.columns.firstIndex(where: { $0.name.lowercased() == target.lowercased() }) else {
                return false
            }
            result.columns[index].value = self.value(value, in: source)
        }
        let isKnown = !zip(result.columns, table.columns).contains { $0.value == .unknown && $1.value != .unknown }
        // The property that an UPDATE computes stays the same.
        if parsed.source == nil, !isKnown { return false }
        if parsed.source != nil {
            if let name = parsed.required {
                guard source.required == nil, case .column(let number)? = source.column(name)?.value else {
                    return false
                }
                result.required = number
            } else {
                result.required = source.required
            }
            result.origin = source.origin
            (result.statements, result.changes) = (source.statements, source.changes)
            result.selections = source.selections
        }
        table = result
        return parsed.isComplete && isKnown && table.origin != nil
    }

    private func value(_ value: RowStatement.Value, in source: Table) -> Value {
        switch value {
        case .constant(let sql): return .constant(sql)
        case .column(let name):
            let value = source.column(name)?.value ?? .unknown
            return value == .initial ? .unknown : value
        case .coalesce(let name, let sql):
            switch source.column(name)?.value {
            case .column(let number)?: return .coalesce(number, or: sql)
            case .constant(let own)? where own.uppercased() != "NULL": return .constant(own)
            default: return .unknown
            }
        case .other: return .unknown
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
            tables[came[0].name.lowercased()] = tables.removeValue(forKey: gone[0])
        } else {
            for name in gone { tables[name] = nil }
            for table in came {
                tables[table.name.lowercased()] = Table(
                    name: table.name, number: newNumber(), columns: table.columns.map { newColumn($0, of: table.name) })
            }
        }
        for (name, columns) in found {
            let key = name.lowercased()
            guard var table = tables[key] else { continue }
            table.name = name
            let changed = zip(table.columns, columns).filter { $0.name != $1 }
            if isAlter, table.columns.count == columns.count, changed.count == 1 {
                for index in columns.indices { table.columns[index].name = columns[index] }
            } else if table.columns.map(\.name) != columns {
                table.columns = columns.map { table.column($0) ?? newColumn($0, of: name) }
            }
            tables[key] = table
        }
    }

    private func newColumn(_ name: String, of table: String) -> Column {
        Column(name: name, number: newNumber(), value: .initial, codeType: codeTypes[.init(table, name)])
    }

    private func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
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

    /// The state after the last file.
    func stage() throws -> Stage {
        let objects = try rows(
            "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        // Only these are part of the schema. A temporary table ends with its file.
        let names = Set(objects.filter { $0[0] == "table" }.map { $0[1].lowercased() })
        return Stage(
            objects: objects.map { SchemaObject(type: $0[0], name: $0[1], table: $0[2], sql: $0[3]) },
            tables: tables.filter { names.contains($0.key) }.values.sorted { $0.number < $1.number },
            touched: touched, statements: statements, userVersion: observer.userVersion)
    }
}
