import Foundation

/// The arguments of a command.
package struct Arguments {
    package let command: String
    /// The positional arguments: folders of models, or a file.
    package private(set) var folders: [String] = []
    private var values: [String: [String]] = [:]

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        let first = rest.popFirst() ?? "help"
        command = ["--help", "-h"].contains(first) ? "help" : first
        let description = CommandDescription.named(command)
        if command != "help", description == nil {
            let nearest = CommandDescription.all.map(\.name).nearest(to: command)
            throw CommandError.usage(
                "unknown command \(command); " + (nearest.map { "did you mean \($0)? " } ?? "")
                    + "strata --help lists the commands")
        }
        var takesValue = ["--help": false]
        for option in description?.options ?? [] { takesValue[option.name] = option.value != nil }
        while let name = rest.popFirst() {
            if !name.hasPrefix("-") {
                folders.append(name)
            } else if takesValue[name] == nil {
                // The value may be a password.
                let option = String(name.prefix { $0 != "=" })
                guard option == name || takesValue[option] == nil else {
                    throw CommandError.usage("write a space instead of = between \(option) and its value")
                }
                throw CommandError.usage("\(command) has no option \(option); see strata \(command) --help")
            } else if takesValue[name] == false {
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
    package func options(_ name: String) -> [String] { values[name] ?? [] }

    /// Returns the schema name of the model in the folder at `path`. The model need not exist yet.
    package func schema(of path: String) -> String {
        (try? model(at: path).schema) ?? ModelFolder.schema(of: path, target: values["--target"]?.last)
    }

    /// Returns the model in the folder at `path`.
    package func model(at path: String) throws -> ModelFolder {
        try ModelFolder(path: path, target: values["--target"]?.last)
    }

    /// Returns the paths of the models in `--model` and in the positional arguments.
    ///
    /// - Parameter folder: The folder whose models are returned if the arguments name none; nil to refuse that.
    package func modelPaths(orAllBelow folder: String? = nil) throws -> [String] {
        var paths = (values["--model"] ?? []) + folders
        if paths.isEmpty, let folder { paths = ModelFolder.paths(below: folder, skippingPackages: true) }
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
