import SQLSchema

extension ModelVersion {
    /// Returns the logical line of an entity: its name, its primary key, and its elements by name.
    ///
    /// The line does not depend on the DDL, the documentation or the order of the description. Locks and fingerprints
    /// consist of these lines, so their form never changes.
    package func logicalLine(_ entity: Entity) -> String {
        layout(of: entity).logicalLine
    }

    func makeLogicalLine(of entity: Entity) -> String {
        logicalFields(of: entity).joined(separator: " | ")
    }

    /// Returns the fields of the logical line: the name, `key`, and then the properties, the indexes, the checks, the
    /// search and the table's name, sorted.
    func logicalFields(of entity: Entity) -> [String] {
        let key: String
        switch entity.identifier {
        case .column(let name, let kind): key = "key \(logical(name)): \(kind.rawValue)"
        case .properties(let lineages):
            let names = lineages.compactMap { entity.property($0).map { logical($0.name) } }
            key = "key (\(names.joined(separator: ", ")))"
        }
        let properties = entity.properties.map { logicalField(of: $0) }
        let indexes = entity.indexes.map { index in
            let names = index.properties.compactMap { lineage in
                entity.name(of: lineage).map {
                    logical($0) + (index.shape.descending.contains(lineage) ? " desc" : "")
                }
            }
            return "\(index.isUnique ? "unique" : "index") (\(names.joined(separator: ", ")))"
                + (index.shape.condition.map { " where " + quoted(text(of: $0, in: entity)) } ?? "")
        }
        let checks = entity.checks.map {
            "check \(logical($0.name)) where \(quoted(text(of: $0.condition, in: entity)))"
        }
        let table = entity.persistedName.map { ["table " + logical($0)] } ?? []
        let search = entity.search.map { search in
            ["search " + search.text { logical(entity.property($0)?.name ?? "") }]
        }
        let computed = entity.computed.map { property in
            "\(logical(property.name)): \(property.type.rawValue) computed \(quoted(text(of: property.value, in: entity)))"
                + (property.persistedName.map { " persisted " + logical($0) } ?? "")
                + (property.isIndexed ? " indexed" : "")
        }
        let elements = (properties + computed + indexes + checks + (search ?? []) + table).sortedByBytes()
        return [logical(entity.name), key] + elements
    }

    /// Returns the logical line of a subtype: its name, its kind, and its elements by name.
    package func logicalLine(_ subtype: Subtype) -> String {
        let kind: String
        var elements: [String]
        switch subtype.kind {
        case .cases(let cases):
            kind = "enum"
            elements = cases.map { "case \(logical($0.name)): \(quoted($0.value))" }
        case .options(let options):
            kind = "options"
            elements = options.map { "option \(logical($0.name)): bit \($0.bit)" }
        case .members(let members):
            kind = "struct"
            elements = members.map { logicalField(of: $0) }
        }
        return ([logical(subtype.name), kind] + elements.sortedByBytes()).joined(separator: " | ")
    }

    /// Returns an expression as descriptions write it, with the names of properties.
    package func text(of expression: RowExpression<ElementLineage>, in entity: Entity) -> String {
        expression.mapColumns { entity.property($0)?.name ?? "" }.text
    }

    func logical(_ type: ValueType) -> String {
        switch type {
        case .scalar(let scalar): scalar.rawValue
        case .array(let element): "[\(logical(element))]"
        case .dictionary(let key, let value): "{\(key.rawValue):\(logical(value))}"
        case .subtype(let lineage): logical(subtype(lineage)?.name ?? "")
        }
    }

    private func logicalField(of property: Property) -> String {
        var text = logical(property.name) + ": "
        switch property.kind {
        case .attribute(let type):
            text += logical(type) + (property.isNullable ? "?" : "")
            if let value = property.defaultValue.flatMap({ literal($0, type: type) }) { text += " = " + value.text }
        case .relationship(let relationship):
            text += relationship.association.rawValue + " "
            text += logical(entity(relationship.target)?.name ?? "") + (property.isNullable ? "?" : "")
            if let inverse = inverse(of: relationship) { text += " inverse " + logical(inverse.name) }
            if relationship.isOrdered { text += " ordered" }
            if relationship.allowsDuplicates { text += " duplicates" }
            switch storage(of: relationship) {
            case .column: text += " on_delete " + deleteRule(of: property).rawValue
            case .joinTable: text += " stored"
            case .inverseColumn, .inverseJoinTable: break
            }
        }
        if let collation = property.collation { text += " collation " + collation.rawValue }
        if let name = property.persistedName { text += " persisted " + logical(name) }
        if !property.persistedColumns.isEmpty {
            text += " persisted (\(property.persistedColumns.map(logical).joined(separator: ", ")))"
        }
        if property.isUnique { text += " unique" } else if property.isIndexed { text += " indexed" }
        for limit in property.limits { text += " \(limit.kind.rawValue) \(limit.valueText)" }
        return text
    }

    private func logical(_ name: String) -> String { Self.logical(name) }

    /// Returns a name as the lock has it: in quotes if it is empty or contains other ASCII characters than letters, digits and
    /// underscores.
    package static func logical(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || byte == 0x5f || byte >= 0x80
        }
        return isPlain && !name.isEmpty ? name : quoted(name)
    }
}
