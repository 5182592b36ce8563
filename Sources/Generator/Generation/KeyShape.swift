import SchemaDiff
import SchemaModel
import SQLSchema

/// The Swift type of an entity's primary key, with the versions that share it.
struct KeyShape: VersionRange {
    /// A property that is part of a primary key.
    struct Member {
        /// The name of the property, without the backticks that a keyword needs.
        let name: String
        /// The name in the description.
        let description: String
        /// The lineage of the entity that the property references; nil for an attribute.
        let target: EntityLineage?
        /// The columns of the member.
        let parts: [KeyPart]
    }

    /// The parts of the primary key: a single value, or several members.
    enum Form {
        case raw(ScalarType)
        case members([Member])
    }

    let form: Form
    /// The index of the first version that uses the type.
    let first: Int
    /// The index of the last version that uses the type.
    var last: Int
    /// The name of the type: `LaundryID`.
    var name = ""
    /// The name of the tag type, which distinguishes this primary key from the primary keys of other entities:
    /// `LaundryKey`.
    var tag = ""
    /// The lineages of the entities whose primary keys can be converted to this type, in the last version.
    var sources: [EntityLineage]

    /// Returns the types of all primary keys, by lineage. The oldest type comes first.
    static func all(in history: SchemaHistory) -> [[KeyShape]] {
        var shapes = [[KeyShape]](repeating: [], count: history.sources.count)
        var signatures = [[String]](repeating: [], count: history.sources.count)
        for (index, version) in history.versions.enumerated() {
            for entity in version.entities {
                let form = form(of: entity, in: version)
                let signature = signature(of: form, in: version)
                if signatures[entity.lineage] == signature {
                    let shapeIndex = shapes[entity.lineage].count - 1
                    shapes[entity.lineage][shapeIndex].last = index
                    shapes[entity.lineage][shapeIndex].sources = entity.keySources
                } else {
                    shapes[entity.lineage].append(
                        KeyShape(form: form, first: index, last: index, sources: entity.keySources))
                    signatures[entity.lineage] = signature
                }
            }
        }
        var taken: Set<String> = []
        // The newest type of each primary key gets the plain name. The others get their first version as a suffix.
        for isNewest in [true, false] {
            for lineage in shapes.indices.map({ EntityLineage($0) }) {
                for shapeIndex in shapes[lineage].indices where (shapeIndex == shapes[lineage].count - 1) == isNewest {
                    let shape = shapes[lineage][shapeIndex]
                    let entity = history.versions[shape.last].entity(lineage)
                    let base = SwiftName.type(entity?.name ?? "")
                    var suffix = ""
                    if !isNewest || taken.contains(base + "ID") {
                        suffix = "_" + history.versions[shape.first].version.identifier
                    }
                    while !taken.insert(base + "ID" + suffix).inserted { suffix += "_" }
                    shapes[lineage][shapeIndex].name = base + "ID" + suffix
                    shapes[lineage][shapeIndex].tag = base + "Key" + suffix
                }
            }
        }
        return shapes
    }

    private static func form(of entity: Entity, in version: ModelVersion) -> Form {
        switch entity.identifier {
        case .column(_, let kind): return .raw(kind.scalar)
        case .properties(let lineages):
            let properties = lineages.compactMap(entity.property)
            if properties.count == 1, let scalar = properties[0].type?.scalar { return .raw(scalar) }
            let columns = version.columns(of: entity)
            return .members(
                properties.map { property in
                    let column = columns.first { $0.property == property.lineage }
                    let parts = version.referenceParts(of: property)
                    let own = property.type?.scalar.map { [KeyPart(name: property.attributeColumn, type: $0)] }
                    return Member(
                        name: column?.member ?? "", description: column?.description(in: entity) ?? "",
                        target: property.relationship?.target, parts: own ?? parts)
                })
        }
    }

    /// Returns the names and types of a primary key's parts, including the parts of referenced primary keys. Two
    /// primary keys with the same signature have the same Swift type.
    private static func signature(of form: Form, in version: ModelVersion) -> [String] {
        switch form {
        case .raw(let scalar): return [scalar.rawValue]
        case .members(let members):
            return members.flatMap { member -> [String] in
                let types = member.target.flatMap(version.entity).map {
                    signature(of: self.form(of: $0, in: version), in: version)
                }
                return ["\(member.name) \(member.target?.index ?? -1)"] + (types ?? member.parts.map(\.type.rawValue))
            }
        }
    }
}

extension [[KeyShape]] {
    /// Returns the name of the type of an entity's primary key in the version at `index`.
    func name(_ lineage: EntityLineage, at index: Int) -> String {
        self[lineage].element(at: index)?.name ?? ""
    }
}
