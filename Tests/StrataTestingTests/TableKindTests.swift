import Foundation
import SQLSchema
import Strata
import Testing

@testable import StrataTesting

/// Tables that change their kind from one version to the next: an entity's table becomes a join table, or the reverse.
@Suite struct TableKindTests {
    private enum Kinds: Schema {
        @TaskLocal static var isReversed = false
        static let name = "KindsSchema"
        static let fingerprint: UInt64 = 2
        static var versions: [SchemaVersion] { history.versions }
        static var steps: [MigrationStep] { history.steps }
        private static var history: VersionHistory {
            let entity = "table c_xs\n  id integer key\n  n text"
            let join = """
                join table c_xs
                  source_id integer -> c(id) cascade
                  target_id integer -> c(id) cascade
                  position integer
                  key (source_id, target_id)
                  index c_xs_target_id_idx (target_id)
                """
            let tables = isReversed ? [join, entity] : [entity, join]
            var history = VersionHistory()
            history.version("1.0", fingerprint: 1, "table c\n  id integer key\n  n text\n" + tables[0])
            history.version("1.1", fingerprint: 2, "drop c_xs\n" + tables[1])
            history.step(from: "1.0", to: "1.1", "drop c_xs\ncreate c_xs")
            return history
        }
    }

    @Test(arguments: [false, true]) func `the generated tests follow it`(isReversed: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kinds-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Kinds.$isReversed.withValue(isReversed) { () throws in
            var fixtures = Fixtures(of: Kinds.self, in: folder)
            func text(_ name: String) -> FixtureTable {
                FixtureTable(name, columns: [.key("id", .int), .value("n", .string)])
            }
            fixtures.add(text("c"))
            for isJoin in [isReversed, !isReversed] {
                if isJoin {
                    fixtures.add(FixtureJoinTable("c_xs", of: "c.xs", from: "c", to: "c"))
                } else {
                    fixtures.add(text("c_xs"))
                }
                fixtures.version(isJoin == isReversed ? "1.0" : "1.1", sealed: false) { _ in }
            }
            fixtures.step(from: "1.0", to: "1.1")
            for version in fixtures.versions {
                #expect(try fixtures.export(version) == [])
                #expect(try fixtures.checkMigration(of: version) == [])
                #expect(try fixtures.checkRandomMigration(of: version) == [])
            }
            fixtures.remove("c_xs")
            fixtures.version("1.2", sealed: false) { _ in }
            #expect(fixtures.versions.last?.tables.map(\.name) == ["c"])
            #expect(fixtures.versions.last?.joinTables.isEmpty == true)
        }
    }
}
