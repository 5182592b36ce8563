import SQLSchema

/// The primary key of an entity.
package enum Identifier: Hashable, Sendable {
    /// A column that is not a property.
    case column(name: String, kind: Kind)
    /// The columns of these properties, by lineage, most significant first.
    case properties([ElementLineage])

    /// The types of a primary key that is not a property.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case int, string, uuid

        /// The type of the primary key's values.
        package var scalar: ScalarType {
            switch self {
            case .int: .int
            case .string: .string
            case .uuid: .uuid
            }
        }
    }
}

/// A column of a primary key.
package struct KeyPart: Hashable, Sendable {
    /// The name of the column in the entity's own table.
    package var name: String
    /// The type of its values.
    package var type: ScalarType
    /// The elements that the column comes from. A rename changes the column's name, but not these elements.
    var origin: [Origin] = []

    /// An element that a column comes from.
    enum Origin: Hashable, Sendable {
        case entity(EntityLineage)
        case property(ElementLineage)
    }

    /// Creates a column.
    package init(name: String, type: ScalarType) {
        self.name = name
        self.type = type
    }

    init(name: String, type: ScalarType, origin: [Origin]) {
        self.init(name: name, type: type)
        self.origin = origin
    }
}

extension ModelVersion {
    /// Returns the columns of the entity's primary key, most significant first.
    package func keyParts(of entity: Entity) -> [KeyPart] {
        keyParts(of: entity, inside: [])
    }

    /// Returns the foreign key columns of a to-one relationship that is stored. They have the types of the target's
    /// primary key.
    package func referenceParts(of property: Property) -> [KeyPart] {
        referenceParts(of: property, inside: [])
    }

    /// Returns the columns of the entity's primary key.
    ///
    /// - Parameter entered: The entities that were visited already. They have no columns here, so that a cycle of
    ///   primary keys ends.
    private func keyParts(of entity: Entity, inside entered: Set<EntityLineage>) -> [KeyPart] {
        switch entity.identifier {
        case .column(let name, let kind):
            return [KeyPart(name: name, type: kind.scalar, origin: [.entity(entity.lineage)])]
        case .properties(let lineages):
            guard !entered.contains(entity.lineage) else { return [] }
            return lineages.compactMap(entity.property).flatMap { property -> [KeyPart] in
                if let type = property.type {
                    let origin: [KeyPart.Origin] = [.entity(entity.lineage), .property(property.lineage)]
                    return type.scalar.map { [KeyPart(name: property.attributeColumn, type: $0, origin: origin)] } ?? []
                }
                return referenceParts(of: property, inside: entered.union([entity.lineage]))
            }
        }
    }

    private func referenceParts(of property: Property, inside entered: Set<EntityLineage>) -> [KeyPart] {
        guard let target = property.relationship.flatMap({ entity($0.target) }) else { return [] }
        let parts = keyParts(of: target, inside: entered)
        let columns = property.persistedColumns.count == parts.count ? property.persistedColumns : nil
        return parts.enumerated().map { index, part in
            let name =
                columns?[index]
                ?? (parts.count == 1 ? property.referenceColumn : property.referenceBase + "_" + part.name)
            return KeyPart(name: name, type: part.type, origin: [.property(property.lineage)] + part.origin)
        }
    }

    /// Returns whether the primary keys of an entity in two versions consist of the same columns. Their names may
    /// differ.
    package func hasSameKey(_ entity: Entity, as other: Entity, in version: ModelVersion) -> Bool {
        let (parts, others) = (keyParts(of: entity), version.keyParts(of: other))
        return parts.map(\.origin) == others.map(\.origin) && parts.map(\.type) == others.map(\.type)
    }
}
