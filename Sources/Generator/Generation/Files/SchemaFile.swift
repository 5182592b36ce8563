import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// The values of `Schema.swift`: the schema's versions with their tables, and its steps.
struct SchemaFile: TemplateValues {
    struct Version: TemplateValues {
        let name: String
        let namespace: String
        let formerName: String?
        let fingerprint: String
        let compatibleSince: String?
        let tables: [String]
        let isNewest: Bool
        let aliases: [TypeAlias]

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "the version, as a literal"),
            .text("namespace", \.namespace, "the name of its namespace"),
            .optional("formerName", \.formerName, "its name in the library from which it was imported"),
            .text("fingerprint", \.fingerprint, "its fingerprint, in hexadecimal"),
            .optional(
                "compatibleSince", \.compatibleSince,
                "the oldest version whose apps can use its stores, as a literal; absent if only its own apps can"),
            .texts(
                "tables", \.tables, "the lines that describe the tables that differ from those of the version before"),
            .flag("isNewest", \.isNewest, "whether it is the newest version"),
            .flag("hasAliases", \.hasAliases, "whether `aliases` has elements"),
            .list("aliases", \.aliases, "the types that an earlier version declares"),
        ]

        private var hasAliases: Bool { !aliases.isEmpty }
    }

    struct TypeAlias: TemplateValues {
        let name: String
        let type: String

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "the name"), .text("type", \.type, "the type"),
        ]
    }

    struct Step: TemplateValues {
        let from: String
        let to: String
        let changes: [String]
        let isCustom: Bool
        let migration: String
        let rows: [Rows]
        let removals: [String]

        static let fields: [TemplateField<Self>] = [
            .text("from", \.from, "the version before, as a literal"),
            .text("to", \.to, "the version after, as a literal"),
            .texts("changes", \.changes, "the lines that describe the changes of tables"),
            .flag("isCustom", \.isCustom, "whether there is a custom migration"),
            .text("migration", \.migration, "the name of the custom migration"),
            .list("rows", \.rows, "the rows that it migrates"),
            .texts("removals", \.removals, "the names of its functions that preserve removed data"),
        ]
    }

    /// The rows of an entity that a custom migration migrates.
    struct Rows: TemplateValues {
        let function: String
        let type: String

        static let fields: [TemplateField<Self>] = [
            .text("function", \.function, "`migrate`, or `merge` if they become rows of another entity"),
            .text("type", \.type, "the type of an old row"),
        ]
    }

    let schema: String
    let module: String
    let access: String
    let name: String
    let fingerprint: String
    let valueTypes: [String]
    let versions: [Version]
    let newest: String
    let steps: [Step]
    let imported: ImportedFormatValues?

    static let fields: [TemplateField<Self>] = [
        .text("schema", \.schema, "the name of the schema's type"),
        .text("module", \.module, "the name of the target's module"),
        .text("access", \.access, "the access modifier with a space after it; empty for `internal`"),
        .text("name", \.name, "the name of the schema, as a literal"),
        .text("fingerprint", \.fingerprint, "the fingerprint of the newest version, in hexadecimal"),
        .flag("hasValueTypes", \.hasValueTypes, "whether `valueTypes` has elements"),
        .texts(
            "valueTypes", \.valueTypes,
            "the types of the newest version's values that its tables do not show; debug builds compare them"),
        .text(
            "valueTypeHashes", \.valueTypeHashes, "the number signs that make a raw literal of `valueTypes`"),
        .list("versions", \.versions, "all versions, oldest first"),
        .text("newest", \.newest, "the namespace of the newest version"),
        .list("steps", \.steps, "all steps, oldest first"),
        .object("imported", \.imported, "the format of the databases from which the schema was imported"),
    ]

    private var hasValueTypes: Bool { !valueTypes.isEmpty }
    private var valueTypeHashes: String { SwiftLiteral.hashes(around: valueTypes) }
}

extension Generator {
    /// Returns the schema's versions with their tables, and its steps.
    func schemaFile() -> SchemaFile {
        let tables = tableLines()
        return SchemaFile(
            schema: history.name, module: options.module, access: options.access.modifier,
            name: SwiftLiteral.string(history.name), fingerprint: history.newest.fingerprint.description,
            valueTypes: history.newest.valueTypeLines,
            versions: history.versions.indices.map { index in
                let version = history.versions[index]
                let oldest = history.compatibleSince(version.version)
                return .init(
                    name: SwiftLiteral.string(version.version.text),
                    namespace: names.namespace(index),
                    formerName: history.formerNames[version.version].map { $0.filter { !$0.isNewline } },
                    fingerprint: version.fingerprint.description,
                    compatibleSince: oldest == version.version ? nil : SwiftLiteral.string(oldest.text),
                    tables: tables[index],
                    isNewest: index == history.versions.count - 1,
                    // A version whose structs are not generated has no names for those of others either.
                    aliases: names.isEmitted(index) ? typeAliases(in: index) : [])
            },
            newest: names.namespace(history.newest),
            steps: names.steps.map(step),
            imported: history.importedFormat(invalidRows: options.invalidRows).map(imported))
    }

    /// Returns the type aliases of the version at `index` for the types that an earlier version declares.
    private func typeAliases(in index: Int) -> [SchemaFile.TypeAlias] {
        let version = history.versions[index]
        func alias(_ name: String, _ type: @autoclosure () -> String, _ first: Int?) -> SchemaFile.TypeAlias? {
            guard let first, first < index else { return nil }
            return .init(name: SwiftName.escaped(SwiftName.type(name)), type: type())
        }
        return version.entities.compactMap {
            alias($0.name, names.declaredType($0.lineage, at: index), names.shape(of: $0.lineage, at: index)?.first)
        }
            + version.subtypes.compactMap {
                alias(
                    $0.name, names.type(.subtype($0.lineage), at: index),
                    names.subtypeShape(of: $0.lineage, at: index)?.first)
            }
    }

    private func step(_ step: SchemaStep) -> SchemaFile.Step {
        let namespace = "\(history.name).\(names.namespace(step.from))"
        return SchemaFile.Step(
            from: SwiftLiteral.string(step.from.version.text), to: SwiftLiteral.string(step.to.version.text),
            changes: step.tableChanges.flatMap(SchemaText.lines),
            isCustom: step.isCustom, migration: names.migration(step),
            rows: step.customRows.map { rows in
                switch rows {
                case .entity(let entity) where entity.isByColumns:
                    .init(function: "migrate", type: "\(namespace).\(columnMigrationNames(entity, step).row)")
                case .entity(let entity):
                    .init(function: "migrate", type: names.type(entity.old.lineage, in: step.from))
                case .merged(let old, _): .init(function: "merge", type: names.type(old.lineage, in: step.from))
                }
            },
            removals: Self.removals(step).map(\.rescue))
    }

    /// Returns, for each version, the lines of its new, changed and removed tables.
    private func tableLines() -> [[String]] {
        var before: [(owner: TableOwner, table: Table)] = []
        return history.versions.map { version in
            let tables = version.ownedTables
            let known = Dictionary(before.map { ($0.table.name, $0.table) }, uniquingKeysWith: { first, _ in first })
            let owned = Dictionary(before.map { ($0.owner, $0.table) }, uniquingKeysWith: { first, _ in first })
            var lines: [String] = []
            let names = Set(tables.map(\.table.name))
            // A renamed table is not dropped: the changed table with the new name replaces it.
            var gone = Set(known.keys).subtracting(names)
            for (owner, table) in tables where known[table.name] != table {
                if let base = owned[owner], base.name == table.name || !names.contains(base.name),
                    let change = SchemaText.lines(of: table, changedFrom: base)
                {
                    lines += change
                    gone.remove(base.name)
                } else {
                    lines += SchemaText.lines(of: table)
                }
            }
            lines = gone.sorted().map { SchemaText.line(dropping: $0) } + lines
            before = tables
            return lines
        }
    }
}
