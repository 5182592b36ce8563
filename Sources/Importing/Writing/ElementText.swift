import SchemaModel

/// An element of a description as it is to be written: its fields in each version, and when it comes and goes.
struct ElementText {
    /// A field in one version.
    struct Field: Hashable {
        var key: String
        /// The value; nil where the description leaves it out.
        var value: JSONOutput?
        /// What makes it the same: the lineages of what it names. The text itself where it names nothing.
        var identity: [Int]?

        /// Whether a description would have to say a change from one to the other.
        func isSame(as other: Field) -> Bool {
            if let identity, let other = other.identity { return identity == other }
            return value == other.value && (identity == nil) == (other.identity == nil)
        }
    }

    /// What changes at a version.
    struct Change {
        var version: Int
        /// The fields before it.
        var previous: [Field]
        /// The same fields from it on.
        var present: [Field]
    }

    /// The fields in the last version.
    private(set) var present: [Field] = []
    private(set) var changes: [Change] = []
    /// Its place among those that it is one of.
    var lineage = 0
    var life: ImportedHistory.Life
    /// The version from which on what it is part of lives: nothing is said of a birth then.
    var start: Int

    /// The fields in the first version.
    private(set) var initial: [Field] = []
    /// The backfill values, as members of items, by version.
    var fills: [Int: JSONOutput.Member] = [:]

    /// An element of that life, whose fields in each version from its birth on are `states`; nil stands for those of the
    /// version before.
    init(life: ImportedHistory.Life, start: Int, states: [[Field]?]) {
        self.life = life
        self.start = start
        for (place, state) in states.enumerated() {
            guard let state else { continue }
            if place == 0 { initial = state }
            if place > 0 {
                let keys = present.map(\.key) + state.map(\.key).filter { key in !present.contains { $0.key == key } }
                let pairs = keys.map { key in
                    (
                        present.first { $0.key == key } ?? Field(key: key),
                        state.first { $0.key == key } ?? Field(key: key)
                    )
                }.filter { !$0.0.isSame(as: $0.1) }
                if !pairs.isEmpty {
                    changes.append(
                        Change(version: life.birth + place, previous: pairs.map(\.0), present: pairs.map(\.1)))
                }
            }
            present = state
        }
    }

    /// The members of the element's object.
    func members(_ versions: [Version]) -> [JSONOutput.Member] {
        var members = present.compactMap { field in field.value.map { JSONOutput.Member(field.key, $0) } }
        if life.birth > start { members.append(.init("added_at_version", .string(versions[life.birth].text))) }
        members += ending(versions)
        let items = birthItems(versions) + changes.map { item($0, versions) }
        if !items.isEmpty { members.append(.init("version_history", .array(items))) }
        return members
    }

    /// The item with the backfill value of a new element.
    private func birthItems(_ versions: [Version]) -> [JSONOutput] {
        guard let fill = fills[life.birth], life.birth > start else { return [] }
        return [.object([.init("version", .string(versions[life.birth].text)), fill])]
    }

    /// The members that say when the element goes.
    func ending(_ versions: [Version]) -> [JSONOutput.Member] {
        guard let death = life.death else { return [] }
        return [.init("removed_at_version", .string(versions[death].text))]
            + (life.isDiscarded ? [.init("discard", .bool(true))] : [])
    }

    /// The item of a version history.
    func item(_ change: Change, _ versions: [Version]) -> JSONOutput {
        let version = JSONOutput.Member("version", .string(versions[change.version].text))
        let fill = fills[change.version].map { [$0] } ?? []
        if change.previous.count == 1, let field = change.previous.first, field.key == "name", let name = field.value {
            return .object([version, .init("previous_name", name)] + fill)
        }
        let previous = change.previous.map { JSONOutput.Member($0.key, $0.value ?? .null) }
        return .object([version, .init("previous", .object(previous))] + fill)
    }
}
