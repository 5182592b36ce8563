import Foundation

/// The arguments of a command, by name.
struct Arguments {
    let command: String
    /// The arguments without a name: folders of models.
    private(set) var folders: [String] = []
    private var values: [String: [String]] = [:]
    private static let switches: Set<String> = ["--sources", "--tests", "--released", "--release", "--json", "--help"]
    private static let options: Set<String> = ["--model", "--target", "--test-target", "--stamp", "--output", "--copy"]

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        let first = rest.popFirst() ?? "help"
        command = ["--help", "-h"].contains(first) ? "help" : first
        if command != "help", Help.of(command) == nil {
            throw CommandError.usage("there is no command \(command)\n\n\(Help.all)")
        }
        while let name = rest.popFirst() {
            if Self.switches.contains(name) {
                values[name, default: []].append("")
            } else if Self.options.contains(name) {
                guard let value = rest.popFirst() else { throw CommandError.usage("\(name) needs a value") }
                values[name, default: []].append(value)
            } else if name.hasPrefix("-") {
                throw CommandError.usage("\(command) has no option \(name); see strata \(command) --help")
            } else {
                folders.append(name)
            }
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    func value(_ name: String) throws -> String {
        guard let value = values[name]?.last else { throw CommandError.usage("\(command) needs \(name)") }
        return value
    }

    /// The model that `--model` names.
    func model() throws -> ModelFolder {
        let path = try value("--model")
        return try ModelFolder(path: path, target: has("--target") ? try value("--target") : nil)
    }

    /// The models that `--model` and the folders name.
    func models() throws -> [ModelFolder] {
        var models = has("--model") ? [try model()] : []
        for folder in folders { models.append(try ModelFolder(path: folder, target: nil)) }
        if models.isEmpty { throw CommandError.usage("\(command) needs the folder of a model, one with a strata.json") }
        return models
    }

    /// The folders of test targets by name; nil where the arguments name none, and they are to be looked for.
    func testTargets() throws -> [String: URL]? {
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
