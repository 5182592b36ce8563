import Foundation
import SQLSchema
import Strata
import Testing

@testable import StrataTesting

/// Generated tests of tables and columns with names that mean something else in SQL.
@Suite struct HostileNameOracleTests {
    private enum Hostile: Schema {
        @TaskLocal static var table = ""
        static let name = "HostileSchema"
        static let fingerprint: UInt64 = 2
        static var versions: [SchemaVersion] { history.versions }
        static var steps: [MigrationStep] { history.steps }
        private static var history: VersionHistory {
            var history = VersionHistory()
            let columns = HostileNameOracleTests.columns.map { "\n  \"\($0)\" text" }.joined()
            history.version(
                "1.0", fingerprint: 1,
                """
                table "\(table)"
                  id integer key
                  parent_id integer? -> "\(table)"(id) nullify
                  index "\(table)_parent" (parent_id)\(columns)
                join table pairs
                  source_id integer -> "\(table)"(id) cascade
                  target_id integer -> "\(table)"(id) cascade
                  position integer
                  key (source_id, target_id)
                  index pairs_target_id_idx (target_id)
                """)
            history.version(
                "1.1", fingerprint: 2,
                """
                change "\(table)"
                  + "excluded" text?
                """)
            history.step(from: "1.0", to: "1.1", "map \"\(table)\"")
            return history
        }
    }

    private static let columns = [
        "true", "false", "rowid", "oid", "rank", "new", "old", "key", "value", "type", "n", "e", "strata",
    ]

    @Test(arguments: ["excluded", "new", "o", "n", "e", "s", "f", "target", "true", "value", "original", "main"])
    func `the generated tests pass`(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hostile-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Hostile.$table.withValue(name) { () throws in
            var fixtures = Fixtures(of: Hostile.self, in: folder)
            let table = FixtureTable(
                name,
                columns: [
                    .key("id", .int), .reference("parent", ["parent_id"], to: name, nullable: true),
                ] + Self.columns.map { .value($0, .string) }, indexes: [.init(["parent_id"])])
            fixtures.add(table)
            fixtures.add(FixtureJoinTable("pairs", of: "\(name).pairs", from: name, to: name))
            fixtures.version("1.0", sealed: false) { _ in }
            fixtures.add(table.adding(.value("excluded", .string, nullable: true), after: Self.columns.last))
            fixtures.version("1.1", sealed: false) { _ in }
            fixtures.expect(name, changed: ["excluded": .value(.null)])
            fixtures.step(from: "1.0", to: "1.1")
            for version in fixtures.versions {
                #expect(try fixtures.export(version) == [])
                #expect(try fixtures.checkMigration(of: version) == [])
                #expect(try fixtures.checkRandomMigration(of: version) == [])
            }
        }
    }
}
