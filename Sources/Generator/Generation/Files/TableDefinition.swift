import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// A table of fixtures. Each has a constant, named after the version in which the table was new or changed.
struct TableDefinition: TemplateValues {
    let name: String
    let contents: Contents
    let change: Change?

    static let fields: [TemplateField<Self>] = [
        .text("name", \.name, "the name of the constant"),
        .object("contents", \.contents, "the table"),
        .object("change", \.change, "the difference from another table, if it is small"),
    ]

    /// A table, with columns and indexes.
    struct Contents: TemplateValues, Hashable {
        let table: String
        let entity: String?
        let key: String?
        let columns: [FixtureColumnValues]
        let computed: [Computed]
        let indexes: [Index]
        let checks: [Check]
        let search: Search?

        static let fields: [TemplateField<Self>] = [
            .text("table", \.table, "the name of the table, as a literal"),
            .optional("entity", \.entity, "the name of the entity, as a literal, if that is another name"),
            .optional(
                "key", \.key, "the columns of the primary key, as a literal; absent if that is the first column"),
            .list("columns", \.columns, "the columns"),
            .flag("hasComputed", \.hasComputed, "whether `computed` has elements"),
            .list("computed", \.computed, "the computed columns"),
            .flag("hasIndexes", \.hasIndexes, "whether `indexes` has elements"),
            .list("indexes", \.indexes, "the indexes"),
            .flag("hasChecks", \.hasChecks, "whether `checks` has elements"),
            .list("checks", \.checks, "the checks"),
            .object("search", \.search, "the searched columns"),
        ]

        private var hasComputed: Bool { !computed.isEmpty }
        private var hasIndexes: Bool { !indexes.isEmpty }
        private var hasChecks: Bool { !checks.isEmpty }
    }

    struct Computed: TemplateValues, Hashable {
        let name: String
        let property: String
        let member: String
        let storage: String
        let value: String

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "the name of the column, as a literal"),
            .text("property", \.property, "the name of the property in the description, as a literal"),
            .text("member", \.member, "the name of the property in the struct, as a literal"),
            .text("storage", \.storage, "the type in SQL, as a literal"),
            .text("value", \.value, "the SQL of the value, as a literal"),
        ]
    }

    struct Index: TemplateValues, Hashable {
        let columns: String
        let isUnique: Bool
        let condition: String?

        static let fields: [TemplateField<Self>] = [
            .text("columns", \.columns, "the columns, as a literal"),
            .flag("isUnique", \.isUnique, "whether it is unique"),
            .optional("condition", \.condition, "the SQL of its condition, as a literal"),
        ]
    }

    struct Check: TemplateValues, Hashable {
        let name: String
        let columns: String
        let condition: String

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "the name, as a literal"),
            .text("columns", \.columns, "the columns in the condition, as a literal"),
            .text("condition", \.condition, "the SQL of the condition, as a literal"),
        ]
    }

    struct Search: TemplateValues, Hashable {
        let columns: String
        let tokenizer: String

        static let fields: [TemplateField<Self>] = [
            .text("columns", \.columns, "the columns, as a literal"),
            .text("tokenizer", \.tokenizer, "the name of the tokenizer, as a literal"),
        ]
    }

    /// The difference of a table from another one.
    struct Change: TemplateValues {
        struct Addition: TemplateValues {
            let column: FixtureColumnValues
            let previous: String?

            static let fields: [TemplateField<Self>] = [
                .object("column", \.column, "the column"),
                .optional("previous", \.previous, "the column before it, as a literal; absent if it is the first one"),
            ]
        }

        let base: String
        let isRenamed: Bool
        let newKey: String?
        let removed: [String]
        let changed: [FixtureColumnValues]
        let added: [Addition]
        let changesComputed: Bool
        let changesIndexes: Bool
        let changesChecks: Bool
        let changesSearch: Bool

        static let fields: [TemplateField<Self>] = [
            .text("base", \.base, "the constant from which the table differs little"),
            .flag("isRenamed", \.isRenamed, "whether the table or the entity has another name"),
            .optional("newKey", \.newKey, "the columns of the primary key, as a literal, if they are others"),
            .texts("removed", \.removed, "the names of removed columns, as literals"),
            .list("changed", \.changed, "the columns that differ from those of the same name"),
            .list("added", \.added, "the added columns"),
            .flag("changesComputed", \.changesComputed, "whether computed columns differ"),
            .flag("changesIndexes", \.changesIndexes, "whether indexes differ"),
            .flag("changesChecks", \.changesChecks, "whether checks differ"),
            .flag("changesSearch", \.changesSearch, "whether the searched columns differ"),
        ]

        /// Creates the difference of a table from `base`; nil if it is as long as the table.
        init?(_ contents: Contents, from old: Contents, called name: String) {
            let (before, after) = (old.columns, contents.columns)
            let (oldNames, newNames) = (before.map(\.name), after.map(\.name))
            let removed = oldNames.filter { !newNames.contains($0) }
            let kept = after.filter { oldNames.contains($0.name) }
            // A column that moves would have to be removed and added again.
            guard kept.map(\.name) == oldNames.filter(newNames.contains), Set(oldNames).count == oldNames.count,
                Set(newNames).count == newNames.count
            else { return nil }
            changed = kept.filter { !before.contains($0) }
            added = after.indices.filter { !oldNames.contains(newNames[$0]) }.map { index in
                Addition(column: after[index], previous: index == 0 ? nil : newNames[index - 1])
            }
            guard 2 * (removed.count + changed.count + added.count) <= after.count else { return nil }
            // If the primary key is not a property, it is the first column.
            if contents.key == nil, old.key != nil || newNames.first != oldNames.first { return nil }
            self.base = name
            self.removed = removed
            isRenamed = contents.table != old.table || contents.entity != old.entity
            newKey = contents.key == old.key ? nil : contents.key
            changesComputed = contents.computed != old.computed
            changesIndexes = contents.indexes != old.indexes
            changesChecks = contents.checks != old.checks
            changesSearch = contents.search != old.search
        }
    }
}
