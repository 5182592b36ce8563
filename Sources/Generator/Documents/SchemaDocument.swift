import SchemaDiff
import SchemaModel
import SQLSchema

/// The facts that a schema page shows. The page contains them as JSON, so the names of the properties are part of
/// `Templates/Document`.
///
/// Versions are referred to by their indexes in `versions`. Entities, subtypes, properties, cases, options and members
/// are referred to by their lineages.
package struct SchemaDocument: Encodable, Sendable {
    /// The name of the schema.
    let schema: String
    /// The versions, oldest first.
    let versions: [Version]
    /// The entities, by lineage.
    let entities: [Entity]
    /// The subtypes, by lineage.
    let subtypes: [Epochs<Subtype>]
    /// The steps by which stores are migrated, oldest first.
    let steps: [Step]
    /// The relationships that are drawn as lines.
    let lines: [Line]
    /// The size of the diagram.
    let width: Int
    let height: Int
    /// The facts about a store; nil for a page about the descriptions alone.
    package var store: StoreFacts?

    /// The facts about a store, as `strata inspect` reports them.
    package struct StoreFacts: Encodable, Sendable {
        private let inspection: any Encodable & Sendable

        /// Creates the facts from an inspection.
        package init(_ inspection: any Encodable & Sendable) {
            self.inspection = inspection
        }

        package func encode(to encoder: any Encoder) throws {
            try inspection.encode(to: encoder)
        }
    }

    /// A version.
    struct Version: Encodable, Sendable {
        let name: String
        /// The name of the version in the library from which the model was imported.
        let formerName: String?
        let released: Bool
    }

    /// An entity through all versions.
    struct Entity: Encodable, Sendable {
        /// The upper left corner of the box, its width, and the number of rows for which there is space.
        var x = 0
        var y = 0
        var width = 0
        var rows = 0
        fileprivate(set) var states = Epochs<State>()
        /// The properties, by lineage.
        fileprivate(set) var properties: [Epochs<Property>] = []

        /// An entity in one version.
        struct State: Hashable, Encodable, Sendable {
            var name: String
            var table: String
            var documentation: String?
            /// The column of a primary key that is not a property: `id: int`.
            var key: String?
            /// The lineages of the properties, in the order of the columns.
            var properties: [Int]
            /// The indexes over several properties.
            var indexes: [Index]?
            /// The conditions that each row satisfies.
            var checks: [Check]?
            /// The properties that can be searched, and the tokenizer: `(title, body) porter`.
            var search: String?
        }

        struct Check: Hashable, Encodable, Sendable {
            var name: String
            var condition: String
        }

        struct Index: Hashable, Encodable, Sendable {
            var properties: [Int]
            var unique: Bool
            /// The properties in descending order.
            var descending: [Int]?
            /// The condition of the rows; nil for all rows.
            var condition: String?
        }
    }

    /// A property in one version. Flags that are not set are left out.
    struct Property: Hashable, Encodable, Sendable {
        var name: String
        /// The type of an attribute, as in the descriptions.
        var type: String?
        /// The relationship of a property that is not an attribute.
        var relationship: Relationship?
        var nullable: Bool?
        /// The sign in front of the name: `PK`, `FK`, `UQ` or `IX`.
        var sign: String?
        /// All other facts, as words: `unique`, `default 0`.
        var facts: [String] = []
        var documentation: String?
    }

    /// A relationship in one version.
    struct Relationship: Hashable, Encodable, Sendable {
        var target: Int
        var many: Bool
        var inverse: Int?
        /// Whether at most one row refers to a row of the target.
        var unique: Bool?
        /// The delete rule, on the side that has the foreign key.
        var deleteRule: String?
        /// Whether the relationship is drawn from this side.
        var drawn: Bool?
    }

    /// A subtype in one version.
    struct Subtype: Hashable, Encodable, Sendable {
        var name: String
        /// `enum`, `options` or `struct`.
        var kind: String
        var documentation: String?
        var elements: [Element]

        /// A case, an option or a member.
        struct Element: Hashable, Encodable, Sendable {
            var lineage: Int
            var name: String
            /// The value of a case, the bit of an option, or the type of a member.
            var content: String
            var documentation: String?
        }
    }

    /// A line between two boxes.
    struct Line: Encodable, Sendable {
        let entity: Int
        let property: Int
        /// The points between the ends, from the entity to the target: x and y in turn.
        let bends: [Int]
    }

    /// A migration step.
    struct Step: Encodable, Sendable {
        let from: Int
        let to: Int
        let custom: Bool
        let changes: [Change]
        /// The tables that are not kept, each with the action on it.
        let tables: [Table]
        let sql: String

        struct Table: Encodable, Sendable {
            let name: String
            let action: TableAction
        }
    }

    /// A change, as `strata diff` prints it.
    struct Change: Encodable, Sendable {
        let handling: String
        let subject: String
        let text: String
        let reason: String?
        var entity: Int?
        var property: Int?
        var subtype: Int?
        /// The action on the table that contains the changed element; nil if there is no such table.
        var table: TableAction?
    }

    /// Creates the document of a history.
    ///
    /// - Parameters:
    ///   - history: The history.
    ///   - released: The number of released versions. They are the oldest ones.
    ///   - sql: Returns the SQL of a step.
    /// - Throws: The error of `sql`.
    package init(
        _ history: SchemaHistory, released: Int, sql: @Sendable (SchemaStep) throws -> String
    ) throws {
        schema = history.name
        versions = history.versions.enumerated().map { index, version in
            Version(
                name: version.version.text, formerName: history.formerNames[version.version], released: index < released
            )
        }
        var entities = history.entityLineages.map { _ in Entity() }
        var subtypes = history.subtypeLineages.map { _ in Epochs<Subtype>() }
        for (index, version) in history.versions.enumerated() {
            let facts = VersionFacts(version)
            for lineage in history.entityLineages where index == 0 || !version.unchanged.contains(lineage) {
                entities[lineage].add(version.entity(lineage), facts, at: index)
            }
            for lineage in history.subtypeLineages where index == 0 || !version.unchangedSubtypes.contains(lineage) {
                subtypes[lineage].add(version.subtype(lineage).map(facts.subtype), at: index)
            }
        }
        self.subtypes = subtypes
        let indexes = Dictionary(
            history.versions.enumerated().map { ($0.element.version, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        steps = try history.steps.concurrentMap { (step) throws -> Step in
            Step(step, from: indexes[step.from.version] ?? 0, to: indexes[step.to.version] ?? 0, sql: try sql(step))
        }
        let diagram = Diagram(&entities)
        self.entities = entities
        lines = diagram.lines
        width = diagram.width
        height = diagram.height
    }
}

extension SchemaDocument {
    /// Returns the type of a property, with its cardinality: `string?`, `order`, `tag[]`.
    static func typeText(of property: Property, in entities: [Entity]) -> String {
        let target = property.relationship.map { entities[$0.target].lastName }
        let name = target ?? property.type ?? ""
        return name + (property.relationship?.many == true ? "[]" : property.nullable == true ? "?" : "")
    }

    func typeText(of property: Property) -> String { Self.typeText(of: property, in: entities) }
}

extension SchemaDocument.Entity {
    /// The name in the newest version that has the entity.
    var lastName: String { states.starts.last { $0.value != nil }?.value?.name ?? "" }
}

extension SchemaDocument.Entity {
    /// Adds the entity of a version; nil if the version does not have the entity.
    fileprivate mutating func add(_ entity: SchemaModel.Entity?, _ facts: VersionFacts, at version: Int) {
        states.add(entity.map(facts.entity), at: version)
        let lineages = (entity?.properties.map(\.lineage) ?? []) + (entity?.computed.map(\.lineage) ?? [])
        while let last = lineages.max(), properties.count <= last.index { properties.append(Epochs()) }
        for propertyIndex in properties.indices {
            let lineage = ElementLineage(propertyIndex)
            let property = entity.flatMap { entity in
                entity.property(lineage).map { facts.property($0, of: entity) }
                    ?? entity.computedProperty(lineage).map { facts.property($0, of: entity) }
            }
            properties[propertyIndex].add(property, at: version)
        }
    }
}
