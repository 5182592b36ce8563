import SchemaModel
import SQLSchema

/// The names of the entities and subtypes in each version.
struct NameTable: Sendable {
    private var entities: [[String: EntityLineage]]
    private var subtypes: [[String: SubtypeLineage]]

    /// Reads the names. Reports invalid names, and names that two elements have in one version.
    init(_ sources: SourceMap, _ reader: inout FieldValueReader) {
        entities = Array(repeating: [:], count: sources.versions.versions.count)
        subtypes = entities.map { _ in [:] }
        for lineage in sources.entityLineages {
            for epoch in sources[lineage].fields.epochs {
                _ = reader.name(epoch.value)
                _ = reader.persistedName(epoch.value)
            }
            Self.add(lineage, sources[lineage].fields, to: &entities, sources.versions, &reader) { sources[$0].file }
        }
        for lineage in sources.subtypeLineages {
            for epoch in sources[lineage].fields.epochs {
                guard let field = epoch.value["name"], let name = reader.name(epoch.value) else { continue }
                // A name with a leading bracket would be read as a list type.
                if ScalarType(description: name) != nil || name.hasPrefix("[") {
                    reader.report(.reservedName(name), epoch.value.file, field.json.offset)
                }
            }
            Self.add(lineage, sources[lineage].fields, to: &subtypes, sources.versions, &reader) { sources[$0].file }
        }
    }

    /// Adds the names of an element. Reports a name that another element already has, once.
    private static func add<Element>(
        _ lineage: Lineage<Element>, _ fields: Timeline<Fields>, to names: inout [[String: Lineage<Element>]],
        _ versions: VersionList, _ reader: inout FieldValueReader, file: (Lineage<Element>) -> SourceFile
    ) {
        for index in fields.life {
            let fields = fields[index]
            guard let field = fields["name"], let name = field.json.text else { continue }
            guard let other = names[index.value][name] else {
                names[index.value][name] = lineage
                continue
            }
            let problem = Problem.duplicateEntity(name, version: versions[index].text, other: file(other).path)
            reader.report(problem, fields.file, field.json.offset)
            break
        }
    }

    /// Returns the entity that has the name `name` in the version at `index`.
    func entity(_ name: String, at index: VersionIndex) -> EntityLineage? {
        entities.indices.contains(index.value) ? entities[index.value][name] : nil
    }

    /// Returns the subtype that has the name `name` in the version at `index`.
    func subtype(_ name: String, at index: VersionIndex) -> SubtypeLineage? { subtypes[index.value][name] }

    /// Returns whether a subtype has the name `name` in any version.
    func isSubtype(_ name: String) -> Bool { subtypes.contains { $0[name] != nil } }

    /// Returns the name of an entity of the version at `index` that is similar to `name`.
    func nearestEntity(to name: String, at index: VersionIndex) -> String? {
        entities[index.value].keys.sorted().nearest(to: name)
    }

    /// Returns the names of the subtypes of the version at `index`, sorted.
    func subtypeNames(at index: VersionIndex) -> [String] { subtypes[index.value].keys.sorted() }
}
