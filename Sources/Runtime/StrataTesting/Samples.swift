import Strata

extension ColumnValued {
    /// A row with values that are there for no reason; another number gives one with another key.
    ///
    /// What may be nil is nil where it points at another row; what may not be points at the sample of the same number.
    public static func sample(_ number: Int = 0) throws -> Self {
        let version = fixtures.versions.first { $0.structs.contains { $0.type == Self.self } }
        guard let version, let own = version.tables.first(where: { $0.name == table.name }) else {
            throw FixtureError.unknownEntity(table.name, schema: fixtures.schema.name)
        }
        var values: [String: SQLiteValue] = [:]
        for column in own.columns {
            for (name, value) in zip(column.names, try version.sample(column, of: own, number)) { values[name] = value }
        }
        let parameters = table.columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let statement = try Connection(path: ":memory:", mode: .create).prepare("SELECT \(parameters)")
        for (place, column) in table.columns.enumerated() {
            try statement.bind(values[column] ?? .null, at: place + 1)
        }
        _ = try statement.step()
        return try Self(row: statement.row)
    }
}

extension FixtureVersion {
    /// The values of a column of the sample of a number.
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
