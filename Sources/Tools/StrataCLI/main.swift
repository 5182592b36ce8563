import Commands
import Foundation
import ServerCommands
import StoreCommands

let others = StoreCommand.all.merging(ServerCommand.all) { $1 }
exit(Command.run(Array(CommandLine.arguments.dropFirst()), others: others).rawValue)
