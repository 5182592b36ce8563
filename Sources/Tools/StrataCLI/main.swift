import Commands
import Foundation
import ModelCommands
import ServerCommands
import StoreCommands

let others = [ModelCommand.all, StoreCommand.all, ServerCommand.all].reduce(into: [:]) { all, commands in
    all.merge(commands) { $1 }
}
exit(Command.run(Array(CommandLine.arguments.dropFirst()), others: others).rawValue)
