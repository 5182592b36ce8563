import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// The values of `Entity.swift` and `EntityHistory.swift`: structs of an entity, and the types of its primary key.
struct EntityFile: TemplateValues {
    let source: String
    let context: SourceContext
    let isCodable: Bool
    let hasCodingKeys: Bool
    /// The alias of the newest struct; nil in the file of the superseded ones.
    let newest: NewestType?
    let keys: [KeyType]
    let shapes: [EntityStruct]

    static let fields: [TemplateField<Self>] =
        TemplateField.all(of: \.context) + [
            .text("source", \.source, "the file name of the description"),
            .flag("isCodable", \.isCodable, "whether types are `Codable`"),
            .flag("hasCodingKeys", \.hasCodingKeys, "whether types are encoded by the names in the description"),
            .object("newest", \.newest, "the alias of the newest struct; absent in `EntityHistory.swift`"),
            .list("keys", \.keys, "the types of the primary key"),
            .list("shapes", \.shapes, "the structs"),
        ]
}

extension Generator {
    /// Returns the newest struct of an entity; nil if the newest version does not have the entity.
    func entityFile(_ lineage: EntityLineage) -> EntityFile? {
        guard let entity = history.newest.entity(lineage) else { return nil }
        let newest = history.versions.count - 1
        return entityFile(
            lineage,
            newest: NewestType(
                name: SwiftName.escaped(SwiftName.type(entity.name)), type: newestType(entity.name),
                documentation: Self.lines(of: entity.documentation)),
            names.shapes[lineage].filter { $0.last == newest }, names.keyShapes[lineage].filter { $0.last == newest })
    }

    /// Returns the superseded structs of an entity; nil if there are none.
    func entityHistoryFile(_ lineage: EntityLineage) -> EntityFile? {
        let newest = history.versions.count - 1
        let shapes = names.shapes[lineage].filter { $0.last < newest }
        let keys = names.keyShapes[lineage].filter { $0.last < newest }
        return shapes.isEmpty && keys.isEmpty ? nil : entityFile(lineage, newest: nil, shapes, keys)
    }

    private func entityFile(
        _ lineage: EntityLineage, newest: NewestType?, _ shapes: [EntityShape], _ keys: [KeyShape]
    ) -> EntityFile {
        EntityFile(
            source: history.sources[lineage] + ".json", context: sourceContext,
            isCodable: options.codingNames != nil, hasCodingKeys: options.codingNames == .descriptions,
            newest: newest, keys: keys.map { keyType($0, lineage) }, shapes: shapes.map { entityStruct($0, lineage) })
    }

    /// Returns the lines of a doc comment, without control characters.
    static func lines(of documentation: String?) -> [String] {
        let lines = documentation?.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) ?? []
        return lines.map { line in
            String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" }))
        }
    }
}

/// The alias of the newest type of a description.
struct NewestType: TemplateValues {
    let name: String
    let type: String
    let documentation: [String]

    static let fields: [TemplateField<Self>] = [
        .text("name", \.name, "its name"),
        .text("type", \.type, "the type"),
        .texts("documentation", \.documentation, "the lines of the description"),
    ]
}
