import DescriptionEditing
import Descriptions
import JSONText
import SchemaModel
import SQLSchema

/// The description of an entity or of a subtype, ready to be written.
struct DescriptionText {
    /// The name of the file, without `.json`.
    var fileName: String
    var element: ElementText
    /// The properties, the indexes or the cases, by their key in the description.
    var parts: [(key: String, elements: [ElementText])]

    /// Returns the complete description as JSON.
    func object(_ versions: [Version]) -> JSONOutput {
        var members = element.members(versions)
        for part in parts where !part.elements.isEmpty {
            members.append(.init(part.key, .array(part.elements.map { .object($0.members(versions)) })))
        }
        return Formatting.canonical(.object(members))
    }
}

extension ImportedHistory {
    /// Returns the descriptions of all elements that exist in the version at position `start` or later, as if the
    /// history began there.
    func descriptions(from start: Int = 0) -> [DescriptionText] {
        entities.filter { ($0.life.death ?? .max) > start }.map { description(of: $0, from: start) }
            + kinds.filter { ($0.life.death ?? .max) > start }.map { description(of: $0, from: start) }
    }

    /// Returns the positions of the states in which an element exists, from the version `start` on.
    ///
    /// - Parameters:
    ///   - life: The lifetime of the element.
    ///   - states: The number of states.
    ///   - birth: The version of the first state.
    ///   - start: The first version to include.
    private func livedStates(_ life: Life, in states: Int, from birth: Int, start: Int) -> Range<Int>? {
        let lower = max(life.birth, start) - birth
        let upper = life.death.map { $0 - birth } ?? states
        return lower < upper ? lower..<upper : nil
    }

    private func description(of entity: EntityHistory, from start: Int) -> DescriptionText {
        let birth = entity.life.birth
        func text<State: Equatable>(
            _ life: Life, _ state: (Entity) -> State?, _ fields: (State, Int) -> [ElementText.Field]
        ) -> ElementText? {
            guard let lived = livedStates(life, in: entity.states.count, from: birth, start: start) else { return nil }
            var life = life
            life.birth = birth + lived.lowerBound
            let written = written(lived.map { state(entity.states[$0]) }) { offset, state in
                state.map { fields($0, life.birth + offset) } ?? []
            }
            return ElementText(life: life, start: max(birth, start), states: written)
        }
        var element = text(entity.life, { $0 }, { fields(of: $0, at: $1) })
        element?.start = start
        if let copied = entity.copied { element?.fills = [birth: .init("fill_from", .string(copied))] }
        element?.customs = entity.customs.filter { $0 > start }
        let properties = entity.properties.indices.map { ElementLineage($0) }.compactMap { lineage in
            var element =
                entity.states.contains { $0.computedProperty(lineage) != nil }
                ? text(entity.properties[lineage], { ComputedState(lineage, in: $0) }, { state, _ in state.fields })
                : text(entity.properties[lineage], { $0.property(lineage) }, { fields(of: $0, at: $1) })
            element?.lineage = lineage
            element?.fills = entity.fills[lineage] ?? [:]
            element?.isCopied = entity.copied != nil && birth > start
            let last = entity.states.last { $0.property(lineage) != nil }
            element?.documentation = last?.property(lineage)?.documentation
            return element
        }
        let indexes = entity.indexes.indices.map { ElementLineage($0) }.compactMap { lineage in
            var element = text(
                entity.indexes[lineage],
                { state in
                    state.indexes.first { $0.lineage == lineage }.map { index in
                        IndexState(
                            names: index.shape.mapColumns { state.name(of: $0).map { [$0] } ?? [] }, shape: index.shape)
                    }
                }, { index, _ in index.fields })
            element?.lineage = lineage
            return element
        }
        let checks = entity.checks.indices.map { ElementLineage($0) }.compactMap { lineage in
            var element = text(
                entity.checks[lineage],
                { state in
                    state.checks.first { $0.lineage == lineage }.map { check in
                        CheckState(
                            check: check, text: check.condition.mapColumns { state.property($0)?.name ?? "" }.text)
                    }
                }, { check, _ in check.fields })
            element?.lineage = lineage
            return element
        }
        return DescriptionText(
            fileName: entity.fileName, element: element ?? ElementText(life: entity.life, start: start, states: []),
            parts: [("properties", properties), ("indexes", indexes), ("checks", checks)])
    }

    /// A computed property, with its value as text.
    private struct ComputedState: Equatable {
        var property: ComputedProperty
        var text: String

        init?(_ lineage: ElementLineage, in entity: Entity) {
            guard let property = entity.computedProperty(lineage) else { return nil }
            self.property = property
            text = property.value.mapColumns { entity.property($0)?.name ?? "" }.text
        }

        var fields: [ElementText.Field] {
            var fields = [ElementText.Field(key: "name", value: .string(property.name))]
            if let name = property.persistedName { fields.append(.init(key: "persisted_name", value: .string(name))) }
            fields.append(.init(key: "property_type", value: .string(property.type.rawValue)))
            fields.append(
                .init(key: "computed", value: .string(text), identity: .index(IndexShape([], where: property.value))))
            if property.isIndexed { fields.append(.init(key: "indexed", value: .bool(true))) }
            return fields
        }
    }

    /// A check, with its condition as text.
    private struct CheckState: Equatable {
        var check: EntityCheck
        var text: String

        var fields: [ElementText.Field] {
            [
                .init(key: "name", value: .string(check.name)),
                .init(
                    key: "where", value: .string(text), identity: .index(IndexShape([], where: check.condition))),
            ]
        }
    }

    /// An index, with the names of its properties.
    private struct IndexState: Equatable {
        var names: IndexShape<String>
        var shape: IndexShape<ElementLineage>

        var fields: [ElementText.Field] {
            let texts = names.columns.map { IndexedName.text($0, isDescending: names.descending.contains($0)) }
            var fields = [
                ElementText.Field(
                    key: "properties", value: .array(texts.map(JSONOutput.string)), identity: .index(shape))
            ]
            if shape.isUnique { fields.append(.init(key: "unique", value: .bool(true))) }
            if let condition = names.condition {
                fields.append(.init(key: "where", value: .string(condition.text), identity: .index(shape)))
            }
            return fields
        }
    }

    private func description(of kind: KindHistory, from start: Int) -> DescriptionText {
        let birth = kind.life.birth
        let name = ElementText.Field(key: "name", value: .string(kind.states.first?.name ?? ""))
        let cases = kind.cases.indices.map { ElementLineage($0) }.compactMap { lineage -> ElementText? in
            var life = kind.cases[lineage]
            guard let lived = livedStates(life, in: kind.states.count, from: birth, start: start) else { return nil }
            life.birth = birth + lived.lowerBound
            let states = lived.map { index in kind.states[index].cases.first { $0.lineage == lineage }?.name ?? "" }
            let fields = written(states) { _, name in [ElementText.Field(key: "name", value: .string(name))] }
            var element = ElementText(life: life, start: max(birth, start), states: fields)
            element.lineage = lineage
            return element
        }
        // Removing the table deletes the data of its rows, so the subtype does not discard it again.
        var life = kind.life
        life.isDiscarded = false
        life.birth = max(birth, start)
        return DescriptionText(
            fileName: kind.fileName, element: ElementText(life: life, start: start, states: [[name]]),
            parts: [("cases", cases)])
    }

    /// Returns the fields of each state; nil if the state equals both the one before it and the one after it.
    ///
    /// The last state before a change is always included, because former values contain the names just before the
    /// change.
    private func written<State: Equatable>(
        _ states: [State], _ fields: (Int, State) -> [ElementText.Field]
    ) -> [[ElementText.Field]?] {
        states.indices.map { index in
            index > 0 && index < states.count - 1 && states[index] == states[index - 1]
                && states[index] == states[index + 1] ? nil : fields(index, states[index])
        }
    }

    // MARK: Fields

    private func entity(_ lineage: EntityLineage, at index: Int) -> Entity? {
        let history = entities[lineage]
        let offset = index - history.life.birth
        return history.states.indices.contains(offset) ? history.states[offset] : nil
    }

    private func fields(of entity: Entity, at index: Int) -> [ElementText.Field] {
        var fields = [ElementText.Field(key: "name", value: .string(entity.name))]
        if let name = entity.persistedName { fields.append(.init(key: "persisted_name", value: .string(name))) }
        switch entity.identifier {
        case .column(let name, let kind):
            var members = [JSONOutput.Member("type", .string(kind.rawValue))]
            if name != "id" { members.append(.init("name", .string(name))) }
            fields.append(.init(key: "identifier", value: .object(members)))
        case .properties(let lineages):
            let names = lineages.compactMap { entity.property($0)?.name }.map(JSONOutput.string)
            let isOne = names.count == 1
            let value: [JSONOutput.Member] = [
                .init("type", .string(isOne ? "property" : "properties")),
                isOne ? .init("property", names[0]) : .init("properties", .array(names)),
            ]
            fields.append(.init(key: "identifier", value: .object(value), identity: .properties(lineages)))
        }
        return fields
    }

    private func fields(of property: Property, at index: Int) -> [ElementText.Field] {
        var fields = [ElementText.Field(key: "name", value: .string(property.name))]
        func flag(_ key: String, _ value: Bool) {
            if value { fields.append(.init(key: key, value: .bool(true))) }
        }
        if let name = property.persistedName { fields.append(.init(key: "persisted_name", value: .string(name))) }
        if !property.persistedColumns.isEmpty {
            let names = property.persistedColumns.map(JSONOutput.string)
            fields.append(.init(key: "persisted_name", value: .array(names)))
        }
        switch property.kind {
        case .attribute(let type):
            fields.append(.init(key: "property_type", value: .string(name(of: type))))
        case .relationship(let relationship):
            let target = entity(relationship.target, at: index)
            var members: [JSONOutput.Member] = [
                .init("entity_name", .string(target?.name ?? "")),
                .init("association", .string(relationship.association.rawValue)),
            ]
            if let inverse = relationship.inverse.flatMap({ target?.property($0) }) {
                members.append(.init("inverse", .string(inverse.name)))
            }
            // The value is compared by the elements that it refers to, not by their names.
            fields.append(
                .init(
                    key: "property_type", value: .object(members),
                    identity: .relationship(
                        relationship.target, relationship.association, inverse: relationship.inverse)))
            flag("stored", relationship.isStored)
            flag("ordered", relationship.isOrdered)
            if let rule = relationship.deleteRule {
                fields.append(.init(key: "on_delete", value: .string(rule.rawValue)))
            }
        }
        flag("nullable", property.isNullable)
        if case .literal(let value) = property.defaultValue, let type = property.type?.scalar {
            fields.append(.init(key: "default_value", value: .raw(value.json(type: type))))
        }
        flag("unique", property.isUnique)
        flag("indexed", property.isIndexed)
        if let collation = property.collation {
            fields.append(.init(key: "collation", value: .string(collation.rawValue)))
        }
        return fields
    }

    private func name(of type: ValueType) -> String {
        switch type {
        case .scalar(let scalar): scalar.rawValue
        case .array(let element): "[\(name(of: element))]"
        case .dictionary(let key, let value): "{\(key.rawValue):\(name(of: value))}"
        case .subtype(let lineage): kinds[lineage].states.first?.name ?? ""
        }
    }
}
