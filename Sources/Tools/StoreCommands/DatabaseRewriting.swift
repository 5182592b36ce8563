import Foundation
import SQLSchema
import Strata

/// Writes the objects and rows of a database to a new one, row by row. It reads a damaged database as far as possible, and
/// can replace values.
struct DatabaseRewriting {
    let source: Connection
    let target: Connection
    /// Returns a row with the values to write, or nil to leave the row out; the arguments are the table and its columns.
    var replacing: (String, [String], [SQLiteValue]) throws -> [SQLiteValue]? = { $2 }
    /// Returns other values for a row that violates a constraint; nil if there are none.
    var replacingViolation: (String, [String], [SQLiteValue]) throws -> [SQLiteValue]? = { _, _, _ in nil }

    /// An object of the database.
    private struct Object {
        let type: String
        let name: String
        let table: String
        let sql: String

        var isVirtual: Bool { sql.uppercased().hasPrefix("CREATE VIRTUAL") }
    }

    /// The result for a table.
    struct TableResult: Hashable, Codable {
        var name: String
        /// The number of rows that were written.
        var rows = 0
        /// The numbers of rows between which nothing could be read; nil for no limit.
        var lost: [Gap] = []
        /// The number of rows that were read and violate a constraint.
        var invalid = 0
    }

    /// The numbers of the last readable row before unreadable ones, and of the first one after them.
    struct Gap: Hashable, Codable {
        var after: Int64?
        var before: Int64?
    }

    /// The result for the database.
    struct Result: Hashable, Codable {
        var tables: [TableResult] = []
        /// The indexes, views, triggers and other objects that could not be created.
        var lostObjects: [String] = []
        /// Whether a part of the list of objects could not be read.
        var isIncomplete = false
    }

    /// Writes everything.
    func run() throws -> Result {
        var result = Result()
        try source.execute("PRAGMA writable_schema = ON")
        let (objects, gaps) = try readObjects()
        result.isIncomplete = !gaps.isEmpty
        for pragma in ["page_size", "auto_vacuum"] {
            if let value = try? source.integer("PRAGMA \(pragma)") { try target.execute("PRAGMA \(pragma) = \(value)") }
        }
        try target.execute("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
        let virtual = objects.filter(\.isVirtual)
        for table in objects where table.type == "table" && !table.isVirtual {
            // A virtual table creates its own tables.
            if virtual.contains(where: { Self.isPart(table.name, of: $0.name) }) { continue }
            if ReservedNames.isPendingTable(table.name) || table.name.hasPrefix("sqlite_") { continue }
            do {
                try target.execute(table.sql)
            } catch let error as SQLiteError where [1, 11].contains(error.code) {
                result.lostObjects.append("table \(table.name)")
                continue
            }
            result.tables.append(try copy(table.name))
        }
        for pragma in ["user_version", "application_id"] {
            if let value = try? source.integer("PRAGMA \(pragma)") { try target.execute("PRAGMA \(pragma) = \(value)") }
        }
        for object in objects where object.type == "index" && !ReservedNames.isPendingTable(object.table) {
            if !create(object) { result.lostObjects.append("index \(object.name)") }
        }
        for object in virtual {
            // The content of a search index is in its table.
            let isSearch = object.name.hasPrefix(SearchIndex.name(of: ""))
            if !isSearch || !create(object) || (try? target.execute(SearchIndex.rebuild(object.name))) == nil {
                result.lostObjects.append("virtual table \(object.name)")
            }
        }
        for object in objects where ["view", "trigger"].contains(object.type) {
            if object.type == "trigger", ReservedNames.isPendingTrigger(object.name) { continue }
            if !create(object) { result.lostObjects.append("\(object.type) \(object.name)") }
        }
        try target.execute("COMMIT")
        return result
    }

    /// Whether a table contains the data of a full-text or spatial index.
    private static func isPart(_ table: String, of virtual: String) -> Bool {
        let suffixes = [
            "data", "idx", "content", "docsize", "config", "segments", "segdir", "stat", "node", "rowid", "parent",
        ]
        return suffixes.contains { table == "\(virtual)_\($0)" }
    }

    private func create(_ object: Object) -> Bool { (try? target.execute(object.sql)) != nil }

    // MARK: Reading

    private func readObjects() throws -> ([Object], [Gap]) {
        var objects: [Object] = []
        let gaps = try DamagedRows(connection: source, table: "sqlite_schema", number: "rowid").read(
            "type, name, tbl_name, sql"
        ) { values in
            guard case .text(let type) = values[1], case .text(let name) = values[2], case .text(let table) = values[3],
                case .text(let sql) = values[4]
            else { return }
            objects.append(Object(type: type, name: name, table: table, sql: sql))
        }
        return (objects, gaps)
    }

    private func copy(_ table: String) throws -> TableResult {
        var result = TableResult(name: table)
        // Computed columns are not stored.
        let columns = try target.texts(
            "SELECT name FROM pragma_table_xinfo(\(SQL.literal(table))) WHERE hidden = 0 ORDER BY cid")
        let literal = SQL.literal(table)
        let names = try target.texts("SELECT name FROM pragma_table_xinfo(\(literal))")
        let isInteger =
            try target.integer(
                "SELECT count(*) = 1 AND max(upper(type)) = 'INTEGER' FROM pragma_table_info(\(literal)) WHERE pk") == 1
        let key = try target.text("SELECT name FROM pragma_table_info(\(literal)) WHERE pk = 1")
        let hasRows =
            try target.integer("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = \(literal)") == 0
        guard hasRows, let number = isInteger ? key.map(SQL.quoted) : SQLite.rowID(besides: names) else {
            return try copyWithoutNumbers(table, columns)
        }
        let all = (isInteger ? [] : [number]) + columns.map(SQL.quoted)
        let insert = try target.prepare(
            "INSERT INTO \(SQL.quoted(table)) (\(all.joined(separator: ", "))) VALUES (\(SQL.parameters(all.count)))")
        func write(_ number: SQLiteValue, _ values: [SQLiteValue]) throws {
            for (place, value) in ((isInteger ? [] : [number]) + values).enumerated() {
                try insert.bind(value, at: place + 1)
            }
            do {
                try insert.run()
            } catch {
                insert.reset()
                throw error
            }
        }
        result.lost = try DamagedRows(connection: source, table: table, number: number).read(
            columns.map(SQL.quoted).joined(separator: ", ")
        ) { values in
            let old = Array(values.dropFirst())
            guard let new = try replacing(table, columns, old) else { return }
            do {
                try write(values[0], new)
            } catch let error as SQLiteError where error.code == 19 {  // SQLITE_CONSTRAINT
                guard let other = try replacingViolation(table, columns, old) else {
                    result.invalid += 1
                    return
                }
                do {
                    try write(values[0], other)
                } catch let error as SQLiteError where error.code == 19 {
                    result.invalid += 1
                    return
                }
            }
            result.rows += 1
        }
        return result
    }
}

extension DatabaseRewriting {
    /// Copies a table whose rows have no numbers, up to the first row that cannot be read.
    private func copyWithoutNumbers(_ table: String, _ columns: [String]) throws -> TableResult {
        var result = TableResult(name: table)
        let list = SQL.list(columns)
        let insert = try target.prepare(
            "INSERT INTO \(SQL.quoted(table)) (\(list)) VALUES (\(SQL.parameters(columns.count)))")
        guard let select = try? source.prepare("SELECT \(list) FROM \(SQL.quoted(table))") else {
            result.lost = [Gap()]
            return result
        }
        while true {
            do {
                guard try select.step() else { return result }
            } catch {
                result.lost = [Gap()]
                return result
            }
            guard let values = try replacing(table, columns, select.row.values) else { continue }
            for (place, value) in values.enumerated() { try insert.bind(value, at: place + 1) }
            do {
                try insert.run()
                result.rows += 1
            } catch let error as SQLiteError where error.code == 19 {
                insert.reset()
                result.invalid += 1
            }
        }
    }
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
    func read(_ columns: String, _ body: ([SQLiteValue]) throws -> Void) throws -> [DatabaseRewriting.Gap] {
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
                let values: [SQLiteValue]
                do {
                    guard try statement.step() else { return (end, true) }
                    values = statement.row.values
                } catch let error as SQLiteError where [10, 11, 26].contains(error.code) {  // IOERR, CORRUPT, NOTADB
                    return (end, false)
                }
                guard case .integer(let number) = values[0], number >= first, number <= last,
                    end.map({ statement === up ? number > $0 : number < $0 }) ?? true
                else { return (end, false) }
                if statement === up { try body(values) }
                end = number
            }
        }
        /// Reads the rows from `low` to `high`.
        func rescue(_ low: Int64, _ high: Int64, _ before: Int64?, _ after: Int64?) throws {
            let (last, isWhole) = try run(up, low, high)
            if isWhole { return }
            let start = last ?? low
            if start == high { return }
            let (first, _) = try run(down, last.map { $0 + 1 } ?? low, high)
            try explore(last.map { $0 + 1 } ?? low, first.map { $0 - 1 } ?? high, last ?? before, first ?? after)
            if let first { _ = try run(up, first, high) }
        }
        /// Looks for readable rows between two places at which reading failed.
        func explore(_ low: Int64, _ high: Int64, _ before: Int64?, _ after: Int64?) throws {
            if low > high { return gaps.append(.init(after: before, before: after)) }
            var places: Set<Int64> = []
            let span = high.subtractingReportingOverflow(low)
            for power in 0..<62 {
                let step: Int64 = 1 << Int64(power)
                let (up, isUpOver) = low.addingReportingOverflow(step)
                let (down, isDownOver) = high.subtractingReportingOverflow(step)
                if !isUpOver, up <= high { places.insert(up) }
                if !isDownOver, down > low { places.insert(down) }
            }
            if !span.overflow, span.partialValue > Self.probes {
                for part in 1..<Self.probes { places.insert(low + span.partialValue / Self.probes * part) }
            }
            for place in places.sorted() {
                guard let found = try readable(place, high) else { continue }
                // The rows before it, down to the next damage, and from there on.
                let (first, _) = try run(down, low, found - 1)
                let lowest = first ?? found
                try explore(low, lowest - 1, before, lowest)
                let (last, isWhole) = try run(up, lowest, high)
                if !isWhole, let last { try explore(last + 1, high, last, after) }
                return
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
