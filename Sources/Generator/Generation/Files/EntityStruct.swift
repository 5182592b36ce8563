import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// A struct of an entity.
struct EntityStruct: TemplateValues {
    /// A stored property, with its first column.
    struct Column: TemplateValues {
        let property: InitializedProperty
        let label: String
        let codingKey: String
        let index: Int
        let position: Int
        let reader: String
        let binder: String

        static let fields: [TemplateField<Self>] =
            TemplateField.all(of: \.property) + [
                .text("label", \.label, "the argument label in a call"),
                .text("codingKey", \.codingKey, "the name by which it is encoded, as a literal"),
                .number("index", \.index, "the index of its first column; the first is 0"),
                .number("position", \.position, "the number of its first parameter in a statement; the first is 1"),
                .text("reader", \.reader, "the method of `Strata.Row` that reads it"),
                .text(
                    "binder", \.binder,
                    "the end of the name of the method of `Strata.Statement` that binds it: `String` for `bindString`, or empty"
                ),
            ]
    }

    /// A column of the table that is not computed.
    struct StoredColumn: TemplateValues {
        let name: String
        let member: String

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "the name, as a literal"),
            .text("member", \.member, "the name of the property"),
        ]
    }

    /// A computed property.
    struct Computed: TemplateValues {
        let member: String
        let type: String
        let reader: String
        let index: Int
        let documentation: [String]

        static let fields: [TemplateField<Self>] = [
            .text("member", \.member, "the name"),
            .text("type", \.type, "the type"),
            .text("reader", \.reader, "the method of `Strata.Row` that reads it"),
            .number("index", \.index, "the index of its column"),
            .texts("documentation", \.documentation, "the lines of the description"),
        ]
    }

    /// A property whose texts can be searched.
    struct Searched: TemplateValues {
        let member: String
        let column: String

        static let fields: [TemplateField<Self>] = [
            .text("member", \.member, "the name"),
            .text("column", \.column, "the name of the column, as a literal"),
        ]
    }

    /// A column that `Strata.PropertyColumns` does not find by its property.
    struct DeclaredColumn: TemplateValues {
        let member: String
        let type: String
        let column: String?

        static let fields: [TemplateField<Self>] = [
            .text("member", \.member, "the name of the property"),
            .text("type", \.type, "the type of its values"),
            .optional("column", \.column, "the name of a computed column, as a literal"),
        ]
    }

    /// A property of the primary key.
    struct KeyMember: TemplateValues {
        let member: String
        let label: String

        static let fields: [TemplateField<Self>] = [
            .text("member", \.member, "the name of the property"),
            .text("label", \.label, "the argument label of the initializer of `ID`"),
        ]
    }

    /// A foreign key with a collation.
    struct Collated: TemplateValues {
        let column: String
        let collation: String

        static let fields: [TemplateField<Self>] = [
            .text("column", \.column, "the name of the column, as a literal"),
            .text("collation", \.collation, "the name of the collation, as a literal"),
        ]
    }

    let type: String
    let namespace: String
    let name: String
    let id: String
    let firstVersion: String
    let lastVersion: String?
    let isIdentifiable: Bool
    let needsID: Bool
    let isPlainKey: Bool
    let key: [KeyMember]
    let keyColumns: String
    let keyCollations: String?
    let table: String
    let columns: [Column]
    let hasCodingKeys: Bool
    let decodesDefaults: Bool
    let storedColumns: [StoredColumn]
    let collations: [Collated]
    let positions: String?
    let declaredColumns: [DeclaredColumn]
    let computedNames: String?
    let computed: [Computed]
    let isSearchable: Bool
    let search: [Searched]
    let relationships: [RelationshipValues]

    static let fields: [TemplateField<Self>] = [
        .text("self", \.type, "the struct"),
        .text("namespace", \.namespace, "the namespace of the version that declares it"),
        .text("name", \.name, "its name in the namespace"),
        .text("id", \.id, "the type of the primary key"),
        .text("firstVersion", \.firstVersion, "the first version that uses it"),
        .optional("lastVersion", \.lastVersion, "the last version that uses it, if that is another one"),
        .flag("isIdentifiable", \.isIdentifiable, "whether it is `Identifiable`"),
        .flag("needsID", \.needsID, "whether it needs a computed property `id`"),
        .flag("isPlainKey", \.isPlainKey, "whether the primary key is a property of the type `ID`"),
        .list("key", \.key, "the properties of the primary key"),
        .text("keyColumns", \.keyColumns, "the names of the primary key's columns, as a literal"),
        .optional("keyCollations", \.keyCollations, "the collations of the primary key's columns, as a literal"),
        .text("table", \.table, "the name of the table, as a literal"),
        .list("columns", \.columns, "the stored properties"),
        .flag("hasCodingKeys", \.hasCodingKeys, "whether the stored properties need names by which they are encoded"),
        .flag("decodesDefaults", \.decodesDefaults, "whether absent properties are decoded as their defaults"),
        .list("storedColumns", \.storedColumns, "the columns of the table that are not computed"),
        .flag("hasCollations", \.hasCollations, "whether `collations` has elements"),
        .list("collations", \.collations, "the foreign keys that refer to texts with a collation"),
        .optional(
            "positions", \.positions,
            "the columns with positions, each with the columns of its foreign key, as a literal"),
        .flag("hasDeclaredColumns", \.hasDeclaredColumns, "whether `declaredColumns` has elements"),
        .list(
            "declaredColumns", \.declaredColumns,
            "the columns that `Strata.PropertyColumns` cannot find by a key path"),
        .optional("computedNames", \.computedNames, "the names of the computed columns, as a literal"),
        .list("computed", \.computed, "the computed properties"),
        .flag("isSearchable", \.isSearchable, "whether its texts can be searched"),
        .list("search", \.search, "the properties whose texts can be searched"),
        .flag("hasRelationships", \.hasRelationships, "whether `relationships` has elements"),
        .list("relationships", \.relationships, "the relationships"),
    ]

    private var hasCollations: Bool { !collations.isEmpty }
    private var hasDeclaredColumns: Bool { !declaredColumns.isEmpty }
    private var hasRelationships: Bool { !relationships.isEmpty }
}

extension Generator {
    /// Returns a struct of an entity.
    func entityStruct(_ shape: EntityShape, _ lineage: EntityLineage) -> EntityStruct {
        let last = history.versions[names.lastEmitted(in: shape.versions)]
        let entity = last.entity(lineage) ?? shape.entity
        let version = history.versions[shape.first]
        let isNewest = shape.last == history.versions.count - 1
        let computed = shape.entity.computed
        let hasOtherID =
            shape.fields.contains { $0.column.member == "id" && $0.column.role != .identifier }
            || computed.contains { $0.member == "id" }
        let (key, isPlainKey) = key(of: shape.entity, in: version)
        let keyCollations = version.keyCollations(of: shape.entity)
        let relationships = relationships(of: entity, in: last, isDocumented: isNewest) { target in
            isNewest ? newestType(target.name) : names.declaredType(target.lineage, at: names.index(of: last))
        }
        return EntityStruct(
            type: names.type(lineage, in: version),
            namespace: names.namespace(shape.first),
            name: SwiftName.escaped(SwiftName.type(shape.entity.name)),
            id: names.id(lineage, in: version),
            firstVersion: version.version.text,
            lastVersion: shape.last == shape.first ? nil : history.versions[shape.last].version.text,
            isIdentifiable: !hasOtherID,
            needsID: !hasOtherID && !(isPlainKey && key.first?.member == "id"),
            isPlainKey: isPlainKey,
            key: key,
            keyColumns: SwiftLiteral.strings(version.keyParts(of: shape.entity).map(\.name)),
            keyCollations: keyCollations.isEmpty ? nil : SwiftLiteral.strings(keyCollations),
            table: SwiftLiteral.string(shape.entity.tableName),
            columns: columns(shape, lineage, in: version),
            // A computed property is not encoded.
            hasCodingKeys: options.codingNames == .descriptions || options.codingNames != nil && !computed.isEmpty,
            decodesDefaults: options.codingNames != nil && shape.fields.contains { $0.column.defaultValue != nil },
            storedColumns: shape.columns.map { column in
                .init(
                    name: SwiftLiteral.string(column.name), member: names.member(column))
            },
            collations: collations(shape, in: version),
            positions: positions(shape),
            declaredColumns: declaredColumns(shape, computed, in: version),
            computedNames: computed.isEmpty ? nil : SwiftLiteral.strings(computed.map(\.columnName)),
            computed: computed.enumerated().map { index, property in
                .init(
                    member: SwiftName.escaped(property.member), type: names.external(property.type.facts.swift) + "?",
                    reader: "optional" + property.type.facts.reader, index: shape.columns.count + index,
                    documentation: Self.lines(of: property.documentation))
            },
            isSearchable: entity.search != nil,
            search: (entity.search?.columns ?? []).compactMap { lineage in
                shape.columns.first { $0.property == lineage }.map {
                    .init(member: names.member($0), column: SwiftLiteral.string($0.name))
                }
            },
            relationships: relationships)
    }

    private func columns(
        _ shape: EntityShape, _ lineage: EntityLineage, in version: ModelVersion
    ) -> [EntityStruct.Column] {
        shape.fields.map { column, index in
            let value = column.defaultValue.map { names.value($0, type: column.type, in: version) }
            let typeName = Self.typeName(column) ?? ""
            let wrappedType =
                column.role == .identifier ? "ID" : names.wrappedType(of: column, lineage: lineage, in: version)
            return EntityStruct.Column(
                property: InitializedProperty(
                    names.member(column), wrappedType, isNullable: column.isNullable, defaultValue: value,
                    documentation: column.documentation, names.parameter(column.member)),
                label: names.label(column),
                codingKey: SwiftLiteral.string(
                    options.codingNames == .swift ? column.member : column.description(in: shape.entity)),
                index: index,
                position: index + 1,
                reader: Self.reader(column),
                binder: typeName)
        }
    }

    /// Returns the properties of the primary key of an entity, and whether it is a single property of the type `ID`.
    private func key(of entity: Entity, in version: ModelVersion) -> (members: [EntityStruct.KeyMember], isPlain: Bool)
    {
        let columns = version.columns(of: entity)
        guard case .properties(let lineages) = entity.identifier else {
            let members = columns.prefix(1).map { column in
                EntityStruct.KeyMember(member: names.member(column), label: "")
            }
            return (members, true)
        }
        let members = lineages.compactMap { lineage in
            columns.first { $0.property == lineage && $0.role != .position }
        }
        let isRaw = members.count == 1 && members[0].role == .attribute
        return (
            members.map { column in
                .init(
                    member: names.member(column), label: isRaw ? "rawValue" : SwiftName.label(column.member))
            }, false
        )
    }

    /// Returns the foreign keys to texts that have a collation.
    private func collations(_ shape: EntityShape, in version: ModelVersion) -> [EntityStruct.Collated] {
        let collated = shape.columns.compactMap { column -> (name: String, collation: String)? in
            let collations = column.role.target.flatMap(version.entity).map(version.keyCollations) ?? []
            guard !collations.isEmpty, !collations[column.part].isEmpty else { return nil }
            return (column.name, collations[column.part])
        }
        return collated.map { column in
            .init(
                column: SwiftLiteral.string(column.name), collation: SwiftLiteral.string(column.collation))
        }
    }

    /// Returns the columns with positions in ordered relationships; nil if there are none.
    private func positions(_ shape: EntityShape) -> String? {
        let positions = shape.columns.filter { $0.role == .position }.map { position in
            let owner = shape.columns.filter { $0.property == position.property && $0.role != .position }
            return "\(SwiftLiteral.string(position.name)): \(SwiftLiteral.strings(owner.map(\.name)))"
        }
        return positions.isEmpty ? nil : "[\(positions.joined(separator: ", "))]"
    }

    /// The names of the members that all entities' columns have.
    private static let columnsMembers: Set = ["id", "searchRank", "snippet", "highlighted"]

    /// Returns the columns that `Strata.PropertyColumns` does not find by their properties: computed ones, whose properties
    /// cannot be set, and those whose names it uses itself.
    private func declaredColumns(
        _ shape: EntityShape, _ computed: [ComputedProperty], in version: ModelVersion
    ) -> [EntityStruct.DeclaredColumn] {
        let hidden = shape.fields.map(\.column).filter {
            $0.role != .identifier && Self.columnsMembers.contains($0.member)
        }
        return hidden.map { column in
            .init(
                member: names.member(column),
                type: names.type(of: column, lineage: shape.entity.lineage, in: version), column: nil)
        }
            + computed.map { property in
                .init(
                    member: SwiftName.escaped(property.member), type: names.external(property.type.facts.swift) + "?",
                    column: SwiftLiteral.string(property.columnName))
            }
    }

    /// Returns the name of the method of `Strata.Row` that reads a column.
    static func reader(_ column: SchemaModel.StoredColumn) -> String {
        let isKey = column.role == .identifier || column.role.target != nil
        let name = typeName(column) ?? (isKey ? "ID" : "Value")
        return column.isNullable ? "optional" + name : name.lowercased()
    }

    /// Returns the type of a column as part of a method's name; nil for types that the model declares.
    private static func typeName(_ column: SchemaModel.StoredColumn) -> String? {
        column.role == .attribute || column.role == .position ? column.type.scalar?.facts.reader : nil
    }

    /// Returns the newest type of a description. With `Newest`, a file stays the same when another one gets a new type.
    func newestType(_ name: String) -> String {
        "\(history.name).Newest.\(SwiftName.escaped(SwiftName.type(name)))"
    }
}
