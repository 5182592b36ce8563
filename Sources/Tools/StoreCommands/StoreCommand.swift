import Commands
import Documents
import Foundation
import SchemaModel
import Strata

/// The commands for stores, and for models of other libraries.
package enum StoreCommand {
    /// The commands by name, for `Command.run`.
    package static var all: [String: Command.Runner] {
        [
            "plan": naming(plan), "inspect": naming(inspect), "convert": naming(ConvertCommand.run),
            "salvage": naming(SalvageCommand.run), "export": naming(ExportCommand.run),
            "import": ImportCommand.run,
        ]
    }

    /// Returns a runner that takes one file, and names the file in the errors of the command.
    private static func naming(_ command: @escaping (Arguments, URL, Console) throws -> Void) -> Command.Runner {
        { arguments, console in
            guard let path = arguments.folders.first, arguments.folders.count == 1 else {
                throw CommandError.usage("\(arguments.command) needs one file")
            }
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandError.store(path, reason: "the file does not exist")
            }
            do {
                try command(arguments, URL(fileURLWithPath: path), console)
            } catch let error as StoreError {
                throw CommandError.store(path, reason: error.description)
            } catch let error as SQLiteError {
                throw CommandError.store(path, reason: error.description)
            }
        }
    }

    /// Prints how opening a store would migrate it.
    private static func plan(_ arguments: Arguments, _ file: URL, _ console: Console) throws {
        guard let model = try model(arguments, for: try StoreInspection(of: file).schema) else {
            throw CommandError.usage("plan needs the model of the store: name its folder with --model")
        }
        let line = console.progress("checking", unit: "tables")
        defer { line.end() }
        let plan = try MigrationPlan(from: file, definition: SchemaDefinition(model)) { line.update($0, of: $1) }
        line.end()
        console.say(arguments.has("--json") ? try EncodedOutput.text(plan) : plan.description)
        if !plan.isPossible { throw CommandError.found }
    }

    /// Prints the state of a store.
    private static func inspect(_ arguments: Arguments, _ file: URL, _ console: Console) throws {
        let model = try model(arguments, for: try StoreInspection(of: file).schema)
        let inspection = try StoreInspection(of: file, definition: model.map { SchemaDefinition($0) })
        if let page = arguments.option("--html") {
            guard let model else {
                throw CommandError.usage("--html needs the model of the store: name its folder with --model")
            }
            try writePage(of: inspection, model, to: URL(fileURLWithPath: page), console)
        } else {
            console.say(arguments.has("--json") ? try EncodedOutput.text(inspection) : inspection.description)
        }
        if inspection.drift?.isEmpty == false || !inspection.damage.isEmpty { throw CommandError.found }
    }

    /// Writes the schema page of a model with the facts about a store.
    private static func writePage(
        of inspection: StoreInspection, _ model: LoadedModel, to page: URL, _ console: Console
    ) throws {
        guard inspection.schema == model.history.name else {
            throw StoreError.otherSchema(found: inspection.schema, expected: model.history.name)
        }
        var document = try model.document()
        guard model.history.versions.contains(where: { $0.version.text == inspection.version }) else {
            throw CommandError.noVersion(inspection.version, known: model.history.versions.map(\.version.text))
        }
        document.store = SchemaDocument.StoreFacts(inspection)
        try FileWriter.write(try SchemaPage(document, .builtIn()).html, to: page)
        console.say("wrote \(page.path)")
    }

    /// Returns the model in `--model`, or else of the model below the working folder whose schema has the
    /// name `name`; nil if there is none.
    package static func model(_ arguments: Arguments, for name: String) throws -> LoadedModel? {
        if arguments.has("--model") { return try arguments.model(at: try arguments.value("--model")).loaded() }
        let folder = FileManager.default.currentDirectoryPath
        let models = ModelFolder.all(below: folder).filter { $0.schema == name }
        if models.count > 1 {
            throw CommandError.usage(
                "there are several models of \(name): name one with --model: "
                    + models.map(\.path).joined(separator: ", "))
        }
        return try models.first.map { try $0.loaded() }
    }
}
