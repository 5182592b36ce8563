import SQLSchema

/// Properties whose values are unique together.
package struct UniqueKey: Hashable, Sendable {
    /// The lineages of the properties, in the order of the index.
    package let properties: [ElementLineage]
    let collations: [ElementLineage: Collation]
    /// The condition of the rows whose values are unique; nil for all rows.
    package let condition: RowExpression<ElementLineage>?

    /// The lineages of the properties in the condition.
    package var conditionProperties: [ElementLineage] { condition?.columns ?? [] }

    /// Returns whether rows that satisfy this key also satisfy `other`.
    ///
    /// They do if `other` contains all properties of this key, and compares each of them with the same collation or
    /// byte by byte, and if this key holds for all rows of `other`.
    package func implies(_ other: UniqueKey) -> Bool {
        (condition == nil || condition == other.condition) && Set(properties).isSubset(of: other.properties)
            && properties.allSatisfy { other.collations[$0] == nil || other.collations[$0] == collations[$0] }
    }
}

extension ModelVersion {
    /// Returns the unique keys of `entity`, without its primary key.
    package func uniqueKeys(of entity: Entity) -> [UniqueKey] {
        let single = entity.properties.filter { isUnique($0) }.map { IndexShape([$0.lineage], unique: true) }
        let several = entity.indexes.filter(\.isUnique).map(\.shape)
        return (single + several).map { shape in
            let collations = shape.columns.compactMap(entity.property).compactMap { property in
                property.collation.map { (property.lineage, $0) }
            }
            return UniqueKey(
                properties: shape.columns,
                collations: Dictionary(collations, uniquingKeysWith: { first, _ in first }), condition: shape.condition)
        }
    }

    /// Returns whether the values of `property` are unique: because the description says so, or because the property is
    /// the stored side of a one-to-one relationship.
    package func isUnique(_ property: Property) -> Bool {
        guard let relationship = property.relationship else { return property.isUnique }
        guard storage(of: relationship) == .column else { return false }
        return property.isUnique || inverse(of: relationship)?.relationship?.association == .toOne
    }
}
