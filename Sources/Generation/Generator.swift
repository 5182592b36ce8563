import Mustache
import SchemaModel

/// Turns a history into files: a pure function of the history, the templates and the options.
///
/// What each kind of file says is in a file of its own: the values for its template.
public struct Generator {
    let history: SchemaHistory
    let options: GenerationOptions
    let names: SwiftNames
    private let renderer: Renderer

    /// A generator for `history`; `templates` are the texts of the templates by name.
    public init(history: SchemaHistory, templates: [String: String], options: GenerationOptions) {
        self.history = history
        self.options = options
        self.names = SwiftNames(history)
        self.renderer = Renderer(templates)
    }

    /// The Swift files of the model's target: one a description, that of the schema, and that of the migrations.
    public func sources() throws(TemplateError) -> [GeneratedFile] {
        var files: [GeneratedFile] = []
        for lineage in history.sources.indices {
            files.append(
                try file(.sources, Self.sourceName(history.sources[lineage]), "Entity.swift", entityValues(lineage)))
        }
        files.append(try file(.sources, Self.schemaName, "Schema.swift", schemaValues()))
        files.append(try file(.sources, Self.migrationsName, "Migrations.swift", migrationsValues()))
        return files
    }

    /// The stubs of the steps that only a person can write.
    public func stubs() throws(TemplateError) -> [GeneratedFile] {
        var files: [GeneratedFile] = []
        for step in names.steps where step.isCustom {
            files.append(
                try file(.migrations, names.migration(step) + ".swift", "MigrationStub.swift", stubValues(step)))
        }
        return files
    }

    /// The DDL of every version and the SQL of every step.
    public func sql() throws(TemplateError) -> [GeneratedFile] {
        var files: [GeneratedFile] = []
        for version in history.versions {
            files.append(try file(.sql, "\(version.version).sql", "Version.sql", versionSQLValues(version)))
        }
        for step in names.steps {
            let name = "\(step.from.version)-\(step.to.version).sql"
            files.append(try file(.sql, name, "Step.sql", stepSQLValues(step)))
        }
        return files
    }

    /// The lock that seals as many versions as the options say.
    public func lock() -> GeneratedFile {
        GeneratedFile(
            place: .model, name: Self.lockName, contents: Lock(sealing: options.sealedCount, of: history).text)
    }

    /// The Swift files of the test target.
    public func tests() throws(TemplateError) -> [GeneratedFile] {
        [try file(.tests, Self.testsName(options.module), "Tests.swift", testsValues())]
    }

    private func file(
        _ place: GeneratedFile.Place, _ name: String, _ template: String, _ values: Value
    ) throws(TemplateError) -> GeneratedFile {
        GeneratedFile(place: place, name: name, contents: try renderer.render(template, values))
    }

    // MARK: Names of files, which the build plugin knows before anything is generated

    /// The name of the lock.
    public static let lockName = "strata.lock"
    /// The file of the schema's type.
    public static let schemaName = "Strata.schema.swift"
    /// The file of the custom migrations' protocols.
    public static let migrationsName = "Strata.migrations.swift"

    /// The file of a description called `baseName`.
    public static func sourceName(_ baseName: String) -> String { baseName + ".strata.swift" }

    /// The file of the tests of the module.
    public static func testsName(_ module: String) -> String { module + "MigrationTests.strata.swift" }
}
