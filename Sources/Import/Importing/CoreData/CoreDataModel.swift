/// A version of a Core Data model, as read from its `contents` file.
struct CoreDataModel: Hashable, Sendable {
    struct Entity: Hashable, Sendable, Renamable {
        var name: String
        /// The renaming identifier.
        var token: String?
        /// The line at which the entity begins.
        var line: Int
        var parent: String?
        var isAbstract = false
        /// The text with which the app marks that it rewrote the objects.
        var rewriteMark: String?
        var properties: [Property] = []
        /// The properties that are not carried over, and whether a store has columns for them.
        var unstored: [(name: String, finding: ImportFinding, hasColumns: Bool)] = []
        var indexes: [Index] = []
        /// The properties of each constraint.
        var uniquenessConstraints: [[String]] = []

        static func == (left: Entity, right: Entity) -> Bool {
            left.name == right.name && left.token == right.token && left.parent == right.parent
                && left.isAbstract == right.isAbstract && left.rewriteMark == right.rewriteMark
                && left.properties == right.properties
                && left.unstored.map(\.name) == right.unstored.map(\.name) && left.indexes == right.indexes
                && left.uniquenessConstraints == right.uniquenessConstraints
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(name)
        }
    }

    struct Property: Hashable, Sendable, Renamable {
        /// The name. A part of a composite attribute has the names of both, as in a key path: `place.latitude`.
        var name: String
        var token: String?
        var isOptional: Bool
        var isIndexed: Bool
        var content: Content
        /// The parts of the declaration that are not carried over.
        var losses: [ImportFinding] = []
        /// The text with which the app marks that it rewrote the values.
        var rewriteMark: String?
    }

    enum Content: Hashable, Sendable {
        case attribute(Attribute)
        case relationship(Relationship)
    }

    struct Attribute: Hashable, Sendable {
        /// The name of the type in the model, such as `Integer 64` or `String`.
        var type: String
        /// The class of a transformable's values.
        var className: String?
        var defaultValue: String?
        /// The default value of a date, in seconds since 2001-01-01 UTC.
        var defaultInterval: String?
        /// Whether Core Data may store large values in files beside the store.
        var isExternal = false
    }

    struct Relationship: Hashable, Sendable {
        var destination: String
        var inverse: String?
        var isToMany: Bool
        var isOrdered: Bool
        var deletionRule: String
    }

    struct Index: Hashable, Sendable {
        var name: String?
        var properties: [String]
        /// The properties in descending order.
        var descending: Set<String> = []
        /// The features of the index that are not carried over.
        var losses: [ImportFinding.IndexProblem] = []
    }

    var entities: [Entity] = []
    /// The identifier that the model gives to its version, for `Z_METADATA`.
    var identifier: String?
}
