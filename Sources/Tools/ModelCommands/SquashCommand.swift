import Commands
import DescriptionEditing
import Descriptions
import Foundation
import JSONText
import SchemaDiff
import SchemaModel

/// Makes a version the first one of a model: removes the older versions, and everything that only they need.
struct SquashCommand {
    private let folders: [ModelFolder]
    private let testTargets: [String: URL]?
    private let oldest: Version
    private let isConfirmed: Bool

    init(_ arguments: Arguments) throws {
        folders = try arguments.models()
        testTargets = try arguments.testTargets()
        let text = try arguments.value("--before")
        guard let version = Version(text) else { throw CommandError.usage("\(text) is not a version") }
        oldest = version
        isConfirmed = arguments.has("--yes")
    }

    func run(_ console: Console) throws {
        for folder in folders { try run(folder, console) }
    }

    private func run(_ folder: ModelFolder, _ console: Console) throws {
        try folder.checkTests(among: testTargets)
        let testFolders = folder.testFolders(among: testTargets)
        let versions = try folder.loaded().history.versions.map(\.version)
        guard versions.contains(oldest) else {
            throw CommandError.noVersion(oldest.text, known: versions.map(\.text))
        }
        let removed = versions.filter { $0 < oldest }
        guard !removed.isEmpty else { return console.say("\(folder.target): no version is older than \(oldest)") }
        let supporting = try folder.applying(try Self.supporting(oldest, in: folder))
        let pruned = try PruneCommand.prune(supporting, before: oldest)
        var edits = pruned.folder.edits
        edits.merge(try OwnSources(of: folder, testFolders).removing(removed)) { _, new in new }
        for file in testFolders.flatMap({ Self.files(of: removed, in: $0, folder.schema) }) {
            edits[file.path] = .removed
        }

        let names = removed.map(\.text).joined(separator: ", ")
        console.say("\(folder.target): \(oldest) becomes the first version; stores of \(names) can no longer be opened")
        if !pruned.isReleased(oldest) {
            console.say("warning: \(oldest) is a draft, so no store of a customer can be opened any more")
        }
        let changes = edits.filter { $0.value != .kept }.sorted { $0.key < $1.key }
        for (path, outcome) in changes { console.say("  \(outcome == .removed ? "remove" : "change") \(path)") }
        guard try isConfirmed || console.confirms("Make these changes?") else {
            return console.say("nothing was changed")
        }

        let edited = try folder.applying(edits)
        _ = try edited.writeEdits()
        try pruned.writeLock(console)
        for (path, line) in try OwnSources(of: edited, testFolders).mentions(of: removed) {
            console.say("\(path):\(line):1: warning: this file names a version that was removed")
        }
        console.say("run: " + CommandError.generateCommand(folder.target) + ", and swift test")
    }

    /// Returns the fixtures of versions, and the results of the steps from them, in a test target.
    private static func files(of versions: [Version], in tests: ModelFolder.TestFolder, _ schema: String) -> [URL] {
        let folder = tests.url.appendingPathComponent("Fixtures/\(schema)")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { name in
            let name = name.hasPrefix("draft-") ? String(name.dropFirst(6)) : name
            if name.hasSuffix(".sqlite") { return Version(String(name.dropLast(7))).map(versions.contains) ?? false }
            guard name.hasSuffix(".rows") else { return false }
            return StepVersions(String(name.dropLast(5))).map { versions.contains($0.from) } ?? false
        }
        .map { folder.appendingPathComponent($0) }
    }

    /// Returns the edit that sets `oldest_supported_version`.
    private static func supporting(_ oldest: Version, in folder: ModelFolder) throws -> [String: FileOutcome] {
        let file = folder.configurationFile()
        let json = try file.json()
        var value = JSONOutput(json)
        value["oldest_supported_version"] = .string(oldest.text)
        var edits = JSONEdits(of: file.bytes)
        edits.change(json, to: value)
        return [file.path: edits.isEmpty ? .kept : .rewritten(edits.result)]
    }
}
