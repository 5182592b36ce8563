import JSONText
import SchemaDiff
import SchemaModel

/// Reads the instructions for the step to a version from the history items of this version.
extension Resolver {
    mutating func instructions(at index: Int) -> StepInstructions {
        var instructions = StepInstructions()
        for (lineage, description) in descriptions.enumerated() {
            let element = description.element
            if element.death == versions[index], element.isDiscarded {
                instructions.discarded.insert(.init(entity: lineage))
            }
            if element.death == versions[index], let json = element.mergedInto {
                instructions.merged[lineage] = mergeTarget(json, at: index, description)
            }
            for item in element.items where item.version == versions[index] {
                if item.isCustom { instructions.custom.insert(.init(entity: lineage)) }
                if item.byColumnsOffset != nil { instructions.byColumns.insert(lineage) }
                if item.emptiesRows { instructions.emptied.insert(lineage) }
                if item.isUnchecked { instructions.unchecked.insert(.init(entity: lineage)) }
                for json in item.uncheckedProperties {
                    guard let name = string(json, key: "ignore_property_migration_checks_on", description) else {
                        continue
                    }
                    if let place = property(name, of: lineage, at: index) ?? property(name, of: lineage, at: index - 1)
                    {
                        instructions.unchecked.insert(.init(entity: lineage, property: place))
                    } else {
                        report(
                            .unknownProperty(
                                name, of: description.name,
                                version: versions[index].text,
                                nearest: propertyNames(of: lineage, at: index).nearest(to: name)),
                            description, json.offset)
                    }
                }
            }
            for (place, property) in description.properties.enumerated() {
                let key = StepInstructions.Element(entity: lineage, property: place)
                if property.death == versions[index], property.isDiscarded { instructions.discarded.insert(key) }
                for item in property.items where item.version == versions[index] {
                    if item.isCustom { instructions.custom.insert(key) }
                    if item.isUnchecked { instructions.unchecked.insert(key) }
                    instructions.fills[key] = fill(item, lineage, place, at: index)
                }
            }
        }
        for (lineage, description) in subtypeDescriptions.enumerated() {
            for (place, element) in description.elements.enumerated() where element.death == versions[index] {
                let key = StepInstructions.SubtypeElement(subtype: lineage, element: place)
                if element.isDiscarded { instructions.discardedElements.insert(key) }
                guard let json = element.replacedBy, let name = string(json, key: "replaced_by", description) else {
                    continue
                }
                // Rule 4: the name is the one in the last version that has the element. If that version does not know
                // the name, the replacement may be new in this version.
                instructions.replacements[key] =
                    knownElement(name, of: lineage, at: index - 1, alive: index)
                    ?? self.element(name, of: lineage, at: index, description, json.offset)
            }
        }
        return instructions
    }

    private mutating func mergeTarget(_ json: JSON, at index: Int, _ description: EntityDescription) -> Int? {
        guard let name = string(json, key: "merged_into", description) else { return nil }
        // Rule 4: the name is the one in the last version that has the entity, or else the one in this version.
        if index > 0, let target = entityNames[index - 1][name], entities[target].life.contains(index) { return target }
        if let target = entityNames[index][name] { return target }
        let nearest = entityNames[index].keys.sorted().nearest(to: name)
        report(.unknownEntity(name, version: versions[index].text, nearest: nearest), description, json.offset)
        return nil
    }

    mutating func fill(_ item: HistoryItem, _ entity: Int, _ place: Int, at index: Int) -> StepInstructions.Fill? {
        let description = descriptions[entity]
        guard let json = item.fill ?? item.fillFrom else { return nil }
        let key = item.fill == nil ? "fill_from" : "fill"
        guard let now = state(entity, place, at: index) else { return nil }
        let timeline = properties[entity][place]
        let isBorn = timeline.life.lowerBound == index
        let was = isBorn ? nil : state(entity, place, at: index - 1)
        guard isBorn || (was?.isNullable == true && !now.isNullable), entities[entity].life.lowerBound < index else {
            report(.fillWithoutNeed(key), description, json.offset)
            return nil
        }
        guard case .attribute(let type) = now.kind else {
            report(
                .keyDoesNotApply(key, because: "a relationship is filled by a custom migration"), description,
                json.offset)
            return nil
        }
        guard item.fill == nil else {
            return constant(json, key: key, type: type, at: index, description).map { .constant($0, type) }
        }
        guard let name = string(json, key: key, description) else { return nil }
        guard let source = property(name, of: entity, at: index - 1) else {
            let entityName = text(entities[entity].epochs[entities[entity].epoch(at: index - 1)].fields["name"]?.json)
            report(
                .unknownProperty(
                    name, of: entityName ?? "", version: versions[index - 1].text,
                    nearest: propertyNames(of: entity, at: index - 1).nearest(to: name)),
                description, json.offset)
            return nil
        }
        return .property(source)
    }
}
