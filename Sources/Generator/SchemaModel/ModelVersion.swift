import SQLSchema

/// One version of a schema: its entities, its subtypes and their tables.
package struct ModelVersion: Sendable {
    /// The version.
    package let version: Version
    /// The entities of the version.
    package let entities: [Entity]
    /// The subtypes of the version.
    package let subtypes: [Subtype]
    /// The logical lines of all entities and subtypes, sorted by bytes.
    package private(set) var logicalLines: [String] = []
    /// The fingerprint of all entities and subtypes of the version.
    package private(set) var fingerprint = Fingerprint(of: [])
    private let indexes: [EntityLineage: Int]
    private var layouts: [EntityLayout] = []
    /// The lineages of the entities whose storage is the same as in the previous version.
    package private(set) var unchanged: Set<EntityLineage> = []
    /// The lineages of the subtypes that are the same as in the previous version, with all their parts.
    package private(set) var unchangedSubtypes: Set<SubtypeLineage> = []

    /// Creates a version.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - entities: The entities of the version.
    ///   - subtypes: The subtypes of the version.
    ///   - previous: The previous version. The layouts of unchanged entities are taken from it.
    package init(
        version: Version, entities: [Entity], subtypes: [Subtype] = [], after previous: ModelVersion? = nil
    ) {
        self.version = version
        self.entities = entities
        self.subtypes = subtypes
        self.indexes = Dictionary(
            entities.enumerated().map { ($0.element.lineage, $0.offset) }, uniquingKeysWith: { first, _ in first })
        if let previous { unchangedSubtypes = subtypesAlike(in: previous) }
        let version = self
        let takenBefore = Set((previous?.layouts ?? []).flatMap(\.indexNames.values).map { $0.lowercased() })
        let before = { @Sendable (entity: Entity) in
            previous?.entity(entity.lineage).flatMap { previous?.layout(of: $0) }
        }
        let new = entities.concurrentMap { entity in
            if let previous, version.isStored(entity, as: previous) { return nil as EntityLayout? }
            return version.makeLayout(of: entity, before(entity), taken: takenBefore)
        }
        var taken = takenBefore
        for (entity, layout) in zip(entities, new) {
            if let layout {
                // Another entity may have given an index the same name.
                let isUnique = layout.addedNames.isDisjoint(with: taken)
                layouts.append(isUnique ? layout : makeLayout(of: entity, before(entity), taken: taken))
                taken.formUnion(layouts[layouts.count - 1].addedNames)
            } else if let layout = before(entity) {
                unchanged.insert(entity.lineage)
                layouts.append(layout)
            }
        }
        logicalLines = (layouts.map(\.logicalLine) + subtypes.map(logicalLine)).sortedByBytes()
        fingerprint = Fingerprint(of: version.version, lines: logicalLines)
    }

    /// Returns the entity with this lineage, if the version has it.
    package func entity(_ lineage: EntityLineage) -> Entity? {
        indexes[lineage].map { entities[$0] }
    }

    /// Returns the subtype with this lineage, if the version has it.
    package func subtype(_ lineage: SubtypeLineage) -> Subtype? {
        subtypes.first { $0.lineage == lineage }
    }

    /// Returns the lineages of the subtypes that are the same as in `previous`, with all their parts.
    private func subtypesAlike(in previous: ModelVersion) -> Set<SubtypeLineage> {
        var alike = Set(subtypes.filter { previous.subtype($0.lineage) == $0 }.map(\.lineage))
        // A subtype is different if one of its parts is.
        while let changed = subtypes.first(where: { alike.contains($0.lineage) && !$0.parts.isSubset(of: alike) }) {
            alike.remove(changed.lineage)
        }
        return alike
    }

    /// Returns the property at the other end of `relationship`.
    package func inverse(of relationship: Relationship) -> Property? {
        guard let inverse = relationship.inverse else { return nil }
        return entity(relationship.target)?.property(inverse)
    }

    func layout(of entity: Entity) -> EntityLayout {
        guard let index = indexes[entity.lineage], index < layouts.count else {
            return makeLayout(of: entity, nil, taken: [])
        }
        return layouts[index]
    }

    /// Creates the layout of an entity.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - previous: Its layout in the previous version.
    ///   - taken: The names that new indexes cannot have, in lowercase.
    private func makeLayout(of entity: Entity, _ previous: EntityLayout?, taken: Set<String>) -> EntityLayout {
        var names = IndexNames(before: previous?.indexNames ?? [:], taken: taken)
        let columns = makeColumns(of: entity)
        let table = makeTable(of: entity, columns, &names)
        let joinTables = makeJoinTables(of: entity, &names)
        return EntityLayout(
            columns: columns, table: table, joinTables: joinTables,
            statements: ([table] + joinTables.map(\.table)).map(SQLite.create), indexNames: names.now,
            addedNames: names.added, logicalLine: makeLogicalLine(of: entity))
    }

    /// The fingerprint of the statements that create the tables and indexes. It does not depend on their order.
    package var ddlFingerprint: Fingerprint {
        Fingerprint(of: layouts.flatMap { $0.statements.flatMap(\.self) })
    }

    /// Returns whether the storage of `entity` is the same as in `previous`.
    private func isStored(_ entity: Entity, as previous: ModelVersion) -> Bool {
        guard previous.entity(entity.lineage) == entity else { return false }
        for source in entity.keySources where self.entity(source) != previous.entity(source) { return false }
        return entity.properties.allSatisfy { property in
            guard let relationship = property.relationship else {
                return property.type?.subtype.map(unchangedSubtypes.contains) ?? true
            }
            guard let now = self.entity(relationship.target), let was = previous.entity(relationship.target) else {
                return false
            }
            return now.name == was.name && now.tableName == was.tableName
                && keyParts(of: now) == previous.keyParts(of: was)
                && inverse(of: relationship) == previous.inverse(of: relationship)
        }
    }
}

/// The storage of an entity in one version. It is a class because versions share it, and copies of a structure would
/// retain each of its parts.
final class EntityLayout: Sendable {
    let columns: [StoredColumn]
    let table: Table
    let joinTables: [ModelVersion.JoinTable]
    /// For each table, the statements that create it and its indexes.
    let statements: [[String]]
    /// The names of all indexes. An index keeps its name when a column or the table is renamed.
    let indexNames: [IndexKey: String]
    /// The names of the indexes that the previous version does not have, in lowercase.
    let addedNames: Set<String>
    let logicalLine: String

    init(
        columns: [StoredColumn], table: Table, joinTables: [ModelVersion.JoinTable], statements: [[String]],
        indexNames: [IndexKey: String], addedNames: Set<String>, logicalLine: String
    ) {
        self.columns = columns
        self.table = table
        self.joinTables = joinTables
        self.statements = statements
        self.indexNames = indexNames
        self.addedNames = addedNames
        self.logicalLine = logicalLine
    }
}
