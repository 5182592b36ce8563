import SQLSchema
import Strata

extension Fixtures {
    /// Returns a row of `type` with sample values, which satisfies the checks of its table. Rows with different numbers have
    /// different primary keys.
    ///
    /// Nullable foreign keys are nil. A required foreign key refers to the sample with the same number.
    ///
    /// - Throws: `FixtureError.unknownTable` if no version declares `type`, or `FixtureError.noSampleRow` if no row with sample
    ///   values satisfies the checks.
    public func sample<Entity: StoredEntity>(_ type: Entity.Type, _ number: Int = 0) throws -> Entity {
        let version = versions.first { $0.structs.contains { $0.type == type } }
        guard let version, let table = version.tables.first(where: { $0.name == Entity.table.name }),
            let definition = try schemaVersion(version).tables.first(where: { $0.name == table.name })
        else { throw FixtureError.unknownTable(Entity.table.name, struct: "\(type)") }

        // SQLite checks the row, and computes what depends on it.
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute(SQLite.createTable(definition))
        let checks = CheckedRows(connection)
        let names = table.columns.flatMap(\.names)
        let insert = try connection.prepare(
            "INSERT INTO \(SQL.quoted(table.name)) (\(SQL.list(names))) VALUES (\(SQL.parameters(names.count)))")
        let row = try table.columns.map { try version.sample($0, of: table, number, checks) }
        try checks.insert(row, into: table, by: insert)

        let columns = Entity.table.columns + Entity.table.computed
        let select = try connection.prepare("SELECT \(SQL.list(columns)) FROM \(SQL.quoted(table.name))")
        _ = try select.step()
        return try Entity(row: select.row)
    }
}

extension FixtureVersion {
    /// Returns the values of a column in the sample with this number.
    fileprivate func sample(
        _ column: FixtureColumn, of table: FixtureTable, _ number: Int, _ checks: CheckedRows
    ) throws -> [SQLiteValue] {
        switch column.role {
        case .key(let type), .value(let type): return [try checks.plain(number, type, column, of: table)]
        case .position: return [.null]
        case .reference(let name, _):
            guard !column.isNullable, let target = tables.first(where: { $0.name == name }) else {
                return column.names.map { _ in .null }
            }
            return try target.keyColumns.flatMap { try sample($0, of: target, number, checks) }
        }
    }
}
