import Commands
import Foundation
import PostgreSQL
import SchemaModel
import StoreCommands
import Testing

@testable import ServerCommands

/// The folder of the package.
let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    .standardizedFileURL

/// Runs a body with a temporary folder.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// Runs a command of the tool, and returns its exit code and what it prints.
@discardableResult func strata(_ arguments: String...) -> (code: Command.ExitCode, text: String) { strata(arguments) }

/// Runs a command of the tool, and returns its exit code and what it prints.
@discardableResult func strata(_ arguments: [String]) -> (code: Command.ExitCode, text: String) {
    var lines: [String] = []
    let console = Console(say: { lines.append($0) }, complain: { lines.append($0) })
    let code = Command.run(arguments, console: console, others: ServerCommand.all.merging(StoreCommand.all) { $1 })
    return (code, lines.joined(separator: "\n"))
}

/// Loads the model of a folder.
func loadedModel(_ path: String) throws -> LoadedModel {
    try #require(ModelFolder.all(below: path).first).loaded()
}

/// Writes a model, and runs a body with its folder.
///
/// In 2.0, `title` is called `name`, `price` is required, `pages` is new, `note` is removed, and `shelf` is called `rack`.
func withBooks(_ body: (String) throws -> Void) throws {
    try withFolder { folder in
        let model = folder.appendingPathComponent("Sources/Books/Model")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: model.appendingPathComponent(name))
        }
        try write("strata.json", #"{ "dialects": ["sqlite", "postgresql"] }"#)
        try write(
            "Rack.json",
            """
            { "name": "rack", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" },
              { "version": "2.0", "previous_name": "shelf" }],
              "properties": [{ "name": "place", "property_type": "string" }] }
            """)
        try write(
            "Book.json",
            """
            { "name": "book", "identifier": { "type": "int" }, "added_at_version": "1.0", "properties": [
              { "name": "name", "property_type": "string", "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous_name": "title" }] },
              { "name": "price", "property_type": "int", "minimum": 0, "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous": { "nullable": true }, "fill": 7 }] },
              { "name": "pages", "property_type": "int", "default_value": 1, "added_at_version": "2.0" },
              { "name": "note", "property_type": "string", "nullable": true, "removed_at_version": "2.0",
                "discard": true },
              { "name": "rack", "property_type": { "entity_name": "rack", "association": "to_one" }, "nullable": true, "version_history": [
                { "version": "1.0" }, { "version": "2.0", "previous_name": "shelf" }] }
            ] }
            """)
        try body(model.path)
    }
}

/// The SQL of models, run by a real server.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .serialized) struct ServerSchemaTests {
    private let server: PostgreSQLServer

    init() throws { server = try #require(PostgreSQLServer.shared) }

    static let models = [
        "Entities/Laundry", "Entities/Movies", "Tests/Consumers/Everything/Sources/Everything/Model",
        "Tests/Consumers/Shop/Sources/Shop/Model",
    ]

    /// The histories of public apps, where they are present.
    static let corpus: [(format: String, path: String)] = {
        let corpus = package.appendingPathComponent("../shared/corpus")
        return ["core-data", "room", "drift"].flatMap { format -> [(String, String)] in
            let folder = corpus.appendingPathComponent(format)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.sorted().filter { !$0.hasPrefix(".") }.map { (format, folder.appendingPathComponent($0).path) }
        }
    }()

    /// Runs all files of all steps, and compares the result with an empty database of the newest version. A role's
    /// privileges, policies and views remain.
    func check(_ model: LoadedModel) throws {
        let schema = try ServerSchema(model.history) { _ in "SELECT 1" }
        let newest = try #require(schema.versions.last)
        let expected = try server.withDatabase { url in
            try server.run([newest.file], at: url)
            return try server.dump(url)
        }
        let protection = Protection(of: model.history.versions)
        let files = schema.steps.flatMap(\.files)
        for isByMessage in [true, false] {
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                try connection.execute(schema.versions[0].file.text)
                try protection.add(connection)
                if isByMessage {
                    for file in files { try run(file, connection) }
                } else {
                    try server.run(files, at: url)
                }
                try protection.remove(connection)
                let found = try server.dump(url)
                #expect(found == expected, "\(Self.difference(found, expected))")
                #expect(try connection.value("SELECT version FROM strata_schema") == newest.version.version.text)
            }
        }
    }

    private func run(_ file: ServerFile, _ connection: ServerConnection) throws {
        do { try connection.execute(file.text) } catch { Issue.record("\(file.name): \(error)\n\(file.text)") }
    }

    private static func difference(_ found: String, _ expected: String) -> [String] {
        let (found, expected) = (found.split(separator: "\n"), expected.split(separator: "\n"))
        return Set(found).subtracting(expected).map { "+ \($0)" } + Set(expected).subtracting(found).map { "- \($0)" }
    }

    @Test(arguments: [(1_599, 32, nil), (1_600, 32, "more than 1,600 columns"), (40, 33, "more than 32 columns")])
    func `a model has at most as many columns as a server allows`(
        properties: Int, indexed: Int, problem: String?
    ) throws {
        try withFolder { folder in
            let names = (0..<properties).map { "p\($0)" }
            let texts = names.map { #"{"name": "\#($0)", "property_type": "string", "nullable": true}"# }
            let index = names.prefix(indexed).map { "\"\($0)\"" }.joined(separator: ", ")
            let description = """
                {"name": "wide", "version_history": [{"version": "1.0"}], "identifier": {"type": "int"},
                "indexes": [{"properties": [\(index)]}], "properties": [\(texts.joined(separator: ",\n"))]}
                """
            try Data(description.utf8).write(to: folder.appendingPathComponent("Wide.json"))
            try Data("{}".utf8).write(to: folder.appendingPathComponent("strata.json"))
            let model = try loadedModel(folder.path)
            let file = Result { try model.serverSchema().versions[0].file }
            switch (file, problem) {
            case (.success(let file), nil): try server.withDatabase { url in try server.run([file], at: url) }
            case (.failure(let error), let problem?): #expect("\(error)".contains(problem))
            case (.success, _): Issue.record("\(properties) properties are accepted")
            case (.failure(let error), _): throw error
            }
        }
    }

    @Test func `a server takes the first of several ways`() throws {
        let model = try loadedModel(
            package.appendingPathComponent("Tests/Consumers/Examples/Sources/Relations/Model").path)
        #expect(model.history.steps.map(\.to.version.text) == ["2.0", "4.0", "3.0", "4.0"])
        let schema = try ServerSchema(model.history) { _ in "SELECT 1" }
        #expect(schema.steps.map { [$0.from, $0.to] } == [["1.0", "2.0"], ["2.0", "4.0"], ["3.0", "4.0"]])
    }

    @Test(arguments: models) func `all files of all steps end like an empty database of the newest version`(
        path: String
    ) throws {
        let folder = try #require(ModelFolder.all(below: package.appendingPathComponent(path).path).first)
        try check(try folder.loaded())
    }

    @Test(.enabled(if: !corpus.isEmpty), arguments: corpus)
    func `the histories of public apps end like an empty database of their newest version`(
        format: String, path: String
    ) throws {
        try withFolder { folder in
            let result = strata("import", format, path, "--into", folder.appendingPathComponent("Model").path)
            #expect(result.code == .success, "\(result.text)")
            let model = try #require(ModelFolder.all(below: folder.path).first)
            try check(try model.loaded())
        }
    }

    @Test func `the online files can be run again, and an offline file only once`() throws {
        let folder = try #require(ModelFolder.all(below: package.appendingPathComponent("Entities/Movies").path).first)
        let schema = try folder.loaded().serverSchema()
        try server.withDatabase { url in
            let connection = try ServerConnection(to: url)
            try connection.execute(schema.versions[0].file.text)
            #expect(throws: ServerError.self) { try connection.execute(schema.versions[0].file.text) }
            try? connection.execute("ROLLBACK")
            for step in schema.steps {
                for file in step.files.dropLast() { for _ in 0..<3 { try connection.execute(file.text) } }
                let offline = try #require(step.files.last)
                try connection.execute(offline.text)
                let dump = try server.dump(url)
                for file in [step.files[0], offline] {
                    let error = #expect(throws: ServerError.self) { try connection.execute(file.text) }
                    #expect(error?.message == "strata: the database is already at \(step.to)")
                    try connection.execute("ROLLBACK")
                }
                #expect(try server.dump(url) == dump)
            }
        }
    }
}
