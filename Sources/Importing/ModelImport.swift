import Descriptions
import Foundation
import SchemaModel

/// A model of another library, read whole and in the terms of Strata.
public struct ModelImport {
    /// What the model was of.
    public enum Format: String, CaseIterable, Sendable {
        case coreData = "core-data"
        case room, drift, sqlite
    }

    /// What the model was of.
    public let format: Format
    let versions: [ImportedVersion]
    let notes: [ImportNote]
    let rules: Lineages.Rules

    /// Reads an `.xcdatamodeld`, or an `.xcdatamodel`.
    ///
    /// - `order`: the path of a file that names the versions, one a line, oldest first.
    /// - `renames`: the path of a file that says what became of what went.
    /// - Throws: `ImportError`.
    public init(
        coreData path: String, order: String? = nil, layout: InheritanceLayout = .tablePerRoot, renames: String? = nil
    ) throws {
        format = .coreData
        let folder = try CoreDataFolder(path: path, order: order)
        (versions, notes) = try CoreDataMapping.versions(of: folder, layout: layout)
        rules = Lineages.Rules(tellsRenames: true, renames: try renames.map(Renames.init(path:)) ?? Renames())
    }

    /// Reads the schemas that Room exports, `N.json`.
    ///
    /// - Throws: `ImportError`.
    public init(room path: String, renames: String? = nil) throws {
        try self.init(.room, RoomSchemas.read(in: path), renames: renames)
    }

    /// Reads the schemas that Drift exports, `drift_schema_vN.json`.
    ///
    /// - Throws: `ImportError`.
    public init(drift path: String, renames: String? = nil) throws {
        try self.init(.drift, DriftSchemas.read(in: path), renames: renames)
    }

    /// Reads the schema of a database, as its one version.
    ///
    /// - Throws: `ImportError`.
    public init(sqlite path: String) throws {
        try self.init(.sqlite, [LiveDatabase.read(path)], renames: nil)
    }

    private init(_ format: Format, _ schemas: [SourceSchema], renames: String?) throws {
        self.format = format
        var versions: [ImportedVersion] = []
        var notes: [ImportNote] = []
        for (index, schema) in schemas.enumerated() {
            var mapping = try TableMapping(schema, at: index)
            versions.append(mapping.version())
            notes += mapping.notes
        }
        self.versions = versions
        self.notes = notes
        rules = Lineages.Rules(tellsRenames: false, renames: try renames.map(Renames.init(path:)) ?? Renames())
    }
}

/// A model that was imported: files that describe it, and what is to be told of it.
public struct ImportedModel {
    /// A file and its text.
    public struct File {
        /// Its name in the model's folder.
        public var name: String
        /// All of it.
        public var text: String
    }

    /// The descriptions, `strata.json` and `IMPORT.md`.
    public let files: [File]
    /// The history that the descriptions tell.
    public let history: SchemaHistory
    /// How many things were not carried over.
    public let lossCount: Int
    /// The steps in which something went and something else came, a line each.
    public let undecided: [String]
}

extension ModelImport {
    /// The model as descriptions.
    ///
    /// What they say is read back, and compared with what was read from the source, version by version.
    ///
    /// - `folder`: the path by which messages name the model.
    /// - `schema`: the name of the schema's type, which no type of the model may have.
    public func model(folder: String, schema: String) throws -> ImportedModel {
        let numbers = VersionNumbers.numbers(of: versions.map(\.formerName))
        let (history, notes) = HistoryBuilder.history(
            of: versions, numbers: numbers, rules: rules,
            reserved: Validator.reservedTypes.union([schema]))
        let descriptions = history.descriptions().map { text in
            ImportedModel.File(name: text.fileName + ".json", text: text.file(history.versions))
        }
        let configuration = ImportedModel.File(name: "strata.json", text: configuration(history))
        let resolved = try Self.check(descriptions, configuration, against: history, folder: folder, schema: schema)
        let report = ImportReport(notes: self.notes + notes, history: resolved, format: format)
        return ImportedModel(
            files: descriptions + [configuration, ImportedModel.File(name: "IMPORT.md", text: report.text)],
            history: resolved, lossCount: report.losses.count, undecided: report.undecidedLines)
    }

    private func configuration(_ history: ImportedHistory) -> String {
        let versions = zip(history.versions, history.formerNames).map { version, name in
            JSONOutput.object([.init("version", .string(version.text)), .init("was", .string(name))])
        }
        return JSONOutput.object([.init("versions", .array(versions))]).file
    }

    /// Resolves the descriptions, and compares each version with what was read of it.
    private static func check(
        _ descriptions: [ImportedModel.File], _ configuration: ImportedModel.File, against imported: ImportedHistory,
        folder: String, schema: String
    ) throws -> SchemaHistory {
        var values = try ConfigurationReader.read(
            SourceFile(path: "\(folder)/\(configuration.name)", bytes: Array(configuration.text.utf8)))
        let settings = values.versions()
        let read = Descriptions(
            reading: descriptions.map { SourceFile(path: "\(folder)/\($0.name)", bytes: Array($0.text.utf8)) },
            folder: folder, schema: schema, settings: settings)
        guard let history = read.history else {
            let problems = (values.diagnostics + read.diagnostics).map(\.description)
            throw ImportError(
                "this model cannot be told in descriptions:\n" + problems.joined(separator: "\n"), path: folder)
        }
        for (index, version) in history.versions.enumerated() {
            let (entities, subtypes) = (imported.entities(at: index), imported.subtypes(at: index))
            if version.entities == entities, version.subtypes == subtypes { continue }
            let pairs = zip(version.entities, entities).first { $0 != $1 }
            let name = pairs?.1.name ?? "the model"
            throw ImportError(
                "what was written of \(name) in \(version.version) does not say what was read; please report this",
                path: folder)
        }
        guard history.versions.count == imported.versions.count else {
            throw ImportError("not all versions could be told in descriptions; please report this", path: folder)
        }
        return history
    }
}
