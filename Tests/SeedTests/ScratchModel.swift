import Commands
import Foundation
import ModelCommands
import StoreCommands

/// A model in a temporary folder, for what a document says about descriptions and what is generated from them.
final class ScratchModel {
    private let package = FileManager.default.temporaryDirectory.appendingPathComponent("seeds-\(UUID().uuidString)")
    private var folder: URL { package.appendingPathComponent("Sources/App/Model") }

    /// Writes descriptions, each named after its entity, and releases a version and those before it.
    init(_ descriptions: [String: String], released version: String? = nil) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: package.appendingPathComponent("Tests/AppTests"), withIntermediateDirectories: true)
        try write("", to: "../../../Package.swift")
        try write("{}", to: "strata.json")
        for (name, text) in descriptions { try write(text, to: name + ".json") }
        if let version { run("generate", "--release", "--version", version, "--untested") }
    }

    deinit { try? FileManager.default.removeItem(at: package) }

    /// Writes a file of the model.
    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    /// The text of a generated file; empty if there is none.
    func text(_ name: String) -> String {
        (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
    }

    /// Runs a command on the model, and returns what it printed.
    @discardableResult func run(_ command: String, _ arguments: String...) -> (isSuccess: Bool, output: String) {
        var lines: [String] = []
        let code = Command.run(
            [command, folder.path] + arguments,
            console: Console(say: { lines.append($0) }, complain: { lines.append($0) }),
            others: ModelCommand.all.merging(StoreCommand.all) { first, _ in first })
        return (code == .success, lines.joined(separator: "\n"))
    }
}
