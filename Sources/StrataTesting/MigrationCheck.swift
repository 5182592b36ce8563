import Foundation
import SchemaSQL
import Strata

extension Fixtures {
    /// Opens copies of a version's fixture, which takes them to the newest version, once with steps done as one and once
    /// version by version; compares each with the fixture, and both with each other.
    public func checkMigration(of version: FixtureVersion, expecting expectations: [StepExpectation]) throws
        -> [Failure]
    {
        let export = try self.export(version)
        guard export.isEmpty else { return export }
        return try withCopy(of: version) { copy, _ in try check(copy, of: version, expectations) }
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
                return try check(database, of: version, expectations).map { Failure($0.description + note) }
            } catch {
                return [Failure("from \(version.name) of \(schema.name): \(error)" + note)]
            }
        }
    }

    private func check(_ database: URL, of version: FixtureVersion, _ expectations: [StepExpectation]) throws
        -> [Failure]
    {
        guard let newest = schema.versions.last else { return [] }
        let steps = try self.steps(from: version, expectations)
        let (fused, contents) = try migrate(database, steps, .fused, newest)
        let (stepwise, otherContents) = try migrate(database, steps, .stepwise, newest)
        var problems = fused
        if stepwise != fused { problems += stepwise.map { "version by version: \($0)" } }
        if let difference = contents.difference(from: otherContents) {
            problems.append("steps done as one and version by version differ: \(difference)")
        }
        return problems.map { Failure("from \(version.name) to \(newest.name) of \(schema.name): \($0)") }
    }

    /// What is wrong with a copy of a database that was migrated, and what it holds.
    private func migrate(
        _ original: URL, _ steps: [StepExpectation], _ strategy: StoreOptions.MigrationStrategy, _ newest: SchemaVersion
    ) throws -> ([String], DatabaseContents) {
        var options = StoreOptions()
        options.migrationStrategy = strategy
        // What code makes of the moment is the same in both.
        return try MigrationContext.$fixedNow.withValue(Date(timeIntervalSinceReferenceDate: 800_000_000)) {
            try withFolder { folder in
                let copy = folder.appendingPathComponent("copy.sqlite")
                try FileManager.default.copyItem(at: original, to: copy)
                _ = try Store(at: copy, schema: schema, options: options)
                let connection = try Connection(path: copy.path, mode: .readWrite)
                var problems: [String] = []
                let metadata = try StoreMetadata(reading: connection)
                if metadata.version != newest.name || metadata.fingerprint != newest.fingerprint {
                    problems.append("it ends at version \(metadata.version)")
                }
                problems += try SchemaComparison.differences(of: connection, from: newest).map {
                    "\($0) is not as in a new store"
                }
                problems += try Self.soundness(of: connection)
                problems += try RowComparison(connection: connection, original: original, steps: steps).run()
                for check in versions.last?.structs ?? [] {
                    do { try check.read(connection) } catch { problems.append(String(describing: error)) }
                }

                let log = "SELECT count(*) FROM strata_migrations"
                let before = try (connection.integer(log), DatabaseContents(reading: connection))
                _ = try Store(at: copy, schema: schema)
                if try (connection.integer(log), DatabaseContents(reading: connection)) != before {
                    problems.append("opening it again changes it")
                }
                return (problems, try DatabaseContents(reading: connection, withLog: false))
            }
        }
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

/// Compares the rows of a migrated database with those that it had, by plain SQL.
private struct RowComparison {
    let connection: Connection
    let original: URL
    let steps: [StepExpectation]

    /// What must be in a table of the new database.
    private struct Chain {
        /// The table that holds it: the old one, or a temporary one once a step has changed it.
        var source: String
        var columns: Set<String>
        let expectation: TableExpectation
        var isEmptied: Bool
        var mayLose: Bool
    }

    func run() throws -> [String] {
        let attach = try connection.prepare("ATTACH DATABASE ?1 AS original")
        try attach.bind(original.path, at: 1)
        try attach.run()
        defer { try? connection.execute("DETACH DATABASE original") }
        guard !steps.isEmpty else { return [] }
        let isInferred = !steps.contains(where: \.isCustom)
        let chains = try chains()
        defer { for chain in chains { try? connection.execute("DROP TABLE \(chain.source)") } }
        return try chains.flatMap { try compare($0, isExact: isInferred) }
    }

    /// The expectations of all steps, one after the other; what is expected after each stands in temporary tables.
    private func chains() throws -> [Chain] {
        var chains: [Chain] = []
        for (place, step) in steps.enumerated() {
            var next: [Chain] = []
            for expectation in step.tables {
                if place == 0 {
                    let source = "original.\(SQL.quoted(expectation.from))"
                    next.append(try chain(expectation, from: source, nil, "\(place)_\(next.count)"))
                } else {
                    for chain in chains where chain.expectation.to == expectation.from {
                        next.append(
                            try self.chain(expectation, from: chain.source, chain, "\(place)_\(next.count)"))
                    }
                }
            }
            for chain in chains { try connection.execute("DROP TABLE \(chain.source)") }
            chains = next
        }
        return chains
    }

    /// Writes down what a step is to make of the table `source`.
    private func chain(
        _ expectation: TableExpectation, from source: String, _ before: Chain?, _ name: String
    ) throws -> Chain {
        var columns: [(name: String, sql: String)] = []
        for (column, sql) in expectation.values.sorted(by: { $0.key < $1.key }) {
            // What nothing is known of any more gives nothing to expect.
            let known = before.map { before in
                Dictionary(before.columns.map { ($0, SQL.quoted($0)) }, uniquingKeysWith: { first, _ in first })
            }
            if known.map({ SQL.substituting($0, in: sql) == nil }) ?? false { continue }
            columns.append((column, sql))
        }
        let table = "temp.\(SQL.quoted("strata_expected_" + name))"
        let condition = expectation.filter.map { " WHERE \($0)" } ?? ""
        // Columns without a type keep what they are given. `CREATE TABLE … AS` would name some otherwise.
        let names = columns.isEmpty ? "nothing" : SQL.list(columns.map(\.name))
        let values = columns.isEmpty ? "NULL" : columns.map(\.sql).joined(separator: ", ")
        try connection.execute("CREATE TABLE \(table) (\(names))")
        try connection.execute("INSERT INTO \(table) SELECT \(values) FROM \(source)\(condition)")
        return Chain(
            source: table, columns: Set(columns.map(\.name)), expectation: expectation,
            isEmptied: expectation.isEmptied || before?.isEmptied ?? false,
            mayLose: expectation.mayLose || before?.mayLose ?? false)
    }

    private func compare(_ chain: Chain, isExact: Bool) throws -> [String] {
        let table = chain.expectation.to
        let new = "main.\(SQL.quoted(table))"
        let after = try connection.integer("SELECT count(*) FROM \(new)") ?? 0
        if chain.isEmptied { return isExact && after > 0 ? ["\(table): \(after) rows instead of none"] : [] }
        let before = try connection.integer("SELECT count(*) FROM \(chain.source)") ?? 0
        var problems: [String] = []
        if isExact, before != after { problems.append("\(table): \(after) rows instead of \(before)") }
        let key = chain.expectation.key.map(SQL.quoted)
        guard chain.columns.isSuperset(of: chain.expectation.key) else { return problems }
        let join = key.map { "n.\($0) IS o.\($0)" }.joined(separator: " AND ")
        let shown = key.map { "o.\($0)" }.joined(separator: ", ")

        let missing =
            "SELECT \(shown) FROM \(chain.source) AS o WHERE NOT EXISTS (SELECT 1 FROM \(new) AS n WHERE \(join))"
        if !chain.mayLose, let row = try first(missing) {
            problems.append("\(table): the row \(row.map(\.description).joined(separator: ", ")) is gone")
        }
        for column in chain.columns.sorted() {
            let (now, was) = ("n.\(SQL.quoted(column))", "o.\(SQL.quoted(column))")
            let differing = """
                SELECT \(shown), \(was), \(now) FROM \(chain.source) AS o JOIN \(new) AS n ON \(join)
                WHERE \(now) IS NOT \(was) COLLATE BINARY OR typeof(\(now)) IS NOT typeof(\(was))
                """
            let statement = try connection.prepare(differing)
            while try statement.step() {
                let row = statement.row.values
                if row[key.count].isSame(as: row[key.count + 1]) { continue }
                let id = row.prefix(key.count).map(\.description).joined(separator: ", ")
                problems.append(
                    "\(table).\(column): in the row \(id) it is \(row[key.count + 1]) instead of \(row[key.count])")
                break
            }
        }
        return problems
    }

    private func first(_ sql: String) throws -> [SQLiteValue]? {
        let statement = try connection.prepare(sql)
        return try statement.step() ? statement.row.values : nil
    }
}
