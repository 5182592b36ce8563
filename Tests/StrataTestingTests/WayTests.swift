import Foundation
import SQLSchema
import Strata
import Testing

@testable import StrataTesting

/// The generated tests of a version from which several steps lead.
@Suite struct WayTests {
    private enum Notes: Schema {
        /// The step that loses the texts; nil for none.
        @TaskLocal static var faulty: String?
        static let name = "NotesSchema"
        static let fingerprint: UInt64 = 3
        static var versions: [SchemaVersion] { history.versions }
        static var steps: [MigrationStep] {
            [("1.0", "3.0"), ("1.0", "2.0"), ("2.0", "3.0")].map { from, to in
                let columns: [String: ValueExpression] =
                    "\(from) to \(to)" == faulty ? ["text": .literal(.text("lost"))] : [:]
                return MigrationStep(from: from, to: to, changes: [.map(from: "note", to: "note", columns: columns)])
            }
        }
        private static var history: VersionHistory {
            var history = VersionHistory()
            history.version(
                "1.0", fingerprint: 1,
                """
                table note
                  id integer key
                  text text
                """)
            history.version("2.0", fingerprint: 2, "")
            history.version("3.0", fingerprint: 3, "")
            return history
        }
    }

    private func failures() throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ways-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var fixtures = Fixtures(of: Notes.self, in: folder)
        fixtures.add(FixtureTable("note", columns: [.key("id", .int), .value("text", .string)]))
        for version in Notes.versions { fixtures.version(version.name, sealed: false) { _ in } }
        for step in Notes.steps { fixtures.step(from: step.from, to: step.to) }
        #expect(
            try fixtures.paths(from: fixtures.versions[0]).map { [$0[0].from] + $0.map(\.to) }
                == [["1.0", "3.0"], ["1.0", "2.0", "3.0"]])
        return try fixtures.checkRandomMigration(of: fixtures.versions[0]).map(\.description)
    }

    @Test func `all ways are taken`() throws {
        #expect(try failures() == [])
        // The default of 1.0 does not pass 2.0.
        let steps = [
            "1.0 to 3.0": "1.0, step 1.0 to 3.0: ", "1.0 to 2.0": "1.0 by 2.0, 3.0, step 1.0 to 2.0: ",
            "2.0 to 3.0": "1.0 by 2.0, 3.0 to 3.0: ",
        ]
        for (step, start) in steps {
            let failures = try Notes.$faulty.withValue(step) { try self.failures() }
            #expect(failures.contains { $0.hasPrefix("NotesSchema \(start)") }, "\(step): \(failures)")
        }
    }
}
