import JSONText
import SchemaModel

/// An element of a description, with its fields in all versions.
struct ElementSource: Sendable {
    let description: ElementDescription
    let fields: Timeline<Fields>
}

/// An entity's description, with the fields of its elements in all versions.
struct EntitySource: Sendable {
    let description: EntityDescription
    let fields: Timeline<Fields>
    /// The properties, by lineage.
    let properties: [ElementSource]
    /// The indexes, by lineage.
    let indexes: [ElementSource]
    /// The checks, by lineage.
    let checks: [ElementSource]
    /// The properties that the step to a version has instructions for, or that it removes. A version is missing if its
    /// step has no instructions for the entity either.
    let instructed: [Version: [ElementLineage]]
    /// The versions in which the entity or one of its elements may differ from the version before.
    let changes: Set<VersionIndex>

    var file: SourceFile { description.file }
    var name: String { description.name }
}

/// A subtype's description, with the fields of its elements in all versions.
struct SubtypeSource: Sendable {
    let description: SubtypeDescription
    let fields: Timeline<Fields>
    /// The cases, options or members, by lineage.
    let elements: [ElementSource]

    var file: SourceFile { description.file }
    var name: String { description.name }
}

/// The sources of all elements of a model. It finds elements by name and version, and the positions of their fields.
struct SourceMap: Sendable {
    let versions: VersionList
    /// The entities, by lineage.
    let entities: [EntitySource]
    /// The subtypes, by lineage.
    let subtypes: [SubtypeSource]

    init(_ entities: [EntityDescription], _ subtypes: [SubtypeDescription], _ versions: VersionList) {
        self.versions = versions
        self.entities = entities.concurrentMap { description in
            let file = description.file
            let fields = Timeline(description.element, in: file, versions, limits: versions.indices)
            func source(_ element: ElementDescription) -> ElementSource {
                ElementSource(
                    description: element, fields: Timeline(element, in: file, versions, limits: fields.life))
            }
            let properties = description.properties.map(source)
            let indexes = description.indexes.map(source)
            let checks = description.checks.map(source)
            var instructed: [Version: [ElementLineage]] = [:]
            for version in Self.instructed(description.element) { instructed[version] = [] }
            var changes: Set<VersionIndex> = []
            for (propertyIndex, property) in description.properties.enumerated() {
                for version in Self.instructed(property) {
                    instructed[version, default: []].append(ElementLineage(propertyIndex))
                }
            }
            for timeline in [fields] + (properties + indexes + checks).map(\.fields) {
                changes.insert(timeline.life.upperBound)
                for epoch in timeline.epochs { changes.insert(epoch.start) }
            }
            return EntitySource(
                description: description, fields: fields, properties: properties, indexes: indexes, checks: checks,
                instructed: instructed, changes: changes)
        }
        self.subtypes = subtypes.map { description in
            let file = description.file
            let fields = Timeline(description.element, in: file, versions, limits: versions.indices)
            return SubtypeSource(
                description: description, fields: fields,
                elements: description.elements.map { element in
                    ElementSource(
                        description: element, fields: Timeline(element, in: file, versions, limits: fields.life))
                })
        }
    }

    /// The versions for whose steps an element may have instructions.
    private static func instructed(_ element: ElementDescription) -> Set<Version> {
        Set(element.items.map(\.version) + [element.death].compactMap(\.self))
    }

    subscript(entity: EntityLineage) -> EntitySource { entities[entity] }
    subscript(subtype: SubtypeLineage) -> SubtypeSource { subtypes[subtype] }
    var entityLineages: [EntityLineage] { entities.indices.map { EntityLineage($0) } }
    var subtypeLineages: [SubtypeLineage] { subtypes.indices.map { SubtypeLineage($0) } }

    // MARK: Names

    /// Returns the property of `entity` that has the name `name` in the version at `index`.
    func property(_ name: String, of entity: EntityLineage, at index: VersionIndex) -> ElementLineage? {
        self[entity].properties.firstIndex { $0.fields.exists(at: index) && $0.fields[index].name == name }
            .map { ElementLineage($0) }
    }

    func propertyNames(of entity: EntityLineage, at index: VersionIndex, stored: Bool = false) -> [String] {
        self[entity].properties.filter {
            $0.fields.exists(at: index) && !(stored && $0.fields[index].field("computed") != nil)
        }.compactMap { $0.fields[index].name }
    }

    /// Returns the element of `subtype` that has the name `name` in the version at `index`, if the version at `alive`
    /// has it.
    func element(
        _ name: String, of subtype: SubtypeLineage, at index: VersionIndex, alive: VersionIndex
    ) -> ElementLineage? {
        self[subtype].elements.firstIndex { element in
            element.fields.exists(at: index) && element.fields[index].name == name && element.fields.exists(at: alive)
        }.map { ElementLineage($0) }
    }

    func elementNames(of subtype: SubtypeLineage, at index: VersionIndex) -> [String] {
        self[subtype].elements.filter { $0.fields.exists(at: index) }.compactMap { $0.fields[index].name }
    }

    /// Returns the name that an element, which a later version calls `name`, has in the version at `index`; nil if there is no
    /// such element.
    func formerName(_ name: String, of subtype: SubtypeLineage, at index: VersionIndex) -> String? {
        let element = versions.indices[index...].dropFirst().lazy.compactMap {
            self.element(name, of: subtype, at: $0, alive: index)
        }.first
        return element.flatMap { self[subtype].elements[$0].fields[index].name }
    }

    /// Returns the name of `subtype` in the version at `index`.
    func name(of subtype: SubtypeLineage, at index: VersionIndex) -> String { self[subtype].fields[index].name ?? "" }

    /// Returns the name of a property in the last version that has it.
    func name(of property: ElementLineage, in entity: EntityLineage) -> String {
        self[entity].properties[property].description.present["name"]?.text ?? ""
    }

    /// Returns the string in a property's field in the version at `index`; empty if there is none.
    func text(
        _ key: String, of property: ElementLineage, in entity: EntityLineage, at index: VersionIndex
    ) -> String {
        self[entity].properties[property].fields[index][key]?.json.text ?? ""
    }

    // MARK: Positions

    /// Creates an error at the position of a field of an entity or property.
    ///
    /// - Parameters:
    ///   - problem: The problem.
    ///   - entity: The entity.
    ///   - property: The property; nil for the entity itself.
    ///   - key: The key of the field.
    ///   - index: The version whose value of the field is wrong.
    func diagnostic(
        _ problem: Problem, entity: EntityLineage, property: ElementLineage? = nil, key: String = "name",
        at index: VersionIndex
    ) -> Diagnostic {
        let source = self[entity]
        let fields = (property.map { source.properties[$0].fields } ?? source.fields)[index]
        return fields.diagnostic(problem, key: key)
    }

    /// Creates an error at the position of an index of an entity.
    func diagnostic(_ problem: Problem, entity: EntityLineage, index: ElementLineage) -> Diagnostic {
        let source = self[entity]
        return source.file.diagnostic(problem, at: source.indexes[index].description.offset)
    }

    /// Creates an error at the position of a check of an entity.
    func diagnostic(_ problem: Problem, entity: EntityLineage, check: ElementLineage) -> Diagnostic {
        let source = self[entity]
        return source.file.diagnostic(problem, at: source.checks[check].description.offset)
    }

    /// Creates an error at the position of a field of a subtype or of an element of one.
    ///
    /// - Parameters:
    ///   - problem: The problem.
    ///   - subtype: The subtype.
    ///   - element: The element; nil for the subtype itself.
    ///   - key: The key of the field.
    ///   - index: The version whose value of the field is wrong.
    func diagnostic(
        _ problem: Problem, subtype: SubtypeLineage, element: ElementLineage? = nil, key: String = "name",
        at index: VersionIndex
    ) -> Diagnostic {
        let source = self[subtype]
        let fields = (element.map { source.elements[$0].fields } ?? source.fields)[index]
        return fields.diagnostic(problem, key: key)
    }
}

extension Fields {
    /// Creates an error at the position of a field, or of the element if it does not have the field.
    func diagnostic(_ problem: Problem, key: String) -> Diagnostic {
        file.diagnostic(problem, at: self[key]?.json.offset ?? offset)
    }
}
