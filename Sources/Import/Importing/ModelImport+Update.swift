import Descriptions
import Foundation
import JSONText
import SchemaDiff
import SchemaModel

extension ModelImport {
    /// Returns the previously imported model, updated with newer versions and with new answers from `--renames`.
    func updated(
        _ existing: ImportedModel.Existing, telling history: SchemaHistory, folder: String, schema: String
    ) throws -> ImportedModel {
        let remembered = try Renames(rememberedIn: existing.configuration)
        var source = self
        source.rules.renames = remembered.merging(rules.renames)
        try rules.renames.check(versions)
        let changed = source.rules.renames.versions(unlike: remembered).intersection(history.numbers.keys)
        if changed.isEmpty { return try source.added(to: existing, telling: history, folder: folder, schema: schema) }
        for version in history.versions where existing.released.contains(version.version) {
            guard let name = history.formerNames[version.version], changed.contains(name) else { continue }
            throw ImportError(
                "\(version.version) is released, so --renames cannot change the step to it",
                path: folder)
        }
        guard try existing.isUnedited else {
            throw ImportError(
                "the descriptions were edited since the import, so the new answers cannot be applied; "
                    + "import into a new folder with all answers, and merge its files with git merge-file", path: folder
            )
        }
        return try source.replacing(existing, telling: history, folder: folder, schema: schema)
    }

    // MARK: Answers

    /// Imports all versions again. The versions that the model has keep their numbers.
    private func replacing(
        _ existing: ImportedModel.Existing, telling history: SchemaHistory, folder: String, schema: String
    ) throws -> ImportedModel {
        let numbers = history.numbers
        let names = versions.map(\.formerName)
        let known = names.prefix(numbers.count).compactMap { numbers[$0] }
        guard known.count == numbers.count else {
            let missing = Set(numbers.keys).subtracting(names).sorted()
            throw ImportError(
                missing.isEmpty
                    ? "--renames needs the versions of \(path) to begin with the imported versions"
                    : "--renames needs all versions that were imported; \(missing.joined(separator: ", ")) is not in \(path)",
                path: folder)
        }
        var source = self
        try source.recallHashes(of: existing, known)
        let all = VersionNumbers.numbers(of: names, known: known)
        source = try source.proven(all, schema: schema)
        let (imported, notes) = try source.history(all, schema: schema)
        var settings = JSONOutput(try existing.configuration.json())
        for entry in entries(imported, from: known.count) { settings.append(entry, to: "versions") }
        var model = try source.model(
            imported, notes, settings: settings, folder: folder, schema: schema)
        try Self.check(model.history, keeps: history, folder: folder)
        let written = Set(model.files.map(\.name))
        model.removedFiles = existing.files.map(\.name).filter { !written.contains($0) }.sorted()
        model.files.removeAll(where: existing.files.contains)
        model.newVersions.removeFirst(known.count)
        model.hasChanges = true
        return model
    }

    /// Takes the hashes from `strata.json` if this import has none.
    private mutating func recallHashes(of existing: ImportedModel.Existing, _ numbers: [Version]) throws {
        guard versions.allSatisfy(\.hashes.isEmpty),
            case .object(let entities)? = try existing.configuration.json()["imported"]?["hashes"]?.value
        else { return }
        for (index, number) in numbers.enumerated() {
            for entity in entities {
                guard case .object(let states) = entity.value.value else {
                    versions[index].hashes[entity.key] = entity.value.text
                    continue
                }
                let state = states.last { state in Version(state.key).map { $0 <= number } ?? false }
                versions[index].hashes[entity.key] = state?.value.text
            }
        }
    }

    /// Checks that `result` contains every version of `history` unchanged.
    private static func check(_ result: SchemaHistory, keeps history: SchemaHistory, folder: String) throws {
        for version in history.versions {
            guard let now = result.versions.first(where: { $0.version == version.version }),
                now.logicalLines == version.logicalLines
            else {
                throw ImportError(
                    "\(version.version) would not be the same afterwards; nothing was written", path: folder)
            }
        }
    }

    // MARK: Adding versions

    private func added(
        to existing: ImportedModel.Existing, telling history: SchemaHistory, folder: String, schema: String
    ) throws -> ImportedModel {
        let names = versions.map(\.formerName)
        let (last, lastVersion) = try lastKnown(names, in: history, folder: folder)
        guard last < names.count - 1 else {
            let files = try hashes(for: existing, telling: history, schema: schema)
            return ImportedModel(
                files: files, history: history, newVersions: [], lossCount: 0, undecided: [], hasChanges: !files.isEmpty
            )
        }
        // Versions before the last known one are not written, so placeholder numbers are enough for them.
        let later = VersionNumbers.numbers(of: Array(names[last...]), known: [lastVersion])
        let earlier = (0..<last).compactMap { Version("0.0.\($0)") }
        let proven = try proven(earlier + later, from: last + 1, schema: schema)
        let (imported, notes) = try proven.history(earlier + later, schema: schema)
        let merged = try ModelMerge.merge(
            imported, from: last, into: existing.descriptions, telling: history)
        var files = merged.files.sorted { $0.key < $1.key }.map {
            ImportedModel.File(name: existing.name(of: $0.key), text: $0.value)
        }
        let others = existing.files.filter { file in !files.contains { $0.name == file.name } }
        var configuration = JSONOutput(try existing.configuration.json())
        for entry in entries(imported, from: last + 1) { configuration.append(entry, to: "versions") }
        configuration["imported"] = source(
            imported, from: last + 1, beside: configuration["imported"], oldest: history.versions[0].version)
        if try existing.isUnedited {
            configuration["imported"]?["descriptions"] = .string((files + others).fingerprint)
        }
        files.append(.init(name: "strata.json", text: configuration.file))
        let result = try Self.resolve(files + others, folder: folder, schema: schema)
        try Self.check(result, keeps: history, folder: folder)
        // Your edits also apply to the new versions. Compare with the import only if you made no edits.
        let asImported = ModelVersion(
            version: lastVersion, entities: imported.entities(at: last), subtypes: imported.subtypes(at: last))
        if asImported.logicalLines == history.newest.logicalLines {
            try Self.check(result, against: imported, from: last, folder: folder)
        }
        let report = ImportReport(
            notes: (notes + merged.notes).filter { $0.version > last || merged.notes.contains($0) }, history: result,
            format: format, firstVersion: imported.versions[last + 1], offset: result.versions.count - names.count)
        files.append(.init(name: "IMPORT.md", text: (existing.report.map { $0 + "\n" } ?? "") + report.text))
        return ImportedModel(
            files: files, history: result, newVersions: Array(imported.versions[(last + 1)...]),
            lossCount: report.losses.count, undecided: report.undecidedLines)
    }

    /// Returns the last version in `names` that the model already contains.
    private func lastKnown(
        _ names: [String], in history: SchemaHistory, folder: String
    ) throws -> (index: Int, version: Version) {
        let known = history.numbers
        guard let last = names.lastIndex(where: { known[$0] != nil }), let lastVersion = known[names[last]] else {
            throw ImportError(
                "there is a model in it that was not imported from this one: its strata.json names none of its versions",
                path: folder)
        }
        guard lastVersion == history.newest.version else {
            throw ImportError(
                "the model has added versions up to \(history.newest.version) after \(lastVersion), its last imported "
                    + "version: no imported version can follow them", path: folder)
        }
        if let missing = names[..<last].firstIndex(where: { known[$0] == nil }),
            names[..<missing].contains(where: { known[$0] != nil })
        {
            throw ImportError("the version \(names[missing]) was not there when the model was imported", path: folder)
        }
        return (last, lastVersion)
    }

    /// Returns `strata.json` with the hashes from `--version-info`; empty if it does not change.
    private func hashes(
        for existing: ImportedModel.Existing, telling history: SchemaHistory, schema: String
    ) throws -> [ImportedModel.File] {
        let numbers = history.numbers
        let known = versions.compactMap { numbers[$0.formerName] }
        guard known.count == versions.count, versions.contains(where: { !$0.hashes.isEmpty }) else { return [] }
        let (imported, _) = try self.history(known, schema: schema)
        var configuration = JSONOutput(try existing.configuration.json())
        let hashes = source(imported, from: 0, beside: nil, oldest: known[0])["hashes"]
        if configuration["imported"]?["hashes"] == hashes { return [] }
        configuration["imported"]?["hashes"] = hashes
        return [.init(name: "strata.json", text: configuration.file)]
    }
}

extension SchemaHistory {
    /// The versions, by their former names.
    fileprivate var numbers: [String: Version] {
        Dictionary(formerNames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    }
}
