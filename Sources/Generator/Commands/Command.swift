import Descriptions
import Foundation
import Mustache

/// The commands of the `strata` tool.
package enum Command {
    /// The exit code of a command.
    package enum ExitCode: Int32, Sendable {
        case success = 0
        /// The command failed for another reason than its arguments, such as a mistake in a model's files.
        case diagnostics = 1
        /// The arguments are wrong.
        case usage = 2
    }

    /// A function that runs a command.
    package typealias Runner = (Arguments, Console) throws -> Void

    /// Runs a command, and prints its results and errors on the console.
    ///
    /// - Parameters:
    ///   - arguments: The name of the command, and its arguments.
    ///   - console: The console to print on.
    ///   - others: Additional commands that only some tools have, by name.
    /// - Returns: The exit code.
    package static func run(
        _ arguments: [String], console: Console = .standard, others: [String: Runner] = [:]
    ) -> ExitCode {
        do {
            let parsed = try Arguments(arguments)
            guard let description = CommandDescription.named(parsed.command) else {
                console.say(CommandDescription.list)
                return .success
            }
            if parsed.has("--help") {
                console.say(description.help)
                return .success
            }
            let console = parsed.has("--quiet") ? console.quiet : console
            switch parsed.command {
            case let name where others[name] != nil: try others[name]?(parsed, console)
            case "generate": try GenerateCommand(parsed, isRelease: parsed.has("--release")).run(console)
            case "check": try CheckCommand(parsed).run(console)
            case "release": try GenerateCommand(parsed, isRelease: true).run(console)
            case "sources": try BuildCommand(parsed, place: .sources).run()
            case "tests": try BuildCommand(parsed, place: .tests).run()
            default:
                throw CommandError.usage("this tool has no \(parsed.command); use: swift run strata \(parsed.command)")
            }
            return .success
        } catch let error as Diagnostics {
            for diagnostic in error.all { console.complain(diagnostic.description) }
        } catch let error as Diagnostic {
            console.complain(error.description)
        } catch let error as CommandError {
            if !error.description.isEmpty { console.complain(error.description) }
            if case .usage = error { return .usage }
        } catch let error as TemplateError {
            console.complain(error.description)
        } catch {
            console.complain("error: \(error.localizedDescription)")
        }
        return .diagnostics
    }
}
