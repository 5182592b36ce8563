import Commands
import Foundation
import StoreCommands

exit(Command.run(Array(CommandLine.arguments.dropFirst()), others: StoreCommand.all).rawValue)
