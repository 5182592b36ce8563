import CFaultVFS
import ChainSchema
import Foundation
import Movies
import Strata
import Testing

@testable import Laundry

/// Laundry's custom migration, which here reads and returns single columns instead of complete rows.
private enum ByColumns: Schema {
    static let name = LaundrySchema.name
    static let fingerprint = LaundrySchema.fingerprint
    static let valueTypes = LaundrySchema.valueTypes
    static let versions = LaundrySchema.versions
    static let steps = LaundrySchema.steps.map { step in
        MigrationStep(from: step.from, to: step.to, changes: step.changes, code: Migration_1_0_to_2_0.self) { step, _ in
            try step.migrate(Row.self) { old, _ in .keep(Values(masterID: try old.masterID)) }
        }
    }

    struct Row: OldRow, ~Copyable {
        typealias Entity = LaundrySchema.V1_0.Laundry
        private let row: Strata.Row

        init(_ row: Strata.Row) { self.row = row }

        var masterID: Int? { get throws { try row.optionalInt(5) } }
    }

    struct Values: MigratedValues {
        typealias Entity = LaundrySchema.V2_0.Laundry
        static let columns = ["master_id"]
        let masterID: Int?

        func columnValue(at index: Int) -> SQLiteValue { SQLiteValue(masterID) }
    }
}

/// A migration that fails at any file operation leaves exactly the old store or exactly the new store, and can be
/// repeated.
///
/// By default, each run tests a few random operations. `STRATA_FAULTS=all` in the environment tests every operation of
/// migrations in one transaction, and twenty operations of each one in batches. `STRATA_FAULTS=every` tests all
/// operations.
@Suite struct FaultTests {
    /// A migration and the store that it starts with.
    struct Scenario: Sendable, CustomTestStringConvertible {
        let name: String
        let schema: any Schema.Type
        let journal: StoreOptions.Journal
        var migration: StoreOptions.MigrationMode = .oneTransaction
        /// Creates the old store.
        let make: @Sendable (URL) throws -> Void

        var testDescription: String { "\(name), \(journal.rawValue), \(migration.rawValue)" }

        /// Opens the store. A resumable migration commits after each row.
        func open(_ url: URL) throws {
            var options = StoreOptions()
            options.migration = migration
            try MigrationBatches.$duration.withValue(.zero) { _ = try Store(at: url, schema: schema, options: options) }
        }
    }

    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    static let scenarios =
        transactional
        + transactional.map { scenario in
            var scenario = scenario
            scenario.migration = .resumable
            return scenario
        }

    private static let transactional: [Scenario] = [StoreOptions.Journal.delete, .wal].flatMap { journal in
        [
            Scenario(name: "code", schema: LaundrySchema.self, journal: journal) { url in
                try copy("LaundryTests/Fixtures/LaundrySchema/1.0.sqlite", to: url)
            },
            Scenario(name: "code by columns", schema: ByColumns.self, journal: journal) { url in
                try copy("LaundryTests/Fixtures/LaundrySchema/1.0.sqlite", to: url)
            },
            Scenario(name: "inferred", schema: MoviesSchema.self, journal: journal) { url in
                try copy("MoviesTests/Fixtures/MoviesSchema/1.0.sqlite", to: url)
            },
            Scenario(name: "ten versions", schema: Chain.self, journal: journal) { url in
                _ = try Store(at: url, schema: OldChain.self)
                let rows = (1...60).map { "(\($0), 'row \($0)', \($0 * 7))" }.joined(separator: ", ")
                try Connection(path: url.path, mode: .readWrite).execute("INSERT INTO t VALUES \(rows)")
            },
        ]
    }

    private static func copy(_ fixture: String, to url: URL) throws {
        try FileManager.default.copyItem(at: tests.appendingPathComponent(fixture), to: url)
    }

    @Test(arguments: scenarios, [FAULT_ERROR_ONCE, FAULT_ERROR_FROM_THEN_ON, FAULT_FULL_ONCE, FAULT_FULL_FROM_THEN_ON])
    func `a fault leaves the old store or the new one`(scenario: Scenario, kind: fault_kind) throws {
        try check(scenario, kind, seeds: 1)
    }

    @Test(arguments: scenarios) func `a power cut leaves the old store or the new one`(scenario: Scenario) throws {
        try check(scenario, FAULT_POWER_CUT, seeds: 3)
    }

    private func check(_ scenario: Scenario, _ kind: fault_kind, seeds: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = folder.appendingPathComponent("original.sqlite")
        try scenario.make(original)
        try Connection(path: original.path, mode: .readWrite).execute(
            "PRAGMA journal_mode = \(scenario.journal.rawValue)")
        let old = try contents(of: original)
        let migrated = folder.appendingPathComponent("migrated.sqlite")
        try FileManager.default.copyItem(at: original, to: migrated)
        let counting = "fault-" + UUID().uuidString
        let counter = try #require(fault_vfs_create(counting, FAULT_NONE, 0, 0))
        try Connection.$fileSystem.withValue(counting) { try scenario.open(migrated) }
        let operations = Int(fault_vfs_operations(counter))
        #expect(fault_vfs_destroy(counter) == 0)
        let new = try contents(of: migrated)
        #expect(old != new)

        // The last place is after the last operation, where nothing fails.
        for place in Self.places(in: operations, of: scenario) + [2 * operations] {
            for _ in 0..<seeds {
                let seed = UInt64.random(in: 0...UInt64.max)
                let url = folder.appendingPathComponent("\(place).sqlite")
                defer {
                    for suffix in ["", "-journal", "-wal", "-shm"] {
                        try? FileManager.default.removeItem(atPath: url.path + suffix)
                    }
                }
                try FileManager.default.copyItem(at: original, to: url)
                let happened = try open(url, scenario, kind, place, seed)
                let where_ = "\(scenario), fault \(kind.rawValue) at \(place) of \(operations), seed \(seed)"
                // The last operations depend on the time that the migration takes.
                #expect(happened || place > operations / 2, "nothing failed: \(where_)")
                #expect(!happened || place <= operations, "too many operations: \(where_)")
                let left = try contents(of: url)
                #expect(left == old || left == new, "neither the old store nor the new one: \(where_)")
                #expect(happened || left == new, "nothing failed, and it is not the new one: \(where_)")
                try scenario.open(url)
                #expect(try contents(of: url) == new, "tried again: \(where_)")
            }
        }
    }

    /// The operations that fail, each in a run of its own: one operation, chosen at random, of each of several equal
    /// parts of the migration.
    private static func places(in operations: Int, of scenario: Scenario) -> [Int] {
        let parts =
            switch ProcessInfo.processInfo.environment["STRATA_FAULTS"] {
            case nil: 4
            // A migration in batches has thousands of operations.
            case "all" where scenario.migration == .resumable: 20
            default: operations
            }
        return (0..<parts).map { Int.random(in: (operations * $0 / parts + 1)...(operations * ($0 + 1) / parts)) }
    }

    @Test func `a migration of single columns gives the same result as a migration of complete rows`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let results = try Self.transactional.prefix(2).map { scenario in
            let url = folder.appendingPathComponent(scenario.name)
            try scenario.make(url)
            _ = try Store(at: url, schema: scenario.schema)
            return try contents(of: url)
        }
        #expect(results[0] == results[1])
    }

    /// Opens the store on a file system that fails.
    ///
    /// - Returns: Whether the fault happened.
    private func open(
        _ url: URL, _ scenario: Scenario, _ kind: fault_kind, _ place: Int, _ seed: UInt64
    ) throws -> Bool {
        let name = "fault-" + UUID().uuidString
        let system = try #require(fault_vfs_create(name, kind, Int32(place), seed))
        Connection.$fileSystem.withValue(name) { try? scenario.open(url) }
        let happened = fault_vfs_happened(system) != 0
        #expect(fault_vfs_destroy(system) == 0)
        return happened
    }

    /// The contents of the database, except times and the tables and triggers of a resumable migration.
    private func contents(of url: URL) throws -> [String: [String]] {
        let connection = try Connection(path: url.path, mode: .readWrite)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        var contents: [String: [String]] = [:]
        try connection.query("SELECT name, sql, tbl_name FROM sqlite_schema") { row in
            if try Self.isPending(row.string(0)) || Self.isPending(row.string(2)) { return }
            contents["\(row.value(0))"] = ["\(row.value(1))"]
        }
        for case let name in Array(contents.keys) where contents[name]?.first?.contains("CREATE TABLE") == true {
            let columns = name.contains("strata_migrations") ? "from_version, to_version, rows" : "*"
            guard !name.contains("sqlite_") else { continue }
            let table = name.replacingOccurrences(of: "'", with: "").replacingOccurrences(of: "\"", with: "")
            try connection.query("SELECT \(columns) FROM \"\(table)\"") { row in
                contents[name]?.append(row.values.map { "\($0)" }.joined(separator: " | "))
            }
        }
        contents["version"] = [try connection.integer("PRAGMA user_version").map(String.init) ?? ""]
        return contents
    }

    /// Whether an object belongs to a resumable migration that has not ended.
    private static func isPending(_ name: String) -> Bool {
        name.contains(/^strata_([0-9]|pending|added|key)/)
    }

    /// Shows that these tests can detect a damaged database.
    @Test func `a power cut without syncs breaks a database`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var broken = 0
        for round in 0..<40 {
            let url = folder.appendingPathComponent("\(round).sqlite")
            _ = try Store(at: url, schema: OldChain.self)
            let rows = (1...200).map { "(\($0), 'row \($0)', \($0 * 7))" }.joined(separator: ", ")
            let setup = try Connection(path: url.path, mode: .readWrite)
            try setup.execute("PRAGMA journal_mode = delete")
            try setup.execute("INSERT INTO t VALUES \(rows)")
            let name = "fault-" + UUID().uuidString
            let system = try #require(fault_vfs_create(name, FAULT_POWER_CUT, Int32(6 + round % 12), UInt64(round)))
            Connection.$fileSystem.withValue(name) {
                guard let connection = try? Connection(path: url.path, mode: .readWrite) else { return }
                try? connection.execute("PRAGMA synchronous = OFF")
                try? connection.execute("UPDATE t SET a = a || a || a")
            }
            _ = fault_vfs_destroy(system)
            let values = try? Set(
                [
                    Connection(path: url.path, mode: .readWrite).integer("SELECT sum(length(a)) FROM t")
                ])
            let isSound = (try? Connection(path: url.path, mode: .readWrite).text("PRAGMA integrity_check")) == "ok"
            let total = (1...200).map { "row \($0)".count }.reduce(0, +)
            if !isSound || !(values == [total] || values == [3 * total]) { broken += 1 }
        }
        #expect(broken > 4)
    }
}
