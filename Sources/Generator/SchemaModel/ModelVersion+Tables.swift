import SQLSchema

/// The contents of a table through all versions: the rows of an entity, or the pairs of a relationship.
package struct TableOwner: Hashable, Sendable {
    /// The entity's lineage.
    package var entity: EntityLineage
    /// The lineage of the relationship whose pairs a join table contains; nil for the table of the entity itself.
    package var relationship: ElementLineage?

    /// Creates the owner of a table.
    package init(entity: EntityLineage, relationship: ElementLineage? = nil) {
        self.entity = entity
        self.relationship = relationship
    }
}

extension ModelVersion {
    /// The tables of the version. The join tables of an entity follow its own table.
    package var tables: [Table] {
        entities.flatMap { [table(of: $0)] + joinTables(of: $0).map(\.table) }
    }

    /// For each table, the statements that create it and its indexes. They are sorted by the names of the entities, so that
    /// the names of files do not affect their order.
    package var statements: [[String]] {
        entities.sorted { $0.name < $1.name }.flatMap { layout(of: $0).statements }
    }

    /// The tables of the version in the order of `tables`, each with its owner.
    package var ownedTables: [(owner: TableOwner, table: Table)] {
        entities.flatMap { entity in
            [(TableOwner(entity: entity.lineage), table(of: entity))]
                + joinTables(of: entity).map {
                    (TableOwner(entity: entity.lineage, relationship: $0.property), $0.table)
                }
        }
    }

    /// Returns the table of `entity`.
    package func table(of entity: Entity) -> Table {
        layout(of: entity).table
    }

    func makeTable(of entity: Entity, _ columns: [StoredColumn], _ names: inout IndexNames) -> Table {
        let foreignKeys = entity.properties.compactMap { property -> Table.ForeignKey? in
            guard let relationship = property.relationship, let target = self.entity(relationship.target) else {
                return nil
            }
            let names = columns.filter { $0.property == property.lineage && $0.role != .position }.map(\.name)
            return names.isEmpty ? nil : foreignKey(names, to: target, deleteRule(of: property))
        }
        let columnName = { (lineage: ElementLineage) in
            columns.first { $0.property == lineage && $0.role != .position }?.name ?? ""
        }
        return Table(
            entity.tableName, columns: columns.map(tableColumn),
            computed: computedColumns(of: entity, columnName),
            primaryKey: keyParts(of: entity).map(\.name),
            foreignKeys: foreignKeys, indexes: indexes(of: entity, columns, &names),
            checks: checks(of: entity, columnName, &names), search: entity.search?.mapColumns(columnName))
    }

    /// Returns the computed columns of the table of `entity`, in the order of its computed properties.
    package func computedColumns(of entity: Entity) -> [ComputedColumn] {
        let columns = columns(of: entity)
        return computedColumns(of: entity) { lineage in
            columns.first { $0.property == lineage && $0.role != .position }?.name ?? ""
        }
    }

    private func computedColumns(of entity: Entity, _ column: (ElementLineage) -> String) -> [ComputedColumn] {
        entity.computed.map { ComputedColumn($0.columnName, $0.type.storage, $0.value.mapColumns(column)) }
    }

    private func tableColumn(_ column: StoredColumn) -> Table.Column {
        Table.Column(
            column.name, storage(of: column.type), isNullable: column.isNullable, defaultValue: column.defaultValue,
            collation: column.collation)
    }

    private func foreignKey(_ columns: [String], to target: Entity, _ rule: Table.DeleteRule) -> Table.ForeignKey {
        Table.ForeignKey(columns, to: target.tableName, keyParts(of: target).map(\.name), rule)
    }

    private func indexes(
        of entity: Entity, _ columns: [StoredColumn], _ names: inout IndexNames
    ) -> [Table.Index] {
        var wanted: [IndexKey] = []
        for property in entity.properties {
            var isReference = false
            if case .relationship(let relationship) = property.kind {
                guard storage(of: relationship) == .column else { continue }
                isReference = true
            }
            let isUnique = isUnique(property)
            guard isReference || isUnique || property.isIndexed else { continue }
            wanted.append(.properties(IndexShape([property.lineage], unique: isUnique)))
        }
        wanted += entity.computed.filter(\.isIndexed).map { .properties(IndexShape([$0.lineage], unique: false)) }
        wanted += entity.indexes.map { .properties($0.shape) }
        var seen: Set<IndexKey> = []
        var indexes: [Table.Index] = []
        for key in wanted where seen.insert(key).inserted {
            guard case .properties(let shape) = key else { continue }
            let indexed = shape.mapColumns { lineage in
                if let property = entity.computedProperty(lineage) { return [property.columnName] }
                return columns.filter { $0.property == lineage && $0.role != .position }.map(\.name)
            }
            let name = names.name(key, [entity.tableName] + indexed.columns + [shape.isUnique ? "key" : "idx"])
            indexes.append(Table.Index(name, indexed))
        }
        return indexes
    }

    private func checks(
        of entity: Entity, _ column: (ElementLineage) -> String, _ names: inout IndexNames
    ) -> [Table.Check] {
        let limits = entity.properties.flatMap { property in
            property.limits.map { limit in
                let key = IndexKey.limit(property.lineage, limit.kind)
                let name = names.name(key, [entity.tableName, column(property.lineage), limit.kind.rawValue])
                return Table.Check(name, limit.condition(on: column(property.lineage)))
            }
        }
        return limits + entity.checks.map { Table.Check($0.name, $0.condition.mapColumns(column)) }
    }

    /// A join table with its relationship.
    package struct JoinTable: Sendable {
        /// The table. It has the columns of both primary keys, `position`, and `inverse_position` if the inverse is
        /// ordered.
        package var table: Table
        /// The columns of the source's primary key: `source_id`, or `source_` with the names of the key's columns.
        package var source: [String]
        /// The columns of the target's primary key: `target_id`, or `target_` with the names of the key's columns.
        package var target: [String]
        /// The property.
        package var property: ElementLineage
        /// The relationship.
        package var relationship: Relationship
        /// Whether the inverse is ordered.
        package var hasOrderedInverse: Bool
    }

    /// Returns the join tables of the relationships of `entity`.
    package func joinTables(of entity: Entity) -> [JoinTable] {
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
            var columns: [Table.Column] = []
            var foreignKeys: [Table.ForeignKey] = []
            for (names, end) in [(source, entity), (other, target)] {
                columns += zip(names, keyParts(of: end)).map { Table.Column($0, $1.type.storage) }
                foreignKeys.append(foreignKey(names, to: end, .cascade))
            }
            columns.append(Table.Column(Table.position, .integer))
            let hasOrderedInverse = inverse(of: relationship)?.relationship?.isOrdered == true
            if hasOrderedInverse { columns.append(Table.Column(Table.inversePosition, .integer, isNullable: true)) }
            let index = Table.Index(
                names.name(.joinTarget(property.lineage), [name] + other + ["idx"]), IndexShape(other))
            return JoinTable(
                table: Table(
                    name, columns: columns,
                    primaryKey: source + other + (relationship.allowsDuplicates ? [Table.position] : []),
                    foreignKeys: foreignKeys, indexes: [index],
                    isJoinTable: true),
                source: source, target: other, property: property.lineage, relationship: relationship,
                hasOrderedInverse: hasOrderedInverse)
        }
    }

    /// Returns the columns of a join table for the primary key of one end.
    func joinColumns(_ end: String, _ entity: Entity) -> [String] {
        let parts = keyParts(of: entity)
        return parts.count == 1 ? [ColumnSuffix.reference.added(to: end)] : parts.map { end + "_" + $0.name }
    }

    /// Returns the name of the join table of a relationship.
    package func joinTableName(of property: Property, in entity: Entity) -> String {
        property.persistedName ?? entity.tableName + "_" + property.name
    }
}
