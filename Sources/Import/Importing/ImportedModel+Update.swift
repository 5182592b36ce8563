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
        let known = Set(history.formerNames.values)
        let changed = source.rules.renames.versions(unlike: remembered).intersection(known)
        if changed.isEmpty { return try source.added(to: existing, telling: history, folder: folder, schema: schema) }
        for version in history.versions where existing.released.contains(version.version) {
            guard let name = history.formerNames[version.version], changed.contains(name) else { continue }
            throw ImportError(
                "\(version.version) is released, so --renames cannot change the step to it",
                path: folder)
        }
        var first = try source.answered(existing, telling: history, before: remembered, folder: folder, schema: schema)
        guard let last = source.versions.last, !known.contains(last.formerName) else { return first }
        let others = existing.descriptions.filter { file in
            let name = Self.name(file, in: existing)
            return !first.removedFiles.contains(name) && !first.files.contains { $0.name == name }
        }
        let root = existing.configuration.path.dropLast("strata.json".count)
        let files = first.files.map { SourceFile(path: root + $0.name, bytes: Array($0.text.utf8)) }
        let next = ImportedModel.Existing(
            descriptions: files.filter { $0.baseName != "strata" && $0.path.hasSuffix(".json") } + others,
            configuration: files.first { $0.baseName == "strata" } ?? existing.configuration, history: first.history,
            report: existing.report)
        let second = try source.added(to: next, telling: first.history, folder: folder, schema: schema)
        first.files.removeAll { file in second.files.contains { $0.name == file.name } }
        return ImportedModel(
            files: first.files + second.files, removedFiles: first.removedFiles, history: second.history,
            newVersions: second.newVersions, lossCount: second.lossCount, undecided: second.undecided,
            hasChanges: true)
    }

    // MARK: Answers

    /// Applies the answers to steps that the model already contains.
    private func answered(
        _ existing: ImportedModel.Existing, telling history: SchemaHistory, before remembered: Renames,
        folder: String, schema: String
    ) throws -> ImportedModel {
        let numbers = Dictionary(
            history.formerNames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
        var source = self
        source.versions = versions.filter { numbers[$0.formerName] != nil }
        source.notes.removeAll { $0.version >= source.versions.count }
        let missing = Set(numbers.keys).subtracting(versions.map(\.formerName)).sorted()
        guard missing.isEmpty,
            versions.prefix(source.versions.count).map(\.formerName) == source.versions.map(\.formerName)
        else {
            throw ImportError(
                "--renames needs all versions that were imported; \(missing.joined(separator: ", ")) is not in \(path)",
                path: folder)
        }
        func imported(_ renames: Renames) throws -> (ImportedHistory, [ImportNote]) {
            var source = source
            source.rules.renames = renames
            let known = Set(source.versions.map(\.formerName))
            source.rules.renames.keepOnly(known)
            return try source.history(source.versions.compactMap { numbers[$0.formerName] }, schema: schema)
        }
        let (before, (after, notes)) = (try imported(remembered).0, try imported(rules.renames))
        let merged = try merged(existing, from: before, to: after, folder: folder)
        var files = merged.files
        var configuration = JSONOutput(try existing.configuration.json())
        do {
            let oldest = history.versions[0].version
            let imported = try ThreeWayMerge.merge(
                configuration["imported"], from: self.source(before, from: 0, beside: nil, oldest: oldest),
                to: self.source(after, from: 0, beside: nil, oldest: oldest))
            configuration["imported"] = imported
            configuration["imported"]?["renames"] = rules.renames.json(versions.map(\.formerName))
        } catch {
            throw conflict(error, in: "strata.json", folder)
        }
        files.append(.init(name: "strata.json", text: configuration.file))
        let written = Set(files.map(\.name) + merged.removed)
        let others = existing.descriptions.filter { !written.contains(Self.name($0, in: existing)) }.map {
            ImportedModel.File(name: Self.name($0, in: existing), text: String(decoding: $0.bytes, as: UTF8.self))
        }
        var result = try Self.resolve(files + others, folder: folder, schema: schema)
        if history.versions[0].version != result.versions[0].version {
            result = result.supported(from: history.versions[0].version)
        }
        try Self.check(result, keeps: history, folder: folder)
        let report = ImportReport(notes: notes, history: result, format: format, settings: configuration)
        files.append(.init(name: "IMPORT.md", text: report.text))
        return ImportedModel(
            files: files, removedFiles: merged.removed, history: result, newVersions: [],
            lossCount: report.losses.count, undecided: report.undecidedLines, hasChanges: true)
    }

    private func merged(
        _ existing: ImportedModel.Existing, from before: ImportedHistory, to after: ImportedHistory, folder: String
    ) throws -> (files: [ImportedModel.File], removed: [String]) {
        func objects(_ history: ImportedHistory) -> [String: JSONOutput] {
            Dictionary(
                history.descriptions().map { ($0.fileName, $0.object(history.versions)) },
                uniquingKeysWith: { one, _ in one })
        }
        let (old, new) = (objects(before), objects(after))
        var files: [ImportedModel.File] = []
        var removed: [String] = []
        for baseName in Set(old.keys).union(new.keys).sorted() {
            let file = existing.descriptions.first { $0.baseName == baseName }
            let own = try file.map { JSONOutput(try $0.json()) }
            let name = name(of: baseName, in: existing, folder)
            let merged: JSONOutput?
            do {
                merged = try ThreeWayMerge.merge(own, from: old[baseName], to: new[baseName])
            } catch {
                throw conflict(error, in: name, folder)
            }
            if let merged, merged != own {
                files.append(.init(name: name, text: merged.file))
            } else if merged == nil, own != nil {
                removed.append(name)
            }
        }
        return (files, removed)
    }

    private func conflict(_ conflict: ThreeWayMerge.Conflict, in file: String, _ folder: String) -> ImportError {
        let old = conflict.before.map { "\nThe import wrote:\n\($0.text())" } ?? ""
        let new = conflict.wanted.map { "\nInstead of it, or beside it, write:\n\($0.text())" } ?? "\nRemove it."
        return ImportError(
            "what the answers change was edited since the import; nothing was written.\(old)\(new)",
            path: "\(folder)/\(file)")
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
        let (imported, notes) = try self.history(earlier + later, schema: schema)
        let merged = try ModelMerge.merge(
            imported, from: last, into: existing.descriptions, telling: history)
        var configuration = JSONOutput(try existing.configuration.json())
        for entry in entries(imported, from: last + 1) { configuration.append(entry, to: "versions") }
        configuration["imported"] = source(
            imported, from: last + 1, beside: configuration["imported"], oldest: history.versions[0].version)
        var files = merged.files.sorted { $0.key < $1.key }.map {
            ImportedModel.File(name: name(of: $0.key, in: existing, folder), text: $0.value)
        }
        files.append(.init(name: "strata.json", text: configuration.file))
        let written = Set(files.map(\.name))
        let others = existing.descriptions.filter { !written.contains(Self.name($0, in: existing)) }
            .map {
                ImportedModel.File(name: Self.name($0, in: existing), text: String(decoding: $0.bytes, as: UTF8.self))
            }
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
    ) throws -> (place: Int, version: Version) {
        let known = Dictionary(
            history.formerNames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
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
        let numbers = Dictionary(
            history.formerNames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
        let known = versions.compactMap { numbers[$0.formerName] }
        guard known.count == versions.count, versions.contains(where: { !$0.hashes.isEmpty }) else { return [] }
        let (imported, _) = try self.history(known, schema: schema)
        var configuration = JSONOutput(try existing.configuration.json())
        let hashes = source(imported, from: 0, beside: nil, oldest: known[0])["hashes"]
        if configuration["imported"]?["hashes"] == hashes { return [] }
        configuration["imported"]?["hashes"] = hashes
        return [.init(name: "strata.json", text: configuration.file)]
    }

    /// Returns the path of a description, relative to the folder of its model.
    private static func name(_ file: SourceFile, in existing: ImportedModel.Existing) -> String {
        let root = existing.configuration.path.dropLast("strata.json".count)
        return file.path.hasPrefix(root) ? String(file.path.dropFirst(root.count)) : file.baseName + ".json"
    }

    private func name(of baseName: String, in existing: ImportedModel.Existing, _ folder: String) -> String {
        existing.descriptions.first { $0.baseName == baseName }.map { Self.name($0, in: existing) }
            ?? baseName + ".json"
    }
}
