import SchemaModel

/// The names of generated types, and which version declares the struct of an entity.
struct SwiftNames {
    let history: SchemaHistory
    let steps: [SchemaStep]
    private let places: [Version: Int]
    /// The versions whose structs are generated.
    let emitted: [Int]
    /// By lineage: each struct, oldest first.
    let shapes: [[EntityShape]]
    /// By lineage of a subtype: each type, oldest first.
    let subtypeShapes: [[SubtypeShape]]
    /// By lineage: each type of its key, oldest first.
    let keyShapes: [[KeyShape]]

    init(_ history: SchemaHistory, _ structs: GenerationOptions.Structs) {
        self.history = history
        self.steps = history.steps
        self.places = Dictionary(
            history.versions.enumerated().map { ($1.version, $0) }, uniquingKeysWith: { first, _ in first })
        // Whoever migrates by hand may read and write all entities of both ends.
        let ends = steps.filter(\.isCustom).flatMap { [$0.from.version, $0.to.version] } + [history.newest.version]
        let emitted = history.versions.indices.filter { structs == .all || ends.contains(history.versions[$0].version) }
        self.emitted = emitted
        // What a version declares does not depend on the versions that are generated: so no name moves with a new version.
        let subtypeShapes = SubtypeShape.all(in: history)
        let keyShapes = KeyShape.all(in: history)
        var shapes = [[EntityShape]](repeating: [], count: history.sources.count)
        for (index, version) in history.versions.enumerated() {
            for entity in version.entities {
                let shape = EntityShape(entity, in: version, at: index, keyShapes, subtypeShapes)
                if let last = shapes[entity.lineage].last, last.isSameStruct(as: shape) {
                    shapes[entity.lineage][shapes[entity.lineage].count - 1].last = index
                } else {
                    shapes[entity.lineage].append(shape)
                }
            }
        }
        func isEmitted(_ first: Int, _ last: Int) -> Bool { emitted.contains { first <= $0 && $0 <= last } }
        self.subtypeShapes = subtypeShapes.map { $0.filter { isEmitted($0.first, $0.last) } }
        self.keyShapes = keyShapes.map { $0.filter { isEmitted($0.first, $0.last) } }
        self.shapes = shapes.map { $0.filter { isEmitted($0.first, $0.last) } }
    }

    /// The struct of an entity in the version `index`; nil where none is generated.
    func shape(of lineage: Int, at index: Int) -> EntityShape? {
        shapes[lineage].first { $0.first <= index && index <= $0.last }
    }

    /// The type of a subtype in the version `index`; nil where none is generated.
    func subtypeShape(of lineage: Int, at index: Int) -> SubtypeShape? {
        subtypeShapes[lineage].first { $0.first <= index && index <= $0.last }
    }

    /// The last version of `range` whose structs are generated.
    func lastEmitted(in range: ClosedRange<Int>) -> Int {
        emitted.last { range.contains($0) } ?? range.upperBound
    }

    /// `LaundrySchema.V1_0.Laundry`: the struct of an entity in the version `index`, in the version that declares it.
    func declaredType(_ lineage: Int, at index: Int) -> String {
        let first = shape(of: lineage, at: index)?.first ?? index
        return type(lineage, in: history.versions[first])
    }

    /// `V1_0`.
    func namespace(_ index: Int) -> String { "V" + history.versions[index].version.identifier }

    /// The place of a version among all.
    func index(of version: SchemaVersion) -> Int { places[version.version] ?? 0 }

    /// `V1_0`.
    func namespace(_ version: SchemaVersion) -> String { "V" + version.version.identifier }

    /// `LaundrySchema.V1_0.Laundry`: the name of an entity in a version.
    func type(_ lineage: Int, in version: SchemaVersion) -> String {
        let name = version.entity(lineage).map { SwiftName.type($0.name) } ?? ""
        return "\(history.name).\(namespace(version)).\(SwiftName.escaped(name))"
    }

    /// `LaundrySchema.LaundryID`: the type of an entity's key in a version.
    func id(_ lineage: Int, in version: SchemaVersion) -> String {
        "\(history.name).\(keyShapes.name(lineage, at: index(of: version)))"
    }

    /// `Migration_1_0_to_2_0`.
    func migration(_ step: SchemaStep) -> String {
        "Migration_\(step.from.version.identifier)_to_\(step.to.version.identifier)"
    }

    /// The name of a column's property.
    func member(_ column: StoredColumn) -> String { SwiftName.escaped(column.member) }

    /// The label of a column's argument.
    func label(_ column: StoredColumn) -> String { SwiftName.label(column.member) }

    /// The label and the name of a property's parameter; `self` is a name that the body needs for itself.
    func parameter(_ name: String) -> (declared: String, name: String) {
        return name == "self" ? ("self self_", "self_") : (SwiftName.escaped(name), SwiftName.escaped(name))
    }

    /// The Swift type of a column's property.
    func type(of column: StoredColumn, lineage: Int, in version: SchemaVersion) -> String {
        let name =
            switch column.role {
            case .identifier: id(lineage, in: version)
            case .reference(let target): id(target, in: version)
            case .attribute, .position: type(column.type, in: version)
            }
        return column.isNullable ? name + "?" : name
    }

    /// The Swift type of a value.
    func type(_ type: ValueType, in version: SchemaVersion) -> String { self.type(type, at: index(of: version)) }

    /// The Swift type of a value in the version `index`; a subtype in the version that declares it.
    func type(_ type: ValueType, at index: Int) -> String {
        switch type {
        case .scalar(let scalar): return Self.type(scalar)
        case .array(let element): return "[" + self.type(element, at: index) + "]"
        case .subtype(let lineage):
            let name = history.versions[index].subtype(lineage).map { SwiftName.type($0.name) } ?? ""
            let first = subtypeShape(of: lineage, at: index)?.first ?? index
            return "\(history.name).\(namespace(first)).\(SwiftName.escaped(name))"
        }
    }

    static func type(_ type: ScalarType) -> String {
        switch type {
        case .int, .milliseconds: "Swift.Int"
        case .bool: "Swift.Bool"
        case .double: "Swift.Double"
        case .float: "Swift.Float"
        case .string, .color: "Swift.String"
        case .url: "Foundation.URL"
        case .date: "Foundation.Date"
        case .seconds: "Foundation.TimeInterval"
        case .data: "Foundation.Data"
        case .uuid: "Foundation.UUID"
        case .decimal: "Foundation.Decimal"
        }
    }

    /// What the column holds where the property of its struct has the value `member`, as Swift.
    func sqliteValue(_ member: String, of column: StoredColumn, in version: SchemaVersion) -> String {
        switch column.role {
        case .identifier: return "Strata.SQLiteValue(\(member).rawValue)"
        case .reference(let target):
            let paths = keyPaths(target, in: version)
            let path = paths.indices.contains(column.part) ? paths[column.part] : ""
            return "Strata.SQLiteValue(\(member)\(column.isNullable ? "?" : "")\(path))"
        case .attribute, .position:
            switch column.type.scalar {
            case nil: return "try Strata.SQLiteValue(value: \(member))"
            case .color: return "try Strata.SQLiteValue(color: \(member))"
            default: return "Strata.SQLiteValue(\(member))"
            }
        }
    }

    /// The ways from a key of an entity to the values of its columns.
    private func keyPaths(_ lineage: Int, in version: SchemaVersion) -> [String] {
        let index = index(of: version)
        guard let shape = keyShapes[lineage].first(where: { $0.first <= index && index <= $0.last }) else {
            return []
        }
        switch shape.form {
        case .raw: return [".rawValue"]
        case .members(let members):
            return members.flatMap { member -> [String] in
                let paths = member.target.map { keyPaths($0, in: version) } ?? [""]
                return paths.map { "." + SwiftName.escaped(member.name) + $0 }
            }
        }
    }
}

/// A subtype over the versions that share one type.
struct SubtypeShape {
    let subtype: Subtype
    /// The index of the version that declares the type.
    let first: Int
    /// The index of the last version that uses it.
    var last: Int

    /// The types of all subtypes, by lineage and oldest first.
    static func all(in history: SchemaHistory) -> [[SubtypeShape]] {
        var shapes = [[SubtypeShape]](repeating: [], count: history.subtypeSources.count)
        for (index, version) in history.versions.enumerated() {
            for subtype in version.subtypes {
                let lineage = subtype.lineage
                if version.unchangedSubtypes.contains(lineage), !shapes[lineage].isEmpty {
                    shapes[lineage][shapes[lineage].count - 1].last = index
                } else {
                    shapes[lineage].append(SubtypeShape(subtype: subtype, first: index, last: index))
                }
            }
        }
        return shapes
    }
}

/// An entity over the versions that share one struct.
struct EntityShape {
    let entity: Entity
    let columns: [StoredColumn]
    /// The names of the types of its own key and of those that it points at.
    let keys: [String]
    /// The versions that declare its subtypes.
    let parts: [Int]
    /// The index of the version that declares the struct.
    let first: Int
    /// The index of the last version that uses it.
    var last: Int

    /// The properties of the struct: each with its first column, and that column's place.
    var fields: [(column: StoredColumn, index: Int)] {
        columns.enumerated().filter { $1.part == 0 }.map { ($1, $0) }
    }

    init(
        _ entity: Entity, in version: SchemaVersion, at index: Int, _ keyShapes: [[KeyShape]],
        _ subtypeShapes: [[SubtypeShape]]
    ) {
        self.entity = entity
        let columns = version.columns(of: entity)
        self.columns = columns
        self.parts = columns.compactMap { column in
            column.type.subtype.flatMap { subtypeShapes[$0].last { $0.first <= index } }?.first
        }
        let keyed = [entity.lineage] + columns.compactMap { $0.part == 0 ? $0.role.target : nil }
        self.keys = keyed.map { keyShapes.name($0, at: index) }
        self.first = index
        self.last = index
    }

    /// Whether one struct serves this shape and `other`, that of the next version. Relationships do not matter: they are those of the last version.
    func isSameStruct(as other: EntityShape) -> Bool {
        entity.name == other.entity.name && entity.tableName == other.entity.tableName && columns == other.columns
            && keys == other.keys && parts == other.parts
    }
}
