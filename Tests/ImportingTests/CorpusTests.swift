import Foundation
import SchemaModel
import SQLSchema
import Strata
import Testing

/// Histories of public apps, where they lie beside the project.
@Suite struct CorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/corpus")

    /// The histories: their format, and their path.
    static let histories: [[String]] = ["core-data", "room", "drift"].flatMap { format in
        let folder = corpus.appendingPathComponent(format).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { [format, "\(folder)/\($0)"] }
    }

    @Test(.enabled(if: !histories.isEmpty), arguments: histories)
    func `every version is imported as it is, generated, and made by SQLite`(history: [String]) throws {
        let workspace = try Workspace()
        // The import itself compares each version with what was read.
        let result = workspace.run("import", history[0], history[1], "--into", workspace.path("Sources/App/Model"))
        #expect(result.code == .success, "\(result.complaints)")
        let generated = workspace.run("generate", workspace.path("Sources/App/Model"))
        #expect(generated.code == .success, "\(generated.complaints)")
        let resolved = try workspace.history("Sources/App/Model")
        #expect(resolved.versions.count == resolved.formerNames.count)
        for version in resolved.versions {
            let connection = try Connection(path: ":memory:", mode: .readWrite)
            for table in version.tables {
                for statement in SQLite.create(table) { try connection.execute(statement) }
            }
        }
    }

    @Test(.enabled(if: !histories.isEmpty), arguments: histories)
    func `a history is the same whether it is imported at once or version by version`(history: [String]) throws {
        guard history[0] != "core-data" else { return }
        let workspace = try Workspace()
        let files = try FileManager.default.contentsOfDirectory(atPath: history[1]).sorted { left, right in
            left.compare(right, options: .numeric) == .orderedAscending
        }
        for (count, file) in files.enumerated() {
            try workspace.write(String(contentsOfFile: "\(history[1])/\(file)", encoding: .utf8), to: "schemas/\(file)")
            // One by one takes long: each fifth time all that has come since is added.
            guard count % 5 == 0 || count == files.count - 1 else { continue }
            let result = workspace.run(
                "import", history[0], workspace.path("schemas"), "--into", workspace.path("grown"))
            #expect(result.code == .success, "\(result.complaints)")
        }
        workspace.run("import", history[0], workspace.path("schemas"), "--into", workspace.path("whole"))
        let (grown, whole) = (try workspace.history("grown"), try workspace.history("whole"))
        #expect(grown.versions.map(\.version) == whole.versions.map(\.version))
        for (one, other) in zip(grown.versions, whole.versions) {
            #expect(one.logicalLines.sorted() == other.logicalLines.sorted())
        }
        #expect(grown.steps.map { $0.customReasons.sorted() } == whole.steps.map { $0.customReasons.sorted() })
    }
}
