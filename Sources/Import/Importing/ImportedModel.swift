import DescriptionEditing
import Descriptions
import Foundation
import JSONText
import SchemaDiff
import SchemaModel

/// The result of an import: the files that describe the model, and the findings to report.
package struct ImportedModel {
    /// A file and its text.
    package struct File: Hashable {
        /// The name of the file, relative to the folder of the model.
        package var name: String
        /// The complete text of the file.
        package var text: String
    }

    /// A model that already exists in the folder.
    package struct Existing {
        var descriptions: [SourceFile]
        /// The model's `strata.json`.
        var configuration: SourceFile
        /// The history that the descriptions define; nil if there are no descriptions yet.
        var history: SchemaHistory?
        /// The text of `IMPORT.md`.
        var report: String?
        var released: [Version]

        /// Whether the folder contains no descriptions yet.
        package var isEmpty: Bool { descriptions.isEmpty }

        /// The descriptions, as files to write.
        var files: [File] {
            descriptions.map { File(name: name(of: $0), text: String(decoding: $0.bytes, as: UTF8.self)) }
        }

        /// Whether the descriptions are as the import wrote them.
        var isUnedited: Bool {
            get throws { try configuration.json()["imported"]?["descriptions"]?.text == files.fingerprint }
        }

        /// Returns the path of a description, relative to the folder of its model.
        private func name(of file: SourceFile) -> String {
            let root = configuration.path.dropLast("strata.json".count)
            return file.path.hasPrefix(root) ? String(file.path.dropFirst(root.count)) : file.baseName + ".json"
        }

        /// Returns the path of the description with a base name. A new description is beside `strata.json`.
        func name(of baseName: String) -> String {
            descriptions.first { $0.baseName == baseName }.map(name) ?? baseName + ".json"
        }

        /// Creates the model from its files.
        package init(
            descriptions: [SourceFile], configuration: SourceFile, history: SchemaHistory?, report: String?,
            released: [Version] = []
        ) {
            self.descriptions = descriptions
            self.configuration = configuration
            self.history = history
            self.report = report
            self.released = released
        }
    }

    /// The files to write: descriptions, `strata.json` and `IMPORT.md`.
    package var files: [File]
    /// The names of the descriptions to delete, because new answers make them obsolete.
    package var removedFiles: [String] = []
    /// The history that the descriptions define.
    package let history: SchemaHistory
    /// The versions that this import added.
    package var newVersions: [Version]
    /// The number of findings about parts of the source that were not carried over.
    package let lossCount: Int
    /// The findings that need your decision, one line each: removals in a step that also adds something, and changes of
    /// values that the app marked.
    package let undecided: [String]
    /// Whether answers in `--renames`, or hashes, changed parts that were imported before.
    package var hasChanges = false
}

extension [ImportedModel.File] {
    /// The fingerprint of descriptions, by which a later import recognizes that they were edited.
    var fingerprint: String { Fingerprint(of: map { "\($0.name)\u{0}\($0.text)" }).description }
}

extension ModelImport {
    /// Converts the model to descriptions.
    ///
    /// Strata reads the descriptions back and compares each version with the one that was read from the source.
    ///
    /// - Parameters:
    ///   - folder: The path that messages use for the model.
    ///   - schema: The name of the schema's type. No type of the model may have this name.
    ///   - existing: The model that is already in the folder. Only newer versions and new answers are applied to it.
    ///   - oldest: The oldest version that stores are migrated from, by its former name or its number; nil for all
    ///     versions.
    /// - Throws: `ImportError`.
    package func model(
        folder: String, schema: String, existing: ImportedModel.Existing? = nil, oldest: String? = nil
    ) throws -> ImportedModel {
        if let existing, let known = existing.history {
            if oldest != nil {
                throw ImportError(
                    "it has a model already: change \"oldest_supported_version\" in its strata.json instead",
                    path: folder)
            }
            return try updated(existing, telling: known, folder: folder, schema: schema)
        }
        let numbers = VersionNumbers.numbers(of: versions.map(\.formerName))
        let proven = try proven(numbers, schema: schema)
        let (imported, notes) = try proven.history(numbers, schema: schema)
        var settings = try existing.map { JSONOutput(try $0.configuration.json()) } ?? .object([])
        settings["versions"] = .array(entries(imported, from: 0))
        settings["imported"] = nil
        if let oldest {
            settings["oldest_supported_version"] = .string(try version(named: oldest, in: imported).text)
        }
        // With many versions, the generated code for all versions becomes large.
        if imported.versions.count >= 10 {
            if settings["structs"] == nil { settings["structs"] = .string("needed") }
            if settings["ddl"] == nil { settings["ddl"] = .string("newest") }
        }
        return try proven.model(imported, notes, settings: settings, folder: folder, schema: schema)
    }

    /// Returns the files of all versions.
    ///
    /// - Parameter settings: `strata.json` with the versions. Of its `imported`, only the members that you write stay.
    func model(
        _ imported: ImportedHistory, _ notes: [ImportNote], settings: JSONOutput, folder: String, schema: String
    ) throws -> ImportedModel {
        var files = imported.descriptions().map { text in
            ImportedModel.File(name: text.fileName + ".json", text: text.object(imported.versions).file)
        }
        var configuration = settings
        var existing = settings["imported"]
        for key in ["columns", "hashes", "unread", "user_versions", "statements", "renames", "descriptions"] {
            existing?[key] = nil
        }
        configuration["imported"] = source(imported, from: 0, beside: existing, oldest: imported.versions[0])
        configuration["imported"]?["descriptions"] = .string(files.fingerprint)
        files.append(.init(name: "strata.json", text: Formatting.canonicalConfiguration(configuration).file))
        let history = try Self.resolve(files, folder: folder, schema: schema)
        // "versions" may name a version of yours.
        try Self.check(history, against: imported, from: existing == nil ? nil : 0, folder: folder)
        let oldest = settings["oldest_supported_version"]?.string.flatMap { Version($0) }
        let report = ImportReport(
            notes: notes, history: history, format: format, firstVersion: oldest, settings: configuration)
        files.append(.init(name: "IMPORT.md", text: report.text))
        return ImportedModel(
            files: files, history: oldest.map(history.supported) ?? history, newVersions: imported.versions,
            lossCount: report.losses.count, undecided: report.undecidedLines)
    }

    func history(_ numbers: [Version], schema: String) throws -> (ImportedHistory, [ImportNote]) {
        try rules.renames.check(versions)
        let versions = rules.renames.filled(versions)
        if versions.allSatisfy(\.entities.isEmpty) {
            throw ImportError("no version has an entity with rows, so there is nothing to describe", path: path)
        }
        let (history, notes) = HistoryBuilder.history(
            of: versions, numbers: numbers, rules: rules, reserved: Validator.reservedTypes.union([schema]))
        return (history, self.notes + notes)
    }

    /// Finds a version by its former name or by its number.
    private func version(named name: String, in history: ImportedHistory) throws -> Version {
        if let index = history.formerNames.firstIndex(of: name) { return history.versions[index] }
        let number = Version(name)
        guard let version = history.versions.first(where: { $0 == number }) else {
            let names = history.formerNames
            let hint = names.nearest(to: name).map { "; did you mean \($0)?" } ?? "."
            throw ImportError(
                "unknown version \(name) in --oldest\(hint) There are \(names.count) versions, from \(names.first ?? "") "
                    + "to \(names.last ?? "")", path: path)
        }
        return version
    }

    /// Returns the entries of `versions` in `strata.json`, from the version at position `start` on.
    func entries(_ history: ImportedHistory, from start: Int) -> [JSONOutput] {
        zip(history.versions, history.formerNames).dropFirst(start).map { version, name in
            .object([.init("version", .string(version.text)), .init("was", .string(name))])
        }
    }

    /// Returns the `imported` object of `strata.json`, which describes the source's databases.
    ///
    /// - Parameters:
    ///   - history: The imported history.
    ///   - start: The position of the first version to add.
    ///   - existing: The object to extend; nil to create one.
    ///   - oldest: The oldest version that `existing` applies to.
    func source(
        _ history: ImportedHistory, from start: Int, beside existing: JSONOutput?, oldest: Version
    ) -> JSONOutput {
        var forms: [JSONOutput.Member] = []
        if case .object(let members)? = existing?["forms"] { forms = members }
        for (column, form) in history.forms.sorted(by: { $0.key < $1.key })
        where !forms.contains(where: { $0.key == column }) {
            forms.append(.init(column, form))
        }
        var source = existing ?? .object([.init("from", .string(format.rawValue))])
        if !forms.isEmpty { source["forms"] = .object(forms) }
        func add(_ key: String, _ versions: [[String: JSONOutput]]) {
            var names = Set(versions.flatMap(\.keys))
            if case .object(let members)? = existing?[key] { names.formUnion(members.map(\.key)) }
            let members = names.sorted().compactMap { name in
                history.since(versions.map { $0[name] }, from: start, after: existing?[key]?[name], oldest: oldest)
                    .map { JSONOutput.Member(name, $0) }
            }
            if !members.isEmpty { source[key] = .object(members) }
        }
        add(
            "columns",
            history.sources.dropFirst(start).map { names in
                names.mapValues { $0.count == 1 ? .string($0[0]) : .array($0.map(JSONOutput.string)) }
            })
        add("hashes", history.hashes.dropFirst(start).map { $0.mapValues(JSONOutput.string) })
        add("unread", history.unread.dropFirst(start).map { $0.mapValues { .string($0.rawValue) } })
        func add(_ key: String, values: [JSONOutput?]) {
            for (version, value) in zip(history.versions, values).dropFirst(start) where value != nil {
                if source[key] == nil { source[key] = .object([]) }
                source[key]?[version.text] = value
            }
        }
        add("user_versions", values: history.userVersions.map { $0.map { .raw(String($0)) } })
        add("statements", values: history.statements.map { $0.isEmpty ? nil : .array(Self.shown($0)) })
        if !rules.renames.isEmpty { source["renames"] = rules.renames.json(history.formerNames) }
        return source
    }

    /// Returns statements as a stub shows them: a file can insert thousands of rows.
    private static func shown(_ statements: [String]) -> [JSONOutput] {
        let (most, length) = (30, 1_000)
        let rest = statements.count - most
        return statements.prefix(most).map { .string($0.count > length ? $0.prefix(length) + " …" : $0) }
            + (rest > 0 ? [.string("-- and \(rest) more \(rest == 1 ? "statement" : "statements")")] : [])
    }

    // MARK: Checking

    /// Resolves the descriptions among `files` to a history.
    static func resolve(
        _ files: [ImportedModel.File], folder: String, schema: String
    ) throws(ImportError) -> SchemaHistory {
        let sources = files.map { SourceFile(path: "\(folder)/\($0.name)", bytes: Array($0.text.utf8)) }
        var settings: VersionSettings?
        var imported: ImportedSource?
        var diagnostics: [Diagnostic] = []
        var invalidRows: InvalidRowSettings?
        var isLucid: Bool?
        if let configuration = sources.first(where: { $0.baseName == "strata" }) {
            var values: ConfigurationReader
            do {
                values = try ConfigurationReader.read(configuration)
            } catch {
                throw ImportError("\(error)", path: configuration.path)
            }
            settings = values.versions()
            imported = values.imported()
            isLucid = values.flag("lucid")
            diagnostics = values.diagnostics
            invalidRows = values.invalidRows()
        }
        let read = ValidatedDescriptions(
            reading: sources.filter { $0.baseName != "strata" }, folder: folder, schema: schema, settings: settings,
            imported: imported, isLucid: isLucid)
        if let history = read.history { diagnostics += invalidRows?.resolved(in: history).diagnostics ?? [] }
        guard let history = read.history, diagnostics.isEmpty else {
            let problems = (diagnostics + read.diagnostics).map(\.description)
            throw ImportError(
                "descriptions cannot express this model; nothing was written:\n"
                    + problems.joined(separator: "\n"), path: folder)
        }
        return history
    }

    /// Checks that each version of the history equals the imported one.
    ///
    /// - Parameter start: The position of the first version to compare, if versions were added to existing
    ///   descriptions; nil to compare all versions.
    static func check(
        _ history: SchemaHistory, against imported: ImportedHistory, from start: Int? = nil, folder: String
    ) throws {
        for index in imported.versions.indices.dropFirst(start ?? 0) {
            let number = imported.versions[index]
            guard let version = history.versions.first(where: { $0.version == number }) else {
                throw ImportError("\(number) was read, and not written; please report this", path: folder)
            }
            let (entities, subtypes) = (imported.entities(at: index), imported.subtypes(at: index))
            // Versions that were added to descriptions that you arranged have other lineages, so their logical lines
            // are compared.
            let isSame =
                start == nil
                ? version.entities == entities && version.subtypes == subtypes
                : version.logicalLines
                    == ModelVersion(version: number, entities: entities, subtypes: subtypes).logicalLines
            if isSame { continue }
            let name = entities.first { !version.entities.contains($0) }?.name ?? "the model"
            throw ImportError(
                "what was written of \(name) in \(number) does not say what was read; please report this", path: folder)
        }
        guard start != nil || history.versions.count == imported.versions.count else {
            throw ImportError("there are other versions in it than were read; please report this", path: folder)
        }
    }
}
