import SQLSchema

/// Updates all references to rows that a custom migration has changed: to new primary keys, and to the rows that rows
/// were merged into. For dropped rows, it applies the delete rules of the new version.
struct ReferenceRewriter {
    let access: StepAccess
    /// The tables whose rows a custom migration converts, by the name of the new table: the old table, its primary key,
    /// and for each foreign key column that is taken over, the old column by the new one.
    let codeTables: [String: (old: String, oldKey: [String], references: [String: String])]
    /// The tables of the new version.
    let tables: [String]
    /// The names of the join tables among `tables`.
    let joinTables: Set<String>
    /// The join tables whose pairs follow keys of another type.
    let pairs: [FollowedPairs]
    let monitor: MigrationMonitor

    private struct ForeignKey {
        let table: String
        /// The columns of the table's primary key.
        let key: [String]
        var columns: [String]
        let target: String
        let rule: Table.DeleteRule?

        /// Whether a column of the foreign key is in the table's primary key.
        var isInKey: Bool { !Set(columns).isDisjoint(with: key) }
    }

    private var connection: Connection { access.connection }
    private var maps: [String: KeyMap] { access.keyMaps }

    /// - Parameter countDropped: Receives the numbers of rows that a cascade deleted, and of pairs that could not follow,
    ///   with their tables.
    /// - Throws: `MigrationError.changedBeforeKeys`, `MigrationError.mergedIntoNothing` or
    ///   `MigrationError.droppedRowsReferenced`.
    func run(_ countDropped: (String, Int) -> Void) throws {
        let isUnchanged = maps.values.allSatisfy(\.isEmpty)
        for map in maps.values where map.isRecollated { try map.recordUnchanged() }
        if pairs.isEmpty && maps.values.allSatisfy(\.isEmpty) { return }
        if access.hasChangedRows && !isUnchanged { throw MigrationError.changedBeforeKeys }
        try restoreMaps()
        let foreignKeys = try tables.flatMap(foreignKeys).filter { key in
            !pairs.contains { $0.new.name == key.table && $0.isRetyped(key.columns) }
        }
        // When references have been updated, a new primary key may look like the old one of a dropped row.
        if try access.batches.map({ try $0.start("drop") != nil }) ?? true {
            for (table, map) in maps.sorted(by: { $0.key < $1.key }) { try settle(map, of: table) }
            for pairs in pairs {
                // A batch may end before all rows are dropped.
                let task = "pairs \(pairs.new.name)"
                guard try access.batches.map({ try $0.start(task) != nil }) ?? true else { continue }
                let left = try pairs.copy(access, monitor)
                if left > 0 { countDropped(pairs.new.name, left) }
                try access.batches?.finish(task)
            }
            try drop(foreignKeys, countDropped)
            try access.batches?.finish("drop")
        }
        try move(foreignKeys)
    }

    /// Finds the maps that an interrupted run has created for the tables whose rows follow others.
    func restoreMaps() throws {
        if access.batches == nil { return }
        for foreignKey in try tables.flatMap(foreignKeys) where maps[foreignKey.table] == nil {
            let name = SQL.literal("strata_keys_" + foreignKey.table)
            if try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = \(name)") == 1 {
                _ = try map(of: foreignKey)
            }
        }
    }

    /// Resolves chains: a row that was merged into a merged row is mapped to the row at the end of the chain.
    private func settle(_ map: KeyMap, of table: String) throws {
        let key = try self.key(of: table)
        func matches(_ left: [String], _ right: [String]) -> String {
            zip(left, right).map { "\($0) = \($1)" }.joined(separator: " AND ")
        }
        let new = map.newColumns.map { "m.\($0)" }
        let isMissing = """
            m.n0 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(access.quoted(table)) AS t WHERE \(matches(key.map { "t." + SQL.quoted($0) }, new)))
            """
        if map.oldColumns.count == map.newColumns.count {
            let next =
                "\(map.name) AS next WHERE \(matches(map.oldColumns.map { "next.\($0)" }, new)) AND next.n0 IS NOT NULL"
            let values = map.newColumns.map { "\($0) = (SELECT next.\($0) FROM \(next))" }.joined(separator: ", ")
            // Each pass halves the length of every chain. Only a cycle needs more than 64 passes.
            var passes = 64
            repeat {
                try connection.execute(
                    "UPDATE \(map.name) AS m SET \(values) WHERE \(isMissing) AND EXISTS (SELECT 1 FROM \(next))")
                passes -= 1
            } while connection.changes > 0 && passes > 0
        }
        let missing = try connection.integer("SELECT count(*) FROM \(map.name) AS m WHERE \(isMissing)") ?? 0
        if missing > 0 { throw MigrationError.mergedIntoNothing(table: table, rows: missing) }
    }

    // MARK: The schema

    private func key(of table: String) throws -> [String] {
        try connection.texts("SELECT name FROM pragma_table_info(\(literal(table))) WHERE pk > 0 ORDER BY pk")
    }

    private func literal(_ table: String) -> String {
        SQL.literal(access.temporaryNames[table] ?? table)
    }

    private func foreignKeys(of table: String) throws -> [ForeignKey] {
        let key = try self.key(of: table)
        var keys: [Int: ForeignKey] = [:]
        let sql =
            "SELECT id, \"table\", \"from\", on_delete FROM pragma_foreign_key_list(\(literal(table))) ORDER BY id, seq"
        try connection.query(sql) { row in
            let id = try row.int(0)
            // Until the last transaction, foreign keys refer to names that no table has yet.
            let name = try row.string(1)
            let prefix = StepStatements.temporaryName(of: "")
            let target = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
            let rule = SQLite.deleteRule(try row.string(3))
            keys[id, default: ForeignKey(table: table, key: key, columns: [], target: target, rule: rule)].columns
                .append(try row.string(2))
        }
        return keys.sorted { $0.key < $1.key }.map(\.value)
    }

    // MARK: Conditions

    /// The SQL condition that the foreign key of the row `t` still has the old value of an entry `k` of `map`, and that
    /// `condition` is true for this entry.
    private func isPointing(_ foreignKey: ForeignKey, _ map: KeyMap, _ condition: String) -> String {
        let columns = foreignKey.columns.map { "t." + SQL.quoted($0) }
        let pairs = zip(map.oldColumns, columns).map { "k.\($0) = \($1)" }.joined(separator: " AND ")
        return "EXISTS (SELECT 1 FROM \(map.name) AS k WHERE \(pairs) AND \(condition)) AND \(isOld(foreignKey))"
    }

    /// The SQL condition that the row `t` has taken over its foreign key from an old row. A foreign key that a custom
    /// migration has set must not be updated.
    private func isOld(_ foreignKey: ForeignKey) -> String {
        guard let code = codeTables[foreignKey.table] else {
            return access.isNotAdded(foreignKey.table, foreignKey.key)
        }
        let sources = foreignKey.columns.map { code.references[$0] }
        guard !sources.contains(nil) else { return "0" }
        let same = zip(foreignKey.columns, sources.compactMap(\.self)).map {
            "o.\(SQL.quoted($1)) = t.\(SQL.quoted($0))"
        }.joined(separator: " AND ")
        let old = SQL.quoted(code.old)
        let keys = foreignKey.key.map { "t." + SQL.quoted($0) }
        let oldKeys = code.oldKey.map { "o." + SQL.quoted($0) }
        let isSame = zip(oldKeys, keys).map { "\($0) = \($1)" }.joined(separator: " AND ")
        guard let map = maps[foreignKey.table] else {
            return "EXISTS (SELECT 1 FROM \(old) AS o WHERE \(isSame) AND \(same))"
        }
        let isMapped = zip(oldKeys, map.oldColumns).map { "own.\($1) = \($0)" }.joined(separator: " AND ")
        let isNew = zip(keys, map.newColumns).map { "own.\($1) = \($0)" }.joined(separator: " AND ")
        return """
            (EXISTS (SELECT 1 FROM \(old) AS o WHERE \(isSame) AND \(same) AND NOT EXISTS (SELECT 1 FROM \(map.name) AS own WHERE \(isMapped))) \
            OR EXISTS (SELECT 1 FROM \(map.name) AS own JOIN \(old) AS o ON \(isMapped) WHERE \(isNew) AND \(same)))
            """
    }

    // MARK: Dropped rows

    /// Applies the delete rules of references to dropped rows until nothing changes.
    private func drop(_ foreignKeys: [ForeignKey], _ countDropped: (String, Int) -> Void) throws {
        var isChanged = true
        while isChanged {
            isChanged = false
            for foreignKey in foreignKeys where foreignKey.rule == .nullify || foreignKey.rule == .cascade {
                guard let (condition, count) = try dangling(foreignKey) else { continue }
                isChanged = true
                let table = access.quoted(foreignKey.table)
                if foreignKey.rule == .nullify {
                    let values = foreignKey.columns.map { SQL.quoted($0) + " = NULL" }.joined(separator: ", ")
                    try connection.execute("UPDATE \(table) AS t SET \(values) WHERE \(condition)")
                } else if foreignKeys.contains(where: { $0.target == foreignKey.table }) {
                    countDropped(foreignKey.table, try dropWithMap(foreignKey, condition))
                } else {
                    try connection.execute("DELETE FROM \(table) AS t WHERE \(condition)")
                    countDropped(foreignKey.table, count)
                }
                try access.batches?.commitIfDue()
            }
        }
        // A row that a cascade has deleted denies nothing, whichever foreign key comes first.
        for foreignKey in foreignKeys {
            guard let (_, count) = try dangling(foreignKey) else { continue }
            throw MigrationError.droppedRowsReferenced(table: foreignKey.table, target: foreignKey.target, rows: count)
        }
    }

    /// Returns the condition for the rows `t` that reference dropped rows, and their number; nil if there are none.
    private func dangling(_ foreignKey: ForeignKey) throws -> (condition: String, count: Int)? {
        guard let map = maps[foreignKey.target] else { return nil }
        let condition = isPointing(foreignKey, map, "k.n0 IS NULL")
        let table = access.quoted(foreignKey.table)
        let count = try connection.integer("SELECT count(*) FROM \(table) AS t WHERE \(condition)") ?? 0
        return count == 0 ? nil : (condition, count)
    }

    /// Deletes the rows `t` of a foreign key's table for which `condition` is true, and records them in the table's map.
    ///
    /// - Returns: The number of deleted rows.
    private func dropWithMap(_ foreignKey: ForeignKey, _ condition: String) throws -> Int {
        let map = try map(of: foreignKey)
        let keys = foreignKey.key.map { "t." + SQL.quoted($0) }
        let table = access.quoted(foreignKey.table)
        var rows = "SELECT \(keys.joined(separator: ", ")) FROM \(table) AS t WHERE \(condition)"
        if foreignKey.target == foreignKey.table, map.oldColumns.count == map.newColumns.count {
            rows = descendants(of: rows, foreignKey, map, keys)
        }
        let nulls = map.newColumns.map { _ in "NULL" }.joined(separator: ", ")
        // The condition reads the map that is about to change, so the primary keys are stored first.
        let doomed = "temp." + SQL.quoted("strata_doomed")
        let names = map.newColumns.joined(separator: ", ")
        try connection.execute("CREATE TABLE \(doomed) (\(names))")
        try connection.execute("INSERT INTO \(doomed) \(rows)")
        if map.oldColumns.count == map.newColumns.count {
            try connection.execute(
                """
                INSERT OR IGNORE INTO \(map.name) SELECT \(names), \(nulls) FROM \(doomed) AS d \
                WHERE \(hadKey(foreignKey.table, map.newColumns.map { "d.\($0)" }))
                """)
        }
        let values = map.newColumns.map { "\($0) = NULL" }.joined(separator: ", ")
        try connection.execute("UPDATE \(map.name) SET \(values) WHERE (\(names)) IN (SELECT \(names) FROM \(doomed))")
        let deleted = SQL.list(foreignKey.key)
        try connection.execute("DELETE FROM \(table) WHERE (\(deleted)) IN (SELECT \(names) FROM \(doomed))")
        let count = connection.changes
        try connection.execute("DROP TABLE \(doomed)")
        return count
    }

    /// The SQL condition that `values` were the primary key of a row of `table` before the migration. Only code gives rows
    /// new primary keys at this point.
    private func hadKey(_ table: String, _ values: [String]) -> String {
        guard let code = codeTables[table], code.oldKey.count == values.count else { return "1" }
        let pairs = zip(code.oldKey, values).map { "o.\(SQL.quoted($0)) = \($1)" }
        return "EXISTS (SELECT 1 FROM \(SQL.quoted(code.old)) AS o WHERE \(pairs.joined(separator: " AND ")))"
    }

    /// Returns a query for the keys that `rows` selects, and for the keys of all rows that reference them, directly or
    /// not, by a foreign key to their own table. It finds all levels of a tree in one pass.
    private func descendants(
        of rows: String, _ foreignKey: ForeignKey, _ map: KeyMap, _ keys: [String]
    ) -> String {
        func matches(_ left: [String], _ right: [String]) -> String {
            zip(left, right).map { "\($0) = \($1)" }.joined(separator: " AND ")
        }
        let names = map.newColumns
        let references = foreignKey.columns.map { "t." + SQL.quoted($0) }
        let list = keys.joined(separator: ", ")
        let table = access.quoted(foreignKey.table)
        let old = map.oldColumns.map { "own." + $0 }
        // A foreign key means the row that has its value as the new key, or that had it as the old key.
        return """
            WITH RECURSIVE strata_descendants (\(names.joined(separator: ", "))) AS (\(rows) \
            UNION SELECT \(list) FROM strata_descendants AS d CROSS JOIN \(table) AS t ON \(matches(names.map { "d." + $0 }, references)) \
            WHERE NOT EXISTS (SELECT 1 FROM \(map.name) AS own WHERE \(matches(old, references))) \
            AND \(hadKey(foreignKey.table, names.map { "d." + $0 })) AND \(isOld(foreignKey)) \
            UNION SELECT \(list) FROM strata_descendants AS d CROSS JOIN \(map.name) AS own ON \(matches(names.map { "own." + $0 }, names.map { "d." + $0 })) \
            CROSS JOIN \(table) AS t ON \(matches(old, references)) WHERE \(isOld(foreignKey))) SELECT * FROM strata_descendants
            """
    }

    /// Returns the map of the table of a foreign key. Creates the map if there is none.
    private func map(of foreignKey: ForeignKey) throws -> KeyMap {
        if let map = maps[foreignKey.table] { return map }
        let name = access.temporaryNames[foreignKey.table] ?? foreignKey.table
        let collations = try connection.collations(of: foreignKey.key, in: name)
        let map = try KeyMap(
            foreignKey.table, from: (access.oldName(foreignKey.table), foreignKey.key), old: collations,
            new: collations, connection, in: access.database)
        access.keyMaps[foreignKey.table] = map
        return map
    }

    // MARK: Rows with new primary keys

    /// Updates the references to rows whose primary key changed.
    ///
    /// If a foreign key is part of its table's primary key, the update changes that primary key. Such a table comes
    /// before the tables that reference it.
    private func move(_ foreignKeys: [ForeignKey]) throws {
        var rest = foreignKeys
        while !rest.isEmpty {
            // The first foreign key whose target has its final primary keys.
            let index = rest.indices.first { index in
                !rest.indices.contains { other in
                    other != index && rest[other].table == rest[index].target && rest[other].isInKey
                }
            }
            let foreignKey = rest.remove(at: index ?? 0)
            guard let batches = access.batches else {
                try move(foreignKey, foreignKeys)
                continue
            }
            let task = "move \(foreignKey.table) \(foreignKey.columns.joined(separator: " "))"
            if batches.isDone(task) { continue }
            if foreignKey.isInKey {
                guard try batches.start(task) != nil else { continue }
                try move(foreignKey, foreignKeys)
                try batches.finish(task)
            } else {
                try update(foreignKey, task, batches)
            }
        }
    }

    /// Updates the references to rows whose primary key changed, in batches. The table has no unique indexes yet.
    private func update(_ foreignKey: ForeignKey, _ task: String, _ batches: MigrationBatches) throws {
        guard let map = maps[foreignKey.target] else { return }
        let name = access.temporaryNames[foreignKey.table] ?? foreignKey.table
        guard let number = try connection.rowNumber(of: name) else {
            return try move(foreignKey, [])
        }
        let isMoved = Self.isMoved(foreignKey, map)
        let condition = isPointing(foreignKey, map, "k.n0 IS NOT NULL AND (\(isMoved))")
        let table = SQL.quoted(name)
        guard try connection.integer("SELECT EXISTS (SELECT 1 FROM \(table) AS t WHERE \(condition))") == 1 else {
            return try batches.finish(task)
        }
        let pairs = zip(map.oldColumns, foreignKey.columns).map { "k.\($0) = t.\(SQL.quoted($1))" }
            .joined(separator: " AND ")
        let values = zip(foreignKey.columns, map.newColumns).map { column, new in
            "\(SQL.quoted(column)) = (SELECT k.\(new) FROM \(map.name) AS k WHERE \(pairs))"
        }
        let update = try connection.prepare(
            "UPDATE \(table) AS t SET \(values.joined(separator: ", ")) WHERE t.\(number) BETWEEN ?1 AND ?2 AND \(condition)"
        )
        try batches.forEachPart(task, of: name, number: number) { first, last, _ in
            try update.bind(first, at: 1)
            try update.bind(last, at: 2)
            try update.run()
        }
    }

    /// The SQL condition that the foreign key of the row `t` differs from the new key of an entry `k` of `map`.
    private static func isMoved(_ foreignKey: ForeignKey, _ map: KeyMap) -> String {
        zip(foreignKey.columns, map.newColumns).map { "t.\(SQL.quoted($0)) IS NOT k.\($1) COLLATE BINARY" }
            .joined(separator: " OR ")
    }

    private func move(_ foreignKey: ForeignKey, _ foreignKeys: [ForeignKey]) throws {
        guard let map = maps[foreignKey.target] else { return }
        let isMoved = Self.isMoved(foreignKey, map)
        let condition = isPointing(foreignKey, map, "k.n0 IS NOT NULL AND (\(isMoved))")
        let table = access.quoted(foreignKey.table)
        guard try connection.integer("SELECT EXISTS (SELECT 1 FROM \(table) AS t WHERE \(condition))") == 1 else {
            return
        }
        let all = try connection.texts("SELECT name FROM pragma_table_info(\(literal(foreignKey.table))) ORDER BY cid")
        let pairs = zip(map.oldColumns, foreignKey.columns).map { "k.\($0) = t.\(SQL.quoted($1))" }.joined(
            separator: " AND ")
        let values = all.map { column -> String in
            guard let index = foreignKey.columns.firstIndex(of: column) else { return "t." + SQL.quoted(column) }
            return "(SELECT k.\(map.newColumns[index]) FROM \(map.name) AS k WHERE \(pairs))"
        }
        let isPointedAt = foreignKeys.contains { $0.target == foreignKey.table }
        let own = foreignKey.isInKey && isPointedAt ? try self.map(of: foreignKey) : nil
        // The rows are deleted and inserted again. An UPDATE would fail if two rows swap their primary keys, because
        // SQLite checks uniqueness after each row.
        let columns = foreignKey.key.indices.map { "\"k\($0)\"" }
        let keys = foreignKey.key.map { "t." + SQL.quoted($0) }
        let moved = try MovedRows(of: all, and: columns, connection)
        try connection.execute(
            "INSERT INTO \(moved.name) SELECT \((values + keys).joined(separator: ", ")) FROM \(table) AS t WHERE \(condition)"
        )
        try connection.execute(
            "DELETE FROM \(table) WHERE (\(SQL.list(foreignKey.key))) IN (SELECT \(columns.joined(separator: ", ")) FROM \(moved.name))"
        )
        if joinTables.contains(foreignKey.table) {
            try moved.insertPairs(into: table, key: foreignKey.key)
        } else {
            try moved.insert(into: table)
        }
        if let own, own.oldColumns.count == own.newColumns.count {
            let after = foreignKey.key.map { name in all.firstIndex(of: name).map { "m.\"c\($0)\"" } ?? "NULL" }
            try record(moved.name, of: foreignKey.table, before: columns.map { "m." + $0 }, after: after, in: own)
        }
        try moved.drop()
    }

    /// Records the new primary keys of the rows `m` of the table `moved`, which are rows of `table`. The map may already
    /// have entries for a row: its own, and those of the rows that were merged into it.
    private func record(
        _ moved: String, of table: String, before: [String], after: [String], in map: KeyMap
    ) throws {
        let isOwn = zip(map.newColumns, before).map { "own.\($0) = \($1)" }.joined(separator: " AND ")
        let keys = (before + before).joined(separator: ", ")
        let isMissing =
            codeTables[table] == nil
            ? "NOT EXISTS (SELECT 1 FROM \(map.name) AS own WHERE \(isOwn))" : hadKey(table, before)
        try connection.execute(
            "INSERT OR IGNORE INTO \(map.name) SELECT \(keys) FROM \(moved) AS m WHERE \(isMissing)")
        let values = zip(map.newColumns, after).map { "\($0) = (SELECT \($1) FROM \(moved) AS m WHERE \(isOwn))" }
        try connection.execute(
            """
            UPDATE \(map.name) AS own SET \(values.joined(separator: ", ")) \
            WHERE EXISTS (SELECT 1 FROM \(moved) AS m WHERE \(isOwn))
            """)
    }
}
