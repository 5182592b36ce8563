@_exported import SchemaSQL

extension SchemaVersion {
    /// The tables of the version: that of each entity, and the join tables of its relationships after it.
    public var tables: [Table] {
        entities.flatMap { [table(of: $0)] + joinTables(of: $0).map(\.table) }
    }

    /// The table of `entity`.
    public func table(of entity: Entity) -> Table {
        layout(of: entity).table
    }

    func makeTable(of entity: Entity, _ columns: [StoredColumn]) -> Table {
        return Table(
            entity.tableName, columns.map { element($0, of: entity) },
            indexes: indexes(of: entity, columns: columns))
    }

    private func element(_ column: StoredColumn, of entity: Entity) -> String {
        var text = SQL.quoted(column.name) + " " + storage(of: column.type)
        if column.role == .identifier {
            return text + (column.type == .scalar(.int) ? " PRIMARY KEY" : " NOT NULL PRIMARY KEY")
        }
        if !column.isNullable { text += " NOT NULL" }
        if let value = column.defaultValue { text += " DEFAULT " + value.sql }
        if let collation = column.collation { text += " COLLATE " + collation.rawValue.uppercased() }
        if case .reference(let lineage) = column.role, let target = self.entity(lineage),
            let property = column.property.flatMap(entity.property)
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
        return "REFERENCES \(SQL.quoted(target.tableName)) (\(SQL.quoted(target.identifier.name))) "
            + "ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED"
    }

    private func indexes(of entity: Entity, columns: [StoredColumn]) -> [Index] {
        func name(_ properties: [Int]) -> [String] {
            properties.compactMap { lineage in
                columns.first { $0.property == lineage && $0.role != .position }?.name
            }
        }
        func index(_ columns: [String], _ isUnique: Bool) -> Index {
            Index(
                ([entity.tableName] + columns + [isUnique ? "key" : "idx"]).joined(separator: "_"), on: columns,
                unique: isUnique)
        }
        var indexes: [Index] = []
        for property in entity.properties {
            let isReference = property.relationship.map { storage(of: $0) == .column } ?? false
            let columns = name([property.lineage])
            let isUnique = isUnique(property)
            guard !columns.isEmpty, isReference || isUnique || property.isIndexed else { continue }
            indexes.append(index(columns, isUnique))
        }
        for entityIndex in entity.indexes {
            indexes.append(index(name(entityIndex.properties), entityIndex.isUnique))
        }
        var seen: Set<Index> = []
        return indexes.filter { seen.insert($0).inserted }
    }

    /// A join table, and the relationship that it keeps.
    public struct JoinTable: Sendable {
        /// The table: `source_id`, `target_id`, `position`.
        public var table: Table
        /// The lineage of the property that it keeps.
        public var property: Int
        /// The relationship that it keeps.
        public var relationship: Relationship
    }

    /// The join tables of the relationships that `entity` stores outside its own table.
    public func joinTables(of entity: Entity) -> [JoinTable] {
        layout(of: entity).joinTables
    }

    func makeJoinTables(of entity: Entity) -> [JoinTable] {
        entity.properties.compactMap { property in
            guard let relationship = property.relationship, storage(of: relationship) == .joinTable,
                let target = self.entity(relationship.target)
            else { return nil }
            let name = joinTableName(of: property, in: entity)
            return JoinTable(
                table: Table(
                    name,
                    [
                        "\"source_id\" \(entity.identifier.kind.scalar.storage) NOT NULL "
                            + foreignKey(to: entity, .cascade),
                        "\"target_id\" \(target.identifier.kind.scalar.storage) NOT NULL "
                            + foreignKey(to: target, .cascade),
                        "\"position\" INTEGER NOT NULL",
                        "PRIMARY KEY (\"source_id\", \"target_id\")",
                    ],
                    indexes: [Index(name + "_target_id_idx", on: ["target_id"])]),
                property: property.lineage, relationship: relationship)
        }
    }

    /// The name of the join table of a relationship.
    public func joinTableName(of property: Property, in entity: Entity) -> String {
        property.persistedName ?? entity.tableName + "_" + property.name
    }
}
