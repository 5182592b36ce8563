import SQLSchema

/// Properties of an entity in which no two rows agree.
package struct UniqueKey: Hashable, Sendable {
    /// The lineages of the properties, in the order of the index.
    package let properties: [ElementLineage]
    let collations: [ElementLineage: Collation]

    /// Whether rows that keep this key cannot break `other`: it has all these columns, compared no more loosely.
    package func implies(_ other: UniqueKey) -> Bool {
        Set(properties).isSubset(of: other.properties)
            && properties.allSatisfy { other.collations[$0] == nil || other.collations[$0] == collations[$0] }
    }
}

extension SchemaVersion {
    /// The unique keys of `entity`, beside its identifier.
    package func uniqueKeys(of entity: Entity) -> [UniqueKey] {
        let single = entity.properties.filter { isUnique($0) }.map { [$0.lineage] }
        let several = entity.indexes.filter(\.isUnique).map(\.properties)
        return (single + several).map { lineages in
            let collations = lineages.compactMap(entity.property).compactMap { property in
                property.collation.map { (property.lineage, $0) }
            }
            return UniqueKey(
                properties: lineages, collations: Dictionary(collations, uniquingKeysWith: { first, _ in first }))
        }
    }

    /// Whether no two rows may share a value of `property`: as it says, or as the stored side of a pair of `to_one`s.
    func isUnique(_ property: Property) -> Bool {
        guard let relationship = property.relationship else { return property.isUnique }
        guard storage(of: relationship) == .column else { return false }
        return property.isUnique || inverse(of: relationship)?.relationship?.association == .toOne
    }
}
