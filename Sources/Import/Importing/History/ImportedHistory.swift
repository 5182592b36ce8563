import JSONText
import SchemaModel
import SQLSchema

/// Every version of an imported model, with the lineages that its descriptions will have.
struct ImportedHistory: Sendable {
    /// The lifetime of an element, by positions among the versions.
    struct Life: Hashable, Sendable {
        var birth: Int
        /// The first version without the element; nil if it is never removed, or only together with its parent.
        var death: Int?
        /// Whether removing the element discards its data.
        var isDiscarded = false
    }

    /// An entity in all versions that have it.
    struct EntityHistory: Sendable {
        /// The name of the description file, without `.json`.
        var fileName: String
        var life: Life
        /// The entity in each version, from its birth on.
        var states: [Entity]
        /// The lifetimes of the properties, by lineage.
        var properties: [Life]
        /// The lifetimes of the indexes, by lineage.
        var indexes: [Life]
        /// The lifetimes of the checks, by lineage.
        var checks: [Life]
        /// The name of the entity of the version before whose rows the new entity gets.
        var copied: String?
        /// The backfill values of properties, by lineage and version, as members of `version_history` items.
        var fills: [ElementLineage: [Int: JSONOutput.Member]]
        /// The versions to which a custom migration leads.
        var customs: Set<Int>
        /// The forms of property values in the source's databases, by lineage. Each form applies from the state at
        /// `offset` on.
        var forms: [ElementLineage: [(offset: Int, form: String)]]
        /// The Core Data properties that each property contains, by lineage and state; nil if its name determines them.
        var sources: [ElementLineage: [[String]?]]
    }

    /// The subtype for the kinds of rows of a table, in all versions that have it.
    struct KindHistory: Sendable {
        var fileName: String
        var life: Life
        var states: [Subtype]
        var cases: [Life]
    }

    /// The tables and columns that only the source's databases have, by version. Columns are written as `table.column`.
    var unread: [[String: ImportedUnread.Reason]]
    /// The hashes of the Core Data entities, by version.
    var hashes: [[String: String]]
    /// The statements that custom migrations have to replace, and the `user_version` of the databases, by version.
    var statements: [[String]]
    var userVersions: [Int?]
    /// The versions, oldest first.
    var versions: [Version]
    /// The name of each version in the source.
    var formerNames: [String]
    /// The entities, by lineage.
    var entities: [EntityHistory]
    /// The subtypes, by lineage.
    var kinds: [KindHistory]

    /// The forms of column values in the source's databases, by table and column: one form for all versions, or an
    /// object with a form for each version that changes it.
    var forms: [String: JSONOutput] {
        var forms: [String: JSONOutput] = [:]
        for entity in entities {
            for state in entity.states {
                for property in state.properties {
                    guard let said = entity.forms[property.lineage], let first = said.first else { continue }
                    let column = state.tableName + "." + property.attributeColumn
                    let birth = entity.properties[property.lineage].birth - entity.life.birth
                    forms[column] =
                        said.count == 1 && first.offset <= birth
                        ? .string(first.form)
                        : .object(said.map { .init(versions[entity.life.birth + $0.offset].text, .string($0.form)) })
                }
            }
        }
        return forms
    }

    /// The Core Data properties that a property contains, if its name does not determine them, by version and then by
    /// table and property.
    var sources: [[String: [String]]] {
        versions.indices.map { index in
            var sources: [String: [String]] = [:]
            for entity in entities where entity.states.indices.contains(index - entity.life.birth) {
                let offset = index - entity.life.birth
                let state = entity.states[offset]
                for property in state.properties {
                    sources[state.tableName + "." + property.name] = entity.sources[property.lineage]?[offset]
                }
            }
            return sources
        }
    }

    /// Returns the value of a name in `strata.json`: one value for all versions, or an object with a value for each
    /// version that changes it.
    ///
    /// - Parameters:
    ///   - states: The value in each version from position `start` on; nil if there is none.
    ///   - start: The position of the first version in `states`.
    ///   - existing: The value in `strata.json` for the versions before `start`.
    ///   - oldest: The oldest version that `existing` applies to.
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
        for (index, state) in states.enumerated() where state != last {
            members.append(.init(versions[start + index].text, state ?? .null))
            last = state
        }
        if members.count == count { return existing }
        let isForAll = existing == nil && members.count == 1 && start == 0 && states.first == .some(last)
        return isForAll ? last : .object(members)
    }

    /// Returns the entities in the version at position `index`, by lineage.
    func entities(at index: Int) -> [Entity] {
        entities.compactMap { entity in
            let offset = index - entity.life.birth
            return entity.states.indices.contains(offset) ? entity.states[offset] : nil
        }
    }

    /// Returns the subtypes in the version at position `index`, by lineage.
    func subtypes(at index: Int) -> [Subtype] {
        kinds.compactMap { kind in
            let offset = index - kind.life.birth
            return kind.states.indices.contains(offset) ? kind.states[offset] : nil
        }
    }
}
