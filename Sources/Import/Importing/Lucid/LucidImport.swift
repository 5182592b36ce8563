import DescriptionEditing
import Descriptions
import Foundation
import JSONText
import SchemaDiff
import SchemaModel

/// An import of an app that uses Lucid. Its descriptions are those of Strata, so only their history and the layout of its
/// Core Data stores are found out.
package struct LucidImport {
    private let project: LucidProject
    /// The versions, oldest first: those of the tags and that of the folder, or that of the folder alone.
    private let versions: [LucidVersion]
    private let isFromGit: Bool
    private let schema: String
    /// The tags without descriptions in the folder.
    private var emptyTags: [String] = []
    /// The tag of the newest version, if its descriptions are others than those of the folder.
    private var otherNewest: String?

    /// Reads the descriptions.
    ///
    /// - Parameters:
    ///   - path: The path of the project, of its `.lucid.yaml`, or of the descriptions.
    ///   - isFromGit: Whether the history is read from the tags of the repository.
    ///   - oldest: The first version that is read from the tags; nil for all versions.
    ///   - schema: The name of the schema's type.
    ///   - progress: Receives the number of versions that are read, and of all.
    /// - Throws: `ImportError`.
    package init(
        path: String, isFromGit: Bool, oldest: String? = nil, schema: String, progress: (Int, Int) -> Void = { _, _ in }
    ) throws {
        project = try LucidProject(path: path)
        self.isFromGit = isFromGit
        self.schema = schema
        let files = try project.descriptions()
        guard !files.isEmpty else {
            throw ImportError("there are no descriptions in Entities and Subtypes", path: project.folder)
        }
        var versions: [LucidVersion] = []
        if isFromGit {
            let history = try LucidTags(folder: project.folder)
            guard let current = project.version ?? Self.newest(in: files), let last = history.tags.last else {
                throw ImportError("write current_version in .lucid.yaml", path: path)
            }
            let first = try oldest.map { text in
                guard let version = Version(text) else { throw ImportError("\(text) is not a version", path: path) }
                return version
            }
            if current < last.version {
                throw ImportError(
                    "the current version is \(current), but \(last.name) is a later one; write current_version in .lucid.yaml",
                    path: path)
            }
            let tags = history.tags.filter { tag in tag.version < current && first.map { tag.version >= $0 } ?? true }
            if let first, first > current {
                throw ImportError("there is no version \(first) or later", path: path)
            }
            for (index, tag) in tags.enumerated() {
                progress(index, tags.count)
                let files = try history.descriptions(at: tag)
                // The descriptions may have been elsewhere.
                if files.isEmpty {
                    emptyTags.append(tag.name)
                    continue
                }
                let version = try LucidVersion(
                    tag.version, tag: tag.name, files: files, folder: project.folder, schema: schema)
                if versions.last?.elements != version.elements { versions.append(version) }
            }
            let newest = try LucidVersion(current, tag: nil, files: files, folder: project.folder, schema: schema)
            if let tag = history.tags.last(where: { $0.version == current }) {
                let tagged = try history.descriptions(at: tag)
                let released = try LucidVersion(
                    current, tag: tag.name, files: tagged, folder: project.folder, schema: schema)
                if !tagged.isEmpty, released.elements != newest.elements {
                    otherNewest = tag.name
                }
            }
            versions.append(newest)
            if versions.count > 1, versions[versions.count - 2].elements == versions.last?.elements {
                versions.removeLast()
            }
        } else {
            let current = project.version ?? Self.newest(in: files) ?? Version("1.0.0")
            guard let current else { preconditionFailure("1.0.0 is a version") }
            versions = [try LucidVersion(current, tag: nil, files: files, folder: project.folder, schema: schema)]
        }
        self.versions = versions
    }

    /// Returns the newest version that descriptions name.
    private static func newest(in files: [SourceFile]) -> Version? {
        files.compactMap { try? JSONOutput($0.json()) }.flatMap { $0["version_history"]?.elements ?? [] }
            .compactMap { $0["version"]?.string.flatMap { Version($0) } }.max()
    }

    /// Returns the model.
    ///
    /// Strata reads the descriptions back and compares each version with the one that was read.
    ///
    /// - Parameter folder: The path of its folder.
    /// - Throws: `ImportError`.
    package func model(folder: String) throws -> ImportedModel {
        let isInPlace =
            URL(fileURLWithPath: folder).standardizedFileURL.path
            == URL(fileURLWithPath: project.folder).standardizedFileURL.path
        var files: [ImportedModel.File]
        var settings: [JSONOutput.Member] = [.init("lucid", .bool(true))]
        if isFromGit {
            files = LucidHistory(versions).files.map { .init(name: $0.path, text: $0.json.file) }
            settings.append(
                .init(
                    "versions",
                    .array(
                        versions.map { version in
                            var entry = [JSONOutput.Member("version", .string(version.version.text))]
                            if let tag = version.tag { entry.append(.init("was", .string(tag))) }
                            return .object(entry)
                        })))
        } else {
            files = versions[0].files.map {
                .init(name: $0.path, text: String(decoding: $0.bytes, as: UTF8.self))
            }
        }
        let first = try history(of: files, settings, folder: folder)
        settings.append(
            .init(
                "imported",
                .object([
                    .init("from", .string(ModelImport.Format.lucid.rawValue)), .init("columns", columns(of: first)),
                ])))
        let history = try history(of: files, settings, folder: folder)
        if isFromGit { try check(history, folder: folder) }
        // Descriptions may name versions of the future.
        if let current = project.version, history.newest.version > current {
            settings.append(.init("current_version", .string(current.text)))
        }
        let report = ImportReport(
            notes: notes(in: history), history: history, format: .lucid, settings: .object(settings))
        if isInPlace, !isFromGit { files = [] }
        if let aliases { files.append(.init(name: "LucidNames.swift", text: aliases)) }
        files.append(
            .init(name: "strata.json", text: Formatting.canonicalConfiguration(.object(settings)).file))
        files.append(.init(name: "IMPORT.md", text: report.text))
        return ImportedModel(
            files: files, history: history, newVersions: history.versions.map(\.version),
            lossCount: report.losses.count, undecided: report.undecidedLines)
    }

    private func history(
        of files: [ImportedModel.File], _ settings: [JSONOutput.Member], folder: String
    ) throws(ImportError) -> SchemaHistory {
        do {
            return try ModelImport.resolve(
                files + [.init(name: "strata.json", text: JSONOutput.object(settings).file)], folder: folder,
                schema: schema)
        } catch var error where isFromGit {
            error.message +=
                "\nThe versions of all tags are in these files. To begin with a later one, add --oldest VERSION."
            throw error
        }
    }

    /// Checks that each version of the history equals the one that was read.
    private func check(_ history: SchemaHistory, folder: String) throws {
        for version in versions {
            let written = history.versions.first { $0.version == version.version }
            let (lines, read) = (Set(written?.logicalLines ?? []), Set(version.stored.logicalLines))
            guard lines != read else { continue }
            let difference = lines.symmetricDifference(read).sorted().joined(separator: "\n")
            throw ImportError(
                "what was written of \(version.version) does not say what was read; please report this:\n\(difference)",
                path: folder)
        }
    }

    private func notes(in history: SchemaHistory) -> [ImportNote] {
        var notes = project.otherSettings.map { ImportNote(version: 0, property: $0, finding: .settingOfLucid) }
        notes += emptyTags.map { ImportNote(version: 0, property: $0, finding: .tagWithoutDescriptions) }
        if let otherNewest {
            notes.append(
                ImportNote(version: history.versions.count - 1, property: otherNewest, finding: .tagOfNewestVersion))
        }
        guard let function = project.migrations, let newest = versions.last else { return notes }
        for element in newest.elements where !element.isSubtype {
            for item in element.items.dropFirst() {
                let number = item["version"]?.string.flatMap { Version($0) }
                guard let index = history.versions.firstIndex(where: { $0.version == number }), index > 0 else {
                    continue
                }
                notes.append(
                    ImportNote(version: index, entity: element.name, finding: .migrationOfLucid(function)))
            }
        }
        return notes
    }

    /// The source of the aliases for types that have another name in Lucid; nil if there are none.
    private var aliases: String? {
        let lines = (versions.last?.elements ?? []).compactMap { element -> String? in
            let name = project.typeName(element.name, isSubtype: element.isSubtype)
            let type = SwiftName.escaped(SwiftName.type(element.name))
            return name == type ? nil : "public typealias \(name) = \(type)\n"
        }
        if lines.isEmpty { return nil }
        return "// The names that the types had in the code of Lucid. Delete each that you do not need.\n\n"
            + lines.sorted().joined()
    }

    // MARK: Core Data

    /// Returns the Core Data entities of the tables, the attributes with other names than Lucid gives them now, and the keys of
    /// members of structs in JSON.
    private func columns(of history: SchemaHistory) -> JSONOutput {
        var states: [String: [String?]] = [:]
        for (index, version) in history.versions.enumerated() {
            let source = isFromGit ? versions.first { $0.version == version.version } : versions.first
            func set(_ name: String, _ value: String) {
                states[name, default: [String?](repeating: nil, count: history.versions.count)][index] = value
            }
            for element in source?.elements ?? [] where element.isSubtype {
                for member in element.json["properties"]?.elements ?? [] {
                    guard let name = member["name"]?.string, let key = member["key"]?.string,
                        key != SwiftName.camelCase(name)
                    else { continue }
                    set("\(element.name).\(name)", "\(element.name).\(key)")
                }
            }
            for element in source?.elements ?? [] where !element.isSubtype {
                let stored =
                    isFromGit
                    ? version.entities.first { $0.name == element.name }
                    : history.newest.entities.first { $0.name == element.name }.flatMap { version.entity($0.lineage) }
                guard let stored else { continue }
                let name = coreDataName(of: element, in: version.version)
                set(stored.tableName, name)
                for join in version.joinTables(of: stored) {
                    guard let property = stored.property(join.property),
                        join.table.name != "\(stored.tableName)_\(property.name)"
                    else { continue }
                    set(join.table.name, "\(name)._\(property.persistedName ?? property.name)")
                }
                guard project.hasLegacyNames else { continue }
                for property in stored.properties where property.persistedName == nil {
                    let attribute = SwiftName.camelCase(property.name)
                    if attribute == property.name { continue }
                    set("\(stored.tableName).\(property.name)", "\(name)._\(attribute)")
                }
            }
        }
        let members = states.map { table, names in
            var states: [JSONOutput.Member] = []
            for (version, name) in zip(history.versions, names) {
                let value = name.map(JSONOutput.string) ?? .null
                if value != states.last?.value ?? .null { states.append(.init(version.version.text, value)) }
            }
            let isForAll = states.count == 1 && names.first != .some(nil)
            return JSONOutput.Member(table, isForAll ? states[0].value : .object(states))
        }
        return .object(members.sorted { $0.key < $1.key })
    }

    /// Returns the name of the Core Data entity with the rows of a version, such as `movie_1_0`.
    private func coreDataName(of element: LucidVersion.Element, in version: Version) -> String {
        let items = element.items.compactMap { item -> (version: Version, previousName: String?)? in
            item["version"]?.string.flatMap { Version($0) }.map { ($0, item["previous_name"]?.string) }
        }
        let renamed = items.first { $0.version > version && $0.previousName != nil }?.previousName
        let name = renamed ?? element.name
        let since =
            items.last { $0.version <= version }?.version ?? items.first?.version
            ?? element.json["added_at_version"]?.string.flatMap { Version($0) } ?? version
        let base: String
        if project.hasLegacyNames {
            base = name.split(separator: "_").map(\.capitalized).joined() + project.suffix
        } else {
            base = element.json["persisted_name"]?.string.map { $0 + project.suffix } ?? name
        }
        return base + "_" + since.text.replacing(".", with: "_")
    }
}
