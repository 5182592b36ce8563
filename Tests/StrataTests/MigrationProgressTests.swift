import Foundation
import SQLSchema
import Strata
import Testing

/// The progress reports of a running migration, and its cancellation.
@Suite struct MigrationProgressTests {
    private final class Reports: @unchecked Sendable {
        private let lock = NSLock()
        private var reports: [MigrationProgress] = []
        var all: [MigrationProgress] { lock.withLock { reports } }
        func add(_ report: MigrationProgress) { lock.withLock { reports.append(report) } }
    }

    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var value = 0
        func increment() -> Int {
            lock.withLock {
                value += 1
                return value
            }
        }
    }

    /// Creates a store of the first version of `Shop` with `count` rows, including the least and greatest primary keys.
    private func withOldStore(_ count: Int, _ body: (URL) throws -> Void) throws {
        try withFile { url in
            try makeOldShop(at: url)
            try Connection(path: url.path, mode: .readWrite).execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < \(count + 9 - 4))
                INSERT INTO shop SELECT i * 3, 'shop ' || i, i % 5 FROM n;
                INSERT INTO shop VALUES (-9223372036854775808, 'least', 0)
                """)
            try body(url)
        }
    }

    @Test func `every row is migrated and counted, in any number of batches`() throws {
        for count in [5, 10_000, 10_001, 25_000] {
            try withOldStore(count) { url in
                let plain = url.appendingPathExtension("plain")
                try FileManager.default.copyItem(at: url, to: plain)
                _ = try Store(at: plain, schema: Shop.self)
                let reports = Reports()
                var options = StoreOptions()
                options.migrationProgress = { reports.add($0) }
                _ = try Store(at: url, schema: Shop.self, options: options)
                #expect(
                    try rows(url, "SELECT * FROM store ORDER BY id") == rows(plain, "SELECT * FROM store ORDER BY id"))
                let last = try #require(reports.all.last)
                #expect(last.from == "1.0" && last.to == "10.0" && last.isFinished)
                #expect(last.completedRows == count && last.totalRows == count)
                let counts: [Int] = reports.all.map(\.completedRows)
                #expect(counts == counts.sorted())
            }
        }
    }

    /// Three versions with a custom migration in each step, which drops every second row.
    private static let halving: SchemaDefinition = {
        let tables = [Table("s", ["id integer key", "v text?"])]
        func step(_ from: String, _ to: String) -> MigrationStep {
            MigrationStep(from: from, to: to, changes: [.custom(from: "s", to: "s")]) { step in
                try step.migrate(ValuedRow<Int>.self) { (old: ValuedRow<Int>, _) -> Outcome<ValuedRow<Int>> in
                    old.id.rawValue % 2 == 0 ? .keep(old) : .drop
                }
                try step.followKeys()
            }
        }
        return SchemaDefinition(
            "Pebbles", versions: (1...3).map { SchemaVersion("\($0)", fingerprint: UInt64($0), tables: tables) },
            steps: [step("1", "2"), step("2", "3")])
    }()

    /// Three versions whose steps only add columns.
    private static let adding = SchemaDefinition(
        "Pebbles",
        versions: (1...3).map { count in
            let columns = ["id integer key", "v text?"] + (1..<count).map { "c\($0) integer?" }
            return SchemaVersion("\(count)", fingerprint: UInt64(count), tables: [Table("s", columns)])
        },
        steps: [
            MigrationStep(from: "1", to: "2", changes: [.map(from: "s", to: "s")]),
            MigrationStep(from: "2", to: "3", changes: [.map(from: "s", to: "s")]),
        ])

    private func reports(_ url: URL, _ schema: SchemaDefinition, _ mode: StoreOptions.MigrationMode) throws
        -> [MigrationProgress]
    {
        let reports = Reports()
        var options = StoreOptions()
        options.migration = mode
        options.migrationProgress = { reports.add($0) }
        _ = try Store(at: url, definition: schema, options: options)
        return reports.all
    }

    @Test(arguments: [StoreOptions.MigrationMode.oneTransaction, .resumable])
    func `all steps are counted from the beginning, and the progress never decreases`(
        mode: StoreOptions.MigrationMode
    ) throws {
        try withFile { url in
            try makeStore(
                at: url, Self.halving,
                rows:
                    "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) INSERT INTO s SELECT i, 'v' FROM n"
            )
            let all = try MigrationBatches.$duration.withValue(.milliseconds(5)) {
                try reports(url, Self.halving, mode)
            }
            #expect(all.count > 2)
            #expect(all.allSatisfy { $0.totalRows == 60_000 && $0.from == "1" && $0.to == "3" })
            #expect(all.map(\.fraction) == all.map(\.fraction).sorted())
            #expect(all.map(\.isFinished) == all.dropLast().map { _ in false } + [true])
            #expect(all.last?.fraction == 1)
        }
    }

    @Test(arguments: [StoreOptions.MigrationMode.oneTransaction, .resumable])
    func `the last report says that the store is open, also if no row was copied`(
        mode: StoreOptions.MigrationMode
    ) throws {
        try withFile { url in
            let progress = Progress(totalUnitCount: 1)
            var options = StoreOptions()
            options.migration = mode
            options.report(to: progress)
            // A new store, a store of this version, and a store whose tables are altered.
            for schema in [Self.adding.upTo(1), Self.adding.upTo(1), Self.adding] {
                progress.completedUnitCount = 0
                _ = try Store(at: url, definition: schema, options: options)
                #expect(progress.isFinished)
            }
            let all = try reports(url, Self.adding, mode)
            #expect(all.map(\.isFinished) == [true] && all.map(\.fraction) == [1])
            #expect(all.map(\.from) == ["3"] && all.map(\.to) == ["3"] && all.map(\.totalRows) == [0])
        }
    }

    @Test func `a Foundation Progress is updated, and its cancellation cancels the migration`() throws {
        try withOldStore(100) { url in
            let before = try Data(contentsOf: url)
            let progress = Progress(totalUnitCount: 1)
            var options = StoreOptions()
            options.report(to: progress)
            progress.cancel()
            #expect(throws: CancellationError.self) { _ = try Store(at: url, schema: Shop.self, options: options) }
            #expect(try Data(contentsOf: url) == before)
            let other = Progress(totalUnitCount: 1)
            options.report(to: other)
            _ = try Store(at: url, schema: Shop.self, options: options)
            #expect(other.fractionCompleted == 1 && other.totalUnitCount == 100)
        }
    }

    @Test(arguments: [true, false]) func `a migration that is cancelled at any moment leaves the old store`(
        isWatched: Bool
    ) throws {
        try withOldStore(20_000) { url in
            let before = try Data(contentsOf: url)
            var isDone = false
            var limit = 0
            while !isDone {
                let asked = Counter()
                var options = StoreOptions()
                if isWatched { options.migrationProgress = { _ in } }
                let most = limit
                options.isMigrationCancelled = {
                    asked.increment() > most
                }
                do {
                    _ = try Store(at: url, schema: Shop.self, options: options)
                    isDone = true
                } catch is CancellationError {
                    #expect(try Data(contentsOf: url) == before)
                }
                limit += 3
            }
            #expect(limit > 9)
            #expect(try rows(url, "SELECT count(*) FROM store") == [[.integer(20_000)]])
        }
    }

    @Test func `opening a store in a cancelled task throws the error of a cancellation`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("store.sqlite")
        let opening = Task {
            while !Task.isCancelled { await Task.yield() }
            for try await _ in Store.opening(at: url, schema: Shop.self) {}
        }
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
        let open = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await Store.open(at: url, schema: Shop.self)
        }
        open.cancel()
        await #expect(throws: CancellationError.self) { _ = try await open.value }
    }

    @Test func `code that is not async opens a store with a closure`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("store.sqlite")
        try makeOldShop(at: url)
        func open(_ url: URL) async -> Result<Store, any Error> {
            await withCheckedContinuation { continuation in
                Store.open(at: url, schema: Shop.self, queue: .global()) { continuation.resume(returning: $0) }
            }
        }
        let store = try await open(url).get()
        #expect(try await store.read { try $0.count(Item.self) } == 3)
        let folderResult = await open(folder)
        #expect(throws: StoreError.unreadable(reason: "it is not a regular file")) { try folderResult.get() }
    }

    @Test func `opening a store reports progress and ends with the opened store`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("store.sqlite")
        try makeOldShop(at: url)
        var reports: [MigrationProgress] = []
        var store: Store?
        for try await event in Store.opening(at: url, schema: Shop.self) {
            switch event {
            case .migrating(let progress): reports.append(progress)
            case .opened(let opened): store = opened
            }
        }
        #expect(reports.last?.completedRows == 3)
        #expect(try await store?.read { (store: ReadTransaction) throws in try store.count(Item.self) } == 3)
    }
}
