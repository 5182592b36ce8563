/// The first finding of each kind, with the number of further findings of that kind.
struct SummarizedFindings {
    private var kinds: [String] = []
    private var found: [String: (text: String, count: Int)] = [:]

    /// Adds a finding. Its text is computed only if it is the first of its kind.
    mutating func add(_ kind: String, _ text: @autoclosure () -> String) {
        if found[kind] == nil {
            kinds.append(kind)
            found[kind] = (text(), 0)
        }
        found[kind]?.count += 1
    }

    /// The text of the first finding of each kind, with the number of further findings.
    var texts: [String] {
        kinds.compactMap { found[$0] }.map { text, count in
            count == 1 ? text : text + (count == 2 ? " (and another)" : " (and \(count - 1) others)")
        }
    }
}

/// The names that the descriptions give to the tables and columns of a version.
struct Names {
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
