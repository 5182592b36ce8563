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

    /// The newest version.
    public var newest: SchemaVersion { versions[versions.count - 1] }

    /// The steps between neighbouring versions, with all that is to be done in each.
    public var steps: [SchemaStep] {
        zip(zip(versions, versions.dropFirst()), instructions).map { pair, instructions in
            SchemaStep(from: pair.0, to: pair.1, instructions: instructions)
        }
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
        /// The same value for all.
        case literal(Literal)
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
    /// What the generated tests leave alone.
    public var unchecked: Set<Element> = []

    /// Instructions that say nothing.
    public init() {}

    /// The entities of which they say something.
    var entities: Set<Int> {
        Set(fills.keys.map(\.entity) + (custom.union(discarded).union(unchecked)).map(\.entity)).union(emptied)
    }
}
