import Foundation
@testable import Seeds
import Strata
import StrataTesting
import Testing

/// `persistent-store-migration-kit.md`: plans, operations and progress, line by line.
@Suite("persistent-store-migration-kit.md") struct PersistentStoreMigrationKitTests {
    private let fixtures = SeedsSchemaMigrationTests.fixtures

    private func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("seed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    @Test func `line 8: a plan says the steps before they are taken`() throws {
        let database = try fixtures.database(of: "1.0")
        let before = try Data(contentsOf: database.url)
        let plan = try MigrationPlan(from: database.url, to: SeedsSchema.self)
        #expect(plan.steps.count == 3 && plan.isPossible && !plan.isEmpty)
        #expect(try Data(contentsOf: database.url) == before)
    }

    @Test func `line 9: a plan counts the rows of each table`() throws {
        let database = try fixtures.database(of: "1.0")
        let rows = try database.store().read { try $0.count(SeedsSchema.V1_0.User.self) }
        let plan = try MigrationPlan(from: database.url, to: SeedsSchema.self)
        #expect(rows > 10 && plan.tables.first?.first { $0.name == "user" }?.rows == rows)
    }

    @Test func `line 10: a plan is made from what the file says of itself`() throws {
        let database = try fixtures.database(of: "2.0")
        let plan = try MigrationPlan(from: database.url, to: SeedsSchema.self)
        #expect(plan.from == "2.0" && plan.to == "4.0" && plan.schema == "SeedsSchema")
    }

    @Test func `line 12: the schema leads through all versions between, and a gap is an error`() throws {
        let database = try fixtures.database(of: "1.0")
        #expect(throws: MigrationError.noStep(from: "2.0")) {
            _ = try Store(at: database.url, schema: SchemaWithGap.self)
        }
        #expect(try StoreInspection(of: database.url).version == "1.0")
        #expect(try Store(at: database.url, schema: SeedsSchema.self).migrationReport?.to == "4.0")
    }

    @Test func `line 13: a plan is carried out`() throws {
        let database = try fixtures.database(of: "1.0")
        let plan = try MigrationPlan(from: database.url, to: SeedsSchema.self)
        let report = try plan.execute(at: database.url, to: SeedsSchema.self)
        #expect(report?.from == "1.0" && report?.to == "4.0")
        #expect(try MigrationPlan(from: database.url, to: SeedsSchema.self).isEmpty)
    }

    @Test func `line 14: after it, the store has the newest model`() throws {
        let database = try fixtures.database(of: "1.0")
        try MigrationPlan(from: database.url, to: SeedsSchema.self).execute(at: database.url, to: SeedsSchema.self)
        let inspection = try StoreInspection(of: database.url, comparedWith: SeedsSchema.self)
        #expect(inspection.version == "4.0" && inspection.drift == [])
    }

    @Test func `line 29: the metadata of a file can be read without opening it as a store`() throws {
        let database = try fixtures.database(of: "3.0")
        let inspection = try StoreInspection(of: database.url)
        #expect(inspection.version == "3.0" && inspection.schema == "SeedsSchema")
    }

    @Test func `line 30: a store that does not exist needs no migration`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("new.sqlite")
            #expect(throws: StoreError.self) { _ = try MigrationPlan(from: url, to: SeedsSchema.self) }
            let store = try Store(at: url, schema: SeedsSchema.self)
            #expect(store.migrationReport == nil)
            #expect(try store.read { try $0.count(User.self) } == 0)
        }
    }

    @Test func `line 34: metadata that cannot be read is an error`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("text.sqlite")
            try Data("not a database, but long enough for its header".utf8).write(to: url)
            #expect(throws: StoreError.notADatabase) { _ = try StoreInspection(of: url) }
        }
    }

    @Test func `line 45: a plan for another schema is an error`() throws {
        let database = try fixtures.database(of: "1.0")
        #expect(throws: StoreError.otherSchema(found: "SeedsSchema", expected: "Other")) {
            _ = try MigrationPlan(from: database.url, to: OtherSchema.self)
        }
    }

    @Test func `line 50: a migration writes to another file, and leaves its source`() throws {
        try withFolder { folder in
            let database = try fixtures.database(of: "1.0")
            let before = try Data(contentsOf: database.url)
            let url = folder.appendingPathComponent("new.sqlite")
            let report = try Store.migrate(from: database.url, to: url, schema: SeedsSchema.self)
            #expect(report?.to == "4.0")
            #expect(try Data(contentsOf: database.url) == before)
            let store = try Store(at: url, schema: SeedsSchema.self)
            #expect(try store.migrationReport == nil && store.read { try $0.count(User.self) } > 10)
        }
    }

    @Test func `line 50: a plan of a store that has changed since is not executed`() throws {
        let database = try fixtures.database(of: "1.0")
        let plan = try MigrationPlan(from: database.url, to: SeedsSchema.self)
        _ = try Store(at: database.url, schema: SeedsSchema.self)
        #expect(throws: MigrationError.planOutdated) { try plan.execute(at: database.url, to: SeedsSchema.self) }
    }

    @Test func `line 51: an error of the migration leaves the store at its version`() throws {
        let database = try fixtures.database(of: "2.0")
        let before = try Data(contentsOf: database.url)
        #expect(throws: SeedError.self) { _ = try Store(at: database.url, schema: FailingSchema.self) }
        #expect(try StoreInspection(of: database.url).version == "2.0")
        #expect(try Data(contentsOf: database.url) == before)
    }

    @Test func `line 52: the error is that of your code`() throws {
        let database = try fixtures.database(of: "2.0")
        #expect(throws: SeedError(row: "1")) { _ = try Store(at: database.url, schema: FailingSchema.self) }
    }

    @Test func `line 60: the migrated store is open`() throws {
        let database = try fixtures.database(of: "1.0")
        let store = try Store(at: database.url, schema: SeedsSchema.self)
        #expect(try store.read { try $0.count(User.self) } > 10)
    }

    @MainActor @Test func `line 65: reads and writes run on a private queue, and the main actor is free meanwhile`()
        async throws
    {
        let store = try Store(inMemory: SeedsSchema.self)
        let isFreeDuringWrite = try await store.write { _ in isMainActorFree() }
        let isFreeDuringRead = try await store.read { _ in isMainActorFree() }
        #expect(isFreeDuringWrite && isFreeDuringRead)
    }

    @Test func `line 76: a migration runs as an operation`() async throws {
        let database = try fixtures.database(of: "1.0")
        let store = try await Store.open(at: database.url, schema: SeedsSchema.self)
        #expect(store.migrationReport?.to == "4.0")
    }

    @Test func `line 83: an operation takes its source, its destination and its model`() throws {
        try withFolder { folder in
            let database = try fixtures.database(of: "1.0")
            var options = StoreOptions()
            options.newestVersion = "2.0"
            let url = folder.appendingPathComponent("new.sqlite")
            try Store.migrate(from: database.url, to: url, schema: SeedsSchema.self, options: options)
            #expect(try StoreInspection(of: url).version == "2.0")
        }
    }

    @Test func `line 89: a completion block gets the store`() async throws {
        let database = try fixtures.database(of: "1.0")
        let count = await withCheckedContinuation { continuation in
            Store.open(at: database.url, schema: SeedsSchema.self) { result in
                continuation.resume(returning: try? result.get().read { try $0.count(User.self) })
            }
        }
        #expect(try #require(count) > 10)
    }

    @Test func `line 91: a completion block gets the error`() async throws {
        let database = try fixtures.database(of: "2.0")
        let error = await withCheckedContinuation { continuation in
            Store.open(at: database.url, schema: FailingSchema.self) { result in
                if case .failure(let error) = result {
                    continuation.resume(returning: "\(error)")
                } else {
                    continuation.resume(returning: "none")
                }
            }
        }
        #expect(error.contains("SeedError"))
    }

    @Test func `line 105: an operation can be cancelled`() throws {
        let database = try fixtures.database(of: "1.0")
        let progress = Progress(totalUnitCount: 1)
        progress.cancel()
        var options = StoreOptions()
        options.report(to: progress)
        #expect(throws: (any Error).self) {
            _ = try Store(at: database.url, schema: SeedsSchema.self, options: options)
        }
        #expect(try StoreInspection(of: database.url).version == "1.0")
    }

    @Test func `line 111: a migration reports its progress, which never decreases and ends with 1`() throws {
        let database = try fixtures.database(of: "1.0")
        let reports = Locked<[MigrationProgress]>([])
        var options = StoreOptions()
        options.migrationProgress = { progress in reports.withLock { $0.append(progress) } }
        _ = try Store(at: database.url, schema: SeedsSchema.self, options: options)
        let all = reports.withLock { $0 }
        #expect(all.count > 1 && all.dropLast().allSatisfy { !$0.isFinished })
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.fraction <= $1.fraction })
        let last = try #require(all.last)
        #expect(last.isFinished && last.fraction == 1 && last.completedRows == last.totalRows && last.totalRows > 100)
    }

    @Test func `line 111: an asynchronous operation reports its progress before it ends with the store`() async throws {
        let database = try fixtures.database(of: "1.0")
        var progress: MigrationProgress?
        var store: Store?
        for try await event in Store.opening(at: database.url, schema: SeedsSchema.self) {
            #expect(store == nil)
            switch event {
            case .migrating(let report): progress = report
            case .opened(let opened): store = opened
            }
        }
        #expect(try #require(progress).totalRows > 100)
        #expect(try #require(store).migrationReport?.to == "4.0")
    }

    @Test func `line 112: the progress is a part of a tree of your own`() throws {
        let database = try fixtures.database(of: "1.0")
        let tree = Progress(totalUnitCount: 2)
        let migration = Progress(totalUnitCount: 1, parent: tree, pendingUnitCount: 1)
        var options = StoreOptions()
        options.report(to: migration)
        _ = try Store(at: database.url, schema: SeedsSchema.self, options: options)
        #expect(migration.fractionCompleted == 1 && tree.fractionCompleted == 0.5)
    }

    @Test func `line 119: executing a plan reports its progress into the tree`() throws {
        let database = try fixtures.database(of: "1.0")
        let tree = Progress(totalUnitCount: 2)
        let migration = Progress(totalUnitCount: 1, parent: tree, pendingUnitCount: 1)
        var options = StoreOptions()
        options.report(to: migration)
        let plan = try MigrationPlan(from: database.url, to: SeedsSchema.self, options: options)
        #expect(migration.fractionCompleted == 0 && tree.fractionCompleted == 0)
        try plan.execute(at: database.url, to: SeedsSchema.self, options: options)
        #expect(migration.fractionCompleted == 1 && tree.fractionCompleted == 0.5)
        #expect(migration.totalUnitCount > 100)
    }
}

/// A schema with another name.
private enum OtherSchema: Schema {
    static let name = "Other"
    static let fingerprint = SeedsSchema.fingerprint
    static let versions = SeedsSchema.versions
    static let steps = SeedsSchema.steps
}

/// The schema without the step from 2.0.
private enum SchemaWithGap: Schema {
    static let name = SeedsSchema.name
    static let fingerprint = SeedsSchema.fingerprint
    static let versions = SeedsSchema.versions
    static let steps = SeedsSchema.steps.filter { $0.from != "2.0" }
}

/// The schema, with a custom migration that fails in its first row.
private enum FailingSchema: ChangedSeeds {
    static let changedStep = "2.0"

    static func migrate(_ step: CustomStep) throws {
        try step.migrate(SeedsSchema.V2_0.User.self) { (_, _) -> Outcome<SeedsSchema.V3_0.User> in
            throw SeedError(row: "1")
        }
    }
}
