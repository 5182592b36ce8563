import SQLSchema

/// An entity of one version.
package struct Entity: Hashable, Sendable {
    /// The entity's lineage.
    package var lineage: EntityLineage
    /// The entity's name in this version's description.
    package var name: String
    /// The name of the entity's table, if it differs from `name`.
    package var persistedName: String?
    /// The documentation from the description.
    package var documentation: String?
    /// The primary key.
    package var identifier: Identifier
    /// The lineages of the entities whose primary keys may be used to create this entity's primary key.
    package var keySources: [EntityLineage]
    /// The properties in the order of their columns: oldest first, and then in the order of the description.
    package var properties: [Property]
    /// The properties that SQLite computes, in the order of `properties`.
    package var computed: [ComputedProperty]
    /// The indexes over several properties.
    package var indexes: [EntityIndex]
    /// The conditions that each row satisfies.
    package var checks: [EntityCheck]
    /// The properties whose texts can be searched; nil if there are none.
    package var search: TextSearch<ElementLineage>?
    /// The way in which Citus places the rows; nil if the description does not say it. Stores do not depend on it.
    package var distribution: Distribution?

    /// Creates an entity.
    package init(
        lineage: EntityLineage, name: String, persistedName: String? = nil, documentation: String?,
        identifier: Identifier,
        keySources: [EntityLineage] = [], properties: [Property], computed: [ComputedProperty] = [],
        indexes: [EntityIndex], checks: [EntityCheck] = [],
        search: TextSearch<ElementLineage>? = nil, distribution: Distribution? = nil
    ) {
        self.lineage = lineage
        self.name = name
        self.persistedName = persistedName
        self.documentation = documentation
        self.identifier = identifier
        self.keySources = keySources
        self.properties = properties
        self.computed = computed
        self.indexes = indexes
        self.checks = checks
        self.search = search
        self.distribution = distribution
    }

    /// The name of the entity's table.
    package var tableName: String { persistedName ?? name }

    /// Returns the stored property with this lineage, if it exists in this version.
    package func property(_ lineage: ElementLineage) -> Property? {
        // A property is at the place that its lineage names, or before it if the version does not have all properties.
        let last = min(lineage.index, properties.count - 1)
        var index = last
        while index >= 0, properties[index].lineage.index != lineage.index { index -= 1 }
        return index < 0 ? properties[(last + 1)...].first { $0.lineage == lineage } : properties[index]
    }

    /// Returns the computed property with this lineage, if it exists in this version.
    package func computedProperty(_ lineage: ElementLineage) -> ComputedProperty? {
        computed.first { $0.lineage == lineage }
    }

    /// Returns the name of the stored or computed property with this lineage; nil if the version does not have it.
    package func name(of lineage: ElementLineage) -> String? {
        property(lineage)?.name ?? computedProperty(lineage)?.name
    }
}

/// A property of an entity in one version.
package struct Property: Hashable, Sendable {
    /// The kind of a property's contents.
    package enum Kind: Hashable, Sendable {
        case attribute(ValueType)
        case relationship(Relationship)
    }

    /// The property's lineage in its entity.
    package var lineage: ElementLineage
    /// The property's name in this version's description.
    package var name: String
    /// The name of the property's column or join table, if it differs from the derived name.
    package var persistedName: String?
    /// The column names of a relationship to an entity with a composite primary key, in the order of that key. Empty if
    /// the names are derived from the property's name.
    package var persistedColumns: [String] = []
    /// The documentation from the description.
    package var documentation: String?
    /// The kind of the property's contents.
    package var kind: Kind
    /// Whether the property is nullable.
    package var isNullable: Bool
    /// The default value.
    package var defaultValue: Constant?
    /// Whether the property's values are unique.
    package var isUnique: Bool
    /// Whether the property has an index on its column alone.
    package var isIndexed: Bool
    /// The collation of a text property; nil to compare bytes.
    package var collation: Collation?
    /// The limits on the values of an attribute, at most one of each kind, in the order of the kinds.
    package var limits: [ValueLimit] = []

    /// Creates a property.
    package init(
        lineage: ElementLineage, name: String, documentation: String? = nil, kind: Kind, isNullable: Bool = false,
        defaultValue: Constant? = nil, isUnique: Bool = false, isIndexed: Bool = false, collation: Collation? = nil
    ) {
        self.lineage = lineage
        self.name = name
        self.documentation = documentation
        self.kind = kind
        self.isNullable = isNullable
        self.defaultValue = defaultValue
        self.isUnique = isUnique
        self.isIndexed = isIndexed
        self.collation = collation
    }

    /// The name of an attribute's column.
    package var attributeColumn: String { persistedName ?? name }
    /// The name of the foreign key column of a relationship whose target has a single-column primary key.
    package var referenceColumn: String { persistedName ?? ColumnSuffix.reference.added(to: name) }
    /// The prefix of the foreign key columns of a relationship whose target has a composite primary key.
    var referenceBase: String { persistedName ?? name }
    /// The column that stores the row's position in the inverse, ordered relationship.
    package var positionColumn: String { ColumnSuffix.position.added(to: persistedName ?? name) }

    /// The type of an attribute's values; nil if the property is a relationship.
    @inline(never)  // For the same reason as `relationship`.
    package var type: ValueType? {
        if case .attribute(let type) = kind { type } else { nil }
    }

    /// The property's relationship; nil if the property is an attribute.
    @inline(never)  // The optimizer of Swift 6.3 fails if it inlines this into a loop over properties.
    package var relationship: Relationship? {
        if case .relationship(let relationship) = kind { relationship } else { nil }
    }
}

/// A relationship from one entity to another.
package struct Relationship: Hashable, Sendable {
    /// The number of rows that a relationship refers to.
    package enum Association: String, CaseIterable, Hashable, Sendable {
        case toOne = "to_one"
        case toMany = "to_many"
    }

    /// The action on a referencing row when the row that it references is deleted.
    package typealias DeleteRule = Table.DeleteRule

    /// The lineage of the target entity.
    package var target: EntityLineage
    /// Whether the relationship is to-one or to-many.
    package var association: Association
    /// The lineage of the inverse in the target entity; nil if there is none.
    package var inverse: ElementLineage?
    /// Whether the description asks to store the relationship on this side, if both sides have the same association.
    package var isStored: Bool
    /// Whether the referenced rows are ordered.
    package var isOrdered: Bool
    /// Whether a row may refer to the same row several times. Each time has its own position.
    package var allowsDuplicates = false
    /// The delete rule from the description; nil for the default.
    package var deleteRule: DeleteRule?

    /// Creates a relationship.
    package init(
        target: EntityLineage, association: Association, inverse: ElementLineage? = nil, isStored: Bool = false,
        isOrdered: Bool = false,
        deleteRule: DeleteRule? = nil
    ) {
        self.target = target
        self.association = association
        self.inverse = inverse
        self.isStored = isStored
        self.isOrdered = isOrdered
        self.deleteRule = deleteRule
    }
}

extension [ValueLimit] {
    /// Returns the limits that a value can violate although it satisfies the limits `others`.
    package func stricter(than others: [ValueLimit]) -> [ValueLimit] {
        filter { limit in
            !others.contains { $0.kind == limit.kind && $0.implies(limit) }
        }
    }

    /// Returns whether a value can violate one of the limits although it satisfies the limits `others`.
    package func areStricter(than others: [ValueLimit]) -> Bool { !stricter(than: others).isEmpty }
}

/// A condition that each row of an entity satisfies: it is true, or null.
package struct EntityCheck: Hashable, Sendable {
    /// The check's lineage in its entity.
    package var lineage: ElementLineage
    /// The name.
    package var name: String
    /// The condition.
    package var condition: RowExpression<ElementLineage>

    /// Creates a check.
    package init(lineage: ElementLineage, name: String, _ condition: RowExpression<ElementLineage>) {
        self.lineage = lineage
        self.name = name
        self.condition = condition
    }
}

/// An index over several properties of an entity.
package struct EntityIndex: Hashable, Sendable {
    /// The index's lineage in its entity.
    package var lineage: ElementLineage
    /// The lineages of the properties, and the rows of the index.
    package var shape: IndexShape<ElementLineage>

    /// Creates an index.
    package init(lineage: ElementLineage, _ shape: IndexShape<ElementLineage>) {
        self.lineage = lineage
        self.shape = shape
    }

    /// The lineages of the properties, most significant first.
    package var properties: [ElementLineage] { shape.columns }
    /// Whether no two rows of the index may have equal values in all the properties.
    package var isUnique: Bool { shape.isUnique }
}
