import JSONText
import SchemaModel
import SQLSchema

/// A version of another library's model in Strata's terms. References are by name, as in the source file.
struct ImportedVersion: Sendable {
    /// The name of the version in the source.
    var formerName: String
    /// The entities that become tables.
    var entities: [ImportedEntity] = []
    /// The tables and columns of the source's databases that are not imported, with the reason. Columns are written as
    /// `table.column`.
    var unread: [String: ImportedUnread.Reason] = [:]
    /// The hashes of the Core Data entities by name, as hexadecimal digits.
    var hashes: [String: String] = [:]
    /// All statements of the step to this version that copy or change rows.
    var rowStatements: [RowChange] = []
    /// The tokens of the tables and columns that such statements have read, in this step or an earlier one.
    var read: Set<String> = []
    /// The `user_version` of the source's databases; nil if the source does not keep one.
    var userVersion: Int?

    /// The statements that custom migrations of the step have to replace, in the order of the file.
    var statements: [String] {
        let custom = Set(entities.filter(\.isCustom).map(\.name))
        if custom.isEmpty { return [] }
        let needed = rowStatements.filter { $0.table.map(custom.contains) ?? true }.sorted { $0.line < $1.line }
        return needed.reduce(into: []) { if !$0.contains($1.sql) { $0.append($1.sql) } }
    }

    /// The tokens of what the statements of custom migrations read.
    var readByCustomSteps: Set<String> {
        let statements = Set(statements)
        return Set(rowStatements.filter { statements.contains($0.sql) }.flatMap(\.reads))
    }
}

/// A statement that copies or changes rows.
struct RowChange: Sendable {
    /// The table that has the rows afterwards; nil if the file has dropped it, or it is a temporary one.
    var table: String?
    var sql: String
    /// The line in the file.
    var line: Int
    /// The tokens of the tables and columns that it reads.
    var reads: Set<String>
}

/// An element with a name, and the hints by which its source identifies it in other versions.
protocol Renamable {
    var name: String { get }
    /// The name or the token of the same element in an adjacent version.
    var token: String? { get }
    /// The declaration of the element in the source, as `Entity.property`; nil if the name alone identifies the
    /// element.
    var origin: String? { get }
    /// The name of the element in the app's code, if it may differ from `name`.
    var path: String? { get }
}

extension Renamable {
    var origin: String? { nil }
    var path: String? { nil }
}

/// An entity in one version.
struct ImportedEntity: Renamable, Sendable {
    /// The identifier of an entity's rows.
    enum Identifier: Hashable, Sendable {
        /// An integer that is not a property.
        case rowNumber
        /// A column that is not a property, with its name and its type.
        case column(String, SchemaModel.Identifier.Kind)
        /// The properties with these names.
        case properties([String])
    }

    /// An entity of the source whose rows the table contains.
    struct Kind: Renamable, Hashable, Sendable {
        var name: String
        var token: String?
    }

    var name: String
    var token: String?
    var identifier = Identifier.rowNumber
    var properties: [ImportedProperty] = []
    var indexes: [ImportedIndex] = []
    var checks: [ImportedCheck] = []
    /// The entities of the source whose rows the table contains. Empty except with `InheritanceLayout.tablePerRoot`.
    var kinds: [Kind] = []
    /// The text with which the app marks that it rewrote the rows.
    var rewriteMark: String?
    /// The tokens of the columns of the primary key.
    var keyTokens: [String] = []
    /// The name of the entity of the version before whose rows the new entity gets.
    var copied: String?
    /// Whether the step to this version changes the rows in a way that a description cannot express.
    var isCustom = false
    /// Whether the app's own code reads the rows in the step to the next version.
    var isRead = false
}

extension ImportedEntity {
    /// Whether the table contains the rows of an entity of the source.
    func contains(_ entity: String) -> Bool { name == entity || kinds.contains { $0.name == entity } }
}

/// A property in one version.
struct ImportedProperty: Renamable, Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case attribute(ValueType)
        case relationship(ImportedRelationship)
    }

    var name: String
    var token: String?
    var origin: String?
    var content: Content
    /// The value over properties by name, if SQLite computes it; nil if rows store the value.
    var computed: RowExpression<String>?
    var isNullable = false
    var defaultValue: Literal?
    var isUnique = false
    var isIndexed = false
    var collation: Collation?
    /// The name of the column, if it differs from the one derived from `name`.
    var column: String?
    /// The columns of a relationship to a primary key of several columns, if they are not derived from `name`.
    var columns: [String] = []
    /// The name of the property in the app's code; nil if the source does not contain it.
    var path: String?
    /// The backfill value of existing rows when the property is added or becomes required.
    var fill: ImportedFill?
    /// The form of the values in the source's databases, by its name in `strata.json`.
    var form: String?
    /// The text with which the app marks that it rewrote the values.
    var rewriteMark: String?
    /// The Core Data properties that this property contains, as `Entity.property`, where `Entity` declares the
    /// property.
    var sources: [String] = []
    /// Whether the name of the property does not determine the Core Data columns that it is read from.
    var needsSources = false

    /// The type of an attribute with a scalar type; nil for other properties.
    var scalar: ScalarType? {
        if case .attribute(.scalar(let type)) = content { type } else { nil }
    }

    var relationship: ImportedRelationship? {
        if case .relationship(let relationship) = content { relationship } else { nil }
    }
}

/// The backfill value of an imported property.
enum ImportedFill: Hashable, Sendable {
    /// A constant, as written in the description.
    case constant(JSONOutput)
    /// The value of the property with this name in the previous version.
    case property(String)
}

/// A relationship in one version.
struct ImportedRelationship: Hashable, Sendable {
    /// The delete rule, by the row whose deletion triggers it.
    enum Rule: Hashable, Sendable {
        /// The rule for the referring row when its target is deleted; nil for the default rule.
        case whenTargetGoes(Relationship.DeleteRule?)
        /// The rule for the target when the referring row is deleted.
        case whenOwnerGoes(Relationship.DeleteRule)
    }

    var target: String
    var association: Relationship.Association
    /// The property of the target that is the inverse of this relationship.
    var inverse: String?
    var isOrdered = false
    var rule: Rule
}

/// An index over properties, by name, in one version.
typealias ImportedIndex = IndexShape<String>

/// A condition that each row satisfies, over properties by name.
struct ImportedCheck: Hashable, Sendable {
    /// The name of the constraint; nil if it has none.
    var name: String?
    var condition: RowExpression<String>
}

/// A finding about the source, with its place.
struct ImportNote: Hashable, Sendable {
    /// The position of the version among the imported versions.
    var version: Int
    /// The name of the entity in the source; nil if the note concerns the complete model.
    var entity: String?
    /// The property of the entity; nil if the note concerns the complete entity.
    var property: String?
    var finding: ImportFinding
}
