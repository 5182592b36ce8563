import Foundation
import SQLSchema
import Strata

/// Writes the objects and rows of a database to a new one, row by row. It reads a damaged database as far as possible, and
/// can replace values.
struct DatabaseRewriting {
    let source: Connection
    let target: Connection
    /// Returns a row with the values to write, or nil to leave the row out; the arguments are the table and its columns. Without
    /// it, each value keeps its bytes.
    var replacing: ((String, [String], [SQLiteValue]) throws -> [SQLiteValue]?)?
    /// Decides whether other values avoid a violation of a constraint in a table. Then everything is written again.
    var avoiding: (SQLiteError, String) -> Bool = { _, _ in false }
    /// The objects to write; nil for those of the source.
    var objects: [SchemaObject]?

    /// An error after which everything has to be written again.
    struct BeginAgain: Error {}

    /// The result for a table.
    struct TableResult: Hashable, Codable {
        var name: String
        /// The number of rows that were written.
        var rows = 0
        /// The numbers of rows between which nothing could be read; nil for no limit.
        var lost: [Gap] = []
        /// The number of rows that were read and violate a constraint.
        var invalid = 0
        /// The number of values of another type than their column, which SQLite has converted.
        var converted = 0
    }

    /// The numbers of the last readable row before unreadable ones, and of the first one after them.
    struct Gap: Hashable, Codable {
        var after: Int64?
        var before: Int64?
    }

    /// The result for the database.
    struct Result: Hashable, Codable {
        var tables: [TableResult] = []
        /// The tables, indexes, views, triggers and other objects that could not be created, each with the reason.
        var lostObjects: [String] = []
        /// Whether a part of the list of objects could not be read.
        var isIncomplete = false
    }

    /// Writes everything.
    func run() throws -> Result {
        var result = Result()
        for connection in [source, target] { connection.distrustSchema() }
        try source.execute("PRAGMA writable_schema = ON")
        let objects = try self.objects ?? readObjects(&result)
        for pragma in ["page_size", "auto_vacuum"] {
            if let value = try? source.integer("PRAGMA \(pragma)") { try target.execute("PRAGMA \(pragma) = \(value)") }
        }
        if let encoding = try? source.text("PRAGMA encoding"), encoding.hasPrefix("UTF-16") {
            try target.execute("PRAGMA encoding = \(SQL.literal(encoding))")
        }
        try target.execute("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
        func create(_ object: SchemaObject, _ type: String? = nil) throws -> Bool {
            do {
                try object.create(in: target)
                return true
            } catch let error as SQLiteError where error.isRefusal {
                if avoiding(error, object.table) { throw BeginAgain() }
                result.lostObjects.append("\(type ?? object.type) \(object.name) (\(error.message))")
                return false
            }
        }
        // A virtual table creates its own tables.
        let parts = Set((try? source.texts("SELECT name FROM pragma_table_list WHERE type = 'shadow'")) ?? [])
        for table in objects where table.type == "table" && !table.isVirtual && !parts.contains(table.name) {
            if ReservedNames.isPendingTable(table.name) || table.name.hasPrefix("sqlite_") { continue }
            if try create(table) { result.tables.append(try copy(table.name)) }
        }
        try copySequences(&result)
        for pragma in ["user_version", "application_id"] {
            if let value = try? source.integer("PRAGMA \(pragma)") { try target.execute("PRAGMA \(pragma) = \(value)") }
        }
        for object in objects where object.type == "index" && !ReservedNames.isPendingTable(object.table) {
            _ = try create(object)
        }
        for object in objects where object.isVirtual && !ReservedNames.isPendingTable(object.name) {
            // The content of a search index is in its table. That of another virtual table is its own.
            guard object.name.hasPrefix(SearchIndex.name(of: "")) else {
                result.lostObjects.append("virtual table \(object.name)")
                continue
            }
            guard try create(object, "virtual table") else { continue }
            do {
                try target.execute(SearchIndex.rebuild(object.name))
            } catch let error as SQLiteError where error.isRefusal {
                result.lostObjects.append("virtual table \(object.name) (\(error.message))")
                try target.execute("DROP TABLE \(SQL.quoted(object.name))")
            }
        }
        for object in objects where ["view", "trigger"].contains(object.type) {
            if object.type == "trigger", ReservedNames.isPendingTrigger(object.name) { continue }
            _ = try create(object)
        }
        try target.execute("COMMIT")
        return result
    }

    // MARK: Reading

    /// Returns the objects that have SQL, except the indexes that SQLite creates itself.
    private func readObjects(_ result: inout Result) throws -> [SchemaObject] {
        var objects: [SchemaObject] = []
        var unread: [String] = []
        let known = ["table", "index", "view", "trigger"]
        let gaps = try DamagedRows(connection: source, table: "sqlite_schema", number: "rowid").read(
            "\(SchemaObject.columns), sql IS NULL"
        ) { row in
            let object = SchemaObject(row: row, at: 1)
            if try row.bool(5) {
                if object.type == "index", object.name.hasPrefix("sqlite_autoindex_") { return }
                unread.append("\(object.type) \(object.name) (it has no SQL)")
            } else if known.contains(object.type) {
                objects.append(object)
            } else {
                unread.append("\(object.type) \(object.name) (its type is unknown)")
            }
        }
        result.isIncomplete = !gaps.isEmpty
        result.lostObjects += unread
        return objects
    }

    /// Copies the greatest row numbers of tables with AUTOINCREMENT.
    private func copySequences(_ result: inout Result) throws {
        guard try target.integer("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'") == 1 else { return }
        try target.execute("DELETE FROM sqlite_sequence")
        let sequences = try DatabaseRewriting(source: source, target: target).copy("sqlite_sequence")
        if !sequences.lost.isEmpty { result.lostObjects.append("sqlite_sequence") }
    }

    private func copy(_ table: String) throws -> TableResult {
        var result = TableResult(name: table)
        let literal = SQL.literal(table)
        // Computed columns are not stored.
        let stored = "SELECT name FROM pragma_table_xinfo(\(literal)) WHERE hidden = 0 ORDER BY cid"
        let known = objects == nil ? [] : Set((try? source.texts(stored)) ?? [])
        // The store lacks a table of the model.
        if objects != nil, known.isEmpty { return result }
        let columns = try target.texts(stored).filter { known.isEmpty || known.contains($0) }
        let names = try target.texts("SELECT name FROM pragma_table_xinfo(\(literal))")
        let isInteger =
            try target.integer(
                "SELECT count(*) = 1 AND max(upper(type)) = 'INTEGER' FROM pragma_table_info(\(literal)) WHERE pk") == 1
        let key = try target.text("SELECT name FROM pragma_table_info(\(literal)) WHERE pk = 1")
        let hasRows =
            try target.integer("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = \(literal)") == 0
        guard hasRows, let number = isInteger ? key.map(SQL.quoted) : SQLite.rowID(besides: names) else {
            try copyWithoutNumbers(&result, columns)
            return result
        }
        let insert = try insertion(into: table, (isInteger ? [] : [number]) + columns.map(SQL.quoted))
        result.lost = try DamagedRows(connection: source, table: table, number: number).read(SQL.list(columns)) { row in
            try write(row, at: 1, columns, insert, isInteger ? nil : row.int64(0), &result)
        }
        return result
    }

    /// Returns a statement that writes a row. It returns 1 for each value of another type than its column.
    private func insertion(into table: String, _ columns: [String]) throws -> Statement {
        let conversions = columns.enumerated().map { "typeof(\($1)) <> typeof(?\($0 + 1))" }
        return try target.prepare(
            """
            INSERT INTO \(SQL.quoted(table)) (\(columns.joined(separator: ", "))) VALUES (\(SQL.parameters(columns.count)))
            RETURNING \(conversions.joined(separator: ", "))
            """)
    }

    /// Writes the current row of a statement.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - first: The index of the first value in the row.
    ///   - columns: The columns of the values.
    ///   - insert: The statement that writes it.
    ///   - number: The number of the row; nil if it is in one of the columns.
    ///   - result: The result for the table.
    private func write(
        _ row: Row, at first: Int, _ columns: [String], _ insert: Statement, _ number: Int64?,
        _ result: inout TableResult
    ) throws {
        defer { insert.reset() }
        if let number { try insert.bind(number, at: 1) }
        let firstParameter = number == nil ? 1 : 2
        if let replacing {
            guard let values = try replacing(result.name, columns, Array(row.values[first...])) else { return }
            for (index, value) in values.enumerated() { try insert.bind(value, at: firstParameter + index) }
        } else {
            for index in columns.indices { try insert.bind(row, first + index, at: firstParameter + index) }
        }
        do {
            while try insert.step() {
                for index in columns.indices where try insert.row.int(firstParameter - 1 + index) == 1 {
                    result.converted += 1
                }
            }
            result.rows += 1
        } catch let error as SQLiteError where error.isRefusal {
            if avoiding(error, result.name) { throw BeginAgain() }
            result.invalid += 1
        }
    }

    /// Copies a table whose rows have no numbers, up to the first row that cannot be read.
    private func copyWithoutNumbers(_ result: inout TableResult, _ columns: [String]) throws {
        let insert = try insertion(into: result.name, columns.map(SQL.quoted))
        do {
            let select = try source.prepare("SELECT \(SQL.list(columns)) FROM \(SQL.quoted(result.name))")
            while try select.step() { try write(select.row, at: 0, columns, insert, nil, &result) }
        } catch let error as SQLiteError where !error.isOfTarget {
            result.lost = [Gap()]
        }
    }
}

extension SQLiteError {
    /// Whether SQLite refuses what is written because of its content: a statement (ERROR, CORRUPT, AUTH) or a row (TOOBIG,
    /// CONSTRAINT, MISMATCH). A full disk, or a disk that fails, is not the fault of a row.
    fileprivate var isRefusal: Bool { [1, 11, 18, 19, 20, 23].contains(code) }

    /// Whether the error is about the file that is written, or about the process, rather than about what is read: no memory,
    /// locked, interrupted, a full disk. Without memory, a length in the file that is read may be damaged.
    fileprivate var isOfTarget: Bool { [5, 6, 8, 9, 13, 14].contains(code) }
}

/// The rows of a table whose pages may be damaged, in ranges of row numbers.
///
/// The rows of a damaged page have numbers that follow each other, so reading fails there, and works before and after it.
struct DamagedRows {
    let connection: Connection
    let table: String
    /// SQL for the number of a row.
    let number: String

    /// The number of places in a gap at which reading is tried.
    private static let probes: Int64 = 64

    /// Reads every readable row once: its number, and its values.
    ///
    /// - Returns: The gaps between the readable rows.
    func read(_ columns: String, _ body: (Row) throws -> Void) throws -> [DatabaseRewriting.Gap] {
        let select = "SELECT \(number), \(columns) FROM \(SQL.quoted(table)) NOT INDEXED WHERE \(number)"
        guard let up = try? connection.prepare("\(select) BETWEEN ?1 AND ?2 ORDER BY \(number)"),
            let down = try? connection.prepare("\(select) BETWEEN ?1 AND ?2 ORDER BY \(number) DESC")
        else { return [DatabaseRewriting.Gap()] }
        var gaps: [DatabaseRewriting.Gap] = []
        /// Reads rows in one direction until reading fails; returns the last number, and whether all were read. Only rows in
        /// ascending order are passed on, because a table that gets rows in descending order has half-empty pages.
        func run(_ statement: Statement, _ first: Int64, _ last: Int64) throws -> (Int64?, Bool) {
            defer { statement.reset() }
            try statement.bind(first, at: 1)
            try statement.bind(last, at: 2)
            var end: Int64?
            while true {
                do {
                    guard try statement.step() else { return (end, true) }
                } catch let error as SQLiteError where !error.isOfTarget {
                    return (end, false)
                }
                guard case .integer(let number) = statement.row.value(0), number >= first, number <= last,
                    end.map({ statement === up ? number > $0 : number < $0 }) ?? true
                else { return (end, false) }
                if statement === up { try body(statement.row) }
                end = number
            }
        }
        /// Reads the rows from `low` to `high`.
        func rescue(_ low: Int64, _ high: Int64, _ before: Int64?, _ after: Int64?) throws {
            let (last, isWhole) = try run(up, low, high)
            if isWhole || (last ?? low) == high { return }
            let start = last.map { $0 + 1 } ?? low
            let (first, _) = try run(down, start, high)
            if first != .min { try explore(start, first.map { $0 - 1 } ?? high, last ?? before, first ?? after) }
            if let first { try readAgain(first, high, before, after) }
        }
        /// Reads rows that could be read in the other direction.
        func readAgain(_ low: Int64, _ high: Int64, _ before: Int64?, _ after: Int64?) throws {
            let (last, isWhole) = try run(up, low, high)
            if isWhole { return }
            guard let last, last < high else { return gaps.append(.init(after: last ?? before, before: after)) }
            try explore(last + 1, high, last, after)
        }
        /// Looks for readable rows between two places at which reading failed.
        func explore(_ low: Int64, _ high: Int64, _ before: Int64?, _ after: Int64?) throws {
            if low > high { return gaps.append(.init(after: before, before: after)) }
            var candidates: Set<Int64> = []
            let span = high.subtractingReportingOverflow(low)
            for power in 0..<62 {
                let step: Int64 = 1 << Int64(power)
                let (up, isUpOver) = low.addingReportingOverflow(step)
                let (down, isDownOver) = high.subtractingReportingOverflow(step)
                if !isUpOver, up <= high { candidates.insert(up) }
                if !isDownOver, down > low { candidates.insert(down) }
            }
            if !span.overflow, span.partialValue > Self.probes {
                for part in 1..<Self.probes { candidates.insert(low + span.partialValue / Self.probes * part) }
            }
            for candidate in candidates.sorted() {
                guard let found = try readable(candidate, high) else { continue }
                // The rows before it, down to the next damage, and from there on.
                let lowest = try found > low ? run(down, low, found - 1).0 ?? found : found
                if lowest != .min { try explore(low, lowest - 1, before, lowest) }
                return try readAgain(lowest, high, before, after)
            }
            gaps.append(.init(after: before, before: after))
        }
        /// The number of the first row from `first` on, if it can be read.
        func readable(_ first: Int64, _ last: Int64) throws -> Int64? {
            defer { up.reset() }
            try up.bind(first, at: 1)
            try up.bind(last, at: 2)
            guard (try? up.step()) == true, case .integer(let number) = up.row.value(0), number >= first else {
                return nil
            }
            return number
        }
        try rescue(Int64.min, Int64.max, nil, nil)
        return gaps
    }
}
