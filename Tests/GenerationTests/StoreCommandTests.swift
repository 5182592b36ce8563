import Commands
import Foundation
import SQLSchema
import StoreCommands
import Strata
import Testing

/// The commands that read stores.
@Suite struct StoreCommandTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let model = root.appendingPathComponent("Entities/Laundry").path
    private static let fixture = root.appendingPathComponent("Tests/LaundryTests/Fixtures/LaundrySchema/1.0.sqlite")

    /// Runs `body` on a copy of the first Laundry store, changed by SQL. The body must not change the file.
    private func withStore(_ sql: String = "", _ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".sqlite")
        try FileManager.default.copyItem(at: Self.fixture, to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try Connection(path: url.path, mode: .readWrite).execute(sql)
        let before = try Data(contentsOf: url)
        try body(url.path)
        #expect(try Data(contentsOf: url) == before)
    }

    private func run(_ arguments: String...) -> (code: Command.ExitCode, said: [String], complaints: [String]) {
        var said: [String] = []
        var complaints: [String] = []
        let console = Console(
            say: { said += $0.split(separator: "\n").map(String.init) }, complain: { complaints.append($0) })
        let code = Command.run(arguments, console: console, others: StoreCommand.all)
        return (code, said, complaints)
    }

    @Test func `inspect writes a page with the numbers of rows and without their values`() throws {
        let secret = "a value that only a row has"
        try withStore("UPDATE laundry SET name = '\(secret)'") { (path: String) throws in
            let page = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".html")
            defer { try? FileManager.default.removeItem(at: page) }
            #expect(run("inspect", path, "--model", Self.model, "--html", page.path).code == .success)
            let html = try String(contentsOf: page, encoding: .utf8)
            #expect(html.contains(#","name":"laundry","rows":28}"#))
            #expect(html.contains(#""drift":[]"#) && html.contains(#""version":"1.0""#))
            #expect(!html.contains(secret))
            // Movies has a version 1.0 too, but this is not a store of it.
            let movies = Self.root.appendingPathComponent("Entities/Movies").path
            let other = run("inspect", path, "--model", movies, "--html", page.path)
            #expect(other.code == .diagnostics && other.said.isEmpty)
            #expect(other.complaints.first?.hasPrefix("\(path): error: ") == true)
            #expect(other.complaints.first?.contains("LaundrySchema") == true)
        }
    }

    @Test func `inspect prints the version and the rows of a store`() throws {
        try withStore { (path: String) throws in
            let result = run("inspect", path, "--model", Self.model)
            #expect(result.code == .success && result.complaints.isEmpty)
            #expect(result.said.first?.hasPrefix("LaundrySchema: version 1.0, fingerprint ") == true)
            #expect(
                result.said.dropFirst(2) == [
                    "  laundry: 28 rows", "  laundry_data: 19 rows", "  laundry_item: 80 rows",
                    "  same tables as a new store of its version",
                ])
            let json = run("inspect", path, "--model", Self.model, "--json").said.joined(separator: "\n")
            let inspection = try JSONDecoder().decode(StoreInspection.self, from: Data(json.utf8))
            #expect(
                inspection == (try StoreInspection(of: URL(fileURLWithPath: path), comparedWith: nil).with(drift: [])))
        }
    }

    @Test func `inspect reports a damaged file`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".sqlite")
        defer { try? FileManager.default.removeItem(at: url) }
        var bytes = try Data(contentsOf: Self.fixture)
        // The last page, which holds rows.
        bytes.replaceSubrange((bytes.count - 512)..., with: Data(repeating: 0xff, count: 512))
        try bytes.write(to: url)
        let result = run("inspect", url.path, "--model", Self.model)
        #expect(result.code == .diagnostics)
        #expect(result.said.contains { $0.hasPrefix("  damaged: ") }, "\(result)")
    }

    @Test func `inspect reports past migrations and differences from a new store`() throws {
        let sql = """
            CREATE TABLE extra (a); DROP INDEX "laundry_item_master_id_idx";
            INSERT INTO strata_migrations VALUES (1, '0.9', '1.0', 0, 0.25, 7)
            """
        try withStore(sql) { (path: String) throws in
            let result = run("inspect", path, "--model", Self.model)
            #expect(result.code == .diagnostics)
            #expect(
                result.said.suffix(3) == [
                    "  2001-01-01T00:00:00Z from 0.9 to 1.0, 7 rows copied, in 0.250 s", "  created by the app: extra",
                    "  differs from a new store: CREATE INDEX ON \"laundry_item\" (\"master_id\")",
                ])
        }
    }

    @Test func `plan prints the steps that opening a store would run`() throws {
        try withStore { (path: String) throws in
            let result = run("plan", path, "--model", Self.model)
            #expect(result.code == .success)
            #expect(
                result.said.prefix(3) == [
                    "LaundrySchema: from version 1.0 to 2.0", "  steps: 1.0 -> 2.0 (custom)",
                    "  1. custom laundry, 28 rows",
                ])
            let json = run("plan", path, "--model", Self.model, "--json").said.joined(separator: "\n")
            #expect(try JSONDecoder().decode(MigrationPlan.self, from: Data(json.utf8)).steps.count == 1)
        }
    }

    @Test func `plan judges the store of a changed draft as the app does`() throws {
        func note(_ properties: String) -> String {
            #"{ "name": "note", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" }, "properties": ["#
                + #"{ "name": "is_done", "property_type": "bool" }\#(properties)] }"#
        }
        try ScratchModel.with(["Note.json": note("")]) { (model: ScratchModel) throws in
            func schema() throws -> SchemaDefinition {
                SchemaDefinition(try #require(ModelFolder.all(below: model.folder.path).first).loaded())
            }
            let store = model.folder.appendingPathComponent("store.sqlite")
            _ = try Store(at: store, definition: try schema())
            try model.write(
                note(#", { "name": "text", "property_type": "string", "nullable": true }"#), to: "Note.json")
            let plan = run("plan", store.path, "--model", model.folder.path)
            #expect(plan.code == .success, "\(plan.complaints)")
            #expect(plan.said.first == "LibrarySchema: from version 1.0 to 1.0")
            let changed = note(#", { "name": "text", "property_type": "string", "nullable": true }"#)
                .replacingOccurrences(of: #""bool""#, with: #""int""#)
            try model.write(changed, to: "Note.json")
            let refused = run("plan", store.path, "--model", model.folder.path)
            #expect(refused.complaints.first?.contains("the type of note.is_done has changed") == true)
            #expect(throws: StoreError.self) { _ = try Store(at: store, definition: try schema()) }
        }
    }

    @Test func `plan and inspect report a file that is not a store of the model`() throws {
        let path = Self.root.appendingPathComponent("README.md").path
        for command in ["plan", "inspect"] {
            #expect(run(command, path).complaints == ["\(path): error: the file is not an SQLite database"])
            #expect(run(command).code == .usage && run(command, path, path).code == .usage)
            #expect(run(command, "/nowhere").complaints == ["/nowhere: error: the file does not exist"])
        }
        try withStore { (path: String) throws in
            let movies = Self.root.appendingPathComponent("Entities/Movies").path
            let expected =
                "\(path): error: the store belongs to the schema LaundrySchema, not to MoviesSchema: check the path of the file"
            #expect(run("plan", path, "--model", movies).complaints == [expected])
            #expect(
                run("inspect", path, "--model", movies).said.last
                    == "  not compared: give a model that has this version")
        }
        // The tool that builds use has no commands for stores.
        var complaints: [String] = []
        let console = Console(say: { _ in }, complain: { complaints.append($0) })
        #expect(Command.run(["plan", path], console: console) == .usage)
        #expect(complaints == ["error: this tool has no plan; use: swift run strata plan"])
    }
}

extension StoreInspection {
    fileprivate func with(drift: [String]) -> StoreInspection {
        var result = self
        result.drift = drift
        return result
    }
}
