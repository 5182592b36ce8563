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
        var propertyLineages: [[Int]] = []
        var kindLineages: [[Int]] = []

        /// The first state in which the table contains rows of several source entities, or of one with another name.
        var firstWithKinds: Int? {
            states.firstIndex { state in state.kinds.count > 1 || state.kinds.contains { $0.name != state.name } }
        }

        /// Returns the lineage of the property `name` in the state at position `place`.
        func property(_ name: String, at place: Int) -> Int? {
            states[place].properties.firstIndex { $0.name == name }.map { propertyLineages[place][$0] }
        }
    }

    /// The rules that decide whether an element was renamed or removed.
    struct Rules {
        /// Whether the source declares renames. If it does, an element that disappears without one was removed.
        var tellsRenames: Bool
        /// Your answers about renames.
        var renames = Renames()
    }

    private(set) var tables: [Table] = []
    private(set) var notes: [ImportNote] = []
    /// The removed elements that may have been renamed.
    private(set) var questions: [RenameQuestion] = []
    private let versions: [ImportedVersion]
    private let rules: Rules
    /// The lineages of the entities of each version.
    private(set) var entityLineages: [[Int]] = []

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
        let places = Matching.match(old, new, renames: renames, ignoringCase: !rules.tellsRenames)
        var lineages: [Int] = []
        for (place, entity) in zip(places, new) {
            if let place {
                lineages.append(entityLineages[index - 1][place])
                tables[lineages[lineages.count - 1]].states.append(entity)
            } else {
                lineages.append(tables.count)
                tables.append(Table(life: .init(birth: index), states: [entity]))
            }
        }
        let kept = Set(places.compactMap(\.self))
        let gone = old.indices.filter { !kept.contains($0) }
        let added = new.indices.filter { places[$0] == nil }
        for place in gone {
            let lineage = entityLineages[index - 1][place]
            let entity = old[place]
            let heirs = heirs(of: entity, at: index)
            let candidates = added.map { other in
                RenameQuestion.Candidate(
                    name: new[other].name, kind: new[other].kind,
                    similarity: Similarity.of(entity, at: place, new[other], at: other, new.count))
            }.sorted { $0.similarity > $1.similarity }
            let came = candidates.map(\.name)
            let isDecided = rules.tellsRenames || came.isEmpty || renames.keys.contains(entity.name)
            tables[lineage].life.death = index
            tables[lineage].life.isDiscarded = heirs.isEmpty && isDecided
            if !heirs.isEmpty {
                note(index, entity.name, nil, .kindsMoved(heirs))
            } else if !came.isEmpty, !renames.keys.contains(entity.name) {
                note(index, entity.name, nil, .replaced(by: came))
                questions.append(
                    RenameQuestion(
                        version: versions[index].formerName, name: entity.name, kind: entity.kind,
                        candidates: candidates))
            }
        }
        entityLineages.append(lineages)
    }

    /// Returns the kinds of a removed table that other tables now contain.
    private func heirs(of entity: ImportedEntity, at index: Int) -> [String] {
        let kinds = versions[index].entities.flatMap(\.kinds)
        return zip(Matching.match(entity.kinds, kinds), kinds).compactMap { place, kind in
            place == nil ? nil : kind.name
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
        for place in tables[table].states.indices.dropFirst(first) {
            tables[table].states[place].properties.insert(kind, at: 0)
            kind.fill = nil
        }
    }

    private mutating func matchProperties(of table: Int) {
        for place in tables[table].states.indices {
            let index = tables[table].life.birth + place
            let new = tables[table].states[place]
            let old = place == 0 ? nil : tables[table].states[place - 1]
            let renames = rules.renames.properties(of: old?.name ?? "", at: versions[index].formerName)
            let matches = Matching.match(
                old?.properties ?? [], new.properties, renames: renames, ignoringCase: !rules.tellsRenames)
            // A stored property and a computed one are different properties.
            let places = zip(matches, new.properties).map { match, property in
                match.flatMap { (old?.properties[$0].computed == nil) == (property.computed == nil) ? $0 : nil }
            }
            let previous = tables[table].propertyLineages.last ?? []
            tables[table].propertyLineages.append(
                lineages(places, previous, birth: index, lives: \.properties, in: table))
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
            for (property, place) in zip(new.properties, places) {
                guard let place else { continue }
                mark(index, new.name, property.name, old.properties[place].rewriteMark, property.rewriteMark)
            }
            let kept = Set(places.compactMap(\.self))
            let added = new.properties.indices.filter { places[$0] == nil }
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
                tables[table].properties[previous[gone]].isDiscarded = rules.tellsRenames || came.isEmpty || isSaid
                if !came.isEmpty, !isSaid {
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

    /// Returns the lineages of elements that match the previous ones at `places`. An element without a match gets a new
    /// lineage.
    private mutating func lineages(
        _ places: [Int?], _ previous: [Int], birth: Int, lives: WritableKeyPath<Table, [ImportedHistory.Life]>,
        in table: Int
    ) -> [Int] {
        places.map { place in
            if let place { return previous[place] }
            tables[table][keyPath: lives].append(.init(birth: birth))
            return tables[table][keyPath: lives].count - 1
        }
    }
}
