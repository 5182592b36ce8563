import SQLSchema

/// A property of an entity in one version whose value SQLite computes from the columns of the row. No row stores it.
package struct ComputedProperty: Hashable, Sendable {
    /// The property's lineage in its entity.
    package var lineage: ElementLineage
    /// The property's name in this version's description.
    package var name: String
    /// The name of the property's column, if it differs from `name`.
    package var persistedName: String?
    /// The documentation from the description.
    package var documentation: String?
    /// The type to which the value is converted.
    package var type: ScalarType
    /// The value, over the stored properties of the entity.
    package var value: RowExpression<ElementLineage>
    /// Whether the property has an index on its column alone.
    package var isIndexed: Bool

    /// Creates a property.
    package init(
        lineage: ElementLineage, name: String, persistedName: String? = nil, documentation: String? = nil,
        type: ScalarType, value: RowExpression<ElementLineage>, isIndexed: Bool = false
    ) {
        self.lineage = lineage
        self.name = name
        self.persistedName = persistedName
        self.documentation = documentation
        self.type = type
        self.value = value
        self.isIndexed = isIndexed
    }

    /// The name of the property's column.
    package var columnName: String { persistedName ?? name }
    /// The name of the struct's property, without the backticks that a keyword needs.
    package var member: String { SwiftName.member(name) }
}
