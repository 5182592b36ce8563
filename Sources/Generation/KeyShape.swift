import SchemaModel

/// The type of an entity's key over the versions that share one.
struct KeyShape {
    /// A property of a key that is made of the entity's properties.
    struct Member {
        /// The name of the property, without the backticks that a keyword needs.
        let name: String
        /// The entity that a foreign key leads to; nil for a single value.
        let target: Int?
        /// The columns of the member.
        let parts: [KeyPart]
    }

    /// What the key is made of: one single value, or the members.
    enum Form {
        case raw(ScalarType)
        case members([Member])
    }

    let form: Form
    /// The index of the version that it is new in.
    let first: Int
    /// The index of the last version that uses it.
    var last: Int
    /// The name of the type.
    var name = ""
    /// The entities from whose keys it can be made, in the last version.
    var sources: [Int]

    /// The types of all keys, by lineage and oldest first.
    static func all(in history: SchemaHistory) -> [[KeyShape]] {
        var shapes = [[KeyShape]](repeating: [], count: history.sources.count)
        var signatures = [[String]](repeating: [], count: history.sources.count)
        for (index, version) in history.versions.enumerated() {
            for entity in version.entities {
                let form = form(of: entity, in: version)
                let signature = signature(of: entity, in: version)
                if signatures[entity.lineage] == signature {
                    let place = shapes[entity.lineage].count - 1
                    shapes[entity.lineage][place].last = index
                    shapes[entity.lineage][place].sources = entity.keySources
                } else {
                    shapes[entity.lineage].append(
                        KeyShape(form: form, first: index, last: index, sources: entity.keySources))
                    signatures[entity.lineage] = signature
                }
            }
        }
        var taken: Set<String> = []
        // The newest type of each key takes the plain name, the others say since when they were.
        for isNewest in [true, false] {
            for lineage in shapes.indices {
                for place in shapes[lineage].indices where (place == shapes[lineage].count - 1) == isNewest {
                    let shape = shapes[lineage][place]
                    let entity = history.versions[shape.last].entity(lineage)
                    var name = SwiftName.type(entity?.name ?? "") + "ID"
                    if !isNewest || taken.contains(name) {
                        name += "_" + history.versions[shape.first].version.identifier
                    }
                    while !taken.insert(name).inserted { name += "_" }
                    shapes[lineage][place].name = name
                }
            }
        }
        return shapes
    }

    private static func form(of entity: Entity, in version: SchemaVersion) -> Form {
        let columns = version.columns(of: entity)
        switch entity.identifier {
        case .column(_, let kind): return .raw(kind.scalar)
        case .properties(let lineages):
            let properties = lineages.compactMap(entity.property)
            if properties.count == 1, let scalar = properties[0].type?.scalar { return .raw(scalar) }
            return .members(
                properties.map { property in
                    let column = columns.first { $0.property == property.lineage }
                    let parts = version.referenceParts(of: property)
                    let own = property.type?.scalar.map { [KeyPart(name: property.attributeColumn, type: $0)] }
                    return Member(
                        name: column?.member ?? "", target: property.relationship?.target, parts: own ?? parts)
                })
        }
    }

    /// What two keys have in common that are of one type: names and types, through all that they are made of.
    private static func signature(of entity: Entity, in version: SchemaVersion) -> [String] {
        switch form(of: entity, in: version) {
        case .raw(let scalar): return [scalar.rawValue]
        case .members(let members):
            return members.flatMap { member -> [String] in
                let types = member.target.flatMap(version.entity).map { signature(of: $0, in: version) }
                return ["\(member.name) \(member.target ?? -1)"] + (types ?? member.parts.map(\.type.rawValue))
            }
        }
    }
}

extension [[KeyShape]] {
    /// The name of the type of an entity's key in the version `index`.
    func name(_ lineage: Int, at index: Int) -> String {
        self[lineage].first { $0.first <= index && index <= $0.last }?.name ?? ""
    }
}
