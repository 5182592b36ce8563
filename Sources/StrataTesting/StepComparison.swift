import Foundation
import SchemaSQL
import Strata

/// Compares a database after one step with the one before it: each old row with what it was to become, and each new row
/// with where it has come from.
///
/// What is expected is put together by SQL of its own, over the old database beside the new one.
final class StepComparison {
    let connection: Connection
    let step: StepExpectation
    let version: FixtureVersion
    let rows: StepRows
    let names: Names
    /// By the place of the expectation: those of the tables of entities and join tables, and those of rows beside them.
    var fates: [Int: Fates] = [:]
    /// By the old table of an entity: the place of its fates.
    var places: [String: Int] = [:]
    /// The old tables of which nobody has said what becomes of their rows.
    var unknown: Set<String> = []
    /// By the new table: the rows that were to be added to it.
    var added: [String: String] = [:]
    /// Looks at the rows of which a person has said but the key, once all keys are what they are to be.
    var looks: [() throws -> String?] = []
    /// The functions that are still to be written.
    var unwritten: [String] = []

    /// The step that took the database `before` to `after`, where it became one of `version`.
    init(_ step: StepExpectation, from before: URL, to after: URL, _ version: FixtureVersion) throws {
        connection = try Connection(path: after.path, mode: .readWrite)
        rows = StepRows(
            old: try Connection(path: before.path, mode: .readOnly),
            new: try Connection(path: after.path, mode: .readOnly))
        self.step = step
        self.version = version
        names = Names(version)
        let attach = try connection.prepare("ATTACH DATABASE ?1 AS original")
        try attach.bind(before.path, at: 1)
        try attach.run()
    }

    /// What is otherwise than it should be.
    func run() throws -> [String] {
        var problems = try askPerson()
        try followKeys()
        problems += try sharedKeys()
        problems += try looks.compactMap { try $0() }
        let same = try identicalTables()
        for (place, table) in step.tables.enumerated() where !isUnknown(table) && !same.contains(table.to) {
            problems += try compare(table, place)
        }
        for (number, rows) in (step.custom?.rows ?? []).enumerated() where !unknown.contains(rows.old.name) {
            problems += try compare(rows, number)
        }
        if let untraced = step.untraced {
            // Rows that were to be added to an identical table are missing.
            for table in version.tables
            where !untraced.contains(table.name) && (!same.contains(table.name) || added[table.name] != nil) {
                problems += try compareSources(of: table)
            }
            for join in version.joinTables where !untraced.contains(join.name) && !same.contains(join.name) {
                problems += try compareSources(of: join)
            }
        }
        // What a person says and what can be inferred may be the same.
        var told: Set<String> = []
        return problems.filter { told.insert($0).inserted }
    }

    /// The tables that are expected to stay as they are and have the same rows in both databases: nothing else is to be said
    /// of them.
    private func identicalTables() throws -> Set<String> {
        let queries = step.tables.filter(\.isUnchanged).map { table in
            let columns = table.values.keys.sorted().map { SQL.quoted($0) + " COLLATE BINARY" }.joined(separator: ", ")
            func rows(_ database: String) -> String { "\(database).\(SQL.quoted(table.to))" }
            func count(_ database: String) -> String { "(SELECT count(*) FROM \(rows(database)))" }
            let rest = "SELECT \(columns) FROM \(rows("original")) EXCEPT SELECT \(columns) FROM \(rows("main"))"
            return
                "SELECT \(SQL.literal(table.to)) WHERE \(count("original")) = \(count("main")) AND NOT EXISTS (\(rest))"
        }
        var same: Set<String> = []
        // SQLite takes no more than 500 queries in one.
        for start in stride(from: 0, to: queries.count, by: 100) {
            let some = queries[start..<min(start + 100, queries.count)]
            try connection.query(some.joined(separator: " UNION ALL ")) { same.insert(try $0.string(0)) }
        }
        return same
    }

    // MARK: SQL and words

    func values(_ sql: String) throws -> [[SQLiteValue]] {
        var rows: [[SQLiteValue]] = []
        try connection.query(sql) { rows.append($0.values) }
        return rows
    }

    static func equal(_ left: [String], _ right: [String]) -> String {
        zip(left, right).map { "\($0) = \($1)" }.joined(separator: " AND ")
    }

    static func shown(_ values: some Sequence<SQLiteValue>) -> String {
        values.map(\.description).joined(separator: ", ")
    }
}
