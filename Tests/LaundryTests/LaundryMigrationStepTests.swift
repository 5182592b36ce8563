import Foundation
import Strata
import StrataTesting
import Testing

@testable import Laundry

/// Laundry's custom migration, run on the fixture of its first version. The expected rows are read with plain SQL.
@Suite struct LaundryMigrationStepTests {
    private func withOldStore(_ body: (URL) throws -> Void) throws {
        let old = try LaundrySchemaMigrationTests.fixtures.database(of: "1.0")
        try withExtendedLifetime(old) { try body(old.url) }
    }

    private func rows(_ url: URL, _ sql: String) throws -> [[SQLiteValue]] {
        var rows: [[SQLiteValue]] = []
        try Connection(path: url.path, mode: .readOnly).query(sql) { rows.append($0.values) }
        return rows
    }

    @Test func `every answer gets a detail, and its laundries move to that detail`() throws {
        try withOldStore { url in
            let answers = try rows(url, "SELECT store_id, code FROM laundry_data ORDER BY 1")
            let laundries = try rows(
                url, "SELECT store_id, id, name, photo, favorite, master_id, master_position FROM laundry ORDER BY 1")
            let items = try rows(url, "SELECT * FROM laundry_item ORDER BY 1")
            #expect(laundries.count > 10 && items.count > 60 && answers.count > 1)

            _ = try Store(at: url, schema: LaundrySchema.self)

            #expect(try rows(url, "SELECT store_id, code FROM laundry_data ORDER BY 1") == answers)
            #expect(
                try rows(url, "SELECT store_id, master_id FROM laundry_detail ORDER BY 1")
                    == answers.map { [$0[0], $0[0]] })
            #expect(
                try rows(
                    url,
                    "SELECT store_id, id, name, photo, favorite, master_id, master_position FROM laundry ORDER BY 1")
                    == laundries)
            #expect(try rows(url, "SELECT * FROM laundry_item ORDER BY 1") == items)
            #expect(try rows(url, "SELECT count(*) FROM laundry_failure") == [[.integer(0)]])
        }
    }

    @Test func `the ten sample laundries keep their order and their six items each`() throws {
        try withOldStore { url in
            let store = try Store(at: url, schema: LaundrySchema.self)
            try store.read { transaction in
                let data = try #require(try transaction.find(LaundryData.self, id: 100))
                #expect(data.code == 200)
                let detail = try #require(try transaction.related(data, \.data))
                let laundries = try transaction.related(detail, \.success)
                #expect(laundries.map(\.name) == (0...9).map { "dubai mall \($0 * 7)" })
                #expect(laundries.allSatisfy { $0.id == 3456 && !$0.favorite })
                #expect(laundries.map(\.photo) == (0...9).map { $0 % 2 == 0 ? "laundry1" : "laundry2" })
                for laundry in laundries {
                    let items = try transaction.related(laundry, \.items)
                    #expect(items.map(\.name) == (0...5).map { "laundryItem\($0)" })
                    #expect(items.map(\.price) == (0...5).map { Double($0) * 2 })
                }
                #expect(try transaction.related(detail, \.failure) == nil)
                #expect(try transaction.related(detail, \.master) == data)
            }
        }
    }

    @Test func `an error in the last row leaves every old row and the old version`() throws {
        try withOldStore { url in
            let count = try #require(try rows(url, "SELECT count(*) FROM laundry").first?.first)
            guard case .integer(let last) = count else { return }
            let before = try Data(contentsOf: url)
            LastRowThrows.$row.withValue(Int(last)) {
                #expect(throws: LastRowThrows.self) { _ = try Store(at: url, schema: LaundryThatThrows.self) }
            }
            #expect(try Data(contentsOf: url) == before)
            #expect(!FileManager.default.fileExists(atPath: url.path + "-journal"))
            _ = try Store(at: url, schema: LaundrySchema.self)
            #expect(
                try rows(url, "SELECT count(*) FROM laundry_detail") == rows(url, "SELECT count(*) FROM laundry_data"))
        }
    }
}

/// Laundry with a custom migration that throws at the row `LastRowThrows.row`.
private enum LaundryThatThrows: Schema {
    static let name = LaundrySchema.name
    static let fingerprint = LaundrySchema.fingerprint
    static let versions = LaundrySchema.versions
    static let steps = LaundrySchema.steps.map { step in
        MigrationStep(from: step.from, to: step.to, changes: step.changes) { run in
            var migration = Migration_1_0_to_2_0()
            var row = 0
            try run.migrate(LaundrySchema.V1_0.Laundry.self) { old, access in
                row += 1
                if row == LastRowThrows.row { throw LastRowThrows() }
                return try migration.migrate(old, .init(access))
            }
            try migration.didMigrate(.init(run.access))
        }
    }
}

private struct LastRowThrows: Error {
    @TaskLocal static var row = 0
}
