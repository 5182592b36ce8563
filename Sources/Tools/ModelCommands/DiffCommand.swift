import Commands
import DescriptionEditing
import Descriptions
import Documents
import Foundation
import SchemaDiff
import SchemaModel

/// Prints every change between two versions, and whether it needs a custom migration.
struct DiffCommand {
    private let folder: ModelFolder
    private let versions: [Version]
    private let isJSON: Bool
    private let isMarkdown: Bool

    init(_ arguments: Arguments) throws {
        guard let path = arguments.folders.first else { throw CommandError.usage("diff needs the folder of a model") }
        folder = try arguments.model(at: path)
        versions = try arguments.folders.dropFirst().map { text in
            guard let version = Version(text) else { throw CommandError.usage("\(text) is not a version") }
            return version
        }
        if versions.count > 2 { throw CommandError.usage("diff takes two versions at most") }
        isJSON = arguments.has("--json")
        isMarkdown = arguments.has("--markdown")
        if isJSON, isMarkdown { throw CommandError.usage("--json and --markdown exclude each other") }
    }

    func run(_ console: Console) throws {
        let history = try folder.loaded().history
        for version in versions where !history.versions.contains(where: { $0.version == version }) {
            throw CommandError.noVersion(version.text, known: history.versions.map(\.version.text))
        }
        // Without arguments, print the last step. With one version, print all steps from that version on.
        let oldest = versions.first ?? history.steps.last?.from.version
        let newest = versions.dropFirst().first ?? history.newest.version
        // Follow the steps of a store: each step begins at the version at which the previous one ends.
        var steps: [SchemaStep] = []
        for step in history.steps where step.from.version == steps.last?.to.version ?? oldest {
            if step.to.version <= newest { steps.append(step) }
        }
        if let oldest, steps.last?.to.version ?? oldest != newest {
            throw CommandError.noWay(from: oldest.text, to: newest.text)
        }
        if isJSON {
            return console.say(try EncodedOutput.text(steps.flatMap(Entry.entries)))
        }
        if isMarkdown, !steps.isEmpty {
            return console.say(
                steps.map(SchemaMarkdown.changes).joined(separator: "\n").trimmingCharacters(in: .newlines))
        }
        if history.steps.isEmpty { console.say("\(history.newest.version) is the only version") }
        for line in steps.flatMap({ $0.lines(for: console) }) { console.say(line) }
    }

    /// A change in the JSON output.
    private struct Entry: Encodable {
        let from: String
        let to: String
        let handling: String
        let subject: String
        let change: String
        let reason: String?
        /// Whether apps of the version before can no longer use the store.
        let endsCompatibility: Bool

        static func entries(_ step: SchemaStep) -> [Entry] {
            step.changes.map { change in
                Entry(
                    from: step.from.version.text, to: step.to.version.text, handling: change.handling.rawValue,
                    subject: step.subject(of: change), change: step.text(of: change), reason: step.reason(for: change),
                    endsCompatibility: !step.isCompatible(change))
            }
        }
    }
}
