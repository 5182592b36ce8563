import SQLSchema

/// A column of an entity's table, and the property of the generated struct that holds its value.
package struct StoredColumn: Hashable, Sendable {
    /// The kind of a column.
    package enum Role: Hashable, Sendable {
        /// A primary key that is not a property.
        case identifier
        /// An attribute.
        case attribute
        /// A foreign key, or a part of one, to the entity of the lineage `target`.
        case reference(target: EntityLineage)
        /// The position of the row in the ordered to-many relationship whose inverse is the foreign key before it.
        case position

        /// The target entity of a foreign key.
        package var target: EntityLineage? {
            if case .reference(let target) = self { target } else { nil }
        }
    }

    /// The column's name in SQL.
    package var name: String
    /// The name of the struct's property, without the backticks that a keyword needs.
    package var member: String
    /// The kind of the column.
    package var role: Role
    /// The type of the values. A foreign key has the type of the primary key that it references.
    package var type: ValueType
    /// Whether the value can be NULL.
    package var isNullable: Bool
    /// The default value.
    package var defaultValue: Literal?
    /// The collation of text; nil to compare bytes.
    package var collation: Collation?
    /// The property that the column belongs to; nil for a primary key that is not a property.
    package var property: ElementLineage?
    /// Whether the column is part of the primary key.
    package var isKey = false
    /// The position of the column in its foreign key.
    package var part = 0
    /// The documentation from the description.
    package var documentation: String?

    /// The position of the property in the description; -1 for a primary key that is not a property.
    package var descriptionIndex: Int { property?.index ?? -1 }
}

extension StoredColumn {
    /// Returns the name of the column in terms of the description of `entity`: `title`, `master_id`, `master_position`.
    package func description(in entity: Entity) -> String {
        guard let property = property.flatMap(entity.property) else { return name }
        switch role {
        case .identifier, .attribute: return property.name
        case .reference: return ColumnSuffix.reference.added(to: property.name)
        case .position: return ColumnSuffix.position.added(to: property.name)
        }
    }
}

extension ModelVersion {
    /// Returns the collations of the columns of the entity's primary key, in SQL. The default collation is "". The
    /// result is empty if all columns have the default collation.
    package func keyCollations(of entity: Entity) -> [String] {
        let columns = columns(of: entity)
        let collations = keyParts(of: entity).map { part in
            columns.first { $0.name == part.name }?.collation?.rawValue.uppercased() ?? ""
        }
        return collations.allSatisfy(\.isEmpty) ? [] : collations
    }

    /// Returns the columns of the entity's table: the primary key if it is not a property, and then the columns of each
    /// property.
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
                for (partIndex, part) in referenceParts(of: property).enumerated() {
                    columns.append(
                        StoredColumn(
                            name: part.name, member: SwiftName.member(ColumnSuffix.reference.added(to: property.name)),
                            role: .reference(target: relationship.target), type: .scalar(part.type),
                            isNullable: property.isNullable, property: property.lineage, part: partIndex,
                            documentation: property.documentation))
                }
                if inverse(of: relationship)?.relationship?.isOrdered == true {
                    columns.append(
                        StoredColumn(
                            name: property.positionColumn,
                            member: SwiftName.member(ColumnSuffix.position.added(to: property.name)),
                            role: .position,
                            type: .scalar(.int), isNullable: true,
                            property: property.lineage,
                            documentation:
                                "The position of the row in the inverse of `\(property.name)`; nil comes last."))
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

    /// The storage of a relationship.
    package enum RelationshipStorage: Hashable, Sendable {
        /// A foreign key column of the entity's table.
        case column
        /// The foreign key column of the inverse.
        case inverseColumn
        /// A join table.
        case joinTable
        /// The join table of the inverse.
        case inverseJoinTable
    }

    /// Returns the storage of `relationship`.
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

    /// Returns whether the relationship is its own inverse, such as `friends` of the entity `user`.
    package func isOwnInverse(_ relationship: Relationship) -> Bool {
        guard let inverse = inverse(of: relationship), let back = inverse.relationship else { return false }
        return back.target == relationship.target && back.inverse == inverse.lineage
    }

    /// Returns the delete rule of a to-one relationship that is stored in a column.
    package func deleteRule(of property: Property) -> Relationship.DeleteRule {
        property.relationship?.deleteRule ?? (property.isNullable ? .nullify : .deny)
    }
}
