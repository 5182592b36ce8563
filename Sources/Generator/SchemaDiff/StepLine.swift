import SchemaModel

/// A fact about a step that its two versions do not show. It is a line of the lock: `note.title: fill "first"`.
package struct StepLine: Hashable, Sendable {
    /// The name of the entity or the subtype after the step, or before it if the step removes it.
    package let owner: String
    /// The name of the property, case, option or member, likewise; nil for the entity or the subtype itself.
    package let element: String?
    /// The fact.
    package let fact: String

    /// The owner of the facts in `strata.json`.
    package static let configuration = "strata.json"

    /// The fact that `chain` leads stores of the version before the step to other versions than the next one.
    static func chain(to versions: [Version]) -> StepLine {
        StepLine(owner: configuration, element: nil, fact: "chain \(versions.map(\.text).joined(separator: ", "))")
    }

    /// The text before the fact, which names the element.
    var key: String { ([owner] + [element].compactMap(\.self)).map(ModelVersion.logical).joined(separator: ".") }
    /// The line in the lock.
    package var text: String { "\(key): \(fact)" }
}

extension SchemaStep {
    /// The facts about the step that its two versions do not show: the names that elements had, the values that rows get, and what
    /// becomes of removed data. They are sorted by the bytes of their lines.
    package var lines: [StepLine] {
        let mentioned = instructions.entities.union(instructions.merged.keys)
        var lines: [StepLine] = []
        for entity in to.entities where !isUntouched(entity.lineage, besides: mentioned) {
            lines += self.lines(of: entity)
        }
        for entity in from.entities where to.entity(entity.lineage) == nil {
            let element = StepInstructions.Element(entity: entity.lineage)
            if instructions.discarded.contains(element) { lines.append(.init(entity.name, "discard")) }
            if let target = instructions.merged[entity.lineage].flatMap(to.entity) {
                lines.append(.init(entity.name, "merged_into \(ModelVersion.logical(target.name))"))
            }
            if instructions.custom.contains(element) { lines.append(.init(entity.name, "migration custom")) }
        }
        for subtype in to.subtypes where !unchangedSubtypes.contains(subtype.lineage) {
            lines += self.lines(of: subtype)
        }
        return lines.sorted { $0.text.isBefore($1.text) }
    }

    /// All elements of both versions, as lines without a fact. Those of subtypes and entities come last.
    var elements: [StepLine] {
        let entities = (from.entities + to.entities).map { entity in
            (to.entity(entity.lineage)?.name ?? entity.name, entity.properties.map(\.name))
        }
        let subtypes = (from.subtypes + to.subtypes).map { subtype in
            (to.subtype(subtype.lineage)?.name ?? subtype.name, subtype.elements.map(\.name))
        }
        let owners = entities + subtypes
        return owners.flatMap { owner, names in names.map { .init(owner, $0, "") } } + owners.map { .init($0.0, "") }
            + [.init(StepLine.configuration, "")]
    }

    private func lines(of entity: Entity) -> [StepLine] {
        func line(_ fact: String) -> StepLine { .init(entity.name, fact) }
        let own = StepInstructions.Element(entity: entity.lineage)
        var lines: [StepLine] = []
        if instructions.custom.contains(own) { lines.append(line("migration custom")) }
        if instructions.byColumns.contains(entity.lineage) { lines.append(line("migration columns")) }
        if instructions.emptied.contains(entity.lineage) { lines.append(line("rows discard")) }
        guard let old = from.entity(entity.lineage) else {
            if let source = instructions.copied[entity.lineage].flatMap(from.entity) {
                lines.append(line("fill_from \(ModelVersion.logical(source.name))"))
                lines += fills(of: entity, from: source)
            }
            return lines
                + (from.entities.contains { $0.name == entity.name } ? [line(Self.notFormer(entity.name))] : [])
        }
        if old.name != entity.name { lines.append(line("was \(ModelVersion.logical(old.name))")) }
        lines += origins(
            of: entity.properties.map { ($0.lineage, $0.name) }, entity.name,
            old.properties.map { ($0.lineage, $0.name) })
        for property in entity.properties {
            let element = StepInstructions.Element(entity: entity.lineage, property: property.lineage)
            if instructions.custom.contains(element) {
                lines.append(.init(entity.name, property.name, "migration custom"))
            }
        }
        lines += fills(of: entity, from: old)
        for property in old.properties
        where instructions.discarded.contains(.init(entity: entity.lineage, property: property.lineage)) {
            lines.append(.init(entity.name, property.name, "discard"))
        }
        return lines
    }

    /// Returns the lines of the backfill values of an entity's properties.
    private func fills(of entity: Entity, from old: Entity) -> [StepLine] {
        entity.properties.compactMap { property in
            switch instructions.fills[.init(entity: entity.lineage, property: property.lineage)] {
            case .constant(let constant, let type):
                let value = to.literal(constant, type: type)?.text ?? ""
                return .init(entity.name, property.name, "fill \(value)")
            case .property(let source):
                let name = ModelVersion.logical(old.property(source)?.name ?? "")
                return .init(entity.name, property.name, "fill_from \(name)")
            case nil: return nil
            }
        }
    }

    private func lines(of subtype: Subtype) -> [StepLine] {
        guard let old = from.subtype(subtype.lineage) else {
            return from.subtypes.contains { $0.name == subtype.name }
                ? [.init(subtype.name, Self.notFormer(subtype.name))] : []
        }
        var lines: [StepLine] = []
        if old.name != subtype.name { lines.append(.init(subtype.name, "was \(ModelVersion.logical(old.name))")) }
        lines += origins(of: subtype.elements, subtype.name, old.elements)
        for (lineage, name) in old.elements {
            let element = StepInstructions.SubtypeElement(subtype: subtype.lineage, element: lineage)
            if instructions.discardedElements.contains(element) { lines.append(.init(subtype.name, name, "discard")) }
            if let replacement = instructions.replacements[element],
                let new = (subtype.elements + old.elements).first(where: { $0.lineage == replacement })
            {
                lines.append(.init(subtype.name, name, "replaced_by \(ModelVersion.logical(new.name))"))
            }
        }
        return lines
    }

    /// The fact about a new element with the name that another one had before.
    private static func notFormer(_ name: String) -> String { "not the former \(ModelVersion.logical(name))" }

    /// Returns the lines of the elements that had another name before, and of new elements with the name of another one.
    private func origins(
        of elements: [Subtype.NamedElement], _ owner: String, _ old: [Subtype.NamedElement]
    ) -> [StepLine] {
        elements.compactMap { lineage, name in
            guard let before = old.first(where: { $0.lineage == lineage }) else {
                return old.contains { $0.name == name } ? .init(owner, name, Self.notFormer(name)) : nil
            }
            return before.name == name ? nil : .init(owner, name, "was \(ModelVersion.logical(before.name))")
        }
    }
}

extension StepLine {
    fileprivate init(_ owner: String, _ fact: String) { self.init(owner: owner, element: nil, fact: fact) }

    fileprivate init(_ owner: String, _ element: String, _ fact: String) {
        self.init(owner: owner, element: element, fact: fact)
    }
}

extension Subtype {
    /// A case, an option, a member or a property by its name.
    fileprivate typealias NamedElement = (lineage: ElementLineage, name: String)

    /// Its cases, options or members.
    fileprivate var elements: [NamedElement] {
        cases.map { ($0.lineage, $0.name) } + options.map { ($0.lineage, $0.name) }
            + members.map { ($0.lineage, $0.name) }
    }
}
