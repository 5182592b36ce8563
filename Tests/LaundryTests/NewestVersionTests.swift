import Foundation
import Laundry
import Strata
import Testing

/// Stores that `StoreOptions.newestVersion` keeps at an older version, and plans that are carried out.
@Suite struct NewestVersionTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("laundry.sqlite"))
    }

    private func oldOptions() -> StoreOptions {
        var options = StoreOptions()
        options.newestVersion = "1.0"
        return options
    }

    @Test func `a store stays at an older version, and only its structs work`() throws {
        try withFolder { (url: URL) throws in
            do {
                let store = try Store(at: url, schema: LaundrySchema.self, options: oldOptions())
                try store.write { _ = try $0.execute("INSERT INTO laundry_data (store_id, status) VALUES (1, 'new')") }
                let data = try store.read { try $0.find(LaundrySchema.V1_0.LaundryData.self, id: 1) }
                #expect(data?.status == "new")
                #expect(throws: StoreError.older(found: "1.0", newest: "2.0")) {
                    try store.read { try $0.count(LaundryDetail.self) }
                }
                #expect(throws: StoreError.older(found: "1.0", newest: "2.0")) {
                    try store.read { try $0.rows("SELECT detail FROM laundry_detail") { _ in } }
                }
                // An error that has another reason keeps it.
                #expect(throws: SQLiteError.self) { try store.read { try $0.rows("SELEC 1") { _ in } } }
                try store.close()
            }
            #expect(try StoreInspection(of: url, comparedWith: LaundrySchema.self).version == "1.0")
            #expect(try MigrationPlan(from: url, to: LaundrySchema.self, options: oldOptions()).isEmpty)
            let store = try Store(at: url, schema: LaundrySchema.self)
            #expect(store.migrationReport?.to == "2.0")
            #expect(try store.read { try $0.count(LaundryDetail.self) } == 1)
        }
    }

    @Test func `an unknown version is refused, and no file is created`() throws {
        try withFolder { (url: URL) throws in
            var options = StoreOptions()
            options.newestVersion = "1.5"
            #expect(throws: StoreError.unknownVersion(found: "1.5", newest: "2.0")) {
                try Store(at: url, schema: LaundrySchema.self, options: options)
            }
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
    }

    @Test func `a plan is carried out unless the store has changed since`() throws {
        try withFolder { (url: URL) throws in
            let old = try Store(at: url, schema: LaundrySchema.self, options: oldOptions())
            let plan = try MigrationPlan(from: url, to: LaundrySchema.self)
            try old.write { _ = try $0.execute("INSERT INTO laundry_data (store_id) VALUES (1)") }
            try old.close()
            #expect(throws: MigrationError.planOutdated) { try plan.execute(at: url, to: LaundrySchema.self) }
            let next = try MigrationPlan(from: url, to: LaundrySchema.self)
            #expect(try next.execute(at: url, to: LaundrySchema.self)?.to == "2.0")
            #expect(try MigrationPlan(from: url, to: LaundrySchema.self).isEmpty)
            #expect(throws: MigrationError.planOutdated) { try next.execute(at: url, to: LaundrySchema.self) }
        }
    }
}
