import JSONText
import SchemaModel

/// The description of one element, such as an entity, a property, an index or a case: its current fields and its
/// history.
struct ElementDescription: Sendable {
    /// The fields in the last version that has the element.
    var present: [String: JSON] = [:]
    /// The first version with the element; nil if the description does not name it.
    var birth: Version?
    /// The first version without the element; nil if the element is not removed.
    var death: Version?
    /// The documentation from the description.
    var documentation: String?
    /// Whether removing the element may delete its data.
    var isDiscarded = false
    /// The name of the case that replaces this one when it is removed.
    var replacedBy: JSON?
    /// The name of the entity that receives the rows of this one when it is removed.
    var mergedInto: JSON?
    /// Whether the element only exists to keep stored values readable.
    var isUnused = false
    /// The changes, oldest first.
    var items: [HistoryItem] = []
    /// The offset of the element in the file.
    var offset: Int
    /// The offset of `birth` in the file.
    var birthOffset = 0
    /// The offset of `death` in the file.
    var deathOffset = 0

    /// The present name, for messages.
    var quotedName: String { "`\(present["name"]?.text ?? "")`" }
}

/// One item of a `version_history`: the changes in a version.
struct HistoryItem: Sendable {
    var version: Version
    var offset: Int
    /// The former values of fields. A JSON null means that the field was absent.
    var previous: [String: JSON] = [:]
    var fill: JSON?
    var fillFrom: JSON?
    var isCustom = false
    /// The offset of `"migration": "columns"`; nil without it.
    var byColumnsOffset: Int?
    var emptiesRows = false
    /// Whether the generated tests do not check the element in the step to this version.
    var isUnchecked = false
    /// The names of the entity's properties that the generated tests do not check in the step to this version.
    var uncheckedProperties: [JSON] = []

    var isBirth: Bool {
        previous.isEmpty && !isCustom && byColumnsOffset == nil && !emptiesRows && !isUnchecked
            && uncheckedProperties.isEmpty
    }
}

/// The unresolved description in a file.
protocol FileDescription: Sendable {
    var file: SourceFile { get }
    var element: ElementDescription { get }
}

extension FileDescription {
    /// The name in messages.
    var name: String {
        if case .string(let name) = element.present["name"]?.value { name } else { file.baseName }
    }
}

/// The unresolved description of a subtype.
struct SubtypeDescription: FileDescription {
    /// The kind of the subtype's elements.
    enum Kind: Sendable {
        case cases, options, members
    }

    var file: SourceFile
    var element: ElementDescription
    var kind: Kind
    var elements: [ElementDescription]
}

/// The unresolved description of an entity.
struct EntityDescription: FileDescription {
    var file: SourceFile
    var element: ElementDescription
    var properties: [ElementDescription]
    var indexes: [ElementDescription]
    var checks: [ElementDescription]
}
