import SQLSchema

/// Does in batches what the last transaction of a resumable migration would otherwise have to do: it creates the indexes of
/// the new tables, fills what searches their texts, and checks the foreign keys.
struct FlipPreparation {
    let connection: Connection
    let batches: MigrationBatches
    let monitor: MigrationMonitor

    /// The number of times that an index may be created in one piece. A process that is killed each time creates it row by
    /// row instead.
    private static let mostAttempts = 2

    /// The end of the name of a table that is copied with all its indexes.
    static let suffix = "_filled"

    // MARK: Indexes

    /// Creates the indexes of the new tables.
    ///
    /// - Parameters:
    ///   - last: The last stage that is carried out in batches.
    ///   - before: The stage before it.
    func createIndexes(_ last: BatchedStage, after before: BatchedStage?) throws {
        for table in last.stage.mapping.new {
            if let name = last.created[table.name] { try createIndexes(of: table, named: name) }
        }
        // Tables of earlier stages that the last one keeps or alters still have the columns that they had there.
        let copied = Set(last.statements.dropped)
        for table in before?.stage.mapping.new ?? [] where !copied.contains(table.name) {
            if let name = last.oldNames[table.name] { try createIndexes(of: table, named: name) }
        }
    }

    private func createIndexes(of table: Table, named name: String) throws {
        let isLate = batches.pending.state.createsUniqueIndexesLast
        let indexes = table.indexes.filter { !isLate || !$0.isUnique }
        if isLate { try dropUniqueIndexes(of: name) }
        if indexes.isEmpty { return }
        if batches.isDone("fill \(name)") { return }
        for index in indexes {
            let task = "index \(name) \(index.name)"
            guard try batches.start(task) != nil else { continue }
            let attempts = batches.pending.state.attempts[task] ?? 0
            if attempts >= Self.mostAttempts {
                return try fill(table, named: name, with: indexes)
            }
            if try StoredIndexes(connection).has(index, on: name) {
                try batches.finish(task)
                continue
            }
            batches.update { $0.attempts[task] = attempts + 1 }
            try batches.commit()
            do {
                try StoredIndexes.create([index], on: name, in: connection)
            } catch let error as SQLiteError where error.isNotUnique && batches.runsCustomCode {
                throw MigrationBatches.Obstacle.notUnique
            }
            try batches.finish(task)
        }
    }

    private func dropUniqueIndexes(of table: String) throws {
        let indexes = "SELECT name FROM pragma_index_list(\(SQL.literal(table))) WHERE \"unique\" AND origin = 'c'"
        for index in try connection.texts(indexes) { try connection.execute("DROP INDEX \(SQL.quoted(index))") }
    }

    /// Copies a table to another one that has all indexes from the beginning. That takes longer than creating the indexes
    /// afterwards, but it can be interrupted.
    private func fill(_ table: Table, named name: String, with indexes: [Table.Index]) throws {
        let copy = name + Self.suffix
        let task = "fill \(name)"
        if !batches.isDone("create \(copy)") {
            try connection.execute(SQLite.createTable(table.withTemporaryTargets, named: copy))
            try StoredIndexes.create(indexes, on: copy, in: connection)
            try batches.finish("create \(copy)")
        }
        let columns = SQL.list([table.hiddenRowID].compactMap(\.self) + table.columnNames)
        guard let number = table.rowNumber else { return }
        let insert = try connection.prepare(
            """
            INSERT INTO \(SQL.quoted(copy)) (\(columns)) SELECT \(columns) FROM \(SQL.quoted(name)) \
            WHERE \(number) BETWEEN ?1 AND ?2
            """)
        try batches.forEachPart("copy \(copy)", of: name, number: number) { first, last, _ in
            try insert.bind(first, at: 1)
            try insert.bind(last, at: 2)
            do {
                try insert.run()
            } catch let error as SQLiteError where error.isNotUnique && batches.runsCustomCode {
                throw MigrationBatches.Obstacle.notUnique
            }
        }
        connection.forgetStatements()
        try connection.execute("DROP TABLE \(SQL.quoted(name))")
        try connection.execute("PRAGMA legacy_alter_table = ON")
        try connection.execute("ALTER TABLE \(SQL.quoted(copy)) RENAME TO \(SQL.quoted(name))")
        try batches.finish(task)
        try batches.commit()
    }

    // MARK: Searches

    /// The name of a search index until the last transaction.
    static func searchName(of table: String) -> String { "strata_0_search_" + table }

    /// Creates and fills the search indexes that the last transaction needs, under other names.
    func fillSearches(_ last: BatchedStage, after before: BatchedStage?, from old: [Table]) throws {
        var indexes = last.statements.searches.filter(\.isFilled)
        if let before { indexes += TableFlip.newSearches(old, before, last).filter(\.isFilled) }
        for new in indexes {
            guard let table = last.stage.mapping.new.first(where: { $0.name == new.table }) else { continue }
            let (name, column) = present(table, last)
            // The last transaction fills the index of a column that it adds.
            let columns = new.index.columns.compactMap(column)
            guard columns.count == new.index.columns.count, let number = rowNumber(of: table, column) else { continue }
            let search = Self.searchName(of: table.name)
            if !batches.isDone("create \(search)") {
                try connection.execute(new.index.creation(named: search))
                try batches.finish("create \(search)")
            }
            let insert = try connection.prepare(
                """
                INSERT INTO \(SQL.quoted(search)) (rowid, \(SQL.list(new.index.columns))) \
                SELECT \(number), \(SQL.list(columns)) FROM \(SQL.quoted(name)) WHERE \(number) BETWEEN ?1 AND ?2
                """)
            try batches.forEachPart("fill \(search)", of: name, number: number) { first, last, count in
                try insert.bind(first, at: 1)
                try insert.bind(last, at: 2)
                try insert.run()
                try monitor.advance(count, table: table.name)
            }
        }
        connection.forgetStatements()
    }

    // MARK: Foreign keys

    /// Checks the foreign keys of all tables after the last stage. If one is dangling, the last transaction checks all of
    /// them again and knows what to do.
    func checkForeignKeys(_ last: BatchedStage) throws {
        for table in last.stage.mapping.new where !batches.pending.state.checksForeignKeysLast {
            let (name, columns) = present(table, last)
            guard let rowNumber = rowNumber(of: table, columns) else {
                if !table.foreignKeys.isEmpty { batches.update { $0.checksForeignKeysLast = true } }
                continue
            }
            for (index, key) in table.foreignKeys.enumerated() {
                guard let target = last.stage.mapping.new.first(where: { $0.name == key.target }) else { continue }
                let (targetName, targetColumns) = present(target, last)
                let own = key.columns.map(columns)
                let referenced = key.targetColumns.map(targetColumns)
                // A foreign key that the last transaction adds is NULL everywhere.
                if own.contains(nil) { continue }
                let isSet = own.compactMap(\.self).map { "c.\(SQL.quoted($0)) IS NOT NULL" }
                let isFound = zip(referenced, own).compactMap { target, column in
                    target.flatMap { target in column.map { "p.\(SQL.quoted(target)) = c.\(SQL.quoted($0))" } }
                }
                guard isFound.count == own.count else { continue }
                let check = try connection.prepare(
                    """
                    SELECT 1 FROM \(SQL.quoted(name)) AS c WHERE c.\(rowNumber) BETWEEN ?1 AND ?2 \
                    AND \(isSet.joined(separator: " AND ")) AND NOT EXISTS (SELECT 1 FROM \(SQL.quoted(targetName)) AS p \
                    WHERE \(isFound.joined(separator: " AND "))) LIMIT 1
                    """)
                try batches.forEachPart("check \(index) \(table.name)", of: name, number: rowNumber) { first, last, _ in
                    try check.bind(first, at: 1)
                    try check.bind(last, at: 2)
                    if try check.step() { batches.update { $0.checksForeignKeysLast = true } }
                    check.reset()
                }
            }
        }
    }

    /// SQL for the row number of a table after the last stage; nil if it has none.
    private func rowNumber(of table: Table, _ column: (String) -> String?) -> String? {
        guard let key = table.integerKey else { return table.rowNumber }
        return column(key).map(SQL.quoted)
    }

    /// The present name of a table after the last stage, and the present names of its columns: nil for a column that the last
    /// transaction adds.
    private func present(_ table: Table, _ last: BatchedStage) -> (name: String, column: (String) -> String?) {
        if let name = last.created[table.name] { return (name, { $0 }) }
        let source = last.stage.mapping.source(of: table.name)
        guard case .rows(_, let values, _)? = last.stage.mapping.origins[table.name] else {
            return (last.oldName(source), { $0 })
        }
        return (last.oldName(source), { values[$0]?.columnName })
    }
}
