import Foundation
import Strata
import Testing

/// Stores whose `user_version` another program has changed.
@Suite struct ChangedNumberTests {
    private func withStore(_ body: (URL, Connection) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("number-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("store.sqlite")
        try Store(at: url, schema: Things.self).write { try $0.insert(Thing(id: 1)) }
        try body(url, Connection(path: url.path, mode: .readWrite))
    }

    @Test(arguments: [0, 7, -1]) func `a changed number does not change the store`(_ number: Int) throws {
        try withStore { url, other in
            try other.execute("PRAGMA user_version = \(number)")
            let store = try Store(at: url, schema: Things.self)
            #expect(try store.read { try $0.count(Thing.self) } == 1)
            try store.write { try $0.insert(Thing(id: 2)) }
            // It may also change while the store is open.
            for number in [number + 1, number + 2] {
                try other.execute("PRAGMA user_version = \(number)")
                #expect(try store.read { try $0.count(Thing.self) } == 2)
                try store.write { try $0.update(Thing(id: 2)) }
            }
            #expect(try StoreIdentity(reading: other).version == Things.versions.last?.name)
            let plan = try MigrationPlan(from: url, to: Things.self)
            #expect(plan.steps.isEmpty)
        }
    }

    @Test func `a file that has become something else is not called newer`() throws {
        let damages: [(String, (any Error) -> Bool)] = [
            ("DROP TABLE strata_metadata", { if case StoreError.corrupt = $0 { true } else { false } }),
            ("PRAGMA application_id = 5", { if case StoreError.notAStore = $0 { true } else { false } }),
            (
                "UPDATE strata_metadata SET value = 99 WHERE key = 'format'",
                { if case StoreError.newerFormat(found: 99) = $0 { true } else { false } }
            ),
            (
                "UPDATE strata_metadata SET value = 'Other' WHERE key = 'schema'",
                { if case StoreError.otherSchema(found: "Other", _) = $0 { true } else { false } }
            ),
        ]
        for (sql, isRight) in damages {
            try withStore { url, other in
                let store = try Store(at: url, schema: Things.self)
                try other.execute("PRAGMA user_version = 7; " + sql)
                for work in [
                    { _ = try store.read { try $0.count(Thing.self) } },
                    { try store.write { try $0.insert(Thing(id: 3)) } },
                ] {
                    let error = #expect(throws: StoreError.self) { try work() }
                    #expect(error.map(isRight) == true, "\(sql): \(String(describing: error))")
                }
            }
        }
    }
}
