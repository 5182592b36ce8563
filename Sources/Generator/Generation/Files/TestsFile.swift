import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// The values of `Tests.swift`: the tests of all versions.
///
/// The expectations are computed from the properties and not taken from the SQL of the migration. So the tests find errors
/// in that SQL.
struct TestsFile: TemplateValues {
    struct Version: TemplateValues {
        let version: String
        let namespace: String
        let isSealed: Bool
        let fixture: String?
        let structs: [String]
        let added: [AddedTable]
        let removed: [String]

        static let fields: [TemplateField<Self>] = [
            .text("version", \.version, "the version, as a literal"),
            .text("namespace", \.namespace, "the name of its namespace"),
            .flag("isSealed", \.isSealed, "whether its fixture is sealed together with it"),
            .optional("fixture", \.fixture, "the fingerprint of the sealed fixture, in hexadecimal"),
            .texts("structs", \.structs, "the structs that it declares"),
            .list("added", \.added, "its new and changed tables"),
            .texts("removed", \.removed, "the names of removed tables, as literals"),
        ]
    }

    let schema: String
    let module: String
    let folder: String?
    let model: String?
    let tables: [TableDefinition]
    let versions: [Version]
    let steps: [StepTest]
    let hasInvalidRowPolicies: Bool
    let customSteps: [StepExpectations]

    static let fields: [TemplateField<Self>] = [
        .text("schema", \.schema, "the name of the schema's type"),
        .text("module", \.module, "the name of the target's module"),
        .optional("folder", \.folder, "the path of the test target, as a literal; absent if it is above the file"),
        .optional("model", \.model, "the path of the model from a folder above both it and the tests, as a literal"),
        .list("tables", \.tables, "the tables of all fixtures"),
        .list("versions", \.versions, "all versions, oldest first"),
        .list("steps", \.steps, "all steps, oldest first"),
        .flag(
            "hasInvalidRowPolicies", \.hasInvalidRowPolicies,
            "whether `strata.json` has policies for rows that do not fit"),
        .list("customSteps", \.customSteps, "the steps with custom migrations"),
    ]
}

/// The values of `Samples.swift`: a function that returns rows with sample values.
struct SamplesFile: TemplateValues {
    let schema: String
    let module: String
    /// The access modifier with a space after it; empty for `internal`.
    let access: String
    let tables: [TableDefinition]
    let versions: [TestsFile.Version]

    static let fields: [TemplateField<Self>] = [
        .text("schema", \.schema, "the name of the schema's type"),
        .text("module", \.module, "the name of the target's module"),
        .text("access", \.access, "the access modifier with a space after it; empty for `internal`"),
        .flag("isInternal", \.access.isEmpty, "whether the generated code is internal"),
        .list("tables", \.tables, "the tables of all versions"),
        .list("versions", \.versions, "all versions, oldest first"),
    ]
}

extension Generator {
    /// Returns the tests of all versions.
    func testsFile() -> TestsFile {
        var folder: String?
        if case .path(let path) = options.testFolder { folder = SwiftLiteral.string(path) }
        let (tables, versions) = fixtureTables()
        return TestsFile(
            schema: history.name, module: options.module, folder: folder,
            model: options.modelPath.map(SwiftLiteral.string),
            tables: tables,
            versions: fixtureVersions(versions),
            steps: names.steps.concurrentMap { stepTest($0, versions) },
            hasInvalidRowPolicies: !options.invalidRows.isEmpty,
            customSteps: names.steps.filter(\.isCustom).map(stepExpectations))
    }

    /// Returns the samples of all versions, for a target without the tests.
    func samplesFile() -> SamplesFile {
        let (tables, versions) = fixtureTables()
        return SamplesFile(
            schema: history.name, module: options.module, access: options.access.modifier, tables: tables,
            versions: fixtureVersions(versions))
    }

    private func fixtureVersions(_ tables: [FixtureTables]) -> [TestsFile.Version] {
        history.versions.indices.map { version($0, tables[$0]) }
    }

    private func version(_ index: Int, _ tables: FixtureTables) -> TestsFile.Version {
        let version = history.versions[index]
        // A version that conversions only pass through has no sealed fixture, because no device has a store of it.
        let isSealed = index < options.sealedCount && !history.isPassedInConversion(version.version)
        return TestsFile.Version(
            version: SwiftLiteral.string(version.version.text),
            namespace: names.namespace(index),
            isSealed: isSealed,
            fixture: isSealed ? options.fixtures[version.version]?.description : nil,
            structs: version.entities.compactMap { entity in
                guard let shape = names.shape(of: entity.lineage, at: index), shape.first == index else { return nil }
                return names.type(entity.lineage, in: version)
            },
            added: tables.added,
            removed: tables.removed.map(SwiftLiteral.string))
    }
}
