import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// Generates files from a schema history. The result depends only on the history, the templates and the options.
///
/// The values for each template are in a separate source file, for example `Generator+EntityFile.swift` for `Entity.swift`.
package struct Generator: Sendable {
    let history: SchemaHistory
    let options: GenerationOptions
    let names: SwiftNames
    /// Your own templates for more files, in the order of their names.
    let additional: [AdditionalTemplate]
    private let renderer: Renderer

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - history: The schema history.
    ///   - templates: The texts of the templates, by name.
    ///   - options: The options.
    package init(history: SchemaHistory, templates: [String: String], options: GenerationOptions) {
        self.history = history
        self.options = options
        self.names = SwiftNames(history, options.structs, areQualified: options.qualifiesNames)
        self.additional = templates.keys.sorted().compactMap(AdditionalTemplate.init)
        self.renderer = Renderer(templates)
    }

    /// Returns the Swift files of the model's target.
    ///
    /// There is one file for the schema and one for the migrations. Each description has a file with its newest type,
    /// and a file with its superseded types, if it has such types. Your additional templates have more files.
    ///
    /// - Parameter isBuilt: Whether a build generates the files. A build plugin must name its files before it knows the
    ///   versions, so each description then has exactly one file.
    package func sources(isBuilt: Bool = false) -> [Artifact] {
        enum Source {
            case schema, migrations, entity(EntityLineage), subtype(SubtypeLineage), unpersisted(String)
        }
        // The slowest files come first, so that no processor starts one of them last.
        let sources =
            [.schema, .migrations] + history.entityLineages.map(Source.entity)
            + history.subtypeLineages.map(Source.subtype) + history.unpersisted.map(Source.unpersisted)
        return sources.concurrentMap { source in
            switch source {
            case .schema: [Artifact(.sources, Self.schemaName, "Schema.swift", schemaFile())]
            case .migrations: [Artifact(.sources, Self.migrationsName, "Migrations.swift", migrationsFile())]
            case .entity(let lineage):
                files(
                    history.sources[lineage], "Entity", entityFile(lineage), entityHistoryFile(lineage), isBuilt)
            case .subtype(let lineage):
                files(
                    history.subtypeSources[lineage], "Subtype", subtypeFile(lineage), subtypeHistoryFile(lineage),
                    isBuilt)
            case .unpersisted(let name): isBuilt ? files(name, "", nil as EntityFile?, nil, isBuilt) : []
            }
        }.flatMap(\.self) + additionalSources(isBuilt: isBuilt)
    }

    /// Returns the files with the types of the description `name`.json.
    ///
    /// - Parameters:
    ///   - name: The name of the description.
    ///   - template: The name of the template for the newest type, without `.swift`.
    ///   - newest: The values of the newest type; nil if there is none.
    ///   - superseded: The values of the superseded types; nil if there are none.
    ///   - isBuilt: Whether a build generates the files.
    private func files<Values: TemplateValues>(
        _ name: String, _ template: String, _ newest: Values?, _ superseded: Values?, _ isBuilt: Bool
    ) -> [Artifact] {
        let newest = newest.map { Artifact.Part(template: template + ".swift", values: $0) }
        let superseded = superseded.map { Artifact.Part(template: template + "History.swift", values: $0) }
        if isBuilt {
            let parts = [newest, superseded].compactMap(\.self)
            let nothing = Artifact.Part(template: "NotStored.swift", values: NotStoredFile(source: name + ".json"))
            return [Artifact(.sources, Self.sourceName(name), parts.isEmpty ? [nothing] : parts)]
        }
        return [
            newest.map { Artifact(.sources, Self.sourceName(name), [$0]) },
            superseded.map { Artifact(.sources, Self.historyName(name), [$0]) },
        ].compactMap(\.self)
    }

    /// Returns the stubs of the custom migrations.
    package func stubs() -> [Artifact] {
        names.steps.filter(\.isCustom).map {
            Artifact(.migrations, names.migration($0) + ".swift", "MigrationStub.swift", stubFile($0))
        }
    }

    /// Returns the SQL files: the DDL of the versions that the options select, and the SQL of every step.
    package func sql() -> [Artifact] {
        let versions = options.ddl == .all ? history.versions : [history.newest]
        return versions.concurrentMap { version in
            Artifact(.sql, "\(version.version).sql", "Version.sql", versionSQLFile(version))
        } + names.steps.concurrentMap(sql)
    }

    /// Returns the SQL file of a step.
    package func sql(of step: SchemaStep) -> Artifact {
        Artifact(.sql, "\(step.from.version)-\(step.to.version).sql", "Step.sql", stepSQLFile(step))
    }

    /// Returns the Swift files of the test target.
    package func tests() -> [Artifact] {
        [Artifact(.tests, Self.testsName(options.module), "Tests.swift", testsFile())]
    }

    /// Returns the Swift files of a target with samples.
    package func samples() -> [Artifact] {
        [Artifact(.tests, Self.samplesName(options.module), "Samples.swift", samplesFile())]
    }

    /// Returns the lock. It seals as many versions as the options say.
    package func lock() -> GeneratedFile {
        GeneratedFile(
            place: .model, name: Self.lockName,
            contents: Lock(
                sealing: options.sealedCount, of: history, fixtures: options.fixtures, results: options.results ?? [:]
            ).text)
    }

    /// Renders files.
    ///
    /// - Throws: `TemplateError` if a template is wrong.
    package func rendered(_ artifacts: [Artifact]) throws(TemplateError) -> [GeneratedFile] {
        try artifacts.concurrentMap { (artifact) throws(TemplateError) in try artifact.rendered(renderer) }
    }

    // MARK: File names, which the build plugin needs before the files are generated

    /// The name of the lock file.
    package static let lockName = "strata.lock"
    /// The name of the file with the schema type.
    package static let schemaName = "Strata.schema.swift"
    /// The name of the file with the protocols of the custom migrations.
    package static let migrationsName = "Strata.migrations.swift"

    /// Returns the name of the file with the newest type of the description `baseName`.json.
    package static func sourceName(_ baseName: String) -> String { baseName + ".strata.swift" }

    /// Returns the name of the file with the superseded types of the description `baseName`.json.
    package static func historyName(_ baseName: String) -> String { baseName + ".strata.history.swift" }

    /// Returns the name of the file with the tests of a module.
    package static func testsName(_ module: String) -> String { module + "MigrationTests.strata.swift" }

    /// Returns the name of the file with the samples of a module.
    package static func samplesName(_ module: String) -> String { module + "Samples.strata.swift" }
}
