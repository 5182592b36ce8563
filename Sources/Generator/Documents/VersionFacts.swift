import SchemaModel
import SQLSchema

/// Turns the elements of one version into the facts of a document.
struct VersionFacts {
    private let version: ModelVersion

    init(_ version: ModelVersion) {
        self.version = version
    }

    func entity(_ entity: Entity) -> SchemaDocument.Entity.State {
        var key: String?
        if case .column(let name, let kind) = entity.identifier { key = "\(name): \(kind.rawValue)" }
        let indexes = entity.indexes.map { index in
            let descending = index.shape.descending.map(\.index).sorted()
            return SchemaDocument.Entity.Index(
                properties: index.properties.map(\.index), unique: index.isUnique,
                descending: descending.isEmpty ? nil : descending,
                condition: index.shape.condition.map { version.text(of: $0, in: entity) })
        }
        let checks = entity.checks.map {
            SchemaDocument.Entity.Check(name: $0.name, condition: version.text(of: $0.condition, in: entity))
        }
        return SchemaDocument.Entity.State(
            name: entity.name, table: entity.tableName, documentation: entity.documentation, key: key,
            properties: (entity.properties.map(\.lineage) + entity.computed.map(\.lineage)).map(\.index),
            indexes: indexes.isEmpty ? nil : indexes,
            checks: checks.isEmpty ? nil : checks, search: entity.search?.text { entity.property($0)?.name ?? "" })
    }

    func property(_ property: Property, of entity: Entity) -> SchemaDocument.Property {
        var facts = SchemaDocument.Property(name: property.name, documentation: property.documentation)
        let isKey =
            if case .properties(let lineages) = entity.identifier { lineages.contains(property.lineage) } else { false }
        if isKey { facts.facts.append("primary key") }
        var isForeignKey = false
        switch property.kind {
        case .attribute(let type):
            facts.type = version.name(of: type)
            if property.isNullable { facts.nullable = true }
        case .relationship(let relationship):
            if property.isNullable, relationship.association == .toOne { facts.nullable = true }
            isForeignKey = version.storage(of: relationship) == .column
            add(relationship, property, of: entity, to: &facts)
        }
        facts.sign = isKey ? "PK" : isForeignKey ? "FK" : property.isUnique ? "UQ" : property.isIndexed ? "IX" : nil
        if property.isUnique { facts.facts.append("unique") }
        if property.isIndexed { facts.facts.append("indexed") }
        if let type = property.type, let value = property.defaultValue.flatMap({ version.json($0, type: type) }) {
            facts.facts.append("default \(value)")
        }
        facts.facts += property.limits.map { "\($0.kind.rawValue) \($0.valueText)" }
        if let collation = property.collation { facts.facts.append("collation \(collation.rawValue)") }
        let columns = property.persistedName.map { [$0] } ?? property.persistedColumns
        if !columns.isEmpty { facts.facts.append("column \(columns.joined(separator: ", "))") }
        return facts
    }

    func property(_ property: ComputedProperty, of entity: Entity) -> SchemaDocument.Property {
        var facts = SchemaDocument.Property(name: property.name, documentation: property.documentation)
        facts.type = property.type.rawValue
        facts.nullable = true
        facts.facts.append("computed \(version.text(of: property.value, in: entity))")
        if property.isIndexed {
            facts.sign = "IX"
            facts.facts.append("indexed")
        }
        if let column = property.persistedName { facts.facts.append("column \(column)") }
        return facts
    }

    private func add(
        _ relationship: Relationship, _ property: Property, of entity: Entity, to facts: inout SchemaDocument.Property
    ) {
        let storage = version.storage(of: relationship)
        let inverse = version.inverse(of: relationship)
        var drawn = SchemaDocument.Relationship(
            target: relationship.target.index, many: relationship.association == .toMany,
            inverse: relationship.inverse?.index)
        facts.facts.append(relationship.association == .toMany ? "to-many" : "to-one")
        if let inverse { facts.facts.append("inverse \(inverse.name)") }
        if relationship.isOrdered { facts.facts.append("ordered") }
        if relationship.allowsDuplicates { facts.facts.append("duplicates") }
        switch storage {
        case .column:
            drawn.drawn = true
            drawn.deleteRule = version.deleteRule(of: property).rawValue
            // A foreign key that is the complete primary key occurs in one row at most.
            let isKey = entity.identifier == .properties([property.lineage])
            if property.isUnique || isKey || inverse?.relationship?.association == .toOne { drawn.unique = true }
            facts.facts.append("on delete \(version.deleteRule(of: property).rawValue)")
        case .joinTable:
            drawn.drawn = true
            facts.facts.append("join table \(version.joinTableName(of: property, in: entity))")
        case .inverseColumn, .inverseJoinTable: break
        }
        facts.relationship = drawn
    }

    func subtype(_ subtype: Subtype) -> SchemaDocument.Subtype {
        var facts = SchemaDocument.Subtype(
            name: subtype.name, kind: "", documentation: subtype.documentation, elements: [])
        switch subtype.kind {
        case .cases(let cases):
            facts.kind = "enum"
            facts.elements = cases.map { choice in
                element(choice.lineage, choice.name, quoted(choice.value), choice.documentation)
            }
        case .options(let options):
            facts.kind = "options"
            facts.elements = options.map { option in
                element(option.lineage, option.name, "bit \(option.bit)", option.documentation)
            }
        case .members(let members):
            facts.kind = "struct"
            facts.elements = members.map { member in
                let type = member.type.map(version.name) ?? ""
                return element(member.lineage, member.name, type + (member.isNullable ? "?" : ""), member.documentation)
            }
        }
        return facts
    }

    private func element(
        _ lineage: ElementLineage, _ name: String, _ content: String, _ documentation: String?
    ) -> SchemaDocument.Subtype.Element {
        SchemaDocument.Subtype.Element(
            lineage: lineage.index, name: name, content: content, documentation: documentation)
    }
}
