import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// The values of `Migrations.swift`: a protocol for each step with a custom migration, and what the custom migration uses.
struct MigrationsFile: TemplateValues {
    struct Step: TemplateValues {
        let name: String
        let from: String
        let to: String
        let old: String
        let new: String
        let reasons: [String]
        let hidesContext: Bool
        let functions: [MigrationFunction]
        let removals: [RemovalFunction]
        let initializers: [Initializer]
        let columnMigrations: [ColumnMigration]

        static let fields: [TemplateField<Self>] = [
            .text("protocol", \.name, "the name of the protocol"),
            .text("from", \.from, "the version before"),
            .text("to", \.to, "the version after"),
            .text("old", \.old, "the namespace of the version before"),
            .text("new", \.new, "the namespace of the version after"),
            .texts("reasons", \.reasons, "sentences that say why a custom migration is needed"),
            .flag("hidesContext", \.hidesContext, "whether an entity hides the alias `Context`"),
            .list("functions", \.functions, "the functions that migrate rows"),
            .list("removals", \.removals, "the functions that preserve removed data"),
            .list("initializers", \.initializers, "the initializers that take an old row and what cannot be inferred"),
            .list("columnMigrations", \.columnMigrations, "the entities with `\"migration\": \"columns\"`"),
        ]
    }

    /// An initializer that takes an old row.
    struct Initializer: TemplateValues {
        struct Parameter: TemplateValues {
            let declaration: String
            let type: String

            static let fields: [TemplateField<Self>] = [
                .text("declaration", \.declaration, "the label and the name of the parameter"),
                .text("type", \.type, "its type"),
            ]
        }

        let type: String
        let oldType: String
        let old: String
        let parameters: [Parameter]
        let arguments: [Argument]

        static let fields: [TemplateField<Self>] = [
            .text("type", \.type, "the new struct"),
            .text("oldType", \.oldType, "the old struct"),
            .text("old", \.old, "the name of the parameter for the old row"),
            .list("parameters", \.parameters, "the parameters for what cannot be inferred"),
            .list("arguments", \.arguments, "the arguments of the memberwise initializer"),
        ]
    }

    /// The relationships of an entity before or after a step, where they differ from those of the struct.
    struct Relationships: TemplateValues {
        let source: String
        let version: String
        let members: [RelationshipValues]

        static let fields: [TemplateField<Self>] = [
            .text("source", \.source, "the struct"),
            .text("version", \.version, "the namespace of their version"),
            .list("members", \.members, "the relationships"),
        ]
    }

    let context: SourceContext
    let steps: [Step]
    let relationships: [Relationships]

    static let fields: [TemplateField<Self>] =
        TemplateField.all(of: \.context) + [
            .list("steps", \.steps, "the steps with custom migrations"),
            .list(
                "relationships", \.relationships,
                "the relationships of entities before and after such steps, where they differ from those of the struct"),
        ]
}

/// The values of `MigrationStub.swift`: the stub of a custom migration.
struct MigrationStubFile: TemplateValues {
    let schema: String
    let from: String
    let to: String
    let migration: String
    let strata: String
    let name: String
    let reasons: [String]
    let hidesContext: Bool
    let functions: [MigrationFunction]
    let removals: [RemovalFunction]
    /// The lines of the statements that the custom migration replaces.
    let statements: [String]

    static let fields: [TemplateField<Self>] = [
        .text("schema", \.schema, "the name of the schema's type"),
        .text("from", \.from, "the version before"),
        .text("to", \.to, "the version after"),
        .text("migration", \.migration, "the name of the custom migration"),
        .text("strata", \.strata, "the module `Strata` with a dot, if its types need it; else empty"),
        .text("protocol", \.name, "the name of its protocol"),
        .text("mark", \.mark, "the placeholder of the checksum by which Strata recognizes an unchanged stub"),
        .texts("reasons", \.reasons, "sentences that say why a custom migration is needed"),
        .flag("hidesContext", \.hidesContext, "whether an entity hides the alias `Context`"),
        .list("functions", \.functions, "the functions that migrate rows"),
        .list("removals", \.removals, "the functions that preserve removed data"),
        .flag("hasStatements", \.hasStatements, "whether the source's own migration changed rows"),
        .texts("statements", \.statements, "the lines of the statements that did it"),
        .flag("needsDidMigrate", \.needsDidMigrate, "whether `didMigrate` is the only function to write"),
    ]

    private var mark: String { StubMark.blank }
    private var hasStatements: Bool { !statements.isEmpty }
    private var needsDidMigrate: Bool { functions.isEmpty && removals.isEmpty }
}

/// A function that migrates the rows of an entity.
struct MigrationFunction: TemplateValues {
    /// A value that the function provides.
    struct Value: TemplateValues {
        let label: String
        let needsComma: Bool

        static let fields: [TemplateField<Self>] = [
            .text("label", \.label, "its argument label"),
            .flag("needsComma", \.needsComma, "whether an argument precedes it"),
        ]
    }

    let entity: String
    let old: String
    let new: String
    /// Whether the row is read column by column.
    let isByColumns: Bool
    /// Whether the row becomes one of another entity.
    let isMerged: Bool
    let values: [Value]

    static let fields: [TemplateField<Self>] = [
        .text("entity", \.entity, "the name of the entity before the step"),
        .text("old", \.old, "the type of an old row"),
        .text("new", \.new, "the type of the result"),
        .flag("isByColumns", \.isByColumns, "whether the old row is read column by column"),
        .flag("isMerged", \.isMerged, "whether the row becomes one of another entity"),
        .flag("takesRow", \.takesRow, "whether the result is made from the old row"),
        .list("values", \.values, "the values that cannot be inferred"),
    ]

    private var takesRow: Bool { !isByColumns && !isMerged }
}

/// A function that preserves removed data.
struct RemovalFunction: TemplateValues {
    let rescue: String
    /// The name of the function that checks it in tests.
    let check: String
    let reason: String

    static let fields: [TemplateField<Self>] = [
        .text("function", \.rescue, "the name of the function"),
        .text("reason", \.reason, "a sentence about what is removed"),
    ]
}

extension Generator {
    /// Returns a protocol for each step with a custom migration, and what the custom migration uses.
    func migrationsFile() -> MigrationsFile {
        var declared: Set<[String]> = []
        let steps = names.steps.filter(\.isCustom).map { step in
            let initializers = step.customEntities.filter { entity in
                // If both structs are shared with earlier versions, an earlier step may have declared the initializer.
                let types = [(entity.old, step.from), (entity.new, step.to)].map {
                    names.declaredType($0.lineage, at: names.index(of: $1))
                }
                return declared.insert(types + parameters(of: entity).map(\.column.name)).inserted
            }
            return MigrationsFile.Step(
                name: "Custom" + names.migration(step), from: step.from.version.text, to: step.to.version.text,
                old: names.namespace(step.from), new: names.namespace(step.to), reasons: step.customReasons,
                hidesContext: names.hidesContext, functions: functions(of: step), removals: Self.removals(step),
                initializers: initializers.map { initializer($0, step) },
                columnMigrations: step.customEntities.filter(\.isByColumns).map { columnMigration($0, step) })
        }
        return MigrationsFile(
            context: sourceContext, steps: steps, relationships: versionRelationships())
    }

    /// Returns the stub of a custom migration.
    func stubFile(_ step: SchemaStep) -> MigrationStubFile {
        MigrationStubFile(
            schema: history.name, from: step.from.version.text, to: step.to.version.text,
            migration: names.migration(step), strata: names.strata, name: "Custom" + names.migration(step),
            reasons: step.customReasons,
            hidesContext: names.hidesContext, functions: functions(of: step), removals: Self.removals(step),
            statements: (history.imported?.statements[step.to.version] ?? []).flatMap { statement in
                statement.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
            })
    }

    /// Returns the relationships that entities have before and after the steps with custom migrations, where these differ from
    /// those of the struct, which are the relationships of the newest version that shares it.
    private func versionRelationships() -> [MigrationsFile.Relationships] {
        let custom = names.steps.filter(\.isCustom)
        let ends = Set(custom.flatMap { [names.index(of: $0.from), names.index(of: $0.to)] }).sorted()
        return ends.flatMap { index -> [MigrationsFile.Relationships] in
            let version = history.versions[index]
            return version.entities.compactMap { entity in
                guard let shape = names.shape(of: entity.lineage, at: index) else { return nil }
                let own = relationships(of: entity.lineage, at: names.lastEmitted(in: shape.versions))
                let members = relationships(of: entity.lineage, at: index).filter { !own.contains($0) }
                if members.isEmpty { return nil }
                return .init(
                    source: names.declaredType(entity.lineage, at: index),
                    version: "\(history.name).\(names.namespace(version))", members: members)
            }
        }
    }

    /// Returns an entity's relationships in the version at `index`.
    private func relationships(of lineage: EntityLineage, at index: Int) -> [RelationshipValues] {
        let version = history.versions[index]
        return version.entity(lineage).map {
            relationships(of: $0, in: version) { names.declaredType($0.lineage, at: index) }
        } ?? []
    }

    // MARK: Functions

    /// Returns the functions that you write. There is one for each entity whose rows a custom migration converts, and one for
    /// each removed entity whose rows a custom migration turns into rows of another entity.
    func functions(of step: SchemaStep) -> [MigrationFunction] {
        let converted = step.customEntities.map { entity in
            let types = columnMigrationNames(entity, step)
            let isByColumns = entity.isByColumns
            return MigrationFunction(
                entity: entity.old.name,
                old: isByColumns
                    ? "\(names.namespace(step.from)).\(types.row)" : short(entity.old.lineage, step.from),
                new: isByColumns
                    ? "\(names.namespace(step.to)).\(types.values)" : short(entity.new.lineage, step.to),
                isByColumns: isByColumns, isMerged: false,
                values: parameters(of: entity).enumerated().map { index, parameter in
                    .init(label: names.label(parameter.column), needsComma: !isByColumns || index > 0)
                })
        }
        let merged = step.merged.map { old, new in
            MigrationFunction(
                entity: old.name, old: short(old.lineage, step.from), new: short(new.lineage, step.to),
                isByColumns: false, isMerged: true, values: [])
        }
        return converted + merged
    }

    /// Returns the functions that preserve removed data. Their names name what is removed: `UserFax` for the property `fax` of
    /// `user`.
    static func removals(_ step: SchemaStep) -> [RemovalFunction] {
        var taken: Set<String> = []
        return step.removals.map { entity, property, reason in
            var name = SwiftName.type(entity.name) + (property.map { SwiftName.type($0.name) } ?? "")
            while !taken.insert(name).inserted { name += "_" }
            return RemovalFunction(rescue: "rescue" + name, check: "check" + name, reason: reason)
        }
    }

    /// Returns the name of a struct without the schema: `V1_0.Laundry`.
    func short(_ lineage: EntityLineage, _ version: ModelVersion) -> String {
        String(names.type(lineage, in: version).dropFirst(history.name.count + 1))
    }

    // MARK: Initializers

    /// Returns the first column of each property of the struct, in the order of the description.
    private func members(of entity: EntityStep) -> [EntityStep.ColumnStep] {
        entity.columns.enumerated().filter { $1.column.part == 0 }
            .sorted {
                ($0.element.column.descriptionIndex, $0.offset) < ($1.element.column.descriptionIndex, $1.offset)
            }
            .map(\.element)
    }

    /// Returns the first column of each property whose value you provide. SQL replaces values that violate a limit, which
    /// a migration of complete rows does not use.
    func parameters(of entity: EntityStep) -> [EntityStep.ColumnStep] {
        members(of: entity).filter {
            switch $0.origin {
            case .custom, .limited: true
            case .copy, .changed, .coalesced, .constant, .null: false
            }
        }
    }

    private func initializer(_ entity: EntityStep, _ step: SchemaStep) -> MigrationsFile.Initializer {
        let lineage = entity.new.lineage
        let parameters = parameters(of: entity)
        let taken = parameters.map(\.column.member)
        var old = "old"
        while taken.contains(old) { old += "Row" }
        let members = members(of: entity)
        return MigrationsFile.Initializer(
            type: names.type(lineage, in: step.to), oldType: names.type(entity.old.lineage, in: step.from), old: old,
            parameters: parameters.map { parameter in
                .init(
                    declaration: names.parameter(parameter.column.member).declared,
                    type: names.type(of: parameter.column, lineage: lineage, in: step.to))
            },
            arguments: members.map { column in
                Argument(
                    label: names.label(column.column),
                    value: value(column.origin, column.column, old: old, step)
                        ?? .name(names.parameter(column.column.member).name))
            })
    }

    /// Returns a value from the old struct; nil if the value is a parameter.
    private func value(_ origin: ValueOrigin, _ column: StoredColumn, old: String, _ step: SchemaStep) -> Expression? {
        let version = step.to
        switch origin {
        case .copy(let before):
            let value = "\(old).\(names.member(before))"
            guard case .reference(let target) = column.role, isKeyRenamed(target, step) else { return .name(value) }
            return before.isNullable
                ? .map(.name(value), element: key(of: target, "$0", step)) : key(of: target, value, step)
        case .changed(let before, let change):
            return names.expression(
                change, .name("\(old).\(names.member(before))"), isOptional: before.isNullable, in: version)
        case .coalesced(let first, let second):
            guard let first = value(first, column, old: old, step), let second = value(second, column, old: old, step)
            else { return nil }
            return .coalesced(first, second)
        case .constant(let literal): return .name(names.value(literal, type: column.type, in: version))
        case .null: return .name("nil")
        case .custom, .limited: return nil
        }
    }

    /// Returns whether the type of a primary key changes although it has the same values: a part of it is renamed.
    private func isKeyRenamed(_ target: EntityLineage, _ step: SchemaStep) -> Bool {
        guard names.id(target, in: step.from) != names.id(target, in: step.to),
            case .members? = names.keyShape(target, in: step.from)?.form,
            case .members? = names.keyShape(target, in: step.to)?.form
        else { return false }
        return true
    }

    /// Returns the new primary key of a row, from the old one, which has the same values.
    private func key(of target: EntityLineage, _ old: String, _ step: SchemaStep) -> Expression {
        guard isKeyRenamed(target, step), case .members(let oldMembers)? = names.keyShape(target, in: step.from)?.form,
            case .members(let newMembers)? = names.keyShape(target, in: step.to)?.form
        else { return .name(old) }
        let arguments = zip(oldMembers, newMembers).map { oldMember, member in
            let value = "\(old).\(SwiftName.escaped(oldMember.name))"
            return Argument(
                label: SwiftName.label(member.name),
                value: member.target.map { key(of: $0, value, step) } ?? .name(value))
        }
        return .initializer(of: names.id(target, in: step.to), arguments)
    }
}
