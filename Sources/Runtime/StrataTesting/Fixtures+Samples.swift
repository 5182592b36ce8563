import Strata

extension Fixtures {
    /// Returns a row of `type` with sample values. Rows with different numbers have different primary keys.
    ///
    /// Nullable foreign keys are nil. A required foreign key refers to the sample with the same number.
    ///
    /// - Throws: `FixtureError.unknownTable` if no version declares `type`.
    public func sample<Entity: StoredEntity>(_ type: Entity.Type, _ number: Int = 0) throws -> Entity {
        let table = Entity.table
        let version = versions.first { $0.structs.contains { $0.type == type } }
        guard let version, let own = version.tables.first(where: { $0.name == table.name }) else {
            throw FixtureError.unknownTable(table.name, struct: "\(type)")
        }
        var values: [String: SQLiteValue] = [:]
        for column in own.columns {
            for (name, value) in zip(column.names, try version.sample(column, of: own, number)) { values[name] = value }
        }
        let columns = table.columns.indices.map { "?\($0 + 1)" } + table.computed.map { _ in "NULL" }
        let statement = try Connection(path: ":memory:", mode: .create).prepare(
            "SELECT \(columns.joined(separator: ", "))")
        for (index, column) in table.columns.enumerated() {
            try statement.bind(values[column] ?? .null, at: index + 1)
        }
        _ = try statement.step()
        return try Entity(row: statement.row)
    }
}

extension FixtureVersion {
    /// Returns the values of a column in the sample with this number.
    fileprivate func sample(_ column: FixtureColumn, of table: FixtureTable, _ number: Int) throws -> [SQLiteValue] {
        switch column.role {
        case .key(let type), .value(let type): return [SampleValues.plain(type, number)]
        case .position: return [.null]
        case .reference(let name, _):
            guard !column.isNullable, let target = tables.first(where: { $0.name == name }) else {
                return column.names.map { _ in .null }
            }
            return try target.keyColumns.flatMap { try sample($0, of: target, number) }
        }
    }
}
