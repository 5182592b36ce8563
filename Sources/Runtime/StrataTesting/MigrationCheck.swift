import Foundation
import SQLSchema
import Strata

extension Fixtures {
    /// Migrates copies of a version's fixture by one step and to the newest version, and compares the rows before and
    /// after.
    ///
    /// After the first step, the check compares every value with its expected value. At the newest version, it compares
    /// the primary keys, the number of rows, the columns that no step changes, the foreign keys and the layout.
    ///
    /// In a history of at most ten versions, every further step is compared like the first. The result of these steps
    /// is compared with the result of the direct migration. In a longer history only the oldest version takes every
    /// step, and only the result is compared. Set `STRATA_PATHS=all` in the environment to treat a long history like a
    /// short one.
    ///
    /// Another copy is migrated in batches, as a large store is. The migration is interrupted at random moments, and must
    /// have the same result. In a longer history, the oldest version and three others are migrated in this way too.
    ///
    /// - Returns: The failures; empty if there are none.
    public func checkMigration(of version: FixtureVersion) throws -> [Failure] {
        let failures = try prepare(version)
        guard failures.isEmpty else { return failures }
        let old = try database(of: version.name)
        return try withExtendedLifetime(old) {
            try paths(from: version).flatMap { path in
                var check = MigrationCheck(self, version, along: path)
                check.comparesResults = true
                return try check.run(from: old.url)
            }
        }
    }

    /// Creates a database of a version with random rows, and checks its migration like that of the fixture.
    ///
    /// Another database has all sample values, in random combinations, and more than 300 rows in each table. It is migrated
    /// by one step, and by all steps in one run.
    ///
    /// In a history of more than ten versions, only the tables that the step changes have all sample values. Only every tenth
    /// version has a database with random rows, and is migrated to the newest.
    ///
    /// Three environment variables change the check. `STRATA_PATHS=all` migrates all versions to the newest.
    /// `STRATA_SEED` is the seed that a failure has reported. `STRATA_ROWS` is the greatest number of rows in a table.
    ///
    /// - Returns: The failures; empty if there are none.
    public func checkRandomMigration(of version: FixtureVersion) throws -> [Failure] {
        // A long history needs fewer random rows for each of its many versions.
        let random = RandomRows.fromEnvironment(count: versions.count <= 10 ? 40 : 15)
        return try paths(from: version).flatMap { path in
            try checkRandomMigration(of: version, along: path, random)
        }
    }

    private func checkRandomMigration(
        of version: FixtureVersion, along path: [StepExpectation], _ random: RandomRows
    ) throws -> [Failure] {
        try withFolder { folder in
            var check = MigrationCheck(self, version, along: path)
            // The check of the fixture already reports unwritten functions.
            check.reportsUnwritten = false
            check.migratesToNewest = isSampled(version)
            check.moments = random
            var failures: [Failure] = []
            if let step = path.first {
                let complete = folder.appendingPathComponent("complete.sqlite")
                try createComplete(version, at: complete, before: step, random)
                failures = try check.run(from: complete, quickly: true)
            }
            if failures.isEmpty, isSampled(version) {
                let database = folder.appendingPathComponent("random.sqlite")
                try create(version, at: database, withRows: true, drawnFrom: random)
                failures = try check.run(from: database)
            }
            return failures.map { Failure("\($0) (repeat with STRATA_SEED=\(random.seed))", $0.subject) }
        }
    }
}

extension Fixtures {
    /// Creates a database of a version for the check of a step: it has all sample values, and more than 300 rows in each
    /// table. In a long history only the tables that the step changes have them.
    func createComplete(
        _ version: FixtureVersion, at url: URL, before step: StepExpectation, _ random: RandomRows
    ) throws {
        let unchanged = takesAllPaths ? [] : step.tables.filter(\.isUnchanged).map(\.from)
        let changed = Set(version.tables.map(\.name)).subtracting(unchanged)
        try create(version, at: url, withRows: true, drawnFrom: random.completing(changed))
    }

    /// Whether every version is migrated step by step to the newest version.
    var takesAllPaths: Bool {
        versions.count <= 10 || ProcessInfo.processInfo.environment["STRATA_PATHS"] == "all"
    }

    func isSampled(_ version: FixtureVersion) -> Bool { takesAllPaths || index(of: version).isMultiple(of: 10) }

    /// Whether databases of a version are also migrated in batches with interruptions.
    func isInterrupted(_ version: FixtureVersion) -> Bool {
        takesAllPaths || index(of: version).isMultiple(of: (versions.count + 3) / 4)
    }

    private func index(of version: FixtureVersion) -> Int { versions.firstIndex { $0.name == version.name } ?? 0 }
}

/// The check of the migration of databases of one version.
private struct MigrationCheck {
    private let fixtures: Fixtures
    private let version: FixtureVersion
    private let path: [StepExpectation]
    /// The schema, in which stores migrate along the path.
    private let schema: SchemaDefinition
    /// Whether to report the functions that you still have to write.
    var reportsUnwritten = true
    /// Whether what the first step gives is compared with its file.
    var comparesResults = false
    /// Whether the database is also migrated to the newest version.
    var migratesToNewest = true
    /// The random moments at which migrations in batches are interrupted.
    var moments = RandomRows(seed: 1, count: 0)

    init(_ fixtures: Fixtures, _ version: FixtureVersion, along path: [StepExpectation]) {
        (self.fixtures, self.version, self.path) = (fixtures, version, path)
        let next = Dictionary(path.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
        schema = SchemaDefinition(fixtures.schema).choosing { from, _ in next[from] }
    }

    /// Migrates copies of `database` and compares them with the original.
    ///
    /// The check migrates one copy by one step, and one to the newest version by all steps in one run, as on a device.
    /// If `takesEveryStep` is true, it also migrates a copy step by step and compares both results.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - isQuick: Whether to leave out the migrations step by step and in batches.
    /// - Returns: The failures; empty if there are none.
    func run(from database: URL, quickly isQuick: Bool = false) throws -> [Failure] {
        // Foreign keys that dangle before the migration may dangle after it. Their values are compared like all others.
        let dangling = try Fixtures.danglingKeys(of: Connection(path: database.path, mode: .readOnly)).count
        let start = "\(fixtures.schema.name) \(version.name)" + detour
        let takesEveryStep = takesEveryStep && !isQuick
        // Code that uses the current time must give the same result in all runs.
        return try StepAccess.$fixedNow.withValue(Date(timeIntervalSinceReferenceDate: 800_000_000)) {
            try fixtures.withFolder { folder in
                var failures: [Failure] = []
                var before = database
                for (index, step) in path.prefix(takesEveryStep ? path.count : 1).enumerated() {
                    let after = folder.appendingPathComponent("\(index).sqlite")
                    try FileManager.default.copyItem(at: before, to: after)
                    let name = "\(start), step \(step.from) to \(step.to)"
                    do {
                        try open(after, upTo: step.to)
                    } catch {
                        // A failed step has no result to compare.
                        return failures + [Failure("\(name): the migration failed: \(error)")]
                    }
                    // In a long history, the test of each version compares the step that follows it.
                    if index == 0 || fixtures.takesAllPaths {
                        failures += try problems(of: step, from: before, to: after, dangling).map {
                            $0.failure(name)
                        }
                    }
                    if index == 0, comparesResults, failures.isEmpty || step.results != .unsealed {
                        let again = folder.appendingPathComponent("again.sqlite")
                        let problems = try fixtures.checkResults(of: step, from: version, before, after) {
                            try FileManager.default.copyItem(at: before, to: again)
                            try open(again, upTo: step.to)
                            return again
                        }
                        failures += problems.map { Failure("\(name): \($0)", expectations(of: step)) }
                    }
                    before = after
                }
                guard let newest = fixtures.versions.last, migratesToNewest else { return failures }
                func fail(_ problems: [Problem]) {
                    failures += problems.map { $0.failure("\(start) to \(newest.name)") }
                }
                if isQuick, path.count == 1 {
                    fail(try problems(ofNewest: before, newest, dangling))
                    return failures
                }
                let fused = folder.appendingPathComponent("newest.sqlite")
                try FileManager.default.copyItem(at: database, to: fused)
                let way = "the migration in one run"
                do {
                    let probe = try UserObjectProbe(addedTo: fused, of: version)
                    fail(try probe.finish(try open(fused, upTo: newest.name)).about(nil))
                } catch {
                    fail(["\(way) failed: \(error)"].about(nil))
                    return failures
                }
                fail(try problems(ofNewest: fused, newest, dangling))
                if path.count > 1 {
                    fail(try StepComparison(.fused(path), from: database, to: fused, newest).run())
                    if takesEveryStep {
                        fail(try differences((way, fused), ("the migration step by step", before), newest))
                    }
                }
                if isQuick || !fixtures.isInterrupted(version) { return failures }
                let batches = "the migration in batches with interruptions"
                let interrupted = folder.appendingPathComponent("interrupted.sqlite")
                try FileManager.default.copyItem(at: database, to: interrupted)
                do {
                    let probe = try UserObjectProbe(addedTo: interrupted, of: version)
                    fail(try probe.finish(try openInterrupted(interrupted)).about(nil))
                } catch {
                    fail(["\(batches) failed: \(error)"].about(nil))
                    return failures
                }
                fail(
                    try problems(of: interrupted, newest, dangling).map {
                        Problem(text: "\(batches): \($0.text)", subject: $0.subject)
                    })
                fail(try differences((batches, interrupted), (way, fused), newest))
                return failures
            }
        }
    }

    /// The versions on the way that are not the default; empty for the default.
    private var detour: String {
        let isDefault = path.allSatisfy { step in fixtures.steps.first { $0.from == step.from }?.to == step.to }
        return isDefault ? "" : " by " + path.map(\.to).joined(separator: ", ")
    }

    /// Whether the database is also migrated step by step. In a long history only the oldest version is.
    private var takesEveryStep: Bool {
        migratesToNewest && (fixtures.takesAllPaths || version.name == fixtures.versions.first?.name)
    }

    @discardableResult private func open(_ url: URL, upTo version: String) throws -> MigrationReport? {
        try Store(at: url, definition: schema.upTo(version)).migrationReport
    }

    /// Migrates a database to the newest version in batches of one row. The migration is interrupted at random moments until
    /// it has ended.
    private func openInterrupted(_ url: URL) throws -> MigrationReport? {
        var options = StoreOptions()
        options.migration = .resumable
        var moments = moments
        var longest = 4
        while true {
            // The number of times that the migration may still ask whether it is cancelled.
            let left = Locked(Int.random(in: 0..<longest, using: &moments))
            options.isMigrationCancelled = {
                left.withLock { left in
                    left -= 1
                    return left < 0
                }
            }
            // The moments become later, so that the migration ends even if it has to run in one transaction; but slowly, so that
            // each part of it is interrupted.
            longest += 1 + longest / 2
            do {
                return try MigrationBatches.$duration.withValue(.zero) {
                    try Store(at: url, definition: schema, options: options).migrationReport
                }
            } catch is CancellationError {}
        }
    }

    private func expectations(of step: StepExpectation) -> Failure.Subject? {
        step.custom.map { .expectations($0.name) }
    }

    /// Returns the problems after one step.
    private func problems(
        of step: StepExpectation, from before: URL, to after: URL, _ dangling: Int
    ) throws -> [Problem] {
        let version = try fixtures.version(step.to)
        let comparison = try StepComparison(step, from: before, to: after, version)
        var problems = try self.problems(of: after, version, dangling)
        problems += try comparison.run()
        if reportsUnwritten, let custom = step.custom, !comparison.unwritten.isEmpty {
            let functions = comparison.unwritten.joined(separator: "\n").split(
                separator: "\n", omittingEmptySubsequences: false)
            problems += [
                """
                this step has a custom migration, but no expected results. Add them to the test target:

                extension \(custom.name) {
                \(functions.map { "    " + $0 }.joined(separator: "\n"))
                }
                """
            ].about(.expectations(custom.name))
        }
        return problems
    }

    /// Returns the differences between a database and its version, and the problems that SQLite finds in it.
    private func problems(of url: URL, _ version: FixtureVersion, _ dangling: Int) throws -> [Problem] {
        let expected = try fixtures.schemaVersion(version)
        let connection = try Connection(path: url.path, mode: .readOnly)
        var problems: [Problem] = []
        let metadata = try StoreIdentity(reading: connection)
        if metadata.version != expected.name || metadata.fingerprint != expected.fingerprint {
            problems += ["the migrated store has version \(metadata.version)"].about(nil)
        }
        problems += try TableShape(connection: connection, version: version).differences()
        return try problems + Fixtures.soundness(of: connection, dangling: dangling).about(nil)
    }

    /// Returns the problems of a database of the newest version, apart from the comparison of its rows.
    ///
    /// All structs must be able to read their rows. Opening the store again must not change the file.
    private func problems(ofNewest url: URL, _ newest: FixtureVersion, _ dangling: Int) throws -> [Problem] {
        var problems = try self.problems(of: url, newest, dangling)
        let connection = try Connection(path: url.path, mode: .readWrite)
        for check in fixtures.newestStructs {
            do {
                try check.read(connection)
            } catch {
                problems += [String(describing: error)].about(.entity(DescribedNames(newest).entity(check.table)))
            }
        }
        let before = try Data(contentsOf: url)
        try open(url, upTo: newest.name)
        if try Data(contentsOf: url) != before {
            problems += ["opening the migrated store again changes the file"].about(nil)
        }
        return problems
    }

    /// A database, and how it was migrated.
    private typealias Result = (way: String, url: URL)

    /// Returns a message for each table with a row that only one of two databases has.
    private func differences(_ one: Result, _ other: Result, _ version: FixtureVersion) throws -> [Problem] {
        let connection = try Connection(path: one.url.path, mode: .readWrite)
        let attach = try connection.prepare("ATTACH DATABASE ?1 AS other")
        try attach.bind(other.url.path, at: 1)
        try attach.run()
        defer { try? connection.execute("DETACH DATABASE other") }
        let names = DescribedNames(version)
        let tables =
            version.tables.map { ($0.name, $0.columns.flatMap(\.names)) }
            + version.joinTables.map { ($0.name, $0.allColumns) }
        return try tables.flatMap { table, columns -> [Problem] in
            let list = columns.map { SQL.quoted($0) + " COLLATE BINARY" }.joined(separator: ", ")
            func rows(of database: String) -> String { "SELECT \(list) FROM \(database).\(SQL.quoted(table))" }
            return try [("main", "other", one.way), ("other", "main", other.way)]
                .compactMap { first, second, way -> String? in
                    let statement = try connection.prepare("\(rows(of: first)) EXCEPT \(rows(of: second)) LIMIT 1")
                    guard try statement.step() else { return nil }
                    let row = statement.row.values.map(\.description).joined(separator: ", ")
                    return "only \(way) creates the row (\(row)) of \(names.entity(table))"
                }.about(.entity(String(names.entity(table).prefix { $0 != "." })))
        }
    }
}
