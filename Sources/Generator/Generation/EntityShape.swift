import SchemaModel

/// The struct of an entity, with the versions that share it.
struct EntityShape: VersionRange {
    let entity: Entity
    let columns: [StoredColumn]
    /// Whether a property has several columns.
    let hasParts: Bool
    /// The names of the types of the entity's primary key and of the primary keys that it references.
    let keys: [String]
    /// The collations of the primary keys that it references.
    let collations: [[String]]
    /// The names of the properties in the description, by which they are encoded.
    let descriptions: [String]
    /// The indexes of the versions that declare the entity's subtypes.
    let parts: [Int]
    /// The names and types of the computed properties.
    private let computed: [String]
    /// The index of the version that declares the struct.
    let first: Int
    /// The index of the last version that uses the struct.
    var last: Int

    /// The first column of each property of the struct, with the index of that column. The properties are in the order of the
    /// description, while a new column is the last one of its table.
    var fields: [(column: StoredColumn, index: Int)] {
        columns.enumerated().filter { $1.part == 0 }.map { (column: $1, index: $0) }
            .sorted { ($0.column.descriptionIndex, $0.index) < ($1.column.descriptionIndex, $1.index) }
    }

    init(
        _ entity: Entity, in version: ModelVersion, at index: Int, _ keyShapes: [[KeyShape]],
        _ subtypeShapes: [[SubtypeShape]]
    ) {
        self.entity = entity
        let columns = version.columns(of: entity)
        self.columns = columns
        self.hasParts = columns.contains { $0.part > 0 }
        self.parts = columns.compactMap { column in
            column.type.subtype.flatMap { subtypeShapes[$0].element(at: index) }?.first
        }
        let keyed = [entity.lineage] + columns.compactMap { $0.part == 0 ? $0.role.target : nil }
        self.keys = keyed.map { keyShapes.name($0, at: index) }
        self.collations = keyed.map { version.entity($0).map(version.keyCollations) ?? [] }
        self.descriptions = columns.map { $0.description(in: entity) }
        self.computed = entity.computed.map { "\($0.name) \($0.columnName) \($0.type.rawValue)" }
        self.first = index
        self.last = index
    }

    /// Returns whether this shape and `other`, the shape in the next version, can share a struct. Relationships do not
    /// matter, because the struct has the relationships of the last version.
    func isSameStruct(as other: EntityShape) -> Bool {
        entity.name == other.entity.name && entity.tableName == other.entity.tableName && columns == other.columns
            && keys == other.keys && parts == other.parts && collations == other.collations
            && descriptions == other.descriptions && computed == other.computed
    }
}
