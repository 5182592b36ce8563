import Descriptions
import Generation
import SchemaModel

/// The configuration of a model, from `strata.json`.
package struct Configuration: Sendable {
    /// The modes of a model.
    enum Mode: String, CaseIterable {
        /// Generated files are committed. Builds check them.
        case committed
        /// Builds generate the Swift files.
        case build

        /// The name of the plugin that the targets of the model and its tests need.
        var plugin: String { self == .committed ? "StrataCheck" : "StrataBuild" }
    }

    package var schema: String
    var mode = Mode.committed
    /// The names of the test targets. The fixtures of the first one are sealed with their versions.
    var tests: [String]
    /// Whether `strata.json` names the test targets.
    var namesTests = false
    /// The names of the targets with samples and no tests.
    var samples: [String] = []
    var access = GenerationOptions.Access.public
    /// The versions whose DDL is generated.
    var ddl = GenerationOptions.DDL.all
    /// The databases for which SQL is generated.
    enum Dialect: String, CaseIterable {
        case sqlite, postgresql
    }

    /// Whether SQL for a PostgreSQL server is generated too.
    var hasServer = false
    /// The names by which generated types are encoded; nil if the types do not conform to `Codable`.
    var codingNames: GenerationOptions.CodingNames?
    /// The versions whose structs are generated.
    var structs = GenerationOptions.Structs.all
    /// Whether all types of other modules are written with their modules.
    var qualifiesNames = false
    /// Whether keys that mean something else in Lucid have Lucid's meaning; nil if `strata.json` does not say it.
    package var isLucid: Bool?
    /// Whether the schema page and its text in Markdown are generated.
    var hasDocuments = false
    /// The target environments whose rules the model has to obey.
    var lint: [LintRule] = []
    /// The settings of versions.
    package var versions: VersionSettings
    /// The format of the databases that existed before the schema; nil if the schema was not imported.
    var imported: ImportedSource?
    /// The settings for rows of imported databases that do not fit the schema.
    var invalidRows: InvalidRowSettings
    /// The folder of templates that replace the built-in ones, relative to the model's folder.
    var templates: String?

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - file: The file `strata.json`.
    ///   - target: The name of the model's target.
    ///   - module: The name of the target's module.
    /// - Throws: `Diagnostics` if the file is wrong.
    init(reading file: SourceFile, target: String, module: String) throws {
        schema = module + "Schema"
        tests = [target + "Tests"]
        var values = try ConfigurationReader.read(file)
        versions = values.versions()
        schema = values.string("schema") ?? schema
        if let names = values.strings("tests") { (tests, namesTests) = (names, true) }
        samples = values.strings("samples") ?? samples
        mode = values.choice("mode") ?? mode
        access = values.choice("access") ?? access
        ddl = values.choice("ddl") ?? ddl
        hasServer = (values.choices("dialects") ?? [Dialect.sqlite]).contains(.postgresql)
        templates = values.string("templates")
        imported = values.imported()
        invalidRows = values.invalidRows()
        switch values.codable() {
        case .flag(true): codingNames = .swift
        case .descriptionNames: codingNames = .descriptions
        case .flag(false), nil: break
        }
        structs = values.choice("structs") ?? structs
        qualifiesNames = values.flag("qualified_names") ?? qualifiesNames
        isLucid = values.flag("lucid")
        lint = values.lintRules()
        hasDocuments = values.flag("document") ?? hasDocuments
        values.checkIdentifier("schema")
        if !values.diagnostics.isEmpty { throw Diagnostics(values.diagnostics) }
    }
}
