import Foundation

/// The arguments of a command.
package struct Arguments {
    package let command: String
    /// The positional arguments: folders of models, or a file.
    package private(set) var folders: [String] = []
    private var values: [String: [String]] = [:]
    private static let switches: Set<String> = [
        "--sources", "--tests", "--released", "--release", "--json", "--values", "--quiet", "--help", "--nullable",
        "--unique", "--indexed", "--redact", "--user-objects", "--dry-run", "--drafts", "--restart", "--complete",
        "--interactive",
        "--to-one", "--to-many",
        "--discard",
        "--beta", "--untested", "--yes", "--markdown",
    ]
    /// The options of each command, except `--help`.
    static let known: [String: Set<String>] = [
        "generate": [
            "--release", "--beta", "--step", "--version", "--untested", "--model", "--target", "--test-target",
        ],
        "release": ["--beta", "--step", "--version", "--untested", "--model", "--target", "--test-target"],
        "check": [
            "--sources", "--tests", "--released", "--compatible-since", "--json", "--format", "--stamp", "--model",
            "--target", "--test-target",
        ],
        "diff": ["--json", "--markdown", "--target"],
        "add": [
            "--nullable", "--unique", "--indexed", "--default", "--fill", "--to-one", "--to-many", "--inverse",
            "--identifier",
            "--version", "--model", "--target",
        ],
        "rename": ["--version", "--model", "--target"],
        "remove": ["--discard", "--version", "--model", "--target"],
        "version": ["--model", "--target"],
        "format": ["--target"],
        "schema": ["--into"],
        "prune": ["--target"],
        "squash": ["--before", "--yes", "--model", "--target", "--test-target"],
        "document": ["--to", "--since", "--target", "--quiet"],
        "plan": ["--model", "--json", "--quiet"],
        "inspect": ["--model", "--json", "--html"],
        "salvage": ["--to", "--json"],
        "export": ["--redact", "--user-objects", "--to", "--model"],
        "export-schema": ["--to", "--target"],
        "import": [
            "--into", "--interactive", "--dry-run", "--complete", "--order", "--renames", "--inheritance", "--oldest",
            "--version-info", "--mapping-models", "--target",
            "--quiet",
        ],
        "convert": ["--model", "--to", "--version", "--invalid-rows", "--json", "--quiet"],
        "export-migrations": ["--for", "--to", "--from", "--version", "--drafts", "--target"],
        "copy": ["--to", "--from", "--model", "--restart", "--quiet"],
        "templates": ["--copy", "--values"],
        "sources": ["--model", "--target", "--output"],
        "tests": ["--model", "--target", "--test-target", "--output"],
    ]

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        let first = rest.popFirst() ?? "help"
        command = ["--help", "-h"].contains(first) ? "help" : first
        if command != "help", Help.of(command) == nil {
            throw CommandError.usage("unknown command \(command)\n\n\(Help.all)")
        }
        let known = (Self.known[command] ?? []).union(["--help"])
        while let name = rest.popFirst() {
            if !name.hasPrefix("-") {
                folders.append(name)
            } else if !known.contains(name) {
                // The value may be a password.
                let option = String(name.prefix { $0 != "=" })
                guard option == name || !known.contains(option) else {
                    throw CommandError.usage("write a space instead of = between \(option) and its value")
                }
                throw CommandError.usage("\(command) has no option \(option); see strata \(command) --help")
            } else if Self.switches.contains(name) {
                values[name, default: []].append("")
            } else {
                guard let value = rest.popFirst() else { throw CommandError.usage("\(name) needs a value") }
                values[name, default: []].append(value)
            }
        }
    }

    package func has(_ name: String) -> Bool { values[name] != nil }

    package func value(_ name: String) throws -> String {
        guard let value = values[name]?.last else { throw CommandError.usage("\(command) needs \(name)") }
        return value
    }

    /// Returns the value of an optional option; nil if it is missing.
    package func option(_ name: String) -> String? { values[name]?.last }

    /// Returns all values of an option that may be given several times.
    func options(_ name: String) -> [String] { values[name] ?? [] }

    /// Returns the schema name of the model in the folder at `path`. The model need not exist yet.
    package func schema(of path: String) -> String {
        (try? model(at: path).schema) ?? ModelFolder.schema(of: path, target: values["--target"]?.last)
    }

    /// Returns the model in the folder at `path`.
    package func model(at path: String) throws -> ModelFolder {
        try ModelFolder(path: path, target: values["--target"]?.last)
    }

    /// Returns the paths of the models in `--model` and in the positional arguments.
    package func modelPaths() throws -> [String] {
        let paths = (values["--model"] ?? []) + folders
        if paths.isEmpty { throw CommandError.usage("\(command) needs the folder of a model, one with a strata.json") }
        if paths.count > 1, has("--target") { throw CommandError.usage("--target is that of one folder") }
        return paths
    }

    /// Returns the models in `--model` and in the positional arguments.
    package func models() throws -> [ModelFolder] {
        try modelPaths().map(model)
    }

    /// Returns the folders of the test targets, by name; nil if the arguments do not contain any. The command then
    /// looks for the folders itself.
    package func testTargets() throws -> [String: URL]? {
        guard let named = values["--test-target"] else { return nil }
        var targets: [String: URL] = [:]
        for value in named {
            let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw CommandError.usage("--test-target takes NAME=DIR") }
            targets[parts[0]] = URL(fileURLWithPath: parts[1], isDirectory: true)
        }
        return targets
    }
}
