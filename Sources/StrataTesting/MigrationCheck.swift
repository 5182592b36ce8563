import Foundation
import Strata

extension Fixtures {
    /// Takes copies of a version's fixture to the newest version, once version by version and once at once; compares the
    /// rows before and after each step, and both ends.
    public func checkMigration(of version: FixtureVersion, expecting expectations: [StepExpectation]) throws
        -> [Failure]
    {
        let export = try self.export(version)
        guard export.isEmpty else { return export }
        let old = try database(of: version.name)
        return try withExtendedLifetime(old) { try check(old.url, of: version, expectations) }
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
            let note = " (STRATA_SEED=\(random.seed) draws the same rows)"
            do {
                return try check(database, of: version, expectations, tellsUnwritten: false).map {
                    Failure($0.description + note)
                }
            } catch {
                return [Failure("from \(version.name) of \(schema.name): \(error)" + note)]
            }
        }
    }

    private func check(
        _ database: URL, of version: FixtureVersion, _ expectations: [StepExpectation], tellsUnwritten: Bool = true
    ) throws -> [Failure] {
        guard let newest = schema.versions.last else { return [] }
        let steps = try self.steps(from: version, expectations)
        // What led nowhere before may do so afterwards; where it leads is compared like any other value.
        let dangling = try Self.danglingKeys(of: Connection(path: database.path, mode: .readOnly)).count
        // What code makes of the moment is the same in all runs.
        return try MigrationContext.$fixedNow.withValue(Date(timeIntervalSinceReferenceDate: 800_000_000)) {
            try withFolder { folder in
                var failures: [Failure] = []
                var before = database
                for (place, step) in steps.enumerated() {
                    let after = folder.appendingPathComponent("\(place).sqlite")
                    try FileManager.default.copyItem(at: before, to: after)
                    failures += try check(step, from: before, to: after, dangling, tellsUnwritten).map {
                        Failure("\(schema.name) \(version.name), in the step from \(step.from) to \(step.to): \($0)")
                    }
                    before = after
                }
                let copy = folder.appendingPathComponent("newest.sqlite")
                try FileManager.default.copyItem(at: database, to: copy)
                return try failures
                    + checkAtOnce(copy, stepwise: before, dangling).map {
                        Failure("\(schema.name) \(version.name) to \(newest.name): \($0)")
                    }
            }
        }
    }

    /// Takes a database by one step, and compares both.
    private func check(
        _ step: StepExpectation, from before: URL, to after: URL, _ dangling: Int, _ tellsUnwritten: Bool
    )
        throws -> [String]
    {
        let version = try version(step.to)
        guard let known = KnownSchema(schema, upTo: step.to) else {
            throw FixtureError.unknownVersion(step.to, schema: schema.name)
        }
        _ = try Store(at: after, knowing: known)
        let comparison = try StepComparison(step, from: before, to: after, version)
        var problems = try shape(of: after, version, dangling)
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

    /// What is otherwise in a database than in a new one of its version.
    private func shape(of url: URL, _ version: FixtureVersion, _ dangling: Int) throws -> [String] {
        let expected = try schemaVersion(version)
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
        return try problems + Self.soundness(of: connection, dangling: dangling)
    }

    /// Takes a database to the newest version at once, and compares it with the one that went step by step.
    private func checkAtOnce(_ copy: URL, stepwise: URL, _ dangling: Int) throws -> [String] {
        guard let newest = versions.last else { return [] }
        _ = try Store(at: copy, schema: schema)
        var problems = try shape(of: copy, newest, dangling)
        let connection = try Connection(path: copy.path, mode: .readWrite)
        for check in newest.structs {
            do { try check.read(connection) } catch { problems.append(String(describing: error)) }
        }
        let other = try DatabaseContents(reading: Connection(path: stepwise.path, mode: .readOnly), withLog: false)
        if let difference = try DatabaseContents(reading: connection, withLog: false).difference(from: other) {
            problems.append("all steps at once and one by one differ: \(difference)")
        }
        let log = "SELECT count(*) FROM strata_migrations"
        let before = try (connection.integer(log), DatabaseContents(reading: connection))
        _ = try Store(at: copy, schema: schema)
        if try (connection.integer(log), DatabaseContents(reading: connection)) != before {
            problems.append("opening it again changes it")
        }
        return problems
    }

    private func steps(from version: FixtureVersion, _ expectations: [StepExpectation]) throws -> [StepExpectation] {
        var steps: [StepExpectation] = []
        var current = version.name
        while current != schema.versions.last?.name {
            guard let step = expectations.first(where: { $0.from == current }) else {
                throw FixtureError.unknownVersion(current, schema: schema.name)
            }
            steps.append(step)
            current = step.to
        }
        return steps
    }
}
