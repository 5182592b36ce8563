import Descriptions
import Foundation
import Mustache

/// The commands of the tool: arguments in, text out, an exit code.
public enum Command {
    /// What a command ends with.
    public enum ExitCode: Int32, Sendable {
        case success = 0
        /// Something is wrong with the model's files.
        case diagnostics = 1
        /// Something is wrong with the arguments.
        case usage = 2
    }

    /// Runs the command that `arguments` name. What it tells goes to standard output, what is wrong to standard error.
    public static func run(_ arguments: [String]) -> ExitCode {
        do {
            let parsed = try Arguments(arguments)
            guard let help = Help.of(parsed.command) else {
                if parsed.command == "help" { print(Help.all) }
                return parsed.command == "help" ? .success : .usage
            }
            if parsed.has("--help") {
                print(help)
                return .success
            }
            switch parsed.command {
            case "generate": try GenerateCommand(parsed).run()
            case "check": try CheckCommand(parsed).run()
            case "release": try GenerateCommand(parsed, isRelease: true).run()
            case "diff": try DiffCommand(parsed).run()
            case "templates": try TemplatesCommand(parsed).run()
            case "sources": try BuildCommand(parsed, place: .sources).run()
            default: try BuildCommand(parsed, place: .tests).run()
            }
            return .success
        } catch let error as Diagnostics {
            for diagnostic in error.all { tell(diagnostic.description) }
            return .diagnostics
        } catch let error as Diagnostic {
            tell(error.description)
            return .diagnostics
        } catch let error as CommandError {
            tell(error.description)
            if case .usage = error { return .usage }
            return .diagnostics
        } catch let error as TemplateError {
            tell(error.description)
            return .diagnostics
        } catch {
            tell("error: \(error.localizedDescription)")
            return .diagnostics
        }
    }

    private static func tell(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
