import Foundation
import SQLSchema
import Strata

/// A comparison of the databases before and after one step.
///
/// It compares each old row with its expected result, and each new row with its expected source. The old database is
/// attached to the new one as `original`. Expected values are computed from its rows in Swift.
final class StepComparison {
    let connection: Connection
    let step: StepExpectation
    let version: FixtureVersion
    let databases: StepDatabases
    let names: DescribedNames
    let expectedValues: ExpectedValueFunction
    /// The expected results of rows, by the position of the table's expectation. The positions of entities without an
    /// expectation come after the last one.
    var outcomes: [Int: KeyOutcomes] = [:]
    /// The position in `outcomes` of an entity, by its table before the step.
    var indexes: [String: Int] = [:]
    /// The tables before the step for whose rows no expected result is known. You may not have written it yet.
    var unknown: Set<String> = []
    /// The temporary tables with the rows that are expected to be added, by table after the step.
    var added: [String: String] = [:]
    /// The checks of rows whose expected result names only a primary key. They run after `followKeys()`.
    var pendingChecks: [() throws -> String?] = []
    /// The functions that you still have to write.
    var unwritten: [String] = []

    /// Creates the comparison of one step.
    ///
    /// - Parameters:
    ///   - step: The expected results of the step.
    ///   - before: The database before the step.
    ///   - after: The migrated database.
    ///   - version: The version after the step.
    init(_ step: StepExpectation, from before: URL, to after: URL, _ version: FixtureVersion) throws {
        connection = try Connection(path: after.path, mode: .readWrite)
        databases = StepDatabases(
            old: try Connection(path: before.path, mode: .readOnly),
            new: try Connection(path: after.path, mode: .readOnly))
        expectedValues = try ExpectedValueFunction(on: connection)
        self.step = step
        self.version = version
        names = DescribedNames(version)
        let attach = try connection.prepare("ATTACH DATABASE ?1 AS original")
        try attach.bind(before.path, at: 1)
        try attach.run()
    }

    /// Returns the differences from the expected results.
    func run() throws -> [Problem] {
        let expectations = step.custom.map { Failure.Subject.expectations($0.name) }
        var problems = try askExpectations().about(expectations)
        try followKeys()
        problems += try sharedKeys().about(expectations)
        var rejected = SummarizedFindings(takingShortest: true)
        for check in pendingChecks {
            if let problem = try check() { rejected.add("", problem) }
        }
        problems += rejected.texts.about(expectations)
        let same = try identicalTables()
        for (index, table) in step.tables.enumerated() where !isUnknown(table) && !same.contains(table.to) {
            problems += try compare(table, index).about(.entity(names.entity(table.to)))
        }
        for (number, rows) in (step.custom?.rows ?? []).enumerated() where !unknown.contains(rows.old.name) {
            problems += try compare(rows, number).about(expectations)
        }
        if let untraced = step.untraced {
            // If a row was expected to be added to an identical table, it is missing.
            for table in version.tables
            where !untraced.contains(table.name) && (!same.contains(table.name) || added[table.name] != nil) {
                problems += try compareSources(of: table).about(.entity(table.entity))
            }
            for join in version.joinTables where !untraced.contains(join.name) && !same.contains(join.name) {
                problems += try compareSources(of: join).about(.entity(join.entity))
            }
        }
        // Your expectations and the inferred ones may report the same problem.
        var reported: Set<String> = []
        return problems.filter { reported.insert($0.text).inserted }
    }

    /// Returns the tables that are expected to stay unchanged and have the same rows in both databases. They need no
    /// further comparison.
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
        // SQLite allows at most 500 queries in a compound SELECT.
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
