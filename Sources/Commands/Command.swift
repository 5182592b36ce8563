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
            switch parsed.command {
            case "generate": try GenerateCommand(parsed).run()
            case "check": try CheckCommand(parsed).run()
            case "sources": try BuildCommand(parsed, place: .sources).run()
            case "tests": try BuildCommand(parsed, place: .tests).run()
            case "--help", "-h", "help": print(usage)
            default: throw CommandError.usage("unknown command \(parsed.command)\n\(usage)")
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

    private static let usage = """
        usage: strata COMMAND --model DIR --target NAME [options]

        generate   write the Swift sources, the SQL, the lock, missing stubs and the tests
                   [--test-target NAME=DIR]…
        check      say what is stale, and fail if anything is
                   [--test-target NAME=DIR]… [--sources | --tests] [--stamp FILE]
        sources    write the Swift sources into a folder, for a build: --output DIR
        tests      write the Swift tests into a folder, for a build: --output DIR --test-target NAME=DIR
        """

    private static func tell(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}

/// The arguments of a command, by name.
struct Arguments {
    let command: String
    private var values: [String: [String]] = [:]
    private static let switches: Set<String> = ["--sources", "--tests"]
    private static let options: Set<String> = ["--model", "--target", "--test-target", "--stamp", "--output"]

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        command = rest.popFirst() ?? "--help"
        while let name = rest.popFirst() {
            if Self.switches.contains(name) {
                values[name, default: []].append("")
            } else if Self.options.contains(name) {
                guard let value = rest.popFirst() else { throw CommandError.usage("\(name) needs a value") }
                values[name, default: []].append(value)
            } else {
                throw CommandError.usage("unknown argument \(name)")
            }
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    func value(_ name: String) throws -> String {
        guard let value = values[name]?.last else { throw CommandError.usage("\(command) needs \(name)") }
        return value
    }

    /// The model that `--model` and `--target` name.
    func model() throws -> ModelFolder {
        try ModelFolder(path: try value("--model"), target: try value("--target"))
    }

    /// The folders of test targets by name.
    func testTargets() throws -> [String: URL] {
        var targets: [String: URL] = [:]
        for value in values["--test-target"] ?? [] {
            let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw CommandError.usage("--test-target takes NAME=DIR") }
            targets[parts[0]] = URL(fileURLWithPath: parts[1], isDirectory: true)
        }
        return targets
    }
}
