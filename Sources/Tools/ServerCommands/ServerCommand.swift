import Commands

/// The commands for PostgreSQL servers.
package enum ServerCommand {
    /// The commands by name, for `Command.run`.
    package static var all: [String: Command.Runner] {
        ["deploy": DeployCommand.run, "copy": CopyCommand.run]
    }
}
