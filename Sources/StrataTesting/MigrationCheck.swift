import Foundation
import SchemaSQL
import Strata

extension Fixtures {
    /// Takes copies of a version's fixture to the newest version, once version by version and once at once; compares the
    /// rows before and after each step, and both ends.
    public func checkMigration(of version: FixtureVersion, expecting expectations: [StepExpectation]) throws
        -> [Failure]
    {
        let failures = try prepare(version)
        guard failures.isEmpty else { return failures }
        let old = try database(of: version.name)
        return try withExtendedLifetime(old) {
            try MigrationCheck(self, version, expectations).run(from: old.url)
        }
    }

    /// Makes a database of a version with rows that are drawn from a seed, and checks its migration as that of the
    /// fixture. `STRATA_SEED` in the environment gives the seed that a failure has told, and `STRATA_ROWS` the number of
    /// rows that a table has at most.
    public func checkRandomMigration(of version: FixtureVersion, expecting expectations: [StepExpectation]) throws
        -> [Failure]
    {
        let random = RandomRows.fromEnvironment()
        return try withFolder { folder in
            let database = folder.appendingPathComponent("random.sqlite")
            try create(version, at: database, withRows: true, drawnFrom: random)
            var check = MigrationCheck(self, version, expectations)
            // Those of the fixture tell already.
            check.tellsUnwritten = false
            return try check.run(from: database).map {
                Failure("\($0) (STRATA_SEED=\(random.seed) draws the same rows)")
            }
        }
    }
}

/// The check of how databases of one version become ones of the newest.
private struct MigrationCheck {
    private let fixtures: Fixtures
    private let version: FixtureVersion
    private let expectations: [StepExpectation]
    /// Whether to tell which functions a person has still to write.
    var tellsUnwritten = true

    init(_ fixtures: Fixtures, _ version: FixtureVersion, _ expectations: [StepExpectation]) {
        self.fixtures = fixtures
        self.version = version
        self.expectations = expectations
    }

    /// What is wrong with what becomes of `database`.
    func run(from database: URL) throws -> [Failure] {
        let steps = try self.steps()
        // What led nowhere before may do so afterwards; where it leads is compared like any other value.
        let dangling = try Fixtures.danglingKeys(of: Connection(path: database.path, mode: .readOnly)).count
        let start = "\(fixtures.schema.name) \(version.name)"
        // What code makes of the moment is the same in all runs.
        return try MigrationContext.$fixedNow.withValue(Date(timeIntervalSinceReferenceDate: 800_000_000)) {
            try fixtures.withFolder { folder in
                var failures: [Failure] = []
                var before = database
                for (place, step) in steps.enumerated() {
                    let after = folder.appendingPathComponent("\(place).sqlite")
                    try FileManager.default.copyItem(at: before, to: after)
                    let name = "\(start), in the step from \(step.from) to \(step.to)"
                    do {
                        try open(after, upTo: step.to)
                    } catch {
                        // Where it ends there is nothing to compare.
                        return failures + [Failure("\(name): it cannot be migrated: \(error)")]
                    }
                    failures += try problems(of: step, from: before, to: after, dangling).map {
                        Failure("\(name): \($0)")
                    }
                    before = after
                }
                let copy = folder.appendingPathComponent("newest.sqlite")
                try FileManager.default.copyItem(at: database, to: copy)
                guard let newest = fixtures.versions.last else { return failures }
                return try failures
                    + problems(atOnce: copy, to: newest, stepwise: before, dangling).map {
                        Failure("\(start) to \(newest.name): \($0)")
                    }
            }
        }
    }

    private func steps() throws -> [StepExpectation] {
        var steps: [StepExpectation] = []
        var current = version.name
        while current != fixtures.versions.last?.name {
            guard let step = expectations.first(where: { $0.from == current }) else {
                throw FixtureError.unknownVersion(current, schema: fixtures.schema.name)
            }
            steps.append(step)
            current = step.to
        }
        return steps
    }

    private func open(_ url: URL, upTo version: String) throws {
        guard let known = KnownSchema(fixtures.schema, upTo: version) else {
            throw FixtureError.unknownVersion(version, schema: fixtures.schema.name)
        }
        _ = try Store(at: url, knowing: known)
    }

    /// What is wrong after one step.
    private func problems(
        of step: StepExpectation, from before: URL, to after: URL, _ dangling: Int
    ) throws -> [String] {
        let version = try fixtures.version(step.to)
        let comparison = try StepComparison(step, from: before, to: after, version)
        var problems = try self.problems(of: after, version, dangling)
        problems += try comparison.run()
        if tellsUnwritten, let custom = step.custom, !comparison.unwritten.isEmpty {
            let functions = comparison.unwritten.joined(separator: "\n").split(
                separator: "\n", omittingEmptySubsequences: false)
            problems.append(
                """
                nothing says what is expected of the code of this step. Write it in the test target:

                extension \(custom.name) {
                \(functions.map { "    " + $0 }.joined(separator: "\n"))
                }
                """)
        }
        return problems
    }

    /// What is otherwise in a database than in a new one of its version, and what SQLite finds wrong with it.
    private func problems(of url: URL, _ version: FixtureVersion, _ dangling: Int) throws -> [String] {
        let expected = try fixtures.schemaVersion(version)
        let connection = try Connection(path: url.path, mode: .readOnly)
        var problems: [String] = []
        let metadata = try StoreMetadata(reading: connection)
        if metadata.version != expected.name || metadata.fingerprint != expected.fingerprint {
            problems.append("it ends at version \(metadata.version)")
        }
        problems += try SchemaComparison.differences(of: connection, from: expected).map {
            "\($0) is not as in a new store"
        }
        problems += try TableShape(connection: connection, version: version).differences()
        return try problems + Fixtures.soundness(of: connection, dangling: dangling)
    }

    /// Takes a database to the newest version at once, and tells what is wrong with it beside the one that went step by
    /// step.
    private func problems(
        atOnce copy: URL, to newest: FixtureVersion, stepwise: URL, _ dangling: Int
    ) throws -> [String] {
        do {
            try open(copy, upTo: newest.name)
        } catch {
            return ["it cannot be migrated at once: \(error)"]
        }
        var problems = try self.problems(of: copy, newest, dangling)
        let connection = try Connection(path: copy.path, mode: .readWrite)
        for check in newest.structs {
            do { try check.read(connection) } catch { problems.append(String(describing: error)) }
        }
        problems += try differences(of: connection, from: stepwise, newest)
        let before = try Data(contentsOf: copy)
        try open(copy, upTo: newest.name)
        if try Data(contentsOf: copy) != before { problems.append("opening it again changes it") }
        return problems
    }

    /// The rows that only one of two databases has.
    private func differences(
        of connection: Connection, from other: URL, _ version: FixtureVersion
    ) throws -> [String] {
        let attach = try connection.prepare("ATTACH DATABASE ?1 AS stepwise")
        try attach.bind(other.path, at: 1)
        try attach.run()
        defer { try? connection.execute("DETACH DATABASE stepwise") }
        let names = Names(version)
        let tables =
            version.tables.map { ($0.name, $0.columns.flatMap(\.names)) }
            + version.joinTables.map { ($0.name, $0.columns + ["position"]) }
        return try tables.flatMap { table, columns -> [String] in
            let list = columns.map { SQL.quoted($0) + " COLLATE BINARY" }.joined(separator: ", ")
            func rows(of database: String) -> String { "SELECT \(list) FROM \(database).\(SQL.quoted(table))" }
            return try [("main", "stepwise", "all steps at once"), ("stepwise", "main", "one step after the other")]
                .compactMap { one, two, way -> String? in
                    let statement = try connection.prepare("\(rows(of: one)) EXCEPT \(rows(of: two)) LIMIT 1")
                    guard try statement.step() else { return nil }
                    let row = statement.row.values.map(\.description).joined(separator: ", ")
                    return "only \(way) give the row (\(row)) of \(names.entity(table))"
                }
        }
    }
}
