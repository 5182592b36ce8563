import SchemaModel
import SQLSchema

/// A table of one version on a PostgreSQL server.
///
/// It has the columns, keys and indexes of the store's table, with PostgreSQL's types, and a check for the cases of each enum.
package struct ServerTable: Hashable, Sendable {
    /// The contents of the table through all versions.
    package let owner: TableOwner
    /// The table. Its checks include those of enums.
    package let table: Table
    /// The types of all columns, by name.
    package let types: [String: ServerType]
    /// The way in which Citus places the rows; nil if the coordinator has them all.
    package var distribution: TableDistribution?

    package var name: String { table.name }

    package func type(of column: String) -> ServerType { types[column] ?? .text }

    /// The most columns of a table, and of an index (https://www.postgresql.org/docs/15/limits.html).
    private static let limits = (columns: 1_600, indexed: 32)

    /// Refuses a table that PostgreSQL cannot have.
    func checkSize() throws(ServerExpression.Unsupported) {
        if table.allColumnNames.count > Self.limits.columns { throw .columns(of: name) }
        let indexes = [table.primaryKey] + table.indexes.map(\.columns)
        if indexes.contains(where: { $0.count > Self.limits.indexed }) { throw .indexedColumns(of: name) }
    }

    /// The name of the constraint of the primary key.
    var primaryKeyName: String { name + "_pkey" }

    /// Returns the name of the constraint of a foreign key.
    func name(of key: Table.ForeignKey) -> String { name + "_" + key.columns.joined(separator: "_") + "_fkey" }

    /// The constraints of the foreign keys, with their names.
    package var foreignKeyConstraints: [(name: String, definition: String)] {
        table.foreignKeys.map { (name(of: $0), PostgreSQL.constraint($0, in: self)) }
    }

    /// The names and types of all columns.
    var columnTypes: [StepAssertions.Column] { table.allColumnNames.map { (name, $0, type(of: $0)) } }

    /// Expressions over the columns of a row.
    ///
    /// - Parameter name: Returns SQL for a column.
    func expressions(_ name: @escaping (String) -> String = PostgreSQL.quoted) -> ServerExpression {
        ServerExpression(types: types, name: name)
    }
}

extension ModelVersion {
    /// The tables of the version on a PostgreSQL server, in the order of `tables`.
    package var serverTables: [ServerTable] {
        entities.flatMap { [serverTable(of: $0)] + serverJoinTables(of: $0) }
    }

    private func serverTable(of entity: Entity) -> ServerTable {
        var table = self.table(of: entity)
        var types: [String: ServerType] = [:]
        for column in columns(of: entity) {
            types[column.name] = serverType(of: column.type)
            guard case .subtype(let lineage) = column.type, case .cases(let cases) = subtype(lineage)?.kind else {
                continue
            }
            let values = cases.map { RowExpression<String>.literal(.text($0.value)) }
            table.checks.append(
                Table.Check("\(table.name)_\(column.name)_cases", .isIn(.column(column.name), values)))
        }
        for property in entity.computed { types[property.columnName] = property.type.facts.server }
        table.checks.sort { $0.name < $1.name }
        return ServerTable(
            owner: TableOwner(entity: entity.lineage), table: table, types: types,
            distribution: distribution(of: entity))
    }

    private func serverJoinTables(of entity: Entity) -> [ServerTable] {
        joinTables(of: entity).map { join in
            var types = [Table.position: ServerType.bigint]
            if join.hasOrderedInverse { types[Table.inversePosition] = .bigint }
            for (names, end) in [(join.source, entity), (join.target, self.entity(join.relationship.target))] {
                guard let end else { continue }
                for (name, part) in zip(names, keyParts(of: end)) { types[name] = part.type.facts.server }
            }
            return ServerTable(
                owner: TableOwner(entity: entity.lineage, relationship: join.property), table: join.table, types: types,
                distribution: distribution(of: join, in: entity))
        }
    }
}
