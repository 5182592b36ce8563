import Commands
import DescriptionEditing
import Descriptions
import Foundation
import Generation
import SchemaDiff
import SchemaModel
import SQLSchema

/// Removes everything from a model's files that no supported version needs.
struct PruneCommand {
    private let folders: [ModelFolder]

    init(_ arguments: Arguments) throws {
        folders = try arguments.models()
    }

    func run(_ console: Console) throws {
        for folder in folders { try run(folder, console) }
    }

    private func run(_ folder: ModelFolder, _ console: Console) throws {
        guard let oldest = folder.configuration.versions.oldestSupported else {
            throw CommandError.nothingToPrune(folder.path)
        }
        let pruned = try Self.prune(folder, before: oldest)
        let lines = try pruned.folder.writeEdits()
        for line in lines { console.say(line) }
        try pruned.writeLock(console)
        if lines.isEmpty { console.say("\(folder.target): nothing in it is older than \(oldest)") }
    }

    /// A model without the history of old versions. Nothing of it is written yet.
    struct Pruned {
        /// The folder with the edits.
        let folder: ModelFolder
        fileprivate let model: LoadedModel
        fileprivate let history: SchemaHistory

        /// Whether a version is released.
        func isReleased(_ version: Version) -> Bool { model.released.contains(version) }

        /// Writes the lock if the statements of supported versions change: pruning may change the order of columns, and
        /// the names of indexes and limits. No store depends on them.
        func writeLock(_ console: Console) throws {
            let lock = model.sealing.lock.acceptingDDL(of: history)
            if lock == model.sealing.lock { return }
            try FileWriter.write(lock.text, to: folder.url.appendingPathComponent(Generator.lockName))
            for (old, new) in zip(model.sealing.lock.versions, lock.versions) where old != new {
                let difference = "the order of columns, or the names of indexes and limits"
                console.say("SQL/\(new.version).sql will differ in \(difference)")
            }
        }
    }

    /// Prunes a model, whose `strata.json` must name the oldest supported version.
    ///
    /// - Throws: `CommandError.unprunable` if a version would change; `Diagnostics` if the pruned files are wrong.
    static func prune(_ folder: ModelFolder, before oldest: Version) throws -> Pruned {
        let model = try folder.loaded()
        let outcomes = try Pruning.prune(
            try folder.descriptions(), configuration: folder.configurationFile(), oldest: oldest)
        return Pruned(
            folder: try folder.applying(outcomes), model: model, history: try check(model, outcomes, folder))
    }

    /// Checks, before anything is written, that the pruned files describe every supported version as before.
    ///
    /// - Returns: The history of the pruned files.
    /// - Throws: `CommandError.unprunable` if a version would change; `Diagnostics` if the pruned files are wrong.
    private static func check(
        _ model: LoadedModel, _ outcomes: [String: FileOutcome], _ folder: ModelFolder
    ) throws -> SchemaHistory {
        let edited = try folder.applying(outcomes)
        let pruned = ValidatedDescriptions(
            reading: try edited.descriptions(), folder: folder.path, schema: folder.configuration.schema,
            sealed: model.history.versions.map(\.version), settings: edited.configuration.versions,
            isLucid: edited.configuration.isLucid)
        guard let history = pruned.history else { throw Diagnostics(pruned.diagnostics) }
        func shape(_ history: SchemaHistory) -> [[String]] {
            history.versions.map { [$0.version.text] + $0.logicalLines }
                + history.steps.map { $0.customReasons.sorted() + $0.lines.map(\.text) }
        }
        guard shape(history) == shape(model.history) else { throw CommandError.unprunable(folder.path) }
        return history
    }
}
