import SchemaModel
import SQLSchema

/// The lineages of entities and properties, which identify them across versions.
struct Lineages {
    /// An entity in all versions that have it.
    struct Table {
        var life: ImportedHistory.Life
        var states: [ImportedEntity]
        /// The lifetimes of the properties, and of the kinds, by lineage.
        var properties: [ImportedHistory.Life] = []
        var kinds: [ImportedHistory.Life] = []
        /// The lineages of the properties, and of the kinds, in each state.
        var propertyLineages: [[ElementLineage]] = []
        var kindLineages: [[ElementLineage]] = []

        /// The first state in which the table contains rows of several source entities, or of one with another name.
        var firstWithKinds: Int? {
            states.firstIndex { state in state.kinds.count > 1 || state.kinds.contains { $0.name != state.name } }
        }

        /// Returns the lineage of the property `name` in the state at `index`.
        func property(_ name: String, at index: Int) -> ElementLineage? {
            states[index].properties.firstIndex { $0.name == name }.map { propertyLineages[index][$0] }
        }
    }

    /// The rules that decide whether an element was renamed or removed.
    struct Rules {
        /// Whether the source declares renames. If it does, an element that disappears without one was removed.
        var tellsRenames: Bool
        /// Whether two elements are the same exactly if their tokens are, whatever their names.
        var tokensDecide = false
        /// Whether entities get the singular of their tables' names.
        var areSingular = false
        /// Your answers about renames.
        var renames = Renames()
    }

    private(set) var tables: [Table] = []
    private(set) var notes: [ImportNote] = []
    /// The removed elements that may have been renamed.
    private(set) var questions: [RenameQuestion] = []
    private let versions: [ImportedVersion]
    private let rules: Rules
    /// The positions in `tables` of the entities of each version.
    private(set) var entityTables: [[Int]] = []

    init(of versions: [ImportedVersion], rules: Rules) {
        self.versions = versions
        self.rules = rules
        for index in versions.indices { matchEntities(at: index) }
        for table in tables.indices { addKind(to: table) }
        for table in tables.indices { matchProperties(of: table) }
    }

    // MARK: Entities

    private mutating func matchEntities(at index: Int) {
        let new = versions[index].entities
        let old = index == 0 ? [] : versions[index - 1].entities
        let renames = rules.renames.entities(at: versions[index].formerName)
        let matches = Matching.match(old, new, renames: renames, by: rules)
        var own: [Int] = []
        for (oldIndex, entity) in zip(matches, new) {
            if let oldIndex {
                own.append(entityTables[index - 1][oldIndex])
                tables[own[own.count - 1]].states.append(entity)
            } else {
                own.append(tables.count)
                tables.append(Table(life: .init(birth: index), states: [entity]))
            }
        }
        let kept = Set(matches.compactMap(\.self))
        let gone = old.indices.filter { !kept.contains($0) }
        let added = new.indices.filter { matches[$0] == nil }
        for oldIndex in gone {
            let table = entityTables[index - 1][oldIndex]
            let entity = old[oldIndex]
            let heirs = heirs(of: entity, at: index)
            let candidates = added.map { other in
                RenameQuestion.Candidate(
                    name: new[other].name, kind: new[other].kind,
                    similarity: Similarity.of(entity, at: oldIndex, new[other], at: other, new.count))
            }.sorted { $0.similarity > $1.similarity }
            let came = candidates.map(\.name)
            let isDecided = rules.tellsRenames || came.isEmpty || renames.keys.contains(entity.name)
            tables[table].life.death = index
            tables[table].life.isDiscarded = heirs.isEmpty && isDecided && !entity.isRead && !isRead(entity, at: index)
            if !heirs.isEmpty {
                note(index, entity.name, nil, .kindsMoved(heirs))
            } else if !came.isEmpty, !renames.keys.contains(entity.name), !rules.tokensDecide {
                note(index, entity.name, nil, .replaced(by: came))
                questions.append(
                    RenameQuestion(
                        version: versions[index].formerName, name: entity.name, kind: entity.kind,
                        candidates: candidates))
            }
        }
        entityTables.append(own)
    }

    /// Returns whether a statement has read an element that the version at `index` removes. Its data may be elsewhere now.
    private func isRead(_ element: some Renamable, at index: Int) -> Bool {
        element.token.map(versions[index].read.contains) ?? false
    }

    /// Returns the kinds of a removed table that other tables now contain.
    private func heirs(of entity: ImportedEntity, at index: Int) -> [String] {
        let kinds = versions[index].entities.flatMap(\.kinds)
        return zip(Matching.match(entity.kinds, kinds), kinds).compactMap { kindIndex, kind in
            kindIndex == nil ? nil : kind.name
        }
    }

    private mutating func note(_ version: Int, _ entity: String, _ property: String?, _ finding: ImportFinding) {
        notes.append(ImportNote(version: version, entity: entity, property: property, finding: finding))
    }

    /// Adds a note if the app changed its mark for rewritten values.
    private mutating func mark(_ version: Int, _ entity: String, _ property: String?, _ old: String?, _ new: String?) {
        guard old != new else { return }
        note(version, entity, property, .rewriteMark(old, new))
    }

    // MARK: Properties

    /// Inserts a property for the kind of each row before the others, from the first state that needs it on.
    private mutating func addKind(to table: Int) {
        guard let first = tables[table].firstWithKinds else { return }
        let later = tables[table].states[first...].flatMap(\.properties)
        let taken = Set(later.map { $0.name.lowercased() })
        let name = ["kind", "entity_kind", "row_kind"].first { !taken.contains($0) } ?? "strata_kind"
        // All existing rows are of the same kind.
        let kinds = tables[table].states[first].kinds
        let before = first == 0 ? nil : tables[table].states[first - 1].kinds.first
        let fill = before.flatMap { kind in zip(Matching.match([kind], kinds), kinds).first { $0.0 != nil }?.1.name }
        var kind = ImportedProperty(
            name: name, origin: "", content: .attribute(.subtype(SubtypeLineage(table))),
            fill: fill.map { .constant(.string($0)) },
            form: "entity")
        for index in tables[table].states.indices.dropFirst(first) {
            tables[table].states[index].properties.insert(kind, at: 0)
            kind.fill = nil
        }
    }

    private mutating func matchProperties(of table: Int) {
        for offset in tables[table].states.indices {
            let index = tables[table].life.birth + offset
            let new = tables[table].states[offset]
            let old = offset == 0 ? nil : tables[table].states[offset - 1]
            let renames = rules.renames.properties(of: old?.name ?? "", at: versions[index].formerName)
            let matches = Matching.match(
                old?.properties ?? [], new.properties, renames: renames, by: rules)
            // A stored property and a computed one are different properties.
            let oldIndexes = zip(matches, new.properties).map { match, property in
                match.flatMap { (old?.properties[$0].computed == nil) == (property.computed == nil) ? $0 : nil }
            }
            let previous = tables[table].propertyLineages.last ?? []
            tables[table].propertyLineages.append(
                lineages(oldIndexes, previous, birth: index, lives: \.properties, in: table))
            let kinds = Matching.match(old?.kinds ?? [], new.kinds)
            tables[table].kindLineages.append(
                lineages(kinds, tables[table].kindLineages.last ?? [], birth: index, lives: \.kinds, in: table))
            for gone in Set(tables[table].kindLineages.dropLast().last ?? []).subtracting(
                tables[table].kindLineages.last ?? [])
            {
                tables[table].kinds[gone].death = index
            }
            guard let old else { continue }
            mark(index, new.name, nil, old.rewriteMark, new.rewriteMark)
            for (property, oldIndex) in zip(new.properties, oldIndexes) {
                guard let oldIndex else { continue }
                mark(index, new.name, property.name, old.properties[oldIndex].rewriteMark, property.rewriteMark)
            }
            let kept = Set(oldIndexes.compactMap(\.self))
            let added = new.properties.indices.filter { oldIndexes[$0] == nil }
            for gone in old.properties.indices where !kept.contains(gone) {
                let property = old.properties[gone]
                let isSaid = renames.keys.contains(property.name)
                let candidates = added.map { other in
                    RenameQuestion.Candidate(
                        name: new.properties[other].name, kind: new.properties[other].kind,
                        similarity: Similarity.of(
                            property, at: gone, new.properties[other], at: other, new.properties.count))
                }.sorted { $0.similarity > $1.similarity }
                let came = candidates.map(\.name)
                tables[table].properties[previous[gone]].death = index
                if property.computed != nil { continue }
                tables[table].properties[previous[gone]].isDiscarded =
                    (rules.tellsRenames || came.isEmpty || isSaid) && !old.isRead && !isRead(property, at: index)
                if !came.isEmpty, !isSaid, !rules.tokensDecide {
                    note(index, new.name, property.name, .replaced(by: came.map { "`\($0)`" }))
                    questions.append(
                        RenameQuestion(
                            version: versions[index].formerName, name: old.name + "." + property.name,
                            kind: property.kind,
                            candidates: candidates))
                }
            }
        }
    }

    /// Returns the lineages of elements that match the previous ones at `indexes`. An element without a match gets a new
    /// lineage.
    private mutating func lineages(
        _ indexes: [Int?], _ previous: [ElementLineage], birth: Int,
        lives: WritableKeyPath<Table, [ImportedHistory.Life]>, in table: Int
    ) -> [ElementLineage] {
        indexes.map { index in
            if let index { return previous[index] }
            tables[table][keyPath: lives].append(.init(birth: birth))
            return ElementLineage(tables[table][keyPath: lives].count - 1)
        }
    }
}
