import Foundation
import SQLSchema
import Strata
import TestFiles

/// Whether what a step gives is sealed.
public enum SealedResults: Hashable, Sendable {
    /// The tests write it to a file.
    case unsealed
    /// The tests compare it with a file. This is the fingerprint of the file.
    case sealed(UInt64)
}

extension Fixtures {
    /// Checks what custom code and conversions give in a step for the rows of a version's fixture, or writes it to a file.
    ///
    /// - Parameters:
    ///   - step: The step from the version.
    ///   - version: The version.
    ///   - before: A copy of the fixture.
    ///   - after: The migrated copy.
    ///   - again: Migrates another copy.
    /// - Returns: The problems; empty if there are none.
    func checkResults(
        of step: StepExpectation, from version: FixtureVersion, _ before: URL, _ after: URL, again: () throws -> URL
    ) throws -> [String] {
        guard let sealed = step.results else { return [] }
        let next = try self.version(step.to)
        let isDraft = sealed == .unsealed && !next.isSealed
        let url = folder.appendingPathComponent(
            StepResults.fileName(from: step.from, to: step.to, isDraft: isDraft))
        let known = try? Data(contentsOf: url)
        let file = known.flatMap {
            StepResults(parsing: String(decoding: $0, as: UTF8.self), from: step.from, to: step.to)
        }
        func results(_ migrated: URL) throws -> StepResults {
            let fixture = FNV1a(try Data(contentsOf: self.url(of: version))).value
            let rows = try ResultRows(of: step, from: before, to: migrated, next).rows
            return StepResults(from: step.from, to: step.to, fixture: fixture, rows: rows)
        }
        var present = try results(after)
        if case .sealed(let fingerprint) = sealed {
            guard let known, let file, FNV1a(known).value == fingerprint else {
                let verb = known == nil ? "is missing" : "was changed"
                return ["\(url.path) \(verb): restore it from version control"]
            }
            return Self.problems(present.differences(from: file), step)
        }
        // A file of an earlier build of a released step has the results that customers have.
        let isOwn = Self.modificationTime(of: url.path).flatMap { time in Self.buildTime.map { $0 < time } } ?? false
        if let file, !isDraft, !isOwn { return Self.problems(present.differences(from: file), step) }
        // A value that depends on the clock differs one second later.
        Thread.sleep(forTimeInterval: 1.1)
        present = present.without(differencesFrom: try results(try again()))
        do {
            try FileLock(for: folder).withLock {
                if isOwn, let file, file.fixture == present.fixture { present = present.merging(file) }
                let text = Data(present.text.utf8)
                if text != known { try text.write(to: url, options: .atomic) }
            }
        } catch {
            return ["\(url.path) cannot be written: \((error as NSError).localizedDescription)"]
        }
        return []
    }

    /// Returns the message about differences from the results of a released step; empty if there are none.
    private static func problems(_ differences: [String], _ step: StepExpectation) -> [String] {
        if differences.isEmpty { return [] }
        let others = differences.count > 5 ? ["and \(differences.count - 5) more"] : []
        return [
            """
            the step is released, and gives something else now. Customers who have migrated keep the former values, so undo \
            the change, and change the data in a newer version. If it is right for the stores that have not taken the step \
            yet, accept it: run swift package plugin generate --release --step \(step.from)-\(step.to), swift test and generate
            \((differences.prefix(5) + others).joined(separator: "\n"))
            """
        ]
    }
}

/// The rows of a step's results.
private struct ResultRows {
    private let step: StepExpectation
    private let connection: Connection
    private(set) var rows: [StepResults.Row] = []

    init(of step: StepExpectation, from before: URL, to after: URL, _ version: FixtureVersion) throws {
        self.step = step
        connection = try Connection(path: after.path, mode: .readWrite)
        let attach = try connection.prepare("ATTACH DATABASE ?1 AS original")
        try attach.bind(before.path, at: 1)
        try attach.run()
        defer { try? connection.execute("DETACH DATABASE original") }
        let codedTables = Set((step.custom?.rows ?? []).map(\.new.name))
        for table in version.tables {
            try read(
                table.name, key: table.key, all: table.columns.flatMap(\.names), order: table.key, isJoin: false,
                isCoded: codedTables.contains(table.name))
        }
        for join in version.joinTables {
            let sources = join.columns.dropLast(join.targetCount)
            let order = sources + [Table.position] + join.columns.suffix(join.targetCount)
            try read(join.name, key: join.key, all: join.allColumns, order: Array(order), isJoin: true, isCoded: false)
        }
    }

    /// Reads the rows of a table that custom code or a conversion writes.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - key: The columns of its primary key.
    ///   - all: All its columns.
    ///   - order: The columns that order the rows.
    ///   - isJoin: Whether it is a join table.
    ///   - isCoded: Whether custom code is called for each row.
    private mutating func read(
        _ table: String, key: [String], all: [String], order: [String], isJoin: Bool, isCoded: Bool
    ) throws {
        let expected = step.tables.filter { $0.isJoin == isJoin && $0.to == table }
        let written = Set(
            all.filter { column in
                expected.contains { table in
                    !(table.values[column]?.isCopied ?? false)
                        || table.references.contains { $0.columns.contains(column) }
                }
            })
        // Only custom code adds rows, or fills a table that has no expectation.
        let addsRows = step.custom != nil
        let isComplete = !written.isEmpty || isCoded
        if !isComplete, !addsRows { return }
        let own = expected.map { expectation in
            let pairs = zip(expectation.oldKey, expectation.key).map { "o.\(SQL.quoted($0)) IS n.\(SQL.quoted($1))" }
            return
                "NOT EXISTS (SELECT 1 FROM original.\(SQL.quoted(expectation.from)) AS o WHERE \(pairs.joined(separator: " AND ")))"
        }
        let isAdded = addsRows ? (own + ["1"]).joined(separator: " AND ") : "0"
        let others = all.filter { !key.contains($0) }
        let list = (key + others).map { "n." + SQL.quoted($0) } + [isAdded]
        let sorting = order.map { "n.\(SQL.quoted($0)) COLLATE BINARY" }.joined(separator: ", ")
        let sql = "SELECT \(list.joined(separator: ", ")) FROM main.\(SQL.quoted(table)) AS n ORDER BY \(sorting)"
        try connection.query(sql) { row in
            let values = row.values
            let isAdded = values.last == .integer(1)
            if !isComplete, !isAdded { return }
            rows.append(
                .init(
                    table: StepResults.word(table),
                    key: values.prefix(key.count).map(\.shown).joined(separator: ", "),
                    values: zip(others, values.dropFirst(key.count)).filter { isAdded || written.contains($0.0) }
                        .map { (StepResults.word($0), $1.shown) }))
        }
    }
}

extension ExpectedValue {
    /// Whether the value is one of the old row, or a fixed one.
    fileprivate var isCopied: Bool {
        switch self {
        case .column, .value: true
        case .first(let first, let second): first.isCopied && second.isCopied
        case .converted, .limited: false
        }
    }
}

extension SQLiteValue {
    /// The value in a file of results. Its form shows its storage class.
    fileprivate var shown: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let text): StepResults.quoted(text)
        case .blob(let data): "x'\(data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
        }
    }
}
