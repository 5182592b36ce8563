import Mustache
import SchemaDiff
import SchemaModel

/// An entity whose custom migration reads and provides single columns.
struct ColumnMigration: TemplateValues {
    /// A property that is read.
    struct Column: TemplateValues {
        let member: String
        let type: String
        let reader: String
        let index: Int

        static let fields: [TemplateField<Self>] = [
            .text("member", \.member, "the name"),
            .text("type", \.type, "the type"),
            .text("reader", \.reader, "the method of `Strata.Row` that reads it"),
            .number("index", \.index, "the index of its first column"),
        ]
    }

    /// A property that is provided.
    struct Parameter: TemplateValues {
        let member: String
        let declaration: String
        let parameter: String
        let type: String

        static let fields: [TemplateField<Self>] = [
            .text("member", \.member, "the name"),
            .text("declaration", \.declaration, "the label and the name of the parameter"),
            .text("parameter", \.parameter, "the name of the parameter"),
            .text("type", \.type, "the type"),
        ]
    }

    /// A stored value of a property.
    struct Value: TemplateValues {
        let index: Int
        let member: String
        let path: String
        let label: String?

        static let fields: [TemplateField<Self>] = [
            .number("index", \.index, "the index in `names`"),
            .text("member", \.member, "the name of the property"),
            .text("path", \.path, "the path from the property to a value of SQLite's types; empty if it is one"),
            .optional("label", \.label, "the label of the initializer of `Strata.SQLiteValue`, if it has one"),
        ]
    }

    let entity: String
    let newEntity: String
    let old: String
    let new: String
    let oldNamespace: String
    let newNamespace: String
    let row: String
    let storage: String
    let columns: [Column]
    let values: String
    let names: String
    let parameters: [Parameter]
    let cases: [Value]

    static let fields: [TemplateField<Self>] = [
        .text("entity", \.entity, "the name of the entity before the step"),
        .text("newEntity", \.newEntity, "the name of the entity after the step"),
        .text("old", \.old, "the struct before the step"),
        .text("new", \.new, "the struct after the step"),
        .text("oldNamespace", \.oldNamespace, "the namespace before the step"),
        .text("newNamespace", \.newNamespace, "the namespace after the step"),
        .text("row", \.row, "the name of the type that reads single columns"),
        .text("storage", \.storage, "the name of its stored property"),
        .list("columns", \.columns, "its properties"),
        .text("values", \.values, "the name of the type with the values that cannot be inferred"),
        .text("names", \.names, "the names of their columns, as a literal"),
        .list("parameters", \.parameters, "its properties"),
        .list("cases", \.cases, "its stored values"),
    ]
}

extension Generator {
    /// Returns the names of the types with which a custom migration reads and provides single columns of an entity's
    /// rows.
    func columnMigrationNames(_ entity: EntityStep, _ step: SchemaStep) -> (row: String, values: String) {
        func name(_ entity: Entity, _ suffix: String, in version: ModelVersion) -> String {
            let taken = (version.entities.map(\.name) + version.subtypes.map(\.name)).map(SwiftName.type)
            var name = SwiftName.type(entity.name) + suffix
            while taken.contains(name) { name += "_" }
            return name
        }
        // A chain leads from several versions to one, and from one to several.
        let isNext = names.index(of: step.from) + 1 == names.index(of: step.to)
        let (row, values) =
            isNext ? ("Row", "Values") : ("Row_" + step.to.version.identifier, "Values_" + step.from.version.identifier)
        return (name(entity.old, row, in: step.from), name(entity.new, values, in: step.to))
    }

    /// Returns the types with which a custom migration reads and provides single columns.
    func columnMigration(_ entity: EntityStep, _ step: SchemaStep) -> ColumnMigration {
        let own = columnMigrationNames(entity, step)
        let given = entity.columns.filter { if case .custom = $0.origin { true } else { false } }.map(\.column)
        let read = step.from.columns(of: entity.old).enumerated().filter { $1.part == 0 }
        var storage = "row"
        while read.contains(where: { $1.member == storage }) { storage += "_" }
        return ColumnMigration(
            entity: entity.old.name, newEntity: entity.new.name,
            old: names.type(entity.old.lineage, in: step.from), new: names.type(entity.new.lineage, in: step.to),
            oldNamespace: names.namespace(step.from), newNamespace: names.namespace(step.to),
            row: own.row, storage: storage,
            columns: read.map { index, column in
                .init(
                    member: names.member(column),
                    type: names.type(of: column, lineage: entity.old.lineage, in: step.from),
                    reader: Self.reader(column), index: index)
            },
            values: own.values, names: SwiftLiteral.strings(given.map(\.name)),
            parameters: parameters(of: entity).map(\.column).map { column in
                let parameter = names.parameter(column.member)
                return .init(
                    member: names.member(column), declaration: parameter.declared, parameter: parameter.name,
                    type: names.type(of: column, lineage: entity.new.lineage, in: step.to))
            },
            cases: given.enumerated().map { index, column in
                let (path, label) = names.storedValue(of: column, in: step.to)
                return .init(index: index, member: names.member(column), path: path, label: label)
            })
    }
}
