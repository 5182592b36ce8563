import SchemaModel
import SQLSchema

/// The tables for entities that inherit from others.
package enum InheritanceLayout: String, CaseIterable, Sendable {
    /// One table for a root entity and all entities that inherit from it, with the kind of each row. Core Data uses
    /// this layout.
    case tablePerRoot = "root"
    /// One table for each entity that is not abstract, including all inherited properties.
    case tablePerEntity = "entity"
}

/// Maps a version of a Core Data model to Strata's terms.
struct CoreDataMapping {
    private let layout: InheritanceLayout
    private let source: CoreDataFolder.Version
    private let index: Int
    /// The property names that siblings use for different things in one table, by the name of the root entity.
    private var ambiguous: [String: Set<String>] = [:]
    private let entities: [String: CoreDataModel.Entity]
    private var children: [String: [String]] = [:]
    private(set) var notes: [ImportNote] = []
    /// The properties that are left out, as `Entity.property`, where `Entity` declares the property.
    private var unread: [String: ImportedUnread.Reason] = [:]

    /// Returns the versions of `folder`, and notes about the parts that were left out.
    static func versions(
        of folder: CoreDataFolder, layout: InheritanceLayout
    ) throws -> (versions: [ImportedVersion], notes: [ImportNote]) {
        // A property that is ambiguous in one version stays ambiguous in later versions. Earlier versions are not
        // affected.
        var ambiguous: [String: Set<String>] = [:]
        var versions: [ImportedVersion] = []
        var notes: [ImportNote] = []
        for (index, version) in folder.versions.enumerated() {
            var mapping = try CoreDataMapping(version, at: index, layout: layout)
            if layout == .tablePerRoot { ambiguous.merge(mapping.ambiguousProperties()) { $0.union($1) } }
            mapping.ambiguous = ambiguous
            versions.append(mapping.version())
            notes += mapping.notes
        }
        return (versions, notes)
    }

    private init(_ source: CoreDataFolder.Version, at index: Int, layout: InheritanceLayout) throws {
        self.source = source
        self.index = index
        self.layout = layout
        entities = Dictionary(uniqueKeysWithValues: source.model.entities.map { ($0.name, $0) })
        for entity in source.model.entities {
            var seen: Set<String> = [entity.name]
            var next = entity.parent
            while let name = next {
                guard let parent = entities[name] else {
                    throw ImportError(
                        "\(entity.name) inherits from \(name), which does not exist", path: source.path,
                        line: entity.line
                    )
                }
                guard seen.insert(name).inserted else {
                    throw ImportError("\(entity.name) inherits from itself", path: source.path, line: entity.line)
                }
                next = parent.parent
            }
            if let parent = entity.parent { children[parent, default: []].append(entity.name) }
        }
    }

    // MARK: Inheritance

    /// Returns the entity and its ancestors, the root first.
    private func line(of name: String) -> [CoreDataModel.Entity] {
        guard let entity = entities[name] else { return [] }
        return (entity.parent.map(line) ?? []) + [entity]
    }

    private func root(of name: String) -> String { line(of: name).first?.name ?? name }

    /// Returns the entity and its descendants.
    private func family(of name: String) -> [CoreDataModel.Entity] {
        guard let entity = entities[name] else { return [] }
        return [entity] + (children[name] ?? []).flatMap(family)
    }

    /// Returns the entities of a family that can have objects.
    private func concrete(of name: String) -> [CoreDataModel.Entity] { family(of: name).filter { !$0.isAbstract } }

    /// Returns the tables that may contain objects of the entity `name`.
    private func tables(of name: String) -> [String] {
        switch layout {
        case .tablePerRoot: concrete(of: root(of: name)).isEmpty ? [] : [root(of: name)]
        case .tablePerEntity: concrete(of: name).map(\.name)
        }
    }

    /// Returns the property names that siblings of a family use for different things, by the name of the root entity.
    private func ambiguousProperties() -> [String: Set<String>] {
        var result: [String: Set<String>] = [:]
        for root in source.model.entities where root.parent == nil {
            var contents: [String: CoreDataModel.Property] = [:]
            for property in family(of: root.name).flatMap(\.properties) {
                guard let other = contents.updateValue(property, forKey: property.name) else { continue }
                if !Self.isOneColumn(property, other) { result[root.name, default: []].insert(property.name) }
            }
        }
        return result
    }

    /// Returns whether two properties of siblings can share one column.
    private static func isOneColumn(_ left: CoreDataModel.Property, _ right: CoreDataModel.Property) -> Bool {
        guard case .attribute(let one) = left.content, case .attribute(let other) = right.content else { return false }
        return one.valueType == other.valueType && one.literal == other.literal && one.isExternal == other.isExternal
    }

    // MARK: Tables

    private mutating func version() -> ImportedVersion {
        var version = ImportedVersion(formerName: source.name)
        for entity in source.model.entities {
            for (name, finding, hasColumns) in entity.unstored {
                note(entity.name, name, finding)
                if hasColumns { version.unread[entity.name + "." + name] = .derived }
            }
            switch layout {
            case .tablePerRoot where entity.parent == nil:
                let members = family(of: entity.name)
                if concrete(of: entity.name).isEmpty {
                    note(entity.name, nil, .abstract)
                } else {
                    version.entities.append(table(entity, members))
                }
            case .tablePerEntity where !entity.isAbstract:
                version.entities.append(table(entity, line(of: entity.name)))
            default: break
            }
        }
        version.unread.merge(unread) { _, own in own }
        return version
    }

    private mutating func note(_ entity: String?, _ property: String?, _ finding: ImportFinding) {
        notes.append(ImportNote(version: index, entity: entity, property: property, finding: finding))
    }

    /// Returns the table of `entity` with the properties of `members`.
    private mutating func table(
        _ entity: CoreDataModel.Entity, _ members: [CoreDataModel.Entity]
    ) -> ImportedEntity {
        var table = ImportedEntity(name: entity.name, token: entity.token)
        table.rewriteMark = entity.rewriteMark
        if layout == .tablePerRoot {
            table.kinds = concrete(of: entity.name).map { ImportedEntity.Kind(name: $0.name, token: $0.token) }
        }
        for member in members {
            for property in member.properties {
                guard var imported = imported(property, of: member, in: entity) else {
                    unread[member.name + "." + property.name] = .type
                    continue
                }
                imported.rewriteMark = property.rewriteMark
                imported.sources = [member.name + "." + property.name]
                imported.needsSources =
                    layout == .tablePerEntity
                    ? member.name != entity.name
                    : members.count { member in member.properties.contains { property.isNamed(like: $0) } } > 1
                        || member.properties.count { property.isNamed(like: $0) } > 1
                restrict(&imported, of: member, in: entity)
                guard let index = table.properties.firstIndex(where: { $0.name == imported.name }) else {
                    table.properties.append(imported)
                    continue
                }
                table.properties[index].sources += imported.sources
                let isNullable = table.properties[index].isNullable || imported.isNullable
                table.properties[index].isNullable = isNullable
                table.properties[index].isIndexed = table.properties[index].isIndexed || imported.isIndexed
            }
        }
        for member in members { addIndexes(of: member, to: &table, entity) }
        return table
    }

    /// Makes a property nullable if only some rows of the table have it.
    private mutating func restrict(
        _ property: inout ImportedProperty, of member: CoreDataModel.Entity, in entity: CoreDataModel.Entity
    ) {
        guard layout == .tablePerRoot, concrete(of: member.name).count < concrete(of: entity.name).count else { return }
        if !property.isNullable, property.relationship?.association != .toMany {
            note(member.name, property.name, .mandatory(forKind: member.name))
            property.isNullable = true
        }
    }

    /// Returns the name of a property of `member` in the table of `entity`.
    private func name(_ property: String, of member: String, in entity: String) -> String {
        var name = property.replacing(".", with: "_")
        if name != property {
            let names = Set(family(of: root(of: member)).flatMap(\.properties).map(\.name))
            let candidates = [name] + (2...names.count + 2).map { "\(name)_\($0)" }
            name = candidates.first { !names.contains($0) } ?? name
        }
        return ambiguous[entity]?.contains(property) == true ? member + "_" + name : name
    }

    private mutating func imported(
        _ property: CoreDataModel.Property, of member: CoreDataModel.Entity, in entity: CoreDataModel.Entity
    ) -> ImportedProperty? {
        for loss in property.losses { note(member.name, property.name, loss) }
        let content: ImportedProperty.Content
        var value: Literal?
        var form: String?
        var isNullable = property.isOptional
        switch property.content {
        case .attribute(let attribute):
            guard let type = attribute.valueType else {
                note(member.name, property.name, .unknownType(attribute.type))
                return nil
            }
            content = .attribute(type)
            value = attribute.literal
            if attribute.isExternal, type == .scalar(.data) { form = "external_data" }
            if value == nil, let written = attribute.writtenDefault {
                note(
                    member.name, property.name, .malformedDefault(written, type: attribute.type))
            }
        case .relationship(let relationship):
            guard let imported = imported(relationship, property, of: member, in: entity) else { return nil }
            content = .relationship(imported)
            if relationship.isToMany { isNullable = false }
        }
        return ImportedProperty(
            name: name(property.name, of: member.name, in: entity.name),
            token: property.token.map { property.isPart ? $0.replacing(".", with: "_") : $0 },
            origin: member.name == entity.name ? nil : member.name + "." + property.name, content: content,
            isNullable: isNullable, defaultValue: value, isIndexed: property.isIndexed && !Self.hasNoColumn(content),
            form: form)
    }

    /// Returns whether a property has no column that can be indexed.
    private static func hasNoColumn(_ content: ImportedProperty.Content) -> Bool {
        switch content {
        case .attribute(.array): true
        case .attribute: false
        case .relationship(let relationship): relationship.association == .toMany
        }
    }

    private mutating func imported(
        _ relationship: CoreDataModel.Relationship, _ property: CoreDataModel.Property,
        of member: CoreDataModel.Entity, in entity: CoreDataModel.Entity
    ) -> ImportedRelationship? {
        let targets = tables(of: relationship.destination)
        guard targets.count == 1, let target = targets.first else {
            let destination = relationship.destination
            let finding: ImportFinding =
                entities[destination] == nil
                ? .missingDestination(destination)
                : targets.isEmpty ? .destinationWithoutObjects(destination) : .severalDestinations(targets)
            note(member.name, property.name, finding)
            return nil
        }
        var imported = ImportedRelationship(
            target: target, association: relationship.isToMany ? .toMany : .toOne, isOrdered: relationship.isOrdered,
            rule: .whenOwnerGoes(Self.rule(relationship.deletionRule)))
        guard let inverse = relationship.inverse else { return imported }
        let declaring = line(of: relationship.destination).reversed().first { entity in
            entity.properties.contains { $0.name == inverse }
        }
        guard let declaring, let other = declaring.properties.first(where: { $0.name == inverse }),
            case .relationship(let back) = other.content, back.inverse == property.name,
            tables(of: back.destination) == [entity.name]
        else {
            note(member.name, property.name, .ambiguousInverse(inverse))
            if relationship.isToMany {
                note(member.name, property.name, .pairsLeft)
                unread[member.name + "." + property.name] = .unknown
            }
            return imported
        }
        imported.inverse = name(inverse, of: declaring.name, in: target)
        return imported
    }

    private static func rule(_ deletionRule: String) -> Relationship.DeleteRule {
        switch deletionRule {
        case "Cascade": .cascade
        case "Deny": .deny
        case "No Action": .noAction
        default: .nullify
        }
    }

    private mutating func addIndexes(
        of member: CoreDataModel.Entity, to table: inout ImportedEntity, _ entity: CoreDataModel.Entity
    ) {
        let isShared = layout == .tablePerEntity && concrete(of: member.name).count > 1
        for (properties, isUnique, descending, losses) in member.indexes.map({
            ($0.properties, false, $0.descending, $0.losses)
        }) + member.uniquenessConstraints.map({ ($0, true, [], []) }) {
            func leave(_ problem: ImportFinding.IndexProblem) {
                note(member.name, nil, .index(isUnique ? .constraint : .index, properties, problem))
            }
            losses.forEach(leave)
            if isShared, isUnique { leave(.withinTables) }
            let names = properties.map { property in
                let declaring = line(of: member.name).last { $0.properties.contains { $0.name == property } }
                return name(property, of: declaring?.name ?? member.name, in: entity.name)
            }
            let indexes = names.map { name in table.properties.firstIndex { $0.name == name } }
            let found = indexes.compactMap(\.self)
            guard !found.isEmpty, found.count == indexes.count else {
                leave(.notStored)
                continue
            }
            let shared = found.filter { propertyIndex in
                isUnique
                    && entities.values.contains { other in
                        other.name != member.name && root(of: other.name) == entity.name && layout == .tablePerRoot
                            && !line(of: other.name).contains { $0.name == member.name }
                            && !line(of: member.name).contains { $0.name == other.name }
                            && other.properties.contains { $0.name == table.properties[propertyIndex].name }
                    }
            }
            guard shared.isEmpty else {
                leave(.sharedColumn)
                continue
            }
            if found.contains(where: { Self.hasNoColumn(table.properties[$0].content) }) {
                leave(.noColumn)
                continue
            }
            if found.count > 1 {
                let last = Set(zip(properties, names).filter { descending.contains($0.0) }.map(\.1))
                table.indexes.append(ImportedIndex(names, descending: last, unique: isUnique))
            } else if isUnique {
                table.properties[found[0]].isUnique = true
            } else if table.properties[found[0]].relationship == nil {
                table.properties[found[0]].isIndexed = true
            }
        }
    }
}

extension CoreDataModel.Property {
    /// Whether the property is a part of a composite attribute.
    fileprivate var isPart: Bool { name.contains(".") }

    /// The name of the column, which a part of a composite attribute has without the attribute's name.
    private var column: String { name.split(separator: ".").last.map { $0.lowercased() } ?? "" }

    /// Returns whether Core Data gives both columns the same base name. Core Data writes column names in uppercase.
    fileprivate func isNamed(like other: CoreDataModel.Property) -> Bool {
        column == other.column
    }
}
