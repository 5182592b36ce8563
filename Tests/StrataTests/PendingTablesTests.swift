import Foundation
import SQLSchema
import Testing

@testable import Strata

@Suite struct PendingTablesTests {
    @Test func `discarding a migration deletes its own tables and triggers, and none with a similar name`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        let own = ["strata_pending", "strata_added", "strata_1_movie", "strata_keys_movie"]
        let others = [
            "STRATA_1_report", "movie", "strata_metadata", "strata_pending_orders", "strata_report",
            "strata_\u{0663}_report",
        ]
        for table in own + others { try connection.execute("CREATE TABLE \(SQL.quoted(table)) (a)") }
        for trigger in ["strata_pending_insert movie", "strata_pendingcount"] {
            try connection.execute(
                "CREATE TRIGGER \(SQL.quoted(trigger)) AFTER INSERT ON movie BEGIN DELETE FROM movie; END")
        }
        #expect(try PendingMigration.discard(in: connection))
        #expect(try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") == others)
        #expect(
            try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'trigger'") == ["strata_pendingcount"])
    }

    /// After each of the statements that read the state, in turn, another connection ends the migration, or cannot do so yet.
    @Test(arguments: ["DELETE", "WAL"])
    func `reading the state of a migration succeeds while another process ends it`(journal: String) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let other = try Connection(path: path, mode: .create)
        try other.execute("PRAGMA journal_mode = \(journal); CREATE TABLE movie (a)")
        let state = PendingMigration.State(
            app: "", strategy: "", versions: [], from: 1, to: 2, now: Date(),
            report: MigrationReport(from: "1", to: "2"))
        let owner = MigrationOwner()
        defer { owner.end() }
        var (place, count) = (0, 1)
        while place < count {
            try other.transaction("BEGIN IMMEDIATE") {
                try PendingMigration.discard(in: other)
                var pending = PendingMigration(connection: other, state: state)
                try pending.begin(owner: owner, sources: nil)
            }
            let connection = try Connection(path: path, mode: .readWrite)
            let ended = Locked(0)
            nonisolated(unsafe) let ending = try Connection(path: path, mode: .readWrite)
            let chosen = place

            connection.setTrace { _ in
                let number = ended.withLock { count in
                    defer { count += 1 }
                    return count
                }
                guard number == chosen else { return }
                try? ending.transaction("BEGIN IMMEDIATE") { _ = try PendingMigration.discard(in: ending) }
            }
            let found = try PendingMigration.find(in: connection)
            #expect(found == nil || found?.owner == owner.description, "after statement \(place)")
            place += 1
            count = ended.withLock(\.self)
        }
        #expect(count > 3)
    }
}
