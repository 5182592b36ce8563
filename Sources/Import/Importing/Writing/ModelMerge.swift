import Descriptions
import JSONText
import SchemaDiff
import SchemaModel

/// Adds versions to descriptions that you may have edited since they were imported.
///
/// Only the changes of the new versions are written. If a change contradicts an edit, the edit stays and the
/// contradiction is reported.
struct ModelMerge {
    /// The current descriptions, by the names of their files.
    private var files: [String: JSONOutput] = [:]
    private let existing: SchemaHistory
    private let imported: ImportedHistory
    /// The position, among the imported versions, of the last one that the descriptions already contain.
    private let start: Int
    private var changed: Set<String> = []
    private(set) var notes: [ImportNote] = []

    /// Returns the texts of the files to write, by name, and notes about the changes that were left out.
    static func merge(
        _ imported: ImportedHistory, from start: Int, into files: [SourceFile], telling existing: SchemaHistory
    ) throws -> (files: [String: String], notes: [ImportNote]) {
        var merge = ModelMerge(existing: existing, imported: imported, start: start)
        for file in files { merge.files[file.baseName] = JSONOutput(try file.json()) }
        for description in imported.descriptions(from: start) { merge.merge(description) }
        let written = merge.changed.map { ($0, merge.files[$0]?.file ?? "") }
        return (Dictionary(uniqueKeysWithValues: written), merge.notes)
    }

    private init(existing: SchemaHistory, imported: ImportedHistory, start: Int) {
        self.existing = existing
        self.imported = imported
        self.start = start
    }

    private var versions: [Version] { imported.versions }
    /// The newest version that the descriptions contain.
    private var known: ModelVersion { existing.newest }

    // MARK: Files

    private mutating func merge(_ description: DescriptionText) {
        guard description.element.life.birth <= start else { return add(description) }
        let isKind = description.parts.first?.key == "cases"
        guard let found = isKind ? subtype(description) : entity(description) else {
            return note(
                description.fileName, nil, start, .missingDescription)
        }
        let (fileName, lineages) = found
        guard var object = files[fileName] else { return }
        let before = object
        apply(description.element, to: &object, of: fileName)
        for part in description.parts {
            for element in part.elements {
                if element.life.birth > start {
                    object.append(.object(element.members(versions)), to: part.key)
                } else if let known = lineages[part.key]?[element.lineage] {
                    object.change(known.index, of: part.key) { apply(element, to: &$0, of: fileName) }
                } else if !element.changes.isEmpty || element.life.death != nil {
                    note(fileName, element.name, start, .missingElement)
                }
            }
        }
        if object != before {
            files[fileName] = object
            changed.insert(fileName)
        }
    }

    private mutating func add(_ description: DescriptionText) {
        var description = description
        var name = description.fileName
        var number = 2
        while files.keys.contains(where: { $0.lowercased() == name.lowercased() }) || name.lowercased() == "strata" {
            name = description.fileName + String(number)
            number += 1
        }
        description.fileName = name
        files[name] = description.object(versions)
        changed.insert(name)
    }

    private mutating func note(_ entity: String, _ property: String?, _ version: Int, _ finding: ImportFinding) {
        notes.append(ImportNote(version: version, entity: entity, property: property, finding: finding))
    }

    // MARK: Finding elements

    /// Returns the file of an entity, and the positions of its properties, indexes and checks by their lineages in the import.
    /// Entities match by their tables, properties by their columns.
    private func entity(_ description: DescriptionText) -> (String, [String: [ElementLineage: ElementLineage]])? {
        guard let history = imported.entities.first(where: { $0.fileName == description.fileName }) else { return nil }
        let state = history.states[start - history.life.birth]
        guard let entity = known.entities.first(where: { $0.tableName == state.tableName }) else { return nil }
        var properties: [ElementLineage: ElementLineage] = [:]
        for property in state.properties {
            properties[property.lineage] = entity.properties.first { $0.storedNames == property.storedNames }?.lineage
        }
        for property in state.computed {
            properties[property.lineage] = entity.computed.first { $0.columnName == property.columnName }?.lineage
        }
        var indexes: [ElementLineage: ElementLineage] = [:]
        for index in state.indexes {
            guard index.shape.allColumns.allSatisfy({ properties[$0] != nil }) else { continue }
            let shape = index.shape.mapColumns { properties[$0].map { [$0] } ?? [] }
            indexes[index.lineage] = entity.indexes.first { $0.shape == shape }?.lineage
        }
        var checks: [ElementLineage: ElementLineage] = [:]
        for check in state.checks where check.condition.columns.allSatisfy({ properties[$0] != nil }) {
            let condition = check.condition.mapColumns { properties[$0] ?? $0 }
            checks[check.lineage] = entity.checks.first { $0.condition == condition }?.lineage
        }
        return (
            existing.sources[entity.lineage], ["properties": properties, "indexes": indexes, "checks": checks]
        )
    }

    private func subtype(_ description: DescriptionText) -> (String, [String: [ElementLineage: ElementLineage]])? {
        guard let history = imported.kinds.first(where: { $0.fileName == description.fileName }),
            case let state = history.states[start - history.life.birth],
            let subtype = known.subtypes.first(where: { $0.name == state.name })
        else { return nil }
        var cases: [ElementLineage: ElementLineage] = [:]
        for element in state.cases {
            cases[element.lineage] = subtype.cases.first { $0.name == element.name }?.lineage
        }
        return (existing.subtypeSources[subtype.lineage], ["cases": cases])
    }

    // MARK: Elements

    /// Writes the changes of an element after the last known version.
    private mutating func apply(_ element: ElementText, to object: inout JSONOutput, of file: String) {
        var written = Dictionary(element.initial.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        for change in element.steps {
            var said = change
            for (previous, present) in zip(change.previous, change.present) {
                // The import may have written a name that differs from the name in the source. Only a difference from
                // the written name is your edit.
                let own = object[previous.key]
                guard JSONOutput.isSame(own, written[previous.key]?.value ?? previous.value) else {
                    said.previous.removeAll { $0.key == previous.key }
                    note(
                        file, element.name, change.version,
                        .edited(
                            field: previous.key, description: own?.text(), imported: previous.value?.text(),
                            new: present.value?.text()))
                    continue
                }
                object[previous.key] = present.value
                written[previous.key] = present
            }
            if !said.previous.isEmpty || element.customs.contains(change.version) {
                object.append(element.item(said, versions), to: "version_history")
            }
        }
        // A referenced element may have a new name. The name is updated, but this is not a change of the element.
        for field in element.present where field.identity != nil {
            guard let before = written[field.key], before.isSame(as: field),
                JSONOutput.isSame(object[field.key], before.value)
            else { continue }
            object[field.key] = field.value
        }
        for member in element.ending(versions) { object[member.key] = member.value }
    }
}

extension Property {
    /// The names that the columns of the property are derived from.
    fileprivate var storedNames: [String] { persistedColumns.isEmpty ? [persistedName ?? name] : persistedColumns }
}

extension ElementText {
    /// The name of the element, for messages.
    var name: String? {
        guard case .raw(let text)? = initial.first(where: { $0.key == "name" })?.value else { return nil }
        return text.trimmingQuotes
    }
}

extension String {
    fileprivate var trimmingQuotes: String { hasPrefix("\"") ? String(dropFirst().dropLast()) : self }
}
