import Commands
import Foundation
import ModelCommands
import Testing

/// A folder as Lucid lays it out, with descriptions of payloads beside those of entities and subtypes.
@Suite struct LucidFolderTests {
    @Test func `descriptions of payloads are skipped with one note, also with the base name of an entity`() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let folder = root.appendingPathComponent("Descriptions")
        defer { try? FileManager.default.removeItem(at: root) }
        let files = [
            "strata.json": #"{ "schema": "MovieSchema", "lucid": true }"#,
            "Entities/Movie.json": """
            { "name": "movie", "uid": "movie", "version_history": [{ "version": "1.0.0" }], "persist": true,
              "identifier": { "type": "int" },
              "properties": [{ "name": "state", "property_type": "state", "default_value": ".new" }] }
            """,
            "Subtypes/More/State.json": #"{ "name": "state", "cases": ["new", "seen"] }"#,
            "EndpointPayloads/Movie.json":
                #"{ "name": "/movie", "read": { "entity": { "entity_name": "movie", "structure": "single" } } }"#,
            "EndpointPayloads/Lists/Movies.json": "this is not read",
        ]
        for (path, text) in files {
            let url = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        var lines: [String] = []
        let code = Command.run(
            ["generate", folder.path, "--target", "App"],
            console: Console(say: { lines.append($0) }, complain: { lines.append($0) }), others: ModelCommand.all)
        #expect(code == .success)
        let notes = lines.filter { $0.contains(": note: ") }
        #expect(
            notes == [
                "\(folder.path): note: 2 descriptions of endpoint payloads are not read: a store does not need them",
                "\(folder.path)/Entities/Movie.json:1:20: note: a store does not need these keys, so they are ignored: uid",
            ])
        let sql = try String(contentsOf: folder.appendingPathComponent("SQL/1.0.0.sql"), encoding: .utf8)
        #expect(sql.contains(#"CREATE TABLE "movie""#))
    }
}
