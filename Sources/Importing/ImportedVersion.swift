import SchemaModel

/// A version of another library's model in the terms of Strata, as its file has it: what points at something names it.
struct ImportedVersion: Sendable {
    /// What the version is called where it comes from.
    var formerName: String
    /// What becomes tables.
    var entities: [ImportedEntity] = []
    /// What the source's databases have besides, with the reason: tables, and columns as `table.column`.
    var unread: [String: ImportedUnread.Reason] = [:]
    /// The hashes of the entities of Core Data, as hexadecimal digits.
    var hashes: [String: String] = [:]
}

/// Something with a name, and what it was called before or will be called, where its file says so.
protocol Renamable {
    var name: String { get }
    /// Equal to the name, or to the token, of the same thing in the versions beside.
    var token: String? { get }
    /// Where the source has it, if that tells more than its name.
    var origin: String? { get }
    /// What the app's code calls it, where that may differ from its name.
    var path: String? { get }
}

extension Renamable {
    var origin: String? { nil }
    var path: String? { nil }
}

/// An entity as one version has it.
struct ImportedEntity: Renamable, Sendable {
    /// What identifies its rows.
    enum Identifier: Hashable, Sendable {
        /// An integer that belongs to no property.
        case rowNumber
        /// A column that is no property: its name and its type.
        case column(String, SchemaModel.Identifier.Kind)
        /// These properties.
        case properties([String])
    }

    /// An entity of the source whose rows a table holds.
    struct Kind: Renamable, Hashable, Sendable {
        var name: String
        var token: String?
    }

    var name: String
    var token: String?
    var identifier = Identifier.rowNumber
    var properties: [ImportedProperty] = []
    var indexes: [ImportedIndex] = []
    /// The entities of the source whose rows the table holds; none where a table is a table.
    var kinds: [Kind] = []
    /// The text by which the app marks that it rewrote the rows.
    var rewriteMark: String?
}

/// A property as one version has it.
struct ImportedProperty: Renamable, Hashable, Sendable {
    /// What it holds.
    enum Content: Hashable, Sendable {
        case attribute(ValueType)
        case relationship(ImportedRelationship)
    }

    var name: String
    var token: String?
    var origin: String?
    var content: Content
    var isNullable = false
    var defaultValue: Literal?
    var isUnique = false
    var isIndexed = false
    var collation: Property.Collation?
    /// The name of the column, where it is not the one that the name gives.
    var column: String?
    /// The names of the columns of a relationship to a key of several, where its name does not give them.
    var columns: [String] = []
    /// The name of the property in the app's code; nil where the source does not say it.
    var path: String?
    /// The backfill value of rows that exist when the property is added or becomes mandatory.
    var fill: ImportedFill?
    /// How the values stand in the source's databases, by the name that `strata.json` has for it.
    var form: String?
    /// The text by which the app marks that it rewrote the values.
    var rewriteMark: String?
    /// The properties of Core Data that it holds, as `Entity.property` by the entities that declare them.
    var sources: [String] = []
    /// Whether its name does not tell which columns of Core Data it is read from.
    var needsSources = false

    var relationship: ImportedRelationship? {
        if case .relationship(let relationship) = content { relationship } else { nil }
    }
}

/// A backfill value of an imported property.
enum ImportedFill: Hashable, Sendable {
    /// A constant, as the description has it.
    case constant(JSONOutput)
    /// The value of the property that the version before calls so.
    case property(String)
}

/// A relationship as one version has it.
struct ImportedRelationship: Hashable, Sendable {
    /// What happens on deletion.
    enum Rule: Hashable, Sendable {
        /// To the row that points, when what it points at goes; nil for the default.
        case whenTargetGoes(Relationship.DeleteRule?)
        /// To what is pointed at, when the row that points goes.
        case whenOwnerGoes(Relationship.DeleteRule)
    }

    var target: String
    var association: Relationship.Association
    /// The property of the target that points back.
    var inverse: String?
    var isOrdered = false
    var rule: Rule
}

/// An index over several properties as one version has it.
struct ImportedIndex: Hashable, Sendable {
    var properties: [String]
    var isUnique: Bool
}

/// Something of the source that its descriptions do not say, or that a person should look at.
struct ImportNote: Hashable, Sendable {
    /// Why it is told.
    enum Kind: Hashable, Sendable {
        /// It was left out.
        case notCarriedOver
        /// The history cannot tell whether one thing went and another came, or whether it was renamed or converted.
        case undecided
        /// The app marks a change of values that the model does not show.
        case marked
    }

    var kind = Kind.notCarriedOver
    /// The place of the version among those that were read.
    var version: Int
    /// The entity as the source calls it; nil for the model as a whole.
    var entity: String?
    /// The property of it.
    var property: String?
    var reason: String
}
