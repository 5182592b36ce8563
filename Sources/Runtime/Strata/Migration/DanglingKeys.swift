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
        var found: [(table: String, row: Int64, id: Int)] = []
        for table in tables where !table.foreignKeys.isEmpty {
            let check = "pragma_foreign_key_check(\(SQL.literal(table.name)))"
            try connection.query("SELECT \"rowid\", fkid FROM \(check)") { row in
                if let number = try Int64?(row: row, at: 0) { found.append((table.name, number, try row.int(1))) }
            }
        }
        var columns: [String: [String]] = [:]
        var rowIDs: [String: String] = [:]
        for (table, number, id) in found {
            let name = "\(id) \(table)"
            if columns[name] == nil {
                let list = "pragma_foreign_key_list(\(SQL.literal(table)))"
                columns[name] = try connection.texts("SELECT \"from\" FROM \(list) WHERE id = \(id) ORDER BY seq")
                rowIDs[table] = try connection.rowNumber(of: table)
            }
            let (own, rowID) = (columns[name] ?? [], rowIDs[table] ?? "rowid")
            let row = try connection.cached("SELECT \(SQL.list(own)) FROM \(SQL.quoted(table)) WHERE \(rowID) = ?1")
            try row.bind(number, at: 1)
            defer { row.reset() }
            if try row.step() { counts[Key(table: table, columns: own, values: row.row.values), default: 0] += 1 }
        }
    }

    /// Returns the same foreign keys with the names of their tables and columns after a stage of a migration.
    func after(_ stage: MigrationStage) -> DanglingKeys {
        if counts.isEmpty { return self }
        var result = DanglingKeys()
        var references: [String: [String: String]] = [:]
        for case .custom(_, let to, _, let columns) in stage.changes { references[to] = columns }
        let tables = Set(counts.keys.map(\.table))
        for table in stage.mapping.new {
            let source = stage.mapping.source(of: table.name)
            guard tables.contains(source) else { continue }
            // The old column of each new column, and whether the values are the same.
            var origins: [String: (column: String, isSame: Bool)] = [:]
            switch stage.mapping.origins[table.name] {
            case .empty: continue
            case nil: for column in table.columnNames { origins[column] = (column, true) }
            case .custom: for (new, old) in references[table.name] ?? [:] { origins[new] = (old, true) }
            case .rows(_, let columns, _):
                for (column, value) in columns {
                    if let old = value.columnName {
                        origins[column] = (old, true)
                    } else {
                        origins[column] = (column, false)
                    }
                }
            }
            for (key, count) in counts where key.table == source {
                let columns = key.columns.compactMap { old in origins.first { $0.value.column == old }?.key }
                guard columns.count == key.columns.count else {
                    // A custom migration may have moved the values to other columns, and may have converted them.
                    result.counts[key, default: 0] += count
                    if case .custom? = stage.mapping.origins[table.name] {
                        let same = Key(table: table.name, columns: key.columns, values: nil)
                        result.counts[same, default: 0] += count
                    }
                    continue
                }
                let isSame = columns.allSatisfy { origins[$0]?.isSame == true }
                let values = isSame ? key.values : nil
                result.counts[Key(table: table.name, columns: columns, values: values), default: 0] += count
            }
        }
        // A custom migration may have moved the rows of a dropped table.
        if stage.custom != nil {
            let kept = Set(stage.mapping.new.map { stage.mapping.source(of: $0.name) })
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
