import Commands
import Foundation
import SchemaModel
import Strata

/// The commands for stores, and for models of other libraries.
package enum StoreCommand {
    /// The commands by name, for `Command.run`.
    package static var all: [String: Command.Runner] {
        [
            "plan": naming(plan), "inspect": naming(inspect), "convert": naming(ConvertCommand.run),
            "import": ImportCommand.run,
        ]
    }

    /// Returns a runner that takes one file, and names the file in the errors of the command.
    private static func naming(_ command: @escaping (Arguments, URL, Console) throws -> Void) -> Command.Runner {
        { arguments, console in
            guard let path = arguments.folders.first, arguments.folders.count == 1 else {
                throw CommandError.usage("\(arguments.command) needs one file")
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
        guard let schema = try schema(arguments, for: try StoreInspection(of: file).schema) else {
            throw CommandError.usage("plan needs the model of the store: name its folder with --model")
        }
        let plan = try MigrationPlan(from: file, knowing: schema)
        console.say(arguments.has("--json") ? try JSONOutput.text(plan) : plan.description)
        if !plan.isPossible { throw CommandError.found }
    }

    /// Prints the state of a store.
    private static func inspect(_ arguments: Arguments, _ file: URL, _ console: Console) throws {
        let schema = try schema(arguments, for: try StoreInspection(of: file).schema)
        let inspection = try StoreInspection(of: file, knowing: schema)
        console.say(arguments.has("--json") ? try JSONOutput.text(inspection) : inspection.description)
        if inspection.drift?.isEmpty == false || !inspection.damage.isEmpty { throw CommandError.found }
    }

    /// Returns the schema of the model in `--model`, or else of the model below the working folder whose schema has the
    /// name `name`; nil if there is none.
    private static func schema(_ arguments: Arguments, for name: String) throws -> KnownSchema? {
        if arguments.has("--model") {
            return KnownSchema(try arguments.model(at: try arguments.value("--model")).loaded())
        }
        let folder = FileManager.default.currentDirectoryPath
        let models = ModelFolder.all(below: folder).filter { $0.schema == name }
        if models.count > 1 {
            throw CommandError.usage(
                "there are several models of \(name): name one with --model: "
                    + models.map(\.path).joined(separator: ", "))
        }
        return try models.first.map { KnownSchema(try $0.loaded()) }
    }
}
