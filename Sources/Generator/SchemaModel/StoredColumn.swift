import SQLSchema

/// A column of an entity's table, and the property of the generated struct that holds its value.
package struct StoredColumn: Hashable, Sendable {
    /// What the column is for.
    package enum Role: Hashable, Sendable {
        /// A key of its own.
        case identifier
        /// An attribute.
        case attribute
        /// A foreign key, or a part of one, to the entity of the lineage `target`.
        case reference(target: EntityLineage)
        /// The place of the row in the ordered `to_many` at the other end of the foreign key before it.
        case position

        /// The lineage of the entity that a foreign key leads to.
        package var target: EntityLineage? {
            if case .reference(let target) = self { target } else { nil }
        }
    }

    /// The column's name in SQL.
    package var name: String
    /// The name of the struct's property, without the backticks that a keyword needs.
    package var member: String
    /// What the column is for.
    package var role: Role
    /// The type of the values; of a key or a foreign key, that of the key.
    package var type: ValueType
    /// Whether the value may be absent.
    package var isNullable: Bool
    /// The value where none is given.
    package var defaultValue: Literal?
    /// How text compares; nil for byte by byte.
    package var collation: Collation?
    /// The lineage of the property that the column belongs to; nil for a key of its own.
    package var property: ElementLineage?
    /// Whether the column is part of the key.
    package var isKey = false
    /// The column's place among those of a foreign key.
    package var part = 0
    /// What it means.
    package var documentation: String?
}

extension StoredColumn {
    /// The name that the description of `entity` gives to what the column holds: `title`, `master_id`, `master_position`.
    package func description(in entity: Entity) -> String {
        guard let property = property.flatMap(entity.property) else { return name }
        switch role {
        case .identifier, .attribute: return property.name
        case .reference: return property.name + "_id"
        case .position: return property.name + "_position"
        }
    }
}

extension SchemaVersion {
    /// The collations of the columns of the entity's primary key, in SQL, with "" for the default; empty if all have the
    /// default.
    package func keyCollations(of entity: Entity) -> [String] {
        let columns = columns(of: entity)
        let collations = keyParts(of: entity).map { part in
            columns.first { $0.name == part.name }?.collation?.rawValue.uppercased() ?? ""
        }
        return collations.allSatisfy(\.isEmpty) ? [] : collations
    }

    /// The columns of the entity's table: a key of its own, then those of each property.
    package func columns(of entity: Entity) -> [StoredColumn] {
        layout(of: entity).columns
    }

    func makeColumns(of entity: Entity) -> [StoredColumn] {
        var columns: [StoredColumn] = []
        if case .column(let name, let kind) = entity.identifier {
            columns.append(
                StoredColumn(
                    name: name, member: SwiftName.member(name), role: .identifier, type: .scalar(kind.scalar),
                    isNullable: false, isKey: true))
        }
        for property in entity.properties {
            switch property.kind {
            case .attribute(let type):
                columns.append(
                    StoredColumn(
                        name: property.attributeColumn, member: SwiftName.member(property.name), role: .attribute,
                        type: type,
                        isNullable: property.isNullable,
                        defaultValue: property.defaultValue.flatMap { literal($0, type: type) },
                        collation: property.collation,
                        property: property.lineage, documentation: property.documentation))
            case .relationship(let relationship):
                guard storage(of: relationship) == .column else { continue }
                for (place, part) in referenceParts(of: property).enumerated() {
                    columns.append(
                        StoredColumn(
                            name: part.name, member: SwiftName.member(property.name + "_id"),
                            role: .reference(target: relationship.target), type: .scalar(part.type),
                            isNullable: property.isNullable, property: property.lineage, part: place,
                            documentation: property.documentation))
                }
                if inverse(of: relationship)?.relationship?.isOrdered == true {
                    columns.append(
                        StoredColumn(
                            name: property.positionColumn, member: SwiftName.member(property.name + "_position"),
                            role: .position,
                            type: .scalar(.int), isNullable: true,
                            property: property.lineage,
                            documentation: "The row's place at the other end of `\(property.name)`; nil stands last."))
                }
            }
        }
        if case .properties(let lineages) = entity.identifier {
            for index in columns.indices where columns[index].role != .position {
                columns[index].isKey = columns[index].property.map(lineages.contains) ?? false
            }
        }
        return columns
    }

    /// Where a relationship is kept.
    package enum RelationshipStorage: Hashable, Sendable {
        /// In a foreign key column of the entity's own table.
        case column
        /// In the foreign key column of its inverse.
        case inverseColumn
        /// In a join table of its own.
        case joinTable
        /// In the join table of its inverse.
        case inverseJoinTable
    }

    /// Where `relationship` is kept.
    package func storage(of relationship: Relationship) -> RelationshipStorage {
        let inverse = inverse(of: relationship)?.relationship
        if let inverse, inverse == relationship, isOwnInverse(relationship) {
            return relationship.association == .toOne ? .column : .joinTable
        }
        switch (relationship.association, inverse?.association) {
        case (.toOne, nil), (.toOne, .toMany): return .column
        case (.toOne, .toOne): return relationship.isStored ? .column : .inverseColumn
        case (.toMany, .toOne): return .inverseColumn
        case (.toMany, nil): return .joinTable
        case (.toMany, .toMany): return relationship.isStored ? .joinTable : .inverseJoinTable
        }
    }

    /// Whether the relationship is its own other end: friends of friends.
    package func isOwnInverse(_ relationship: Relationship) -> Bool {
        guard let inverse = inverse(of: relationship), let back = inverse.relationship else { return false }
        return back.target == relationship.target && back.inverse == inverse.lineage
    }

    /// What happens to the row when the row that its stored to-one `property` points at goes.
    package func deleteRule(of property: Property) -> Relationship.DeleteRule {
        property.relationship?.deleteRule ?? (property.isNullable ? .nullify : .deny)
    }
}
