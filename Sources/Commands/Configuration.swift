import Descriptions
import Generation
import SchemaModel

/// What `strata.json` says.
struct Configuration {
    /// The modes of a model.
    enum Mode: String, CaseIterable {
        /// What is generated is committed; the build plugin checks it.
        case committed
        /// The build plugin generates.
        case build
    }

    var schema: String
    var mode = Mode.committed
    /// The targets of the tests; the first one's fixtures are sealed with their versions.
    var tests: [String]
    /// Whether `strata.json` names them.
    var namesTests = false
    var access = GenerationOptions.Access.public
    /// Which versions' DDL is written.
    var ddl = GenerationOptions.DDL.all
    /// Whether structs are `Codable` too.
    var codable = false
    /// Which structs are generated.
    var structs = GenerationOptions.Structs.all
    /// What is said of versions.
    var versions: VersionSettings
    /// What the databases of the schema were before.
    var imported: ImportedSource?
    /// How conversions of such databases treat rows that do not fit.
    var misfits: MisfitSettings
    /// The folder of templates that replace ours, relative to the model's folder.
    var templates: String?

    /// Reads `file` for the target `target`, whose module is `module`.
    ///
    /// - Throws: `Diagnostics` where something in it is wrong.
    init(reading file: SourceFile, target: String, module: String) throws {
        schema = module + "Schema"
        tests = [target + "Tests"]
        var values = try ConfigurationReader.read(file)
        versions = values.versions()
        schema = values.string("schema") ?? schema
        if let names = values.strings("tests") { (tests, namesTests) = (names, true) }
        mode = values.choice("mode") ?? mode
        access = values.choice("access") ?? access
        ddl = values.choice("ddl") ?? ddl
        templates = values.string("templates")
        imported = values.imported()
        misfits = values.misfits()
        codable = values.bool("codable") ?? codable
        structs = values.choice("structs") ?? structs
        values.checkIdentifier("schema")
        if !values.diagnostics.isEmpty { throw Diagnostics(values.diagnostics) }
    }
}
