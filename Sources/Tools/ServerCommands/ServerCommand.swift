import Commands

/// The commands for PostgreSQL servers.
package enum ServerCommand {
    /// The commands by name, for `Command.run`.
    package static var all: [String: Command.Runner] {
        ["copy": CopyCommand.run, "export-migrations": ExportMigrationsCommand.run]
    }
}
