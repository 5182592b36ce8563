import SQLSchema

/// All entities of one version, and how they are stored.
public struct SchemaVersion: Sendable {
    /// Which version.
    public let version: Version
    /// The entities that live in it, by their lineages.
    public let entities: [Entity]
    /// The subtypes that live in it, by their lineages.
    public let subtypes: [Subtype]
    /// The fingerprint of all entities and subtypes of the version.
    public private(set) var fingerprint = Fingerprint(of: [])
    private let places: [Int: Int]
    private var layouts: [EntityLayout] = []
    /// The lineages of the entities that are stored as in the version before.
    public private(set) var unchanged: Set<Int> = []
    /// The lineages of the subtypes that are, with all their parts, as in the version before.
    public private(set) var unchangedSubtypes: Set<Int> = []

    /// The version of these entities.
    ///
    /// - `previous`: the version before, whose work is used again for what has not changed.
    public init(
        version: Version, entities: [Entity], subtypes: [Subtype] = [], after previous: SchemaVersion? = nil
    ) {
        self.version = version
        self.entities = entities
        self.subtypes = subtypes
        self.places = Dictionary(
            entities.enumerated().map { ($0.element.lineage, $0.offset) }, uniquingKeysWith: { first, _ in first })
        if let previous { unchangedSubtypes = subtypesAlike(in: previous) }
        let version = self
        let drafts = entities.concurrentMap { entity in
            if let previous, version.isStored(entity, as: previous) { return nil as LayoutDraft? }
            return LayoutDraft(
                columns: version.makeColumns(of: entity), logicalLine: version.makeLogicalLine(of: entity))
        }
        var taken = Set((previous?.layouts ?? []).flatMap(\.indexNames.values).map { $0.lowercased() })
        for (entity, draft) in zip(entities, drafts) {
            let before = previous?.entity(entity.lineage).flatMap { previous?.layout(of: $0) }
            if let draft {
                var names = IndexNames(before: before?.indexNames ?? [:], taken: taken)
                layouts.append(makeLayout(of: entity, draft, &names))
                taken = names.taken
            } else if let before {
                unchanged.insert(entity.lineage)
                layouts.append(before)
            }
        }
        fingerprint = Fingerprint(of: version.version, lines: logicalLines)
    }

    /// The entity of that lineage, if it lives in this version.
    public func entity(_ lineage: Int) -> Entity? {
        places[lineage].map { entities[$0] }
    }

    /// The subtype of that lineage, if it lives in this version.
    public func subtype(_ lineage: Int) -> Subtype? {
        subtypes.first { $0.lineage == lineage }
    }

    /// The lineages of the subtypes that are, with all their parts, what they are in `previous`.
    private func subtypesAlike(in previous: SchemaVersion) -> Set<Int> {
        var alike = Set(subtypes.filter { previous.subtype($0.lineage) == $0 }.map(\.lineage))
        // What has a part that differs differs too.
        while let changed = subtypes.first(where: { alike.contains($0.lineage) && !$0.parts.isSubset(of: alike) }) {
            alike.remove(changed.lineage)
        }
        return alike
    }

    /// The property at the other end of `relationship`.
    public func inverse(of relationship: Relationship) -> Property? {
        guard let inverse = relationship.inverse else { return nil }
        return entity(relationship.target)?.property(inverse)
    }

    func layout(of entity: Entity) -> EntityLayout {
        guard let place = places[entity.lineage], place < layouts.count else {
            var names = IndexNames(before: [:], taken: [])
            let draft = LayoutDraft(columns: makeColumns(of: entity), logicalLine: makeLogicalLine(of: entity))
            return makeLayout(of: entity, draft, &names)
        }
        return layouts[place]
    }

    private func makeLayout(
        of entity: Entity, _ draft: LayoutDraft, _ names: inout IndexNames
    ) -> EntityLayout {
        let table = makeTable(of: entity, draft.columns, &names)
        let joinTables = makeJoinTables(of: entity, &names)
        return EntityLayout(
            columns: draft.columns, table: table, joinTables: joinTables,
            statements: ([table] + joinTables.map(\.table)).flatMap(SQLite.create), indexNames: names.now,
            logicalLine: draft.logicalLine)
    }

    /// The fingerprint of the statements that create the tables and indexes, whatever their order.
    var ddlFingerprint: Fingerprint {
        Fingerprint(of: layouts.flatMap(\.statements))
    }

    /// Whether nothing that decides how `entity` is stored differs from `previous`.
    private func isStored(_ entity: Entity, as previous: SchemaVersion) -> Bool {
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

/// What of an entity's layout needs nothing of the other entities' layouts.
private struct LayoutDraft: Sendable {
    let columns: [StoredColumn]
    let logicalLine: String
}

/// How an entity is stored in one version.
struct EntityLayout: Sendable {
    let columns: [StoredColumn]
    let table: Table
    let joinTables: [SchemaVersion.JoinTable]
    /// The statements that create the tables and their indexes.
    let statements: [String]
    /// The names of all indexes, which an index keeps when columns and tables are called otherwise.
    let indexNames: [IndexKey: String]
    let logicalLine: String
}
