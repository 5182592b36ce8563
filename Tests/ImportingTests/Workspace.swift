import Commands
import Descriptions
import Foundation
import ModelCommands
import SchemaDiff
import SchemaModel
import SQLSchema
import StoreCommands
import Strata

/// A temporary folder with models and databases, in which the tool runs.
final class Workspace {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("import-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file and creates its folders.
    func write(_ text: String, to name: String) throws {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func text(_ name: String) throws -> String {
        try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
    }

    /// Writes a Core Data model. `versions` are the entities of each version as XML, oldest first.
    func writeCoreData(_ name: String, _ versions: [String]) throws {
        for (place, entities) in versions.enumerated() {
            let version = place == 0 ? name : "\(name) \(place + 1)"
            try write(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model>\n\(entities)\n</model>\n",
                to: "\(name).xcdatamodeld/\(version).xcdatamodel/contents")
        }
    }

    /// Creates a database and executes SQL in it.
    func makeDatabase(_ name: String, _ sql: String) throws {
        try Connection(path: path(name), mode: .create).execute(sql)
    }

    /// Runs the tool. Paths in its output are relative to the folder.
    @discardableResult func run(_ arguments: String...) -> (
        code: Command.ExitCode, said: [String], complaints: [String]
    ) {
        run(all: arguments)
    }

    /// - Parameter answers: The lines that the tool reads from the terminal; nil if there is no terminal.
    func run(all arguments: [String], answers: [String]? = nil) -> (
        code: Command.ExitCode, said: [String], complaints: [String]
    ) {
        var said: [String] = []
        var complaints: [String] = []
        func plain(_ text: String) -> [String] {
            text.replacingOccurrences(of: url.path + "/", with: "").split(separator: "\n").map(String.init)
        }
        var rest = answers ?? []
        let ask: ((String) -> String?)? =
            answers == nil
            ? nil
            : { question in
                said += plain(question)
                return rest.isEmpty ? nil : rest.removeFirst()
            }
        let console = Console(say: { said += plain($0) }, complain: { complaints += plain($0) }, ask: ask)
        let code = Command.run(arguments, console: console, others: StoreCommand.all.merging(ModelCommand.all) { $1 })
        return (code, said, complaints)
    }

    /// The history of the descriptions in a folder.
    func history(_ folder: String) throws -> SchemaHistory {
        let names = try FileManager.default.contentsOfDirectory(atPath: path(folder)).filter { $0.hasSuffix(".json") }
        let files = try names.map {
            SourceFile(path: $0, bytes: [UInt8](try Data(contentsOf: url.appendingPathComponent("\(folder)/\($0)"))))
        }
        var settings: VersionSettings?
        var imported: ImportedSource?
        if let file = files.first(where: { $0.baseName == "strata" }) {
            var values = try ConfigurationReader.read(file)
            settings = values.versions()
            imported = values.imported()
        }
        let read = ValidatedDescriptions(
            reading: files.filter { $0.baseName != "strata" }, folder: folder, schema: "ModelSchema",
            settings: settings, imported: imported)
        guard let history = read.history else { throw Refusal(text: read.diagnostics.map(\.description)) }
        return history
    }

    struct Refusal: Error {
        var text: [String]
    }

    /// The logical lines of a version, which describe everything that is stored.
    func lines(_ folder: String, _ version: String) throws -> [String] {
        try history(folder).versions.first { $0.version.text == version }?.logicalLines ?? []
    }

    /// The rows of a query, each as one text.
    func rows(_ database: String, _ query: String) throws -> [String] {
        var rows: [String] = []
        try Connection(path: path(database), mode: .readOnly).query(query) { row in
            rows.append(row.values.map(\.description).joined(separator: " "))
        }
        return rows
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014) gives the same faults for the same seed on every platform.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
