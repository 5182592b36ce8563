import Foundation
import SchemaModel
import SQLSchema
import Strata
import Testing

/// Schema histories of public apps, if a folder beside the project contains them, and the histories of
/// `Tests/Measures/Histories`, which were made for the formats that the folder lacks.
@Suite struct CorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/corpus")

    /// The format and the path of each history.
    static let histories: [[String]] = ["core-data", "room", "drift"].flatMap { format in
        let folder = corpus.appendingPathComponent(format).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { [format, "\(folder)/\($0)"] }
    }

    /// The format and the path of each history that was made.
    static let made: [[String]] = ["sql", "sqlite", "swiftdata"].flatMap { format in
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Measures/Histories/\(format)").standardizedFileURL.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { [format, "\(folder)/\($0)"] }
    }

    /// Returns the arguments that import a history. The databases of a history are created from their SQL.
    static func arguments(_ history: [String], in workspace: Workspace) throws -> [String] {
        guard history[0] == "sqlite" else {
            return history + (history[1].hasSuffix("/Rooms") ? ["--complete"] : [])
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: history[1]) {
            let sql = try String(contentsOfFile: "\(history[1])/\(name)", encoding: .utf8)
            try FileManager.default.createDirectory(
                atPath: workspace.path("databases"), withIntermediateDirectories: true)
            try workspace.makeDatabase("databases/\(name).sqlite", sql)
        }
        return ["sqlite", workspace.path("databases")]
    }

    @Test func `histories of all formats were made`() { #expect(Self.made.count >= 12) }

    @Test(arguments: histories + made)
    func `every version is imported unchanged, generated, and created by SQLite`(history: [String]) throws {
        let workspace = try Workspace()
        // The import compares each version with the schema that it read.
        let result = workspace.run(
            all: ["import"] + (try Self.arguments(history, in: workspace)) + [
                "--into", workspace.path("Sources/App/Model"),
            ])
        #expect(result.code == .success, "\(result.complaints)")
        let generated = workspace.run("generate", workspace.path("Sources/App/Model"))
        #expect(generated.code == .success, "\(generated.complaints)")
        let formatted = workspace.run("format", workspace.path("Sources/App/Model"))
        #expect(formatted.said == ["App: every file has the canonical layout"], "\(formatted.complaints)")
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
    func `a history is the same whether it is imported in one pass or in several`(history: [String]) throws {
        guard history[0] != "core-data" else { return }
        let workspace = try Workspace()
        let files = try FileManager.default.contentsOfDirectory(atPath: history[1]).sorted { left, right in
            left.compare(right, options: .numeric) == .orderedAscending
        }
        for (count, file) in files.enumerated() {
            try workspace.write(String(contentsOfFile: "\(history[1])/\(file)", encoding: .utf8), to: "schemas/\(file)")
            // To save time, the import runs once for every five files.
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
