/// The first finding of each kind, with the number of the others.
struct SummarizedFindings {
    private var kinds: [String] = []
    private var found: [String: (text: String, count: Int)] = [:]

    /// Adds a finding of a kind.
    mutating func add(_ kind: String, _ text: @autoclosure () -> String) {
        if found[kind] == nil {
            kinds.append(kind)
            found[kind] = (text(), 0)
        }
        found[kind]?.count += 1
    }

    /// The findings in words.
    var texts: [String] {
        kinds.compactMap { found[$0] }.map { text, count in
            count == 1 ? text : text + (count == 2 ? " (and another)" : " (and \(count - 1) others)")
        }
    }
}

/// What the tables and columns of a version are called in its descriptions.
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

    /// The entity of a table, or the relationship of a join table.
    func entity(_ table: String) -> String { entities[table] ?? table }

    /// The property of a column.
    func property(_ column: String, of table: String) -> String {
        let property = properties[table]?[column] ?? column
        return "\(entity(table)).\(property)" + (property == column ? "" : " (\(column))")
    }
}
