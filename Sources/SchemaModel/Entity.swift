/// An entity as it stands in one version.
public struct Entity: Hashable, Sendable {
    /// The entity's place among all entities of the history: what stays when its name changes.
    public var lineage: Int
    /// Its name as described, in the version at hand.
    public var name: String
    /// The name of its table, where that is another.
    public var persistedName: String?
    /// What it means.
    public var documentation: String?
    /// Its key.
    public var identifier: Identifier
    /// The lineages of the entities whose keys its key may be made from.
    public var keySources: [Int]
    /// Its properties, oldest first and then as described: the order of the columns.
    public var properties: [Property]
    /// Its indexes over several properties.
    public var indexes: [EntityIndex]

    /// An entity of these parts.
    public init(
        lineage: Int, name: String, persistedName: String? = nil, documentation: String?, identifier: Identifier,
        keySources: [Int] = [], properties: [Property], indexes: [EntityIndex]
    ) {
        self.lineage = lineage
        self.name = name
        self.persistedName = persistedName
        self.documentation = documentation
        self.identifier = identifier
        self.keySources = keySources
        self.properties = properties
        self.indexes = indexes
    }

    /// The name of its table.
    public var tableName: String { persistedName ?? name }

    /// The property of that lineage, if it lives in this version.
    public func property(_ lineage: Int) -> Property? {
        properties.first { $0.lineage == lineage }
    }
}

/// A property of an entity as it stands in one version.
public struct Property: Hashable, Sendable {
    /// What a property holds.
    public enum Kind: Hashable, Sendable {
        case attribute(ValueType)
        case relationship(Relationship)
    }

    /// The comparisons that a text column may use instead of that of bytes.
    public enum Collation: String, CaseIterable, Hashable, Sendable {
        case nocase, rtrim
    }

    /// The property's place in its entity's description: what stays when its name changes.
    public var lineage: Int
    /// Its name as described, in the version at hand.
    public var name: String
    /// The name of its column, or of its join table, where that is another.
    public var persistedName: String?
    /// The names of the columns of a relationship to a key of several, in the key's order; empty where its name gives them.
    public var persistedColumns: [String] = []
    /// What it means.
    public var documentation: String?
    /// What it holds.
    public var kind: Kind
    /// Whether it may be absent.
    public var isNullable: Bool
    /// The value where none is given.
    public var defaultValue: Constant?
    /// Whether no two rows may share a value.
    public var isUnique: Bool
    /// Whether it has an index of its own.
    public var isIndexed: Bool
    /// How its text compares; nil for byte by byte.
    public var collation: Collation?

    /// A property of these parts.
    public init(
        lineage: Int, name: String, documentation: String? = nil, kind: Kind, isNullable: Bool = false,
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

    /// The column of an attribute.
    public var attributeColumn: String { persistedName ?? name }
    /// The foreign key column of a relationship that has one, where the target's key is one column.
    public var referenceColumn: String { persistedName ?? name + "_id" }
    /// What the foreign key columns begin with where the target's key has several columns.
    var referenceBase: String { persistedName ?? name }
    /// The column of the row's place at the other end of such a relationship.
    public var positionColumn: String { (persistedName ?? name) + "_position" }

    /// The type of an attribute's values.
    @inline(never)  // Like `relationship`.
    public var type: ValueType? {
        if case .attribute(let type) = kind { type } else { nil }
    }

    /// The relationship that the property holds, if it holds one.
    @inline(never)  // Where the optimiser of Swift 6.3 inlines it into a loop over properties, it fails.
    public var relationship: Relationship? {
        if case .relationship(let relationship) = kind { relationship } else { nil }
    }
}

/// How rows of one entity point at rows of another.
public struct Relationship: Hashable, Sendable {
    /// How many rows are pointed at.
    public enum Association: String, CaseIterable, Hashable, Sendable {
        case toOne = "to_one"
        case toMany = "to_many"
    }

    /// What happens to the row that points when the row it points at goes.
    public enum DeleteRule: String, CaseIterable, Hashable, Sendable {
        case nullify, cascade, deny
        case noAction = "no_action"
    }

    /// The lineage of the entity pointed at.
    public var target: Int
    /// How many rows are pointed at.
    public var association: Association
    /// The lineage of the target's property that points back, if one does.
    public var inverse: Int?
    /// Whether the description asks for the storage to be on this side of a pair of the same association.
    public var isStored: Bool
    /// Whether the rows pointed at have an order.
    public var isOrdered: Bool
    /// The delete rule as described; nil for the default.
    public var deleteRule: DeleteRule?

    /// A relationship of these parts.
    public init(
        target: Int, association: Association, inverse: Int? = nil, isStored: Bool = false, isOrdered: Bool = false,
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

/// An index over several properties of an entity.
public struct EntityIndex: Hashable, Sendable {
    /// The index's place in its entity's description: what stays when a property's name changes.
    public var lineage: Int
    /// The lineages of the properties, most significant first.
    public var properties: [Int]
    /// Whether no two rows may agree in all the properties.
    public var isUnique: Bool

    /// An index over `properties`.
    public init(lineage: Int, properties: [Int], isUnique: Bool) {
        self.lineage = lineage
        self.properties = properties
        self.isUnique = isUnique
    }
}
