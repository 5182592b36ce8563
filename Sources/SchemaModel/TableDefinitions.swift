@_exported import SchemaSQL

/// What a table holds through all versions: the rows of an entity, or the pairs of a relationship.
public struct TableOwner: Hashable, Sendable {
    /// The entity's lineage.
    public var entity: Int
    /// The lineage of the relationship whose pairs a join table holds; nil for the table of the entity itself.
    public var relationship: Int?

    /// The rows of an entity, or the pairs of its relationship.
    public init(entity: Int, relationship: Int? = nil) {
        self.entity = entity
        self.relationship = relationship
    }
}

extension SchemaVersion {
    /// The tables of the version: that of each entity, and the join tables of its relationships after it.
    public var tables: [Table] {
        entities.flatMap { [table(of: $0)] + joinTables(of: $0).map(\.table) }
    }

    /// The tables of the version by the names of their entities: an order that no file's name decides.
    public var tablesInOrderOfNames: [Table] {
        entities.sorted { $0.name < $1.name }.flatMap { [table(of: $0)] + joinTables(of: $0).map(\.table) }
    }

    /// The tables of the version, in the order of `tables`, each with what it holds.
    public var ownedTables: [(owner: TableOwner, table: Table)] {
        entities.flatMap { entity in
            [(TableOwner(entity: entity.lineage), table(of: entity))]
                + joinTables(of: entity).map {
                    (TableOwner(entity: entity.lineage, relationship: $0.property), $0.table)
                }
        }
    }

    /// The table of `entity`.
    public func table(of entity: Entity) -> Table {
        layout(of: entity).table
    }

    func makeTable(of entity: Entity, _ columns: [StoredColumn], _ names: inout IndexNames) -> Table {
        var elements = columns.map { element($0, of: entity) }
        let parts = keyParts(of: entity)
        if parts.count > 1 { elements.append("PRIMARY KEY (\(SQL.list(parts.map(\.name))))") }
        for property in entity.properties {
            guard case .relationship(let relationship) = property.kind, let target = self.entity(relationship.target)
            else { continue }
            let names = columns.filter { $0.property == property.lineage && $0.role != .position }.map(\.name)
            if names.count > 1 {
                elements.append(
                    "FOREIGN KEY (\(SQL.list(names))) " + foreignKey(to: target, deleteRule(of: property)))
            }
        }
        return Table(entity.tableName, elements, indexes: indexes(of: entity, columns, &names))
    }

    private func element(_ column: StoredColumn, of entity: Entity) -> String {
        var text = SQL.quoted(column.name) + " " + storage(of: column.type)
        let isOnlyKey = column.isKey && keyParts(of: entity).count == 1
        // An integer that is the key is the row's number, and never NULL.
        let isRowNumber = isOnlyKey && column.type.scalar?.storage == "INTEGER"
        if !column.isNullable, !isRowNumber { text += " NOT NULL" }
        if let value = column.defaultValue { text += " DEFAULT " + value.sql }
        if let collation = column.collation { text += " COLLATE " + collation.rawValue.uppercased() }
        if isOnlyKey { text += " PRIMARY KEY" }
        if case .reference(let lineage) = column.role, let target = self.entity(lineage),
            let property = column.property.flatMap(entity.property), keyParts(of: target).count == 1
        {
            text += " " + foreignKey(to: target, deleteRule(of: property))
        }
        return text
    }

    /// `REFERENCES`, checked when the transaction commits, so that rows may be written in any order; `RESTRICT` still
    /// acts at once (https://sqlite.org/foreignkeys.html#fk_actions).
    private func foreignKey(to target: Entity, _ rule: Relationship.DeleteRule) -> String {
        let action =
            switch rule {
            case .nullify: "SET NULL"
            case .cascade: "CASCADE"
            case .deny: "RESTRICT"
            case .noAction: "NO ACTION"
            }
        return "REFERENCES \(SQL.quoted(target.tableName)) (\(SQL.list(keyParts(of: target).map(\.name)))) "
            + "ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED"
    }

    private func indexes(
        of entity: Entity, _ columns: [StoredColumn], _ names: inout IndexNames
    ) -> [Index] {
        var wanted: [IndexKey] = []
        for property in entity.properties {
            var isReference = false
            if case .relationship(let relationship) = property.kind {
                guard storage(of: relationship) == .column else { continue }
                isReference = true
            }
            let isUnique = isUnique(property)
            guard isReference || isUnique || property.isIndexed else { continue }
            wanted.append(.properties([property.lineage], isUnique: isUnique))
        }
        wanted += entity.indexes.map { .properties($0.properties, isUnique: $0.isUnique) }
        var seen: Set<IndexKey> = []
        var indexes: [Index] = []
        for key in wanted where seen.insert(key).inserted {
            guard case .properties(let properties, let isUnique) = key else { continue }
            let indexed = properties.flatMap { lineage in
                columns.filter { $0.property == lineage && $0.role != .position }.map(\.name)
            }
            let name = names.name(key, [entity.tableName] + indexed + [isUnique ? "key" : "idx"])
            indexes.append(Index(name, on: indexed, unique: isUnique))
        }
        return indexes
    }

    /// A join table, and the relationship that it keeps.
    public struct JoinTable: Sendable {
        /// The table: the columns of both keys and `position`.
        public var table: Table
        /// The columns of the source's key: `source_id`, or `source_` and the names of its columns.
        public var source: [String]
        /// The columns of the target's key: `target_id`, or `target_` and the names of its columns.
        public var target: [String]
        /// The lineage of the property that it keeps.
        public var property: Int
        /// The relationship that it keeps.
        public var relationship: Relationship
    }

    /// The join tables of the relationships that `entity` stores outside its own table.
    public func joinTables(of entity: Entity) -> [JoinTable] {
        layout(of: entity).joinTables
    }

    func makeJoinTables(of entity: Entity, _ names: inout IndexNames) -> [JoinTable] {
        entity.properties.compactMap { property in
            guard let relationship = property.relationship, storage(of: relationship) == .joinTable,
                let target = self.entity(relationship.target)
            else { return nil }
            let name = joinTableName(of: property, in: entity)
            let source = joinColumns("source", entity)
            let other = joinColumns("target", target)
            var elements: [String] = []
            for (columns, end) in [(source, entity), (other, target)] {
                let key = foreignKey(to: end, .cascade)
                for (column, part) in zip(columns, keyParts(of: end)) {
                    let constraint = columns.count == 1 ? " " + key : ""
                    elements.append("\(SQL.quoted(column)) \(part.type.storage) NOT NULL\(constraint)")
                }
            }
            elements.append("\"position\" INTEGER NOT NULL")
            elements.append("PRIMARY KEY (\(SQL.list(source + other)))")
            for (columns, end) in [(source, entity), (other, target)] where columns.count > 1 {
                elements.append("FOREIGN KEY (\(SQL.list(columns))) \(foreignKey(to: end, .cascade))")
            }
            let index = Index(names.name(.joinTarget(property.lineage), [name] + other + ["idx"]), on: other)
            return JoinTable(
                table: Table(name, elements, indexes: [index], isJoinTable: true), source: source, target: other,
                property: property.lineage, relationship: relationship)
        }
    }

    /// The columns of a join table for the key of one of its ends.
    func joinColumns(_ end: String, _ entity: Entity) -> [String] {
        let parts = keyParts(of: entity)
        return parts.count == 1 ? [end + "_id"] : parts.map { end + "_" + $0.name }
    }

    /// The name of the join table of a relationship.
    public func joinTableName(of property: Property, in entity: Entity) -> String {
        property.persistedName ?? entity.tableName + "_" + property.name
    }
}
