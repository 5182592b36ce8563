import SchemaDiff
import SchemaModel
import SQLSchema

/// The names of generated types, and the versions that declare them.
struct SwiftNames {
    let history: SchemaHistory
    let steps: [SchemaStep]
    private let indexes: [Version: Int]
    /// The steps to each version.
    private let stepsByTarget: [[SchemaStep]]
    /// The indexes of the versions whose structs are generated.
    private let emitted: Set<Int>
    /// The structs of each entity, by lineage. The oldest struct comes first.
    let shapes: [[EntityShape]]
    /// The types of each subtype, by lineage. The oldest type comes first.
    let subtypeShapes: [[SubtypeShape]]
    /// The primary key types of each entity, by lineage. The oldest type comes first.
    let keyShapes: [[KeyShape]]
    /// Whether an entity hides the alias `Context` of custom migrations.
    let hidesContext: Bool
    /// The names that types of the model hide, so that others with these names need their modules.
    private let hidden: Set<String>
    /// Whether all types of other modules are written with their modules.
    private let areQualified: Bool

    init(_ history: SchemaHistory, _ structs: GenerationOptions.Structs, areQualified: Bool) {
        self.areQualified = areQualified
        self.history = history
        self.steps = history.steps
        let indexes = Dictionary(
            history.versions.enumerated().map { ($1.version, $0) }, uniquingKeysWith: { first, _ in first })
        self.indexes = indexes
        var stepsByTarget = [[SchemaStep]](repeating: [], count: history.versions.count)
        for step in steps { stepsByTarget[indexes[step.to.version] ?? 0].append(step) }
        self.stepsByTarget = stepsByTarget
        // A custom migration may read all entities of the version before and write all of the version after.
        let ends = steps.filter(\.isCustom).flatMap { [$0.from, $0.to] } + [history.newest]
        let emitted = structs == .all ? Set(history.versions.indices) : Set(ends.compactMap { indexes[$0.version] })
        self.emitted = emitted
        let entities = Set(history.versions.lazy.flatMap(\.entities).map(\.name)).map(SwiftName.type)
        self.hidesContext = entities.contains("Context")
        let subtypes = Set(history.versions.lazy.flatMap(\.subtypes).map(\.name)).map(SwiftName.type)
        self.hidden = Set(entities + subtypes + entities.flatMap { [$0 + "ID", $0 + "Key"] } + [history.name])
        // Compute the structs of all versions first, and filter them later. Then the version that declares a struct
        // does not depend on which versions are generated, and names stay the same when a version is added.
        let subtypeShapes = SubtypeShape.all(in: history)
        let keyShapes = KeyShape.all(in: history)
        let shapes = history.entityLineages.concurrentMap { lineage in
            var shapes: [EntityShape] = []
            for (index, version) in history.versions.enumerated() {
                guard let entity = version.entity(lineage) else { continue }
                let shape = EntityShape(entity, in: version, at: index, keyShapes, subtypeShapes)
                if shapes.last?.isSameStruct(as: shape) == true {
                    shapes[shapes.count - 1].last = index
                } else {
                    shapes.append(shape)
                }
            }
            return shapes
        }
        func isEmitted(_ shape: some VersionRange) -> Bool { shape.versions.contains(where: emitted.contains) }
        self.subtypeShapes = subtypeShapes.map { $0.filter(isEmitted) }
        self.keyShapes = keyShapes.map { $0.filter(isEmitted) }
        self.shapes = shapes.map { $0.filter(isEmitted) }
    }

    /// Returns the name of a type of another module, such as `Swift.String`: without the module, unless the name would then
    /// be that of another type.
    func external(_ name: String) -> String {
        let plain = name.drop { $0 != "." }.dropFirst()
        return areQualified || hidden.contains(String(plain)) ? name : String(plain)
    }

    /// The module `Swift` with a dot, for its protocols; empty if these need no module.
    var swift: String { module("Swift", of: ["String", "Identifiable", "Codable", "Sendable", "Int"]) }

    /// The module `Strata` with a dot, for its protocols; empty if these need no module.
    var strata: String {
        module(
            "Strata",
            of: [
                "StoredEntity", "SearchableEntity", "StoredEnum", "StoredOptions", "StoredStruct", "CustomMigration",
                "Outcome", "UnwrittenMigration", "MigrationContext",
            ])
    }

    /// The module `Foundation` with a dot, for its types in literals; empty if these need no module.
    var foundation: String { module("Foundation", of: ["Date", "URL", "Decimal", "UUID", "Data"]) }

    private func module(_ module: String, of names: Set<String>) -> String {
        areQualified || !hidden.isDisjoint(with: names) ? module + "." : ""
    }

    /// Returns the struct of an entity in the version at `index`; nil if none is generated.
    func shape(of lineage: EntityLineage, at index: Int) -> EntityShape? {
        shapes[lineage].element(at: index)
    }

    /// Returns the type of a subtype in the version at `index`; nil if none is generated.
    func subtypeShape(of lineage: SubtypeLineage, at index: Int) -> SubtypeShape? {
        subtypeShapes[lineage].element(at: index)
    }

    /// Returns the steps to versions, oldest first.
    func steps(to versions: ClosedRange<Int>) -> some Sequence<SchemaStep> { stepsByTarget[versions].joined() }

    /// Returns whether the structs of the version at `index` are generated.
    func isEmitted(_ index: Int) -> Bool { emitted.contains(index) }

    /// Returns the index of the last version in `range` whose structs are generated.
    func lastEmitted(in range: ClosedRange<Int>) -> Int { range.last(where: emitted.contains) ?? range.upperBound }

    /// Returns the name of an entity's struct in the version at `index`, with the namespace of the version that
    /// declares the struct: `LaundrySchema.V1_0.Laundry`.
    func declaredType(_ lineage: EntityLineage, at index: Int) -> String {
        let first = shape(of: lineage, at: index)?.first ?? index
        return type(lineage, in: history.versions[first])
    }

    /// Returns the name of a version's namespace: `V1_0`.
    func namespace(_ index: Int) -> String { "V" + history.versions[index].version.identifier }

    /// Returns the index of a version in the history.
    func index(of version: ModelVersion) -> Int { indexes[version.version] ?? 0 }

    /// Returns the name of a version's namespace: `V1_0`.
    func namespace(_ version: ModelVersion) -> String { "V" + version.version.identifier }

    /// Returns the name of an entity's struct in the namespace of `version`: `LaundrySchema.V1_0.Laundry`.
    func type(_ lineage: EntityLineage, in version: ModelVersion) -> String {
        let name = version.entity(lineage).map { SwiftName.type($0.name) } ?? ""
        return "\(history.name).\(namespace(version)).\(SwiftName.escaped(name))"
    }

    /// Returns the name of the type of an entity's primary key: `LaundrySchema.LaundryID`.
    func id(_ lineage: EntityLineage, in version: ModelVersion) -> String {
        "\(history.name).\(keyShapes.name(lineage, at: index(of: version)))"
    }

    /// Returns the shape of an entity's primary key.
    func keyShape(_ lineage: EntityLineage, in version: ModelVersion) -> KeyShape? {
        keyShapes[lineage].element(at: index(of: version))
    }

    /// Returns the name of a step's custom migration: `Migration_1_0_to_2_0`.
    func migration(_ step: SchemaStep) -> String {
        "Migration_\(step.from.version.identifier)_to_\(step.to.version.identifier)"
    }

    /// Returns the name of a column's Swift property.
    func member(_ column: StoredColumn) -> String { SwiftName.escaped(column.member) }

    /// Returns the argument label for a column's Swift property.
    func label(_ column: StoredColumn) -> String { SwiftName.label(column.member) }

    /// Returns the declaration and the name of a property's parameter. A parameter cannot have the name `self`, because
    /// the function's body needs `self`.
    func parameter(_ name: String) -> (declared: String, name: String) {
        return name == "self" ? ("self self_", "self_") : (SwiftName.escaped(name), SwiftName.escaped(name))
    }

    /// Returns the type of a column's Swift property.
    func type(of column: StoredColumn, lineage: EntityLineage, in version: ModelVersion) -> String {
        wrappedType(of: column, lineage: lineage, in: version) + (column.isNullable ? "?" : "")
    }

    /// Returns the type of a column's Swift property, without the `?` of an optional.
    func wrappedType(of column: StoredColumn, lineage: EntityLineage, in version: ModelVersion) -> String {
        switch column.role {
        case .identifier: id(lineage, in: version)
        case .reference(let target): id(target, in: version)
        case .attribute, .position: type(column.type, in: version)
        }
    }

    /// Returns the Swift type of a value.
    func type(_ type: ValueType, in version: ModelVersion) -> String { self.type(type, at: index(of: version)) }

    /// Returns the Swift type of a value in the version at `index`. A subtype has the namespace of the version that
    /// declares it.
    func type(_ type: ValueType, at index: Int) -> String {
        switch type {
        case .scalar(let scalar): return external(scalar.facts.swift)
        case .array(let element): return "[" + self.type(element, at: index) + "]"
        case .dictionary(let key, let value):
            return "[\(external(key.facts.swift)): \(self.type(value, at: index))]"
        case .subtype(let lineage):
            let name = history.versions[index].subtype(lineage).map { SwiftName.type($0.name) } ?? ""
            let first = subtypeShape(of: lineage, at: index)?.first ?? index
            return "\(history.name).\(namespace(first)).\(SwiftName.escaped(name))"
        }
    }

    /// Returns the path from a column's Swift property to a value of SQLite's types, and the label of the initializer of
    /// `Strata.SQLiteValue`, if it has one.
    func storedValue(of column: StoredColumn, in version: ModelVersion) -> (path: String, label: String?) {
        switch column.role {
        case .identifier: return (".rawValue", nil)
        case .reference(let target):
            let paths = keyPaths(target, in: version)
            let path = paths.indices.contains(column.part) ? paths[column.part] : ""
            return ((column.isNullable ? "?" : "") + path, nil)
        case .attribute, .position:
            guard let facts = column.type.scalar?.facts else { return ("", "value") }
            return ("", facts.valueLabel)
        }
    }

    /// Returns the Swift source that follows a primary key to access its values, one for each column: `.rawValue`.
    private func keyPaths(_ lineage: EntityLineage, in version: ModelVersion) -> [String] {
        guard let shape = keyShape(lineage, in: version) else { return [] }
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
