import Commands
import DescriptionEditing

/// The commands that edit, compare and document models. Plugins run none of them, so their tool is built without them.
package enum ModelCommand {
    /// The commands by name, for `Command.run`.
    package static var all: [String: Command.Runner] {
        [
            "init": { try InitCommand($0).run($1) },
            "diff": { try DiffCommand($0).run($1) },
            "export-schema": { try ExportSchemaCommand($0).run($1) },
            "document": { try DocumentCommand($0).run($1) },
            "templates": { try TemplatesCommand($0).run($1) },
            "add": edit, "rename": edit, "remove": edit, "version": edit,
            "format": { try FormatCommand($0).run($1) },
            "schema": { try SchemaCommand($0).run($1) },
            "squash": { try SquashCommand($0).run($1) },
            "prune": { try PruneCommand($0).run($1) },
        ]
    }

    private static func edit(_ arguments: Arguments, _ console: Console) throws {
        do {
            try EditCommand(arguments).run(console)
        } catch let refusal as DescriptionEditor.Refusal {
            throw CommandError.message(refusal.text)
        }
    }
}
