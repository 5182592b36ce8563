import Descriptions
import Foundation
import SchemaModel
import SQLSchema

/// A model of another library, expressed in Strata's terms.
package struct ModelImport {
    /// The libraries whose models can be imported.
    package typealias Format = ImportedFormat.Library

    /// The library that the model comes from.
    package let format: Format
    /// The path of the source.
    let path: String
    var versions: [ImportedVersion]
    var notes: [ImportNote]
    var rules: Lineages.Rules
    /// Gives entities the singular of their tables' names.
    package mutating func useSingularNames() { rules.areSingular = true }

    /// The source's own migrations, if they are known.
    private(set) var proof: ReplayProof?
    /// Receives the number of versions that are proven, and of all, while the import proves its steps.
    package var proofProgress: ((Int, Int) -> Void)?

    /// Reads an `.xcdatamodeld`, or a single `.xcdatamodel`.
    ///
    /// - Parameters:
    ///   - path: The path of the model.
    ///   - order: The path of a file that lists the versions, one a line, oldest first.
    ///   - layout: The tables for entities that inherit from others.
    ///   - renames: The path of a file with your answers: the new names of removed elements, and the backfill values of
    ///     new ones.
    ///   - mappings: The path of a folder with mapping models, whose renames are taken.
    ///   - versionInfo: The path of `VersionInfo.plist` in the compiled model. Its hashes identify the version of a
    ///     store.
    /// - Throws: `ImportError`.
    package init(
        coreData path: String, order: String? = nil, layout: InheritanceLayout = .tablePerRoot, renames: String? = nil,
        mappings: String? = nil, versionInfo: String? = nil
    ) throws {
        format = .coreData
        self.path = path
        let folder = try CoreDataFolder(path: path, order: order)
        var (versions, notes) = try CoreDataMapping.versions(of: folder, layout: layout)
        if let info = try versionInfo.map(VersionInfo.init(path:)) {
            for (index, version) in folder.versions.enumerated() {
                versions[index].hashes = try info.hashes(of: version)
                if versions[index].hashes.isEmpty, !version.model.entities.isEmpty {
                    notes.append(
                        ImportNote(version: index, finding: .missingInVersionInfo))
                }
            }
        }
        (self.versions, self.notes) = (versions, notes)
        rules = Lineages.Rules(tellsRenames: true, renames: try renames.map(Renames.init(path:)) ?? Renames())
        if let mappings { apply(try MappingModel.read(in: mappings)) }
    }

    /// Reads the sources of a SwiftData model.
    ///
    /// - Parameters:
    ///   - path: The path of a file, or of a folder whose `.swift` files are read.
    ///   - layout: The tables for models that inherit from others.
    ///   - renames: The path of a file with your answers, as for `init(coreData:)`.
    /// - Throws: `ImportError`, with the line of a declaration that cannot be read.
    package init(
        swiftData path: String, layout: InheritanceLayout = .tablePerRoot, renames: String? = nil
    ) throws {
        format = .swiftData
        self.path = path
        let (sources, own) = try SwiftDataModels.read(path)
        let (versions, notes) = try CoreDataMapping.versions(of: CoreDataFolder(versions: sources), layout: layout)
        (self.versions, self.notes) = (versions, own + notes)
        rules = Lineages.Rules(tellsRenames: true, renames: try renames.map(Renames.init(path:)) ?? Renames())
    }

    /// Reads the sources of a model of CoreStore.
    ///
    /// - Parameters:
    ///   - path: The path of a file, or of a folder whose `.swift` files are read.
    ///   - layout: The tables for entities that inherit from others.
    ///   - renames: The path of a file with your answers, as for `init(coreData:)`.
    /// - Throws: `ImportError`, with the line of a declaration that cannot be read.
    package init(coreStore path: String, layout: InheritanceLayout = .tablePerRoot, renames: String? = nil) throws {
        format = .coreStore
        self.path = path
        let (sources, own) = try CoreStoreModels.read(path)
        var (versions, notes) = try CoreDataMapping.versions(
            of: CoreDataFolder(versions: sources.map(\.version)), layout: layout)
        for (index, source) in sources.enumerated() { versions[index].hashes = source.hashes }
        (self.versions, self.notes) = (versions, own + notes)
        rules = Lineages.Rules(tellsRenames: true, renames: try renames.map(Renames.init(path:)) ?? Renames())
    }

    /// Reads the schemas that Room exports, `N.json`.
    ///
    /// - Parameters:
    ///   - path: The folder that contains the schemas.
    ///   - renames: The path of a file with your answers: the new names of removed elements, and the backfill values of
    ///     new ones.
    ///   - kotlin: The path of a folder with the source code of the migrations, whose defaults are the backfill values of new
    ///     columns.
    /// - Throws: `ImportError`.
    package init(room path: String, renames: String? = nil, kotlin: String? = nil) throws {
        try self.init(.room, path, RoomSchemas.read(in: path), renames: renames)
        for added in try kotlin.map(KotlinMigrations.read(in:)) ?? [] { rules.renames.suggest(added, in: versions) }
    }

    /// Reads the schemas that Drift exports, `drift_schema_vN.json`.
    ///
    /// - Parameters:
    ///   - path: The folder that contains the schemas.
    ///   - renames: The path of a file with your answers: the new names of removed elements, and the backfill values of
    ///     new ones.
    /// - Throws: `ImportError`.
    package init(drift path: String, renames: String? = nil) throws {
        try self.init(.drift, path, DriftSchemas.read(in: path), renames: renames)
    }

    /// Reads the schema of a SQLite database as a single version, or a folder of databases, one a version.
    ///
    /// - Parameters:
    ///   - path: The path of the database or the folder.
    ///   - renames: The path of a file with your answers, as for `init(room:renames:)`.
    /// - Throws: `ImportError`.
    package init(sqlite path: String, renames: String? = nil) throws {
        try self.init(.sqlite, path, LiveDatabase.read(path), renames: renames)
    }

    /// Reads a folder of SQL migrations, each of which ends a version.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - areComplete: Whether each file creates a complete schema, instead of changing the one before.
    ///   - placeholders: The values of Flyway's placeholders.
    ///   - renames: The path of a file with your answers, as for `init(room:renames:)`.
    /// - Throws: `ImportError`, with the line of a statement that SQLite refuses.
    package init(
        sql path: String, areComplete: Bool = false, placeholders: [String: String] = [:], renames: String? = nil
    ) throws {
        let (schemas, proof) = try SQLMigrations.read(in: path, areComplete: areComplete, placeholders: placeholders)
        try self.init(.sql, path, schemas, renames: renames)
        self.proof = proof
    }

    private init(_ format: Format, _ path: String, _ schemas: [SourceSchema], renames: String?) throws {
        self.format = format
        self.path = path
        var versions: [ImportedVersion] = []
        var notes: [ImportNote] = []
        for (index, schema) in schemas.enumerated() {
            var mapping = try SQLiteSchemaImporter(schema, at: index)
            versions.append(mapping.version())
            notes += mapping.notes
        }
        for index in versions.indices.dropFirst() {
            versions[index].settleRows(after: versions[index - 1])
            let read = versions[index].readByCustomSteps
            for later in index..<versions.count { versions[later].read.formUnion(read) }
        }
        self.versions = versions
        self.notes = notes
        // A replay follows the rows.
        let isReplayed = schemas.contains { !$0.tokens.isEmpty }
        rules = Lineages.Rules(
            tellsRenames: isReplayed, tokensDecide: isReplayed,
            renames: try renames.map(Renames.init(path:)) ?? Renames())
    }
}
