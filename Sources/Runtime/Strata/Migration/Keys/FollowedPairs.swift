import SQLSchema

/// A join table in a step in which the primary key of an end gets another type. Its pairs follow the new keys.
struct FollowedPairs {
    /// The table of the pairs before the step: a join table, or that of an entity with a to-one relationship.
    let old: Table
    /// The join table after the step.
    let new: Table
    /// The values of columns that do not have the name of an old one.
    private let columns: [String: ValueExpression]
    /// The foreign keys before and after the step: first that of the source, then that of the target.
    let ends: [(old: Table.ForeignKey, new: Table.ForeignKey)]

    /// Finds the join tables whose pairs follow in a step.
    static func all(_ mapping: TableMapping, _ changes: [TableChange]) -> [FollowedPairs] {
        changes.compactMap { change in
            guard case .custom(let from, let to, let columns, _) = change,
                let old = mapping.old.first(where: { $0.name == from }),
                let new = mapping.new.first(where: { $0.name == to }), new.isJoinTable
            else { return nil }
            // A row of an entity is its own source.
            let source = Table.ForeignKey(old.primaryKey, to: old.name, old.primaryKey, .cascade)
            var left = old.isJoinTable ? old.foreignKeys : [source] + old.foreignKeys
            let ends = new.foreignKeys.compactMap { key in
                left.firstIndex {
                    old.isJoinTable
                        ? $0.target == mapping.source(of: key.target)
                        : $0.columns.first == columns[key.columns[0]]?.columnName
                }.map { (left.remove(at: $0), key) }
            }
            return FollowedPairs(old: old, new: new, columns: columns, ends: ends)
        }
    }

    /// SQL for the condition that an old row has a pair.
    var isPair: String {
        ends.flatMap(\.old.columns).map { "\(SQL.quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
    }

    /// Whether the values of a foreign key do not fit its columns any more.
    func isRetyped(_ end: (old: Table.ForeignKey, new: Table.ForeignKey)) -> Bool {
        end.old.columns.map { old.column($0)?.type } != end.new.columns.map { new.column($0)?.type }
    }

    /// Whether the pairs get the values of these columns from the new keys of rows.
    func isRetyped(_ columns: [String]) -> Bool { ends.contains { $0.new.columns == columns && isRetyped($0) } }

    /// Returns SQL for the values of a column of the new table, and for the old rows `t` whose pairs can follow.
    ///
    /// - Parameters:
    ///   - name: The quoted name of the old table.
    ///   - maps: The changed primary keys, by table. Those of an end of another type contain all rows.
    func query(from name: String, _ maps: [String: KeyMap]) -> (value: (String) -> String, rows: String) {
        var values: [String: String] = [:]
        for column in new.columnNames {
            if let value = columns[column] {
                values[column] = value.columnName.map { "t." + SQL.quoted($0) } ?? SQLite.expression(value)
            } else if !old.isJoinTable || old.column(column) == nil {
                values[column] = "NULL"
            }
        }
        var rows = "(SELECT * FROM \(name) WHERE \(isPair)) AS t"
        for (index, end) in ends.enumerated() {
            guard isRetyped(end) else {
                for (before, after) in zip(end.old.columns, end.new.columns) {
                    values[after] = "t." + SQL.quoted(before)
                }
                continue
            }
            guard let map = maps[end.new.target] else {
                rows += " JOIN (SELECT 1 WHERE 0)"
                continue
            }
            let isFound = zip(map.oldColumns, end.old.columns).map { "k\(index).\($0) = t.\(SQL.quoted($1))" }
            rows +=
                " JOIN \(map.name) AS k\(index) ON k\(index).n0 IS NOT NULL AND \(isFound.joined(separator: " AND "))"
            for (column, key) in zip(end.new.columns, map.newColumns) { values[column] = "k\(index).\(key)" }
        }
        return ({ values[$0] ?? "t." + SQL.quoted($0) }, rows)
    }

    /// Copies the pairs to the new table, with the new keys of their ends. Keys that keep their type still have their old
    /// values.
    ///
    /// - Returns: The number of pairs that cannot follow: a row was dropped, or never existed.
    func copy(_ access: StepAccess, _ monitor: MigrationMonitor) throws -> Int {
        let connection = access.connection
        let name = access.oldName(old.name)
        let (value, rows) = query(from: SQL.quoted(name), access.keyMaps)
        let columns = new.columnNames
        let moved = try MovedRows(of: columns, connection)
        let order = old.primaryKey.map { "t." + SQL.quoted($0) }.joined(separator: ", ")
        try connection.execute(
            "INSERT INTO \(moved.name) SELECT \(columns.map(value).joined(separator: ", ")) FROM \(rows) ORDER BY \(order)"
        )
        let count = connection.changes
        let all = try connection.integer("SELECT count(*) FROM \(SQL.quoted(name)) WHERE \(isPair)") ?? 0
        try moved.insertPairs(into: access.quoted(new.name), key: new.primaryKey)
        try moved.drop()
        try monitor.advance(connection.count(name), table: new.name)
        return all - count
    }
}
