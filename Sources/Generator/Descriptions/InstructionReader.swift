import JSONText
import SchemaDiff
import SchemaModel

/// Reads the instructions for the step to a version from the history items of this version.
struct InstructionReader {
    private let model: ResolvedModel
    private var decoder: ElementDecoder
    private let index: VersionIndex
    private var instructions = StepInstructions()

    private var sources: SourceMap { model.sources }
    private var version: Version { sources.versions[index] }

    /// Returns the instructions for the step to the version at `index`.
    static func read(_ model: ResolvedModel, at index: VersionIndex, _ decoder: inout ElementDecoder)
        -> StepInstructions
    {
        var reader = InstructionReader(model: model, decoder: decoder, index: index)
        for lineage in model.sources.entityLineages { reader.readEntity(lineage) }
        for lineage in model.sources.subtypeLineages { reader.readSubtype(lineage) }
        decoder = reader.decoder
        return reader.instructions
    }

    // MARK: Entities

    private mutating func readEntity(_ lineage: EntityLineage) {
        guard let properties = sources.entities[lineage].instructed[version] else { return }
        let source = sources[lineage]
        let element = source.description.element
        if element.death == version {
            if element.isDiscarded { instructions.discarded.insert(.init(entity: lineage)) }
            if let json = element.mergedInto { instructions.merged[lineage] = mergeTarget(json, source.file) }
        }
        for item in element.items where item.version == version {
            if item.isCustom { instructions.custom.insert(.init(entity: lineage)) }
            if item.byColumnsOffset != nil { instructions.byColumns.insert(lineage) }
            if item.emptiesRows { instructions.emptied.insert(lineage) }
            if item.isUnchecked { instructions.unchecked.insert(.init(entity: lineage)) }
            if let json = item.fillFrom { instructions.copied[lineage] = copied(json, to: lineage) }
            for json in item.uncheckedProperties {
                let key = "ignore_property_migration_checks_on"
                guard let name = decoder.reader.string(json, key: key, source.file) else { continue }
                // Look up the name in this version or, if this version removes the property, in the previous one.
                let property =
                    sources.property(name, of: lineage, at: index)
                    ?? sources.property(name, of: lineage, at: index.previous)
                    ?? decoder.property(
                        name, of: lineage, called: source.name, at: index, source.file, json.offset, key: nil)
                if let property { instructions.unchecked.insert(.init(entity: lineage, property: property)) }
            }
        }
        if let copied = instructions.copied[lineage] { fillProperties(of: lineage, from: copied) }
        for element in properties {
            let property = source.properties[element]
            let key = StepInstructions.Element(entity: lineage, property: element)
            if property.description.death == version, property.description.isDiscarded {
                instructions.discarded.insert(key)
            }
            for item in property.description.items where item.version == version {
                if item.isCustom { instructions.custom.insert(key) }
                if item.isUnchecked { instructions.unchecked.insert(key) }
                if item.fill != nil || item.fillFrom != nil {
                    instructions.fills[key] = fill(item, of: element, in: lineage)
                }
            }
        }
    }

    /// Returns the entity whose rows a new entity gets.
    private mutating func copied(_ json: JSON, to lineage: EntityLineage) -> EntityLineage? {
        let file = sources[lineage].file
        guard sources[lineage].fields.life.lowerBound == index, index > VersionIndex(0) else {
            let reason = "only an entity that is new after the first version gets the rows of another one"
            decoder.reader.report(.keyDoesNotApply("fill_from", because: reason), file, json.offset)
            return nil
        }
        guard let name = decoder.reader.string(json, key: "fill_from", file) else { return nil }
        return decoder.entity(name, at: index.previous, file, json.offset)
    }

    /// Fills the properties of a new entity from the properties of its source that have the same names.
    private mutating func fillProperties(of lineage: EntityLineage, from source: EntityLineage) {
        for (position, property) in sources[lineage].properties.enumerated()
        where property.fields.exists(at: index) && property.fields[index].field("computed") == nil {
            guard let name = property.fields[index].name,
                let other = sources.property(name, of: source, at: index.previous)
            else { continue }
            instructions.fills[.init(entity: lineage, property: ElementLineage(position))] = .property(other)
        }
    }

    private mutating func mergeTarget(_ json: JSON, _ file: SourceFile) -> EntityLineage? {
        guard let name = decoder.reader.string(json, key: "merged_into", file) else { return nil }
        // Rule 4: look up the name in the previous version or, if the entity is new, in this version.
        if let target = decoder.names.entity(name, at: index.previous), sources[target].fields.exists(at: index) {
            return target
        }
        return decoder.entity(name, at: index, file, json.offset)
    }

    private mutating func fill(
        _ item: HistoryItem, of lineage: ElementLineage, in entity: EntityLineage
    ) -> StepInstructions.Fill? {
        let file = sources[entity].file
        guard let json = item.fill ?? item.fillFrom else { return nil }
        let key = item.fill == nil ? "fill_from" : "fill"
        let timeline = model.entities[entity].properties[lineage]
        guard let now = timeline[index]?.stored else { return nil }
        let isBorn = timeline.life.lowerBound == index
        let was = isBorn ? nil : timeline[index.previous]?.stored
        let copied = instructions.copied[entity]
        let isOld = copied != nil || sources[entity].fields.life.lowerBound < index
        let isStricter = was.map { now.limits.areStricter(than: $0.limits) } ?? false
        guard isOld, isBorn || (was?.isNullable == true && !now.isNullable) || (isStricter && item.fill != nil) else {
            decoder.reader.report(.fillWithoutNeed(key), file, json.offset)
            return nil
        }
        if let copied, item.fillFrom != nil {
            let called = sources[copied].fields[index.previous].name ?? ""
            return decoder.reader.string(json, key: key, file).flatMap { name in
                decoder.property(name, of: copied, called: called, at: index.previous, file, json.offset, key: key)
            }.map { .property($0) }
        }
        guard case .attribute(let type) = now.kind else {
            decoder.reader.report(
                .keyDoesNotApply(key, because: "only a custom migration can fill a relationship; remove it"), file,
                json.offset)
            return nil
        }
        if !isBorn, case .properties(let keys) = model.entities[entity].identifier[index]?.identifier,
            keys.contains(lineage)
        {
            let reason = "the property is part of the primary key, which only a custom migration can change; remove it"
            decoder.reader.report(.keyDoesNotApply(key, because: reason), file, json.offset)
            return nil
        }
        if item.fill != nil {
            let value = decoder.constant(json, key: key, type: type, at: index, file)
            if case .literal(let literal) = value, let limit = now.limits.first(where: { !$0.allows(literal) }) {
                let problem = Problem.valueOutsideLimit(key: key, value: literal.text, limit: limit.description)
                decoder.reader.report(problem, file, json.offset)
            }
            return value.map { .constant($0, type) }
        }
        let called = sources[entity].fields[index.previous].name ?? ""
        return decoder.reader.string(json, key: key, file).flatMap { name in
            decoder.property(name, of: entity, called: called, at: index.previous, file, json.offset, key: key)
        }.map { .property($0) }
    }

    // MARK: Subtypes

    private mutating func readSubtype(_ lineage: SubtypeLineage) {
        let source = sources[lineage]
        for (elementIndex, element) in source.elements.enumerated() where element.description.death == version {
            let key = StepInstructions.SubtypeElement(subtype: lineage, element: ElementLineage(elementIndex))
            if element.description.isDiscarded { instructions.discardedElements.insert(key) }
            guard let json = element.description.replacedBy,
                let name = decoder.reader.string(json, key: "replaced_by", source.file)
            else { continue }
            // Rule 4: look up the name in the previous version or, if the replacement is new, in this version.
            instructions.replacements[key] =
                sources.element(name, of: lineage, at: index.previous, alive: index)
                ?? decoder.element(name, of: lineage, at: index, source.file, json.offset)
        }
    }
}
