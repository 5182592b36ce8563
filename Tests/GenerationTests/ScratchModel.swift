import Commands
import Foundation
import ModelCommands
import SchemaDiff
import Testing

/// A model in a temporary folder outside any package, and the commands that run on it.
struct ScratchModel {
    /// The folder of the model.
    let folder: URL

    /// Creates a model, runs `body` with it, and deletes it.
    ///
    /// - Parameter files: The contents of the files, by name. An empty `strata.json` is added.
    static func with(_ files: [String: String], _ body: (ScratchModel) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let model = ScratchModel(folder: root.appendingPathComponent("Sources/Library/Model"))
        defer { try? FileManager.default.removeItem(at: root) }
        try model.write("{}", to: "strata.json")
        for (name, text) in files { try model.write(text, to: name) }
        try body(model)
    }

    /// Writes a lock in which all versions but the newest are released.
    static func releaseOlderVersions(in folder: URL) throws {
        let file = folder.appendingPathComponent("strata.lock")
        try? FileManager.default.removeItem(at: file)
        let history = try #require(ModelFolder.all(below: folder.path).first).loaded().history
        let lock = Lock(sealing: history.versions.count - 1, of: history)
        try Data(lock.text.utf8).write(to: file)
    }

    func write(_ text: String, to name: String) throws {
        let url = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
    }

    /// Runs a command. Returns its exit code and its output, with the folder as `.`.
    @discardableResult
    func run(_ arguments: String...) -> (code: Command.ExitCode, output: String) { run(all: arguments) }

    /// Runs a command with arguments in a list.
    func run(all arguments: [String]) -> (code: Command.ExitCode, output: String) {
        var lines: [String] = []
        let code = Command.run(
            arguments, console: Console(say: { lines.append($0) }, complain: { lines.append($0) }),
            others: ModelCommand.all)
        return (code, lines.joined(separator: "\n").replacingOccurrences(of: folder.path, with: "."))
    }
}
