import SQLSchema

/// The key of an entity.
package enum Identifier: Hashable, Sendable {
    /// A column that is not a property.
    case column(name: String, kind: Kind)
    /// The columns of these properties, by lineage, most significant first.
    case properties([ElementLineage])

    /// The types that a key may have.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case int, string, uuid

        /// The type of the key's values.
        package var scalar: ScalarType {
            switch self {
            case .int: .int
            case .string: .string
            case .uuid: .uuid
            }
        }
    }
}

/// A column of a key.
package struct KeyPart: Hashable, Sendable {
    /// The name of the column in the entity's own table.
    package var name: String
    /// The type of its values.
    package var type: ScalarType
    /// The elements that the column comes from. Unlike its name, they stay the same when something is renamed.
    var origin: [Origin] = []

    /// An element that a column comes from.
    enum Origin: Hashable, Sendable {
        case entity(EntityLineage)
        case property(ElementLineage)
    }

    /// A column called `name`.
    package init(name: String, type: ScalarType) {
        self.name = name
        self.type = type
    }

    init(name: String, type: ScalarType, origin: [Origin]) {
        self.init(name: name, type: type)
        self.origin = origin
    }
}

extension SchemaVersion {
    /// The columns of the entity's key, most significant first.
    package func keyParts(of entity: Entity) -> [KeyPart] {
        keyParts(of: entity, inside: [])
    }

    /// The columns by which the stored to-one `property` points at its target; their types are those of its key.
    package func referenceParts(of property: Property) -> [KeyPart] {
        referenceParts(of: property, inside: [])
    }

    /// Keys that are made of each other have no end; what has been entered already gives nothing.
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
        return parts.enumerated().map { place, part in
            let name =
                columns?[place]
                ?? (parts.count == 1 ? property.referenceColumn : property.referenceBase + "_" + part.name)
            return KeyPart(name: name, type: part.type, origin: [.property(property.lineage)] + part.origin)
        }
    }

    /// Whether the keys of the entity in both versions are made of the same columns, whatever their names.
    package func hasSameKey(_ entity: Entity, as other: Entity, in version: SchemaVersion) -> Bool {
        let (parts, others) = (keyParts(of: entity), version.keyParts(of: other))
        return parts.map(\.origin) == others.map(\.origin) && parts.map(\.type) == others.map(\.type)
    }
}
