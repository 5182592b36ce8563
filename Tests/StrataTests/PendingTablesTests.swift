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
}
