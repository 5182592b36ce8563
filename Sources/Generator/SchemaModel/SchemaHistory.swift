/// Every version of a schema, resolved: what all that renders reads.
public struct SchemaHistory: Sendable {
    /// The name of the schema, which is that of the generated type: `LaundrySchema`.
    public var name: String
    /// The versions, oldest first; never empty.
    public var versions: [SchemaVersion]
    /// What the descriptions say of each step; the first leads from `versions[0]` to `versions[1]`.
    public var instructions: [StepInstructions]
    /// The base name of the description of each lineage: `LaundryItem` for `LaundryItem.json`.
    public var sources: [String]
    /// The base name of the description of each subtype's lineage.
    public var subtypeSources: [String]

    /// The base names of the descriptions of what is not stored.
    public var unpersisted: [String] = []
    /// What versions were called before, where they came from elsewhere.
    public var formerNames: [Version: String] = [:]
    /// What the databases of the schema were before; nil where they were never another library's.
    public var imported: ImportedSource?
    /// The next version of those whose next is not the next in order.
    public var chain: [Version: Version] = [:]

    /// A history of these parts.
    public init(
        name: String, versions: [SchemaVersion], instructions: [StepInstructions], sources: [String],
        subtypeSources: [String] = []
    ) {
        self.name = name
        self.versions = versions
        self.instructions = instructions
        self.sources = sources
        self.subtypeSources = subtypeSources
    }

    /// Whether stores of a version exist only while a database of another library is converted: it was imported, and so was
    /// the version after it.
    public func isPassedInConversion(_ version: Version) -> Bool {
        guard imported != nil, formerNames[version] != nil else { return false }
        return versions.first { $0.version > version }.map { formerNames[$0.version] != nil } ?? false
    }

    /// The newest version.
    public var newest: SchemaVersion { versions[versions.count - 1] }

    /// The steps from each version to its next, oldest first, with all that is to be done in each.
    public var steps: [SchemaStep] {
        Array(versions.indices.dropLast()).concurrentMap { step(from: $0, to: next(after: $0)) }
    }

    /// The history without the versions that are older than `version`, which must be one of it.
    public func supported(from version: Version) -> SchemaHistory {
        var history = self
        let count = versions.firstIndex { $0.version >= version } ?? 0
        history.versions.removeFirst(count)
        history.instructions.removeFirst(min(count, instructions.count))
        return history
    }

    /// The place of the version that stores of the version `index` are taken to.
    public func next(after index: Int) -> Int {
        guard let next = chain[versions[index].version] else { return index + 1 }
        return versions.firstIndex { $0.version == next } ?? index + 1
    }

    /// The step between two versions, whatever lies between them.
    private func step(from: Int, to: Int) -> SchemaStep {
        let passed = versions[(from + 1)...to]
        let unchanged = passed.dropFirst().reduce(passed.first?.unchanged ?? []) { $0.intersection($1.unchanged) }
        let subtypes = passed.dropFirst().reduce(passed.first?.unchangedSubtypes ?? []) {
            $0.intersection($1.unchangedSubtypes)
        }
        return SchemaStep(
            from: versions[from], to: versions[to],
            instructions: instructions[from..<to].dropFirst().reduce(instructions[from]) { $0.followed(by: $1) },
            unchanged: unchanged, unchangedSubtypes: subtypes)
    }
}

/// What the items of one version say of the way to it, beyond the difference itself.
public struct StepInstructions: Hashable, Sendable {
    /// An element of the history: an entity, or a property of it.
    public struct Element: Hashable, Sendable {
        /// The entity's lineage.
        public var entity: Int
        /// The property's, or nil for the entity itself.
        public var property: Int?

        /// An entity, or a property of it.
        public init(entity: Int, property: Int? = nil) {
            self.entity = entity
            self.property = property
        }
    }

    /// What existing rows get in a property that becomes mandatory.
    public enum Fill: Hashable, Sendable {
        /// The same value for all, which is one of that type.
        case constant(Constant, ValueType)
        /// The value of another property, by its lineage, of the version before.
        case property(Int)
    }

    /// A case, an option or a member of a subtype.
    public struct SubtypeElement: Hashable, Sendable {
        /// The subtype's lineage.
        public var subtype: Int
        /// The element's.
        public var element: Int

        /// The element of that lineage.
        public init(subtype: Int, element: Int) {
            self.subtype = subtype
            self.element = element
        }
    }

    /// What existing rows get.
    public var fills: [Element: Fill] = [:]
    /// What a person migrates although it could be inferred.
    public var custom: Set<Element> = []
    /// What goes with its data, because the description says so.
    public var discarded: Set<Element> = []
    /// The entities whose rows all go.
    public var emptied: Set<Int> = []
    /// The cases that take the place of cases that go, by lineage.
    public var replacements: [SubtypeElement: Int] = [:]
    /// The options and members that go with their data, because the description says so.
    public var discardedElements: Set<SubtypeElement> = []
    /// The entities that take the rows of those that go, by lineage.
    public var merged: [Int: Int] = [:]
    /// What the generated tests leave alone.
    public var unchecked: Set<Element> = []

    /// Instructions that say nothing.
    public init() {}

    /// What both say, where a store passes over the version between them.
    func followed(by other: StepInstructions) -> StepInstructions {
        var result = self
        result.fills.merge(other.fills) { _, last in last }
        result.custom.formUnion(other.custom)
        result.discarded.formUnion(other.discarded)
        result.emptied.formUnion(other.emptied)
        result.merged.merge(other.merged) { _, last in last }
        result.replacements.merge(other.replacements) { _, last in last }
        result.discardedElements.formUnion(other.discardedElements)
        result.unchecked.formUnion(other.unchecked)
        return result
    }

    /// The entities of which they say something.
    var entities: Set<Int> {
        Set(fills.keys.map(\.entity) + (custom.union(discarded).union(unchecked)).map(\.entity)).union(emptied)
    }
}
