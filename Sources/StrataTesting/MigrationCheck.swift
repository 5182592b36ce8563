import Foundation
import SchemaSQL
import Strata

extension Fixtures {
    /// Opens a copy of a version's fixture, which takes it to the newest version, and compares it with the fixture.
    public func checkMigration(of version: FixtureVersion, expecting expectations: [StepExpectation]) throws
        -> [Failure]
    {
        let export = try self.export(version)
        guard export.isEmpty, let newest = schema.versions.last else { return export }
        return try withCopy(of: version) { copy, folder in
            let original = folder.appendingPathComponent("original.sqlite")
            try FileManager.default.copyItem(at: copy, to: original)
            _ = try Store(at: copy, schema: schema)
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
            let steps = try self.steps(from: version, expectations)
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
            return problems.map { Failure("from \(version.name) to \(newest.name) of \(schema.name): \($0)") }
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

    /// A table of the old database, and what must be in the new one.
    private struct Chain {
        let source: String
        var table: String
        var key: [String]
        var isEmptied = false
        var values: [String: String]
        var filter: String?
    }

    func run() throws -> [String] {
        let attach = try connection.prepare("ATTACH DATABASE ?1 AS original")
        try attach.bind(original.path, at: 1)
        try attach.run()
        defer { try? connection.execute("DETACH DATABASE original") }
        guard !steps.isEmpty else { return [] }
        let isInferred = !steps.contains(where: \.isCustom)
        return try chains().flatMap { try compare($0, isExact: isInferred) }
    }

    /// The expectations of all steps, one after the other, as one over the oldest columns.
    private func chains() -> [Chain] {
        var chains: [Chain] = []
        for (place, step) in steps.enumerated() {
            var next: [Chain] = []
            for expectation in step.tables {
                if place == 0 {
                    next.append(
                        Chain(
                            source: expectation.from, table: expectation.to, key: expectation.key,
                            isEmptied: expectation.isEmptied, values: expectation.values, filter: expectation.filter))
                    continue
                }
                for chain in chains where chain.table == expectation.from {
                    var values: [String: String] = [:]
                    for (column, sql) in expectation.values {
                        values[column] = SQL.substituting(chain.values, in: sql)
                    }
                    let filters = [chain.filter, expectation.filter.flatMap { SQL.substituting(chain.values, in: $0) }]
                    let filter = filters.compactMap(\.self).map { "(\($0))" }.joined(separator: " AND ")
                    next.append(
                        Chain(
                            source: chain.source, table: expectation.to, key: expectation.key,
                            isEmptied: chain.isEmptied || expectation.isEmptied, values: values,
                            filter: filter.isEmpty ? nil : filter))
                }
            }
            chains = next
        }
        return chains
    }

    private func compare(_ chain: Chain, isExact: Bool) throws -> [String] {
        let new = "main.\(SQL.quoted(chain.table))"
        let after = try connection.integer("SELECT count(*) FROM \(new)") ?? 0
        if chain.isEmptied { return isExact && after > 0 ? ["\(chain.table): \(after) rows instead of none"] : [] }
        let condition = chain.filter.map { " WHERE \($0)" } ?? ""
        let before =
            try connection.integer("SELECT count(*) FROM original.\(SQL.quoted(chain.source))\(condition)") ?? 0
        var problems: [String] = []
        if isExact, before != after {
            problems.append("\(chain.table): \(after) rows instead of \(before)")
        }
        let keys = chain.key.compactMap { name in chain.values[name].map { (name: name, sql: $0) } }
        guard keys.count == chain.key.count else { return problems }
        let keyColumns = keys.enumerated().map { "\($1.sql) AS k\($0)" }
        let join = keys.enumerated().map { "n.\(SQL.quoted($1.name)) IS o.k\($0)" }.joined(separator: " AND ")
        let shown = keys.indices.map { "o.k\($0)" }.joined(separator: ", ")

        let missing = """
            SELECT \(shown) FROM (SELECT \(keyColumns.joined(separator: ", ")) FROM original.\(SQL.quoted(chain.source))\(condition)) AS o
            WHERE NOT EXISTS (SELECT 1 FROM \(new) AS n WHERE \(join))
            """
        if let row = try first(missing) {
            problems.append("\(chain.table): the row \(row.map(\.description).joined(separator: ", ")) is gone")
        }
        for (column, sql) in chain.values.sorted(by: { $0.key < $1.key }) {
            let value = "n.\(SQL.quoted(column))"
            let differing = """
                SELECT \(shown), o.v, \(value)
                FROM (SELECT \(keyColumns.joined(separator: ", ")), \(sql) AS v FROM original.\(SQL.quoted(chain.source))\(condition)) AS o
                JOIN \(new) AS n ON \(join)
                WHERE \(value) IS NOT o.v COLLATE BINARY OR typeof(\(value)) IS NOT typeof(o.v)
                """
            guard let row = try first(differing) else { continue }
            let id = row.prefix(keys.count).map(\.description).joined(separator: ", ")
            problems.append(
                "\(chain.table).\(column): in the row \(id) it is \(row[keys.count + 1]) instead of \(row[keys.count])")
        }
        return problems
    }

    private func first(_ sql: String) throws -> [SQLiteValue]? {
        let statement = try connection.prepare(sql)
        return try statement.step() ? statement.row.values : nil
    }
}
