/// The names that the descriptions give to the tables and columns of a version.
struct DescribedNames {
    private var entities: [String: String] = [:]
    private var properties: [String: [String: String]] = [:]

    init(_ version: FixtureVersion) {
        for table in version.tables {
            entities[table.name] = table.entity
            for column in table.columns {
                for name in column.names { properties[table.name, default: [:]][name] = column.property }
            }
        }
        for join in version.joinTables { entities[join.name] = join.property }
    }

    /// Returns the entity of a table, or the relationship of a join table.
    func entity(_ table: String) -> String { entities[table] ?? table }

    /// Returns the entity and the property of a column. The name of the column is added if it differs.
    func property(_ column: String, of table: String) -> String {
        let property = properties[table]?[column] ?? column
        return "\(entity(table)).\(property)" + (property == column ? "" : " (\(column))")
    }
}
