import Foundation
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
                #expect(last.from == "1.0" && last.to == "10.0" && last.table == "store")
                #expect(last.completedRows == count && last.totalRows == count)
                let counts: [Int] = reports.all.map(\.completedRows)
                #expect(counts == counts.sorted())
            }
        }
    }

    @Test func `a Foundation Progress is updated, and its cancellation cancels the migration`() throws {
        try withOldStore(100) { url in
            let before = try Data(contentsOf: url)
            let progress = Progress(totalUnitCount: 1)
            var options = StoreOptions()
            options.report(to: progress)
            progress.cancel()
            #expect(throws: MigrationError.cancelled) { _ = try Store(at: url, schema: Shop.self, options: options) }
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
                } catch MigrationError.cancelled {
                    #expect(try Data(contentsOf: url) == before)
                }
                limit += 3
            }
            #expect(limit > 9)
            #expect(try rows(url, "SELECT count(*) FROM store") == [[.integer(20_000)]])
        }
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
