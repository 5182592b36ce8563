import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// A table that is new or changed in a version's fixture.
struct AddedTable: TemplateValues, Hashable {
    /// The constant of an entity's table; nil for a join table.
    var constant: String?
    var join: Join?

    static let fields: [TemplateField<Self>] = [
        .optional("constant", \.constant, "the constant of an entity's table"),
        .object("join", \.join, "a join table"),
    ]

    struct Join: TemplateValues, Hashable {
        let name: String
        let property: String
        let source: String
        let target: String
        let columns: JoinValues

        static let fields: [TemplateField<Self>] =
            TemplateField.all(of: \.columns) + [
                .text("name", \.name, "the name of the table, as a literal"),
                .text("property", \.property, "the relationship that it stores, as a literal"),
                .text("source", \.source, "the table that has the relationship, as a literal"),
                .text("target", \.target, "the table that the relationship refers to, as a literal"),
            ]
    }
}

/// The tables of the fixture of one version.
struct FixtureTables: Sendable {
    /// The tables, by name: the index of the version that last added or changed the table, and the columns in which
    /// the tests compare rows.
    var columns: [String: (since: Int, names: Set<String>)] = [:]
    /// The added and changed tables.
    var added: [AddedTable] = []
    /// The names of the tables that the previous version has and this version does not.
    var removed: [String] = []
}

extension Generator {
    /// Returns the definitions of all tables of all fixtures, and the tables of each version.
    func fixtureTables() -> (definitions: [TableDefinition], versions: [FixtureTables]) {
        var series = TableSeries<TableDefinition.Contents>()
        var current: [String: (owner: TableOwner, table: AddedTable)] = [:]
        var versions: [FixtureTables] = []
        let changed = history.versions.enumerated().map { index, version in
            version.entities.map { index == 0 || !version.unchanged.contains($0.lineage) }
        }
        var contents = zip(history.versions, changed).flatMap { version, isChanged in
            zip(version.entities, isChanged).compactMap { $1 ? (entity: $0, version: version) : nil }
        }.concurrentMap { entity, version in
            (table: tableContents(entity, version), columns: Set(version.columns(of: entity).map(\.name)))
        }[...]
        for (index, version) in history.versions.enumerated() {
            var tables = FixtureTables()
            var next: [String: (owner: TableOwner, table: AddedTable)] = [:]
            func add(_ name: String, _ owner: TableOwner, _ table: AddedTable, _ columns: Set<String>) {
                let isNew = current[name].map { $0.owner != owner || $0.table != table } ?? true
                if isNew { tables.added.append(table) }
                let since = isNew ? index : versions.last?.columns[name]?.since ?? index
                tables.columns[name] = (since, columns)
                next[name] = (owner, table)
            }
            for (entity, isChanged) in zip(version.entities, changed[index]) {
                let owner = TableOwner(entity: entity.lineage)
                if isChanged, let (table, columns) = contents.popFirst() {
                    let name = series.name(of: table, called: entity.tableName, owner: owner, in: version.version)
                    add(entity.tableName, owner, AddedTable(constant: name), columns)
                } else {
                    tables.columns[entity.tableName] = versions.last?.columns[entity.tableName]
                    next[entity.tableName] = current[entity.tableName]
                }
                for join in version.joinTables(of: entity) {
                    add(
                        join.table.name, TableOwner(entity: entity.lineage, relationship: join.property),
                        AddedTable(join: addedJoin(join, of: entity, version)), Set(join.table.columnNames))
                }
            }
            tables.removed = current.keys.filter { next[$0] == nil }.sorted()
            current = next
            versions.append(tables)
        }
        let definitions = series.definitions.map { definition in
            TableDefinition(
                name: definition.name, contents: definition.content,
                change: definition.base.flatMap { .init(definition.content, from: $0.content, called: $0.name) })
        }
        return (definitions, versions)
    }

    private func tableContents(_ entity: Entity, _ version: ModelVersion) -> TableDefinition.Contents {
        let table = version.table(of: entity)
        var key: String?
        if case .properties = entity.identifier {
            key = SwiftLiteral.strings(version.keyParts(of: entity).map(\.name))
        }
        return TableDefinition.Contents(
            table: SwiftLiteral.string(entity.tableName),
            entity: entity.name == entity.tableName ? nil : SwiftLiteral.string(entity.name),
            key: key,
            columns: fixtureColumns(of: entity, in: version),
            computed: zip(entity.computed, version.computedColumns(of: entity)).map { property, column in
                .init(
                    name: SwiftLiteral.string(column.name), property: SwiftLiteral.string(property.name),
                    member: SwiftLiteral.string(property.member),
                    storage: SwiftLiteral.string(column.type.rawValue.uppercased()),
                    value: SwiftLiteral.string(SQLite.expression(column.value)))
            },
            indexes: table.indexes.map { index in
                .init(
                    columns: SwiftLiteral.strings(
                        index.columns.map { $0 + (index.shape.descending.contains($0) ? " DESC" : "") }),
                    isUnique: index.isUnique,
                    condition: index.shape.condition.map { SwiftLiteral.string(SQLite.expression($0)) })
            },
            checks: table.checks.map { check in
                .init(
                    name: SwiftLiteral.string(check.name),
                    columns: SwiftLiteral.strings(Set(check.condition.columns).sorted()),
                    condition: SwiftLiteral.string(SQLite.expression(check.condition)))
            },
            search: table.search.map { search in
                .init(
                    columns: SwiftLiteral.strings(search.columns),
                    tokenizer: SwiftLiteral.string(search.tokenizer.rawValue))
            })
    }

    private func addedJoin(
        _ join: ModelVersion.JoinTable, of entity: Entity, _ version: ModelVersion
    ) -> AddedTable.Join {
        AddedTable.Join(
            name: SwiftLiteral.string(join.table.name),
            property: SwiftLiteral.string("\(entity.name).\(entity.property(join.property)?.name ?? "")"),
            source: SwiftLiteral.string(entity.tableName),
            target: SwiftLiteral.string(version.entity(join.relationship.target)?.tableName ?? ""),
            columns: JoinValues(join))
    }
}
