import Foundation
import SQLSchema
import Strata
import Testing

/// Migrations of schemas with several steps from one version, of which `StoreOptions.chain` chooses one.
@Suite struct ChainTests {
    /// A store of version 1 can be migrated to 2, and from there to 3, or to 3 in one step. The column tells the way.
    private static let schema = SchemaDefinition(
        "ChainSchema",
        versions: [
            SchemaVersion("1", fingerprint: 1, tables: [Table("note", ["id integer key", "way integer"])]),
            SchemaVersion("2", fingerprint: 2, tables: [Table("note", ["id integer key", "way text"])]),
            SchemaVersion("3", fingerprint: 3, tables: [Table("note", ["id integer key", "way text", "again text"])]),
        ],
        steps: [
            step("1", "3", ["way": .literal(.text("straight")), "again": .column("way")]),
            step("1", "2", ["way": .literal(.text("by 2"))]),
            step("2", "3", ["again": .column("way")]),
        ])

    private static func step(_ from: String, _ to: String, _ columns: [String: ValueExpression]) -> MigrationStep {
        MigrationStep(from: from, to: to, changes: [.map(from: "note", to: "note", columns: columns)])
    }

    private func options(_ target: String?) -> StoreOptions {
        var options = StoreOptions()
        options.chain = { version, choices in
            #expect(version == "1" && choices == ["3", "2"])
            return target
        }
        return options
    }

    private func withOldStore(_ body: (URL) throws -> Void) throws {
        try withFile { (url: URL) throws in
            try makeStore(
                at: url, Self.schema,
                rows: """
                    WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 50)
                    INSERT INTO note SELECT i, i FROM n
                    """)
            try body(url)
        }
    }

    private func ways(_ store: Store) throws -> [String] {
        try store.read {
            try $0.rows("SELECT way || ' ' || count(*) AS ways FROM note GROUP BY way") { try $0.value("ways") }
        }
    }

    @Test(arguments: [nil, "3", "2"]) func `a closure chooses the way`(target: String?) throws {
        try withOldStore { (url: URL) throws in
            let options = options(target)
            let plan = try MigrationPlan(from: url, definition: Self.schema, options: options)
            #expect(plan.steps.map(\.to) == (target == "2" ? ["2", "3"] : ["3"]))
            let store = try Store(at: url, definition: Self.schema, options: options)
            #expect(try ways(store) == [target == "2" ? "by 2 50" : "straight 50"])
        }
    }

    @Test func `without a closure, the first way is taken`() throws {
        try withOldStore { (url: URL) throws in
            #expect(try ways(Store(at: url, definition: Self.schema)).first?.hasPrefix("straight 50") == true)
        }
    }

    @Test func `a version that is not listed is refused`() throws {
        try withOldStore { (url: URL) throws in
            let before = try Data(contentsOf: url)
            let error = #expect(throws: MigrationError.self) {
                try Store(at: url, definition: Self.schema, options: options("2.5"))
            }
            #expect(
                error?.description
                    == "the schema has no step from version 1 to version 2.5: add it to `chain` in `strata.json`")
            #expect(try Data(contentsOf: url) == before)
        }
    }

    @Test func `versions after the newest one of the options are no choices`() throws {
        try withOldStore { (url: URL) throws in
            var options = StoreOptions()
            options.newestVersion = "2"
            options.chain = { _, _ in
                Issue.record("nothing to choose")
                return "3"
            }
            let store = try Store(at: url, definition: Self.schema, options: options)
            #expect(store.migrationReport?.to == "2")
            #expect(try ways(store) == ["by 2 50"])
        }
    }

    @Test(arguments: [StoreOptions.MigrationStrategy.fused, .stepwise])
    func `an interrupted migration by one way begins again by the other`(
        strategy: StoreOptions.MigrationStrategy
    ) throws {
        try withOldStore { (url: URL) throws in
            for (other, target) in [("2", "3"), ("3", "2")] {
                let copy = url.appendingPathExtension(target)
                try FileManager.default.copyItem(at: url, to: copy)
                defer { try? FileManager.default.removeItem(at: copy) }
                var interrupted = options(other)
                interrupted.migration = .resumable
                interrupted.migrationStrategy = strategy
                let left = Locked(30)
                interrupted.isMigrationCancelled = {
                    left.withLock { left in
                        left -= 1; return left < 0
                    }
                }
                #expect(throws: CancellationError.self) {
                    try MigrationBatches.$duration.withValue(.zero) {
                        try Store(at: copy, definition: Self.schema, options: interrupted)
                    }
                }
                var options = options(target)
                options.migration = .resumable
                options.migrationStrategy = strategy
                #expect(try MigrationPlan(from: copy, definition: Self.schema, options: options).pending != nil)
                let store = try Store(at: copy, definition: Self.schema, options: options)
                #expect(try ways(store) == [target == "2" ? "by 2 50" : "straight 50"])
                try store.close()
            }
        }
    }
}
