import JSONText
import SchemaModel

/// What a description says of one element (an entity, a property, an index): its fields now, and its history.
struct ElementDescription: Sendable {
    /// The fields as they hold in the element's last living version.
    var present: [String: JSON] = [:]
    /// The version of the birth, where the description names one.
    var birth: Version?
    /// The first version without the element.
    var death: Version?
    /// What it means.
    var documentation: String?
    /// Whether its data may go with it.
    var isDiscarded = false
    /// The name of the case that takes the place of this one when it goes.
    var replacedBy: JSON?
    /// The name of the entity that takes the rows of this one when it goes.
    var mergedInto: JSON?
    /// Whether it is only there so that what is stored stays readable.
    var isUnused = false
    /// What changed, oldest first.
    var items: [HistoryItem] = []
    /// Where the element stands.
    var offset: Int
    /// Where the version of its birth stands.
    var birthOffset = 0
    /// Where the version of its death stands.
    var deathOffset = 0
}

/// One item of a `version_history`: what changed at that version.
struct HistoryItem: Sendable {
    var version: Version
    var offset: Int
    /// The former values of fields; a JSON null where the field was absent.
    var previous: [String: JSON] = [:]
    var fill: JSON?
    var fillFrom: JSON?
    var isCustom = false
    var emptiesRows = false
    /// Whether the generated tests leave the element alone in the step to this version.
    var isUnchecked = false
    /// The names of the entity's properties that the generated tests leave alone in the step to this version.
    var uncheckedProperties: [JSON] = []

    var isBirth: Bool {
        previous.isEmpty && !isCustom && !emptiesRows && !isUnchecked && uncheckedProperties.isEmpty
    }
}

/// What a file describes, not yet resolved.
protocol FileDescription: Sendable {
    var file: SourceFile { get }
    var element: ElementDescription { get }
}

extension FileDescription {
    /// The name that messages have for it.
    var name: String {
        if case .string(let name) = element.present["name"]?.value { name } else { file.baseName }
    }
}

/// A subtype as its file describes it, not yet resolved.
struct SubtypeDescription: FileDescription {
    /// What the elements are.
    enum Kind: Sendable {
        case cases, options, members
    }

    var file: SourceFile
    var element: ElementDescription
    var kind: Kind
    var elements: [ElementDescription]
}

/// An entity as its file describes it, not yet resolved.
struct EntityDescription: FileDescription {
    var file: SourceFile
    var element: ElementDescription
    var properties: [ElementDescription]
    var indexes: [ElementDescription]
}
