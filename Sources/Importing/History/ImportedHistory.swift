import SchemaModel

/// Every version of an imported model, with the lineages that its descriptions will have.
struct ImportedHistory: Sendable {
    /// From when to when something lives, by places among the versions.
    struct Life: Hashable, Sendable {
        var birth: Int
        /// The first version without it; nil where it lives on, or goes with what it is part of.
        var death: Int?
        /// Whether its data goes with it.
        var isDiscarded = false
    }

    /// An entity through all versions in which it lives.
    struct EntityHistory: Sendable {
        /// The name of its file, without `.json`.
        var fileName: String
        var life: Life
        /// How it stands in each version from its birth on.
        var states: [Entity]
        /// The lives of its properties, by lineage.
        var properties: [Life]
        /// The lives of its indexes, by lineage.
        var indexes: [Life]
        /// The backfill values of properties, as members of their history's items: by lineage and version.
        var fills: [Int: [Int: JSONOutput.Member]]
        /// How the values of properties stand in the source's databases, by lineage, from each state on where that
        /// changes.
        var forms: [Int: [(place: Int, form: String)]]
        /// The properties of Core Data that each property holds, by lineage, state by state; nil where its name tells it.
        var sources: [Int: [[String]?]]
    }

    /// The kinds of the rows of a table through all versions in which it lives.
    struct KindHistory: Sendable {
        var fileName: String
        var life: Life
        var states: [Subtype]
        var cases: [Life]
    }

    /// What the source's databases have and the descriptions do not, version by version: tables, and columns as
    /// `table.column`.
    var unread: [[String: ImportedUnread.Reason]]
    /// The hashes of the entities of Core Data, version by version.
    var hashes: [[String: String]]
    /// The versions, oldest first.
    var versions: [Version]
    /// What each version is called where it comes from.
    var formerNames: [String]
    /// The entities by lineage.
    var entities: [EntityHistory]
    /// The subtypes by lineage.
    var kinds: [KindHistory]

    /// How the values of columns stand in the source's databases, by table and column: one form, or those from versions on.
    var forms: [String: JSONOutput] {
        var forms: [String: JSONOutput] = [:]
        for entity in entities {
            for state in entity.states {
                for property in state.properties {
                    guard let said = entity.forms[property.lineage], let first = said.first else { continue }
                    let column = state.tableName + "." + property.attributeColumn
                    let birth = entity.properties[property.lineage].birth - entity.life.birth
                    forms[column] =
                        said.count == 1 && first.place <= birth
                        ? .string(first.form)
                        : .object(said.map { .init(versions[entity.life.birth + $0.place].text, .string($0.form)) })
                }
            }
        }
        return forms
    }

    /// The properties of Core Data that a property holds where its name does not tell it, version by version: by table and
    /// property.
    var sources: [[String: [String]]] {
        versions.indices.map { index in
            var sources: [String: [String]] = [:]
            for entity in entities where entity.states.indices.contains(index - entity.life.birth) {
                let place = index - entity.life.birth
                let state = entity.states[place]
                for property in state.properties {
                    sources[state.tableName + "." + property.name] = entity.sources[property.lineage]?[place]
                }
            }
            return sources
        }
    }

    /// What `strata.json` says of a name that holds in some versions: one value, or those from versions on.
    ///
    /// - Parameters:
    ///   - states: What holds in each version from the position `start` on; nil for nothing.
    ///   - existing: What `strata.json` says of the versions before, of which `oldest` is the oldest.
    func since(
        _ states: [JSONOutput?], from start: Int, after existing: JSONOutput?, oldest: Version
    ) -> JSONOutput? {
        var members: [JSONOutput.Member] = []
        switch existing {
        case .object(let known)?: members = known
        case let value?: members = [.init(oldest.text, value)]
        case nil: break
        }
        var last = members.last?.value
        if last == .null { last = nil }
        let count = members.count
        for (place, state) in states.enumerated() where state != last {
            members.append(.init(versions[start + place].text, state ?? .null))
            last = state
        }
        if members.count == count { return existing }
        let isForAll = existing == nil && members.count == 1 && start == 0 && states.first == .some(last)
        return isForAll ? last : .object(members)
    }

    /// The entities that live in the version `index`, by lineage.
    func entities(at index: Int) -> [Entity] {
        entities.compactMap { entity in
            let place = index - entity.life.birth
            return entity.states.indices.contains(place) ? entity.states[place] : nil
        }
    }

    /// The subtypes that live in the version `index`, by lineage.
    func subtypes(at index: Int) -> [Subtype] {
        kinds.compactMap { kind in
            let place = index - kind.life.birth
            return kind.states.indices.contains(place) ? kind.states[place] : nil
        }
    }
}
