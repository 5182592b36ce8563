import JSONText
import SchemaModel
import SQLSchema

/// An element of a description, ready to be written: its fields in each version, and when it is added and removed.
struct ElementText {
    /// The elements that a value names. They identify the value even if names change.
    enum Identity: Hashable {
        case properties([ElementLineage])
        case index(IndexShape<ElementLineage>)
        case relationship(EntityLineage, Relationship.Association, inverse: ElementLineage?)
    }

    /// A field in one version.
    struct Field: Hashable {
        var key: String
        /// The value; nil if the description omits the field.
        var value: JSONOutput?
        /// The elements that the value names; nil if the value names no element and is compared as text.
        var identity: Identity?

        /// Returns whether the fields are equal, so that the description records no change.
        func isSame(as other: Field) -> Bool {
            if let identity, let other = other.identity { return identity == other }
            return value == other.value && (identity == nil) == (other.identity == nil)
        }
    }

    /// The fields that change at a version.
    struct Change {
        var version: Int
        /// The fields before the version.
        var previous: [Field]
        /// The same fields from the version on.
        var present: [Field]
    }

    /// The fields in the last version.
    private(set) var present: [Field] = []
    private(set) var changes: [Change] = []
    /// The position of the element among its siblings, such as the properties of an entity.
    var lineage: ElementLineage = 0
    var life: ImportedHistory.Life
    /// The first version of the element's parent. The description does not record that an element was added in it.
    var start: Int

    /// The description for readers.
    var documentation: String?
    /// The fields in the first version.
    private(set) var initial: [Field] = []
    /// The backfill values by version, as members of `version_history` items.
    var fills: [Int: JSONOutput.Member] = [:]
    /// Further members of `version_history` items, by version.
    var instructions: [Int: [JSONOutput.Member]] = [:]
    /// Whether the element's parent begins with rows that have values for it.
    var isCopied = false
    /// The versions to which a custom migration leads.
    var customs: Set<Int> = []

    /// Creates an element from its fields in each version.
    ///
    /// - Parameters:
    ///   - life: The lifetime of the element.
    ///   - start: The first version of the element's parent.
    ///   - states: The fields in each version from the element's birth on; nil if they equal those of the version
    ///     before.
    init(life: ImportedHistory.Life, start: Int, states: [[Field]?]) {
        self.life = life
        self.start = start
        for (index, state) in states.enumerated() {
            guard let state else { continue }
            if index == 0 { initial = state }
            if index > 0 {
                let keys = present.map(\.key) + state.map(\.key).filter { key in !present.contains { $0.key == key } }
                let pairs = keys.map { key in
                    (
                        present.first { $0.key == key } ?? Field(key: key),
                        state.first { $0.key == key } ?? Field(key: key)
                    )
                }.filter { !$0.0.isSame(as: $0.1) }
                if !pairs.isEmpty {
                    changes.append(
                        Change(version: life.birth + index, previous: pairs.map(\.0), present: pairs.map(\.1)))
                }
            }
            present = state
        }
    }

    /// Returns the members of the element's JSON object.
    func members(_ versions: [Version]) -> [JSONOutput.Member] {
        var members = present.compactMap { field in field.value.map { JSONOutput.Member(field.key, $0) } }
        if let documentation { members.append(.init("description", .string(documentation))) }
        if life.birth > start { members.append(.init("added_at_version", .string(versions[life.birth].text))) }
        members += ending(versions)
        // A new element may have a backfill value.
        let isFilled = fills[life.birth] != nil && (life.birth > start || isCopied) && !customs.contains(life.birth)
        let birth = isFilled ? [Change(version: life.birth, previous: [], present: [])] : []
        let items = (birth + steps).map { item($0, versions) }
        if !items.isEmpty { members.append(.init("version_history", .array(items))) }
        return members
    }

    /// The changes, and the versions to which a custom migration or another instruction leads without one, oldest first.
    var steps: [Change] {
        let others = customs.union(instructions.keys).subtracting(changes.map(\.version))
        return (changes + others.map { Change(version: $0, previous: [], present: []) }).sorted {
            $0.version < $1.version
        }
    }

    /// Returns the members that record the removal of the element; empty if it is not removed.
    func ending(_ versions: [Version]) -> [JSONOutput.Member] {
        guard let death = life.death else { return [] }
        return [.init("removed_at_version", .string(versions[death].text))]
            + (life.isDiscarded ? [.init("discard", .bool(true))] : [])
    }

    /// Returns the `version_history` item for a change.
    func item(_ change: Change, _ versions: [Version]) -> JSONOutput {
        var members = [JSONOutput.Member("version", .string(versions[change.version].text))]
        if change.previous.count == 1, let field = change.previous.first, field.key == "name", let name = field.value {
            members.append(.init("previous_name", name))
        } else if !change.previous.isEmpty {
            let previous = change.previous.map { JSONOutput.Member($0.key, $0.value ?? .null) }
            members.append(.init("previous", .object(previous)))
        }
        if let fill = fills[change.version] { members.append(fill) }
        members += instructions[change.version] ?? []
        if customs.contains(change.version) { members.append(.init("migration", .string("custom"))) }
        return .object(members)
    }
}
