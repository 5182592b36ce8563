import SQLSchema

/// The dangling foreign keys of a store, each with the number of rows that contain it.
struct DanglingKeys {
    /// The values of a foreign key that one or more rows of a table contain.
    private struct Key: Hashable {
        let table: String
        let columns: [String]
        /// Nil matches any values: a step has converted them.
        let values: [SQLiteValue]?

        /// Creates a key whose columns are sorted by name, because their order in the foreign key may change.
        init(table: String, columns: [String], values: [SQLiteValue]?) {
            let order = columns.indices.sorted { columns[$0] < columns[$1] }
            self.table = table
            self.columns = order.map { columns[$0] }
            self.values = values.map { values in order.map { values[$0] } }
        }
    }

    private var counts: [Key: Int] = [:]

    /// Creates a value without dangling foreign keys.
    init() {}

    /// Reads the dangling foreign keys of `tables`.
    init(reading connection: Connection, of tables: [Table]) throws {
        for key in try DanglingKey.all(of: tables, in: connection) {
            let columns = try key.columns(in: connection)
            guard let number = try connection.rowNumber(of: key.table) else {
                counts[Key(table: key.table, columns: columns, values: nil), default: 0] += key.count
                continue
            }
            let rows = "SELECT \(SQL.list(columns)) FROM \(SQL.quoted(key.table)) WHERE \(number) IN (\(key.rows))"
            try connection.query(rows) { row in
                counts[Key(table: key.table, columns: columns, values: row.values), default: 0] += 1
            }
        }
    }

    /// Returns the same foreign keys with the names that their tables and columns have after a migration.
    func after(_ run: MigrationRun) -> DanglingKeys {
        if counts.isEmpty { return self }
        var result = DanglingKeys()
        for line in run.lineage.lines {
            let names = line.names
            for (key, count) in counts where key.table == line.source {
                let columns = key.columns.compactMap { names[$0] }
                let isSame = columns.allSatisfy { line.columns[$0]?.isSame == true }
                let isComplete = columns.count == key.columns.count
                if isComplete {
                    let after = Key(table: line.table, columns: columns, values: isSame ? key.values : nil)
                    result.counts[after, default: 0] += count
                }
                // A custom migration may have moved the values to other columns, and may have converted them.
                if line.hasCode, !isComplete || !isSame { result.counts[key, default: 0] += count }
            }
        }
        // A custom migration may have moved the rows of a dropped table.
        if run.hasCode {
            let kept = Set(run.lineage.lines.map(\.source))
            for (key, count) in counts where !kept.contains(key.table) { result.counts[key, default: 0] += count }
        }
        return result
    }

    /// Returns the number of dangling foreign keys, by table, that are not in `old`.
    ///
    /// A foreign key is in `old` if `old` counts one with the same values in the same columns of the same table. Each
    /// foreign key in `old` matches only one.
    ///
    /// A custom migration may move rows. If `movedByCode` is true, each foreign key in `old` without such a match also
    /// matches one with the same values in any table.
    func beyond(_ old: DanglingKeys, movedByCode: Bool) -> [String: Int] {
        var left = old.counts
        var rest: [(key: Key, count: Int)] = []
        func take(_ key: Key, _ count: Int) -> Int {
            let known = min(count, left[key] ?? 0)
            if known > 0 { left[key] = (left[key] ?? 0) - known }
            return count - known
        }
        for (key, count) in counts {
            let unknown = take(Key(table: key.table, columns: key.columns, values: nil), take(key, count))
            if unknown > 0 { rest.append((key, unknown)) }
        }
        var moved: [[SQLiteValue]: Int] = [:]
        if movedByCode {
            for (key, count) in left { if let values = key.values { moved[values, default: 0] += count } }
        }
        var beyond: [String: Int] = [:]
        for (key, count) in rest {
            let known = key.values.flatMap { moved[$0] } ?? 0
            if let values = key.values { moved[values] = max(0, known - count) }
            if count > known { beyond[key.table, default: 0] += count - known }
        }
        return beyond
    }
}
