import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// The values of `Version.sql`: the DDL of one version.
struct VersionSQLFile: TemplateValues {
    /// A table with its indexes.
    struct Table: TemplateValues {
        let statements: [String]

        static let fields: [TemplateField<Self>] = [
            .texts("statements", \.statements, "the statements that create the table and its indexes, with semicolons")
        ]
    }

    let schema: String
    let version: String
    let tables: [Table]

    static let fields: [TemplateField<Self>] = [
        .text("schema", \.schema, "the name of the schema's type"),
        .text("version", \.version, "the version"),
        .list("tables", \.tables, "the tables"),
    ]
}

/// The values of `Step.sql`: the statements of one step.
struct StepSQLFile: TemplateValues {
    /// An entity whose rows a custom migration migrates.
    struct Rows: TemplateValues {
        let old: String
        let new: String

        static let fields: [TemplateField<Self>] = [
            .text("old", \.old, "the name of the entity before the step"),
            .text("new", \.new, "the name of the entity after the step"),
        ]
    }

    let schema: String
    let from: String
    let to: String
    let isEmpty: Bool
    let create: [String]
    let fill: [String]
    let isCustom: Bool
    let migration: String
    let entities: [Rows]
    let removals: [String]
    let finish: [String]

    static let fields: [TemplateField<Self>] = [
        .text("schema", \.schema, "the name of the schema's type"),
        .text("from", \.from, "the version before"),
        .text("to", \.to, "the version after"),
        .flag("isEmpty", \.isEmpty, "whether no table changes"),
        .flag("hasCreate", \.hasCreate, "whether `create` has elements"),
        .texts("create", \.create, "the statements that create new tables"),
        .flag("hasFill", \.hasFill, "whether `fill` has elements"),
        .texts("fill", \.fill, "the statements that copy rows"),
        .flag("isCustom", \.isCustom, "whether there is a custom migration"),
        .text("migration", \.migration, "the name of the custom migration"),
        .list("entities", \.entities, "the entities whose rows it migrates"),
        .texts("removals", \.removals, "the names of its functions that preserve removed data"),
        .flag("hasFinish", \.hasFinish, "whether `finish` has elements"),
        .texts("finish", \.finish, "the statements that finish the step"),
    ]

    private var hasCreate: Bool { !create.isEmpty }
    private var hasFill: Bool { !fill.isEmpty }
    private var hasFinish: Bool { !finish.isEmpty }
}

extension Generator {
    /// Returns the DDL of one version.
    func versionSQLFile(_ version: ModelVersion) -> VersionSQLFile {
        VersionSQLFile(
            schema: history.name, version: version.version.text,
            tables: version.statements.map { .init(statements: Self.terminated($0)) })
    }

    /// Returns the statements of one step.
    func stepSQLFile(_ step: SchemaStep) -> StepSQLFile {
        let statements = StepStatements(
            from: step.from.tables, to: step.to.tables, changes: step.tableChanges, keepsOldTables: step.isCustom)
        return StepSQLFile(
            schema: history.name, from: step.from.version.text, to: step.to.version.text,
            isEmpty: step.tableChanges.isEmpty,
            create: Self.terminated(statements.create), fill: Self.terminated(statements.fill),
            isCustom: step.isCustom, migration: names.migration(step),
            entities: (step.customEntities.map { ($0.old, $0.new) } + step.merged).map { old, new in
                .init(old: old.name, new: new.name)
            },
            removals: Self.removals(step).map(\.rescue),
            finish: Self.terminated(statements.alter + statements.finish))
    }

    private static func terminated(_ statements: [String]) -> [String] { statements.map { $0 + ";" } }
}
