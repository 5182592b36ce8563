import Foundation
import Strata
import Testing

@testable import StrataTesting

/// A failure points at the description, or at the expectations that you have written.
@Suite struct FailureLocationTests {
    private enum Notes: Schema {
        static let name = "NotesSchema"
        static let fingerprint: UInt64 = 1
        static let versions: [SchemaVersion] = []
        static let steps: [MigrationStep] = []
    }

    private func withPackage(_ body: (URL, Fixtures) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        let files = [
            "Sources/App/Model/strata.json": "{}",
            "Sources/App/Model/deep/Note.json": "{\n  \"description\": \"note\",\n  \"name\" : \"note\"\n}\n",
            "Sources/App/Model/Notebook.json": #"{ "name": "notebook" }"#,
            "Tests/AppTests/Generated/App.swift":
                "enum NotesSchemaStep_1_0_to_2_0 {}\nextension NotesSchemaStep_1_0_to_2_0 {}\n",
            "Tests/AppTests/Own.swift": "// Step\n\n@MainActor extension App.NotesSchemaStep_1_0_to_2_0 {\n}\n",
        ]
        for (name, text) in files {
            let url = root.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        try body(
            root,
            Fixtures(of: Notes.self, in: root.appendingPathComponent("Tests/AppTests"), model: "Sources/App/Model"))
    }

    @Test func `the location is a line of the description or of your expectations`() throws {
        try withPackage { root, fixtures in
            func location(_ subject: Failure.Subject?) -> [String] {
                let location = fixtures.location(of: Failure("x", subject))
                return location.map { [String($0.path.dropFirst(root.path.count + 1)), "\($0.line)"] } ?? []
            }
            #expect(location(.entity("note")) == ["Sources/App/Model/deep/Note.json", "3"])
            #expect(location(.entity("notebook")) == ["Sources/App/Model/Notebook.json", "1"])
            #expect(location(.expectations("NotesSchemaStep_1_0_to_2_0")) == ["Tests/AppTests/Own.swift", "3"])
            #expect(location(.expectations("NotesSchemaStep_2_0_to_3_0")) == [])
            #expect(location(.entity("other")) == [])
            #expect(location(nil) == [])
        }
    }

    @Test func `there is no location where the sources are not`() throws {
        let fixtures = Fixtures(of: Notes.self, in: URL(fileURLWithPath: "/nowhere"), model: "Sources/App/Model")
        #expect(fixtures.location(of: Failure("x", .entity("note"))) == nil)
    }
}
