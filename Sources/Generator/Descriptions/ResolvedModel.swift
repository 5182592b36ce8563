import SchemaModel
import SQLSchema

/// The primary key of an entity in one epoch.
struct ResolvedIdentifier: Sendable {
    var identifier: Identifier
    /// The entities whose primary keys may be used to create this primary key.
    var sources: [EntityLineage] = []
}

/// A property of an entity in one epoch.
enum ResolvedProperty: Sendable {
    case stored(Property)
    case computed(ComputedProperty)

    var stored: Property? {
        if case .stored(let property) = self { property } else { nil }
    }

    var computed: ComputedProperty? {
        if case .computed(let property) = self { property } else { nil }
    }
}

/// An entity with its elements in all versions.
struct ResolvedEntity: Sendable {
    let identifier: Timeline<ResolvedIdentifier?>
    /// The properties, by lineage.
    let properties: [Timeline<ResolvedProperty?>]
    /// The indexes, by lineage.
    let indexes: [Timeline<EntityIndex>]
    /// The checks, by lineage.
    let checks: [Timeline<EntityCheck?>]
    let search: Timeline<TextSearch<ElementLineage>?>
    let distribution: Timeline<Distribution?>
}

/// An element of a subtype in one epoch.
enum SubtypeElement: Sendable {
    case choice(Subtype.Case)
    case option(Subtype.Option)
    case member(Property)

    var choice: Subtype.Case? {
        if case .choice(let choice) = self { choice } else { nil }
    }

    var option: Subtype.Option? {
        if case .option(let option) = self { option } else { nil }
    }

    var member: Property? {
        if case .member(let member) = self { member } else { nil }
    }
}

/// The elements of a subtype in all versions, by lineage.
typealias ResolvedSubtype = [Timeline<SubtypeElement?>]

/// The entities and subtypes of a model in all versions. Names are replaced by lineages.
struct ResolvedModel: Sendable {
    let sources: SourceMap
    /// The entities, by lineage.
    let entities: [ResolvedEntity]
    /// The subtypes, by lineage.
    let subtypes: [ResolvedSubtype]

    /// Returns all versions, oldest first.
    func modelVersions() -> [ModelVersion] {
        let entities = sources.entityLineages.concurrentMap { lineage in
            var states: [Entity?] = []
            for index in sources.versions.indices {
                states.append(entity(lineage, at: index, after: states.last ?? nil))
            }
            return states
        }
        var result: [ModelVersion] = []
        for index in sources.versions.indices {
            let entities = entities.compactMap { $0[index.value] }
            let subtypes = sources.subtypeLineages.compactMap { subtype($0, at: index) }
            result.append(
                ModelVersion(
                    version: sources.versions[index], entities: entities, subtypes: subtypes, after: result.last))
        }
        return result
    }

    /// Returns the entity in the version at `index`; nil if the version does not have it.
    private func entity(
        _ lineage: EntityLineage, at index: VersionIndex, after previous: Entity?
    ) -> Entity? {
        let source = sources[lineage]
        guard source.fields.exists(at: index) else { return nil }
        if !source.changes.contains(index), let previous { return previous }
        let (fields, resolved) = (source.fields[index], entities[lineage])
        guard let name = fields.name, let key = resolved.identifier[index] else { return nil }
        let properties = resolved.properties.living(at: index).compactMap { $0[index] }
        return Entity(
            lineage: lineage, name: name, persistedName: fields["persisted_name"]?.json.text,
            documentation: source.description.element.documentation, identifier: key.identifier,
            keySources: key.sources,
            properties: properties.compactMap(\.stored), computed: properties.compactMap(\.computed),
            indexes: resolved.indexes.filter { $0.exists(at: index) }.map { $0[index] },
            checks: resolved.checks.filter { $0.exists(at: index) }.compactMap { $0[index] },
            search: resolved.search[index], distribution: resolved.distribution[index])
    }

    /// Returns the subtype in the version at `index`; nil if the version does not have it.
    private func subtype(_ lineage: SubtypeLineage, at index: VersionIndex) -> Subtype? {
        let source = sources[lineage]
        guard source.fields.exists(at: index) else { return nil }
        let elements = subtypes[lineage].living(at: index).compactMap { $0[index] }
        let kind: Subtype.Kind =
            switch source.description.kind {
            case .cases: .cases(elements.compactMap(\.choice))
            case .options: .options(elements.compactMap(\.option))
            case .members: .members(elements.compactMap(\.member))
            }
        return Subtype(
            lineage: lineage, name: sources.name(of: lineage, at: index),
            documentation: source.description.element.documentation, kind: kind)
    }

    /// Returns warnings about subtypes that no property uses. They may have been meant as entities.
    func unusedSubtypes() -> [Diagnostic] {
        if subtypes.isEmpty { return [] }
        let members = subtypes.flatMap { $0.flatMap { $0.epochs.compactMap { $0.value?.member } } }
        let properties = entities.flatMap { $0.properties.flatMap { $0.epochs.compactMap { $0.value?.stored } } }
        let used = Set((properties + members).compactMap { $0.type?.subtype })
        return sources.subtypeLineages.filter { !used.contains($0) }.map { lineage in
            let source = sources[lineage]
            return Diagnostic(
                .unusedSubtype(source.name), path: source.file.path,
                position: source.file.position(of: source.description.element.offset), severity: .warning)
        }
    }
}

extension Array {
    /// Returns the timelines of the elements that the version at `index` has, in the order of the versions that added
    /// them.
    fileprivate func living<Value>(at index: VersionIndex) -> [Element] where Element == Timeline<Value> {
        let living = enumerated().filter { $0.element.exists(at: index) }
        return living.sorted { left, right in
            let births = (left.element.life.lowerBound, right.element.life.lowerBound)
            return births.0 == births.1 ? left.offset < right.offset : births.0 < births.1
        }.map(\.element)
    }
}
