import SQLSchema

/// Replaces old tables by the new ones of a resumable migration, in its last transaction.
struct TableFlip {
    let connection: Connection
    let migrator: Migrator

    /// Replaces the old tables by the copies, and ends the custom migration of the last stage that was copied.
    ///
    /// - Parameters:
    ///   - copied: The stages that were copied.
    ///   - old: The tables of the store.
    ///   - report: Receives the rows of the custom migration.
    /// - Returns: Whether foreign keys may be dangling now.
    func run(_ copied: CopiedStages, from old: [Table], _ report: inout MigrationReport) throws -> Bool {
        let state = copied.batches.pending.state
        var checksForeignKeys = state.checksForeignKeysLast || !copied.plan.rest.isEmpty
        var lastIDs = state.lastIDs
        if let last = copied.plan.batched.last {
            if let before = copied.plan.batched.dropLast().last { try replace(old, with: before, before: last) }
            let writes = connection.totalChanges
            var hasNewTexts = false
            var given: [String: Int64] = [:]
            if last.stage.custom != nil {
                let step = try last.customStep(copied.batches, migrator.monitor, oldNames: [:])
                do {
                    try last.stage.runCode(step, outdated: last.statements.dropped)
                } catch let error as SQLiteError where error.isNotUnique && !state.createsUniqueIndexesLast {
                    throw MigrationBatches.Obstacle.notUnique
                }
                guard connection.isInTransaction else { throw MigrationError.rolledBack }
                hasNewTexts = connection.totalChanges != writes
                if hasNewTexts { checksForeignKeys = true }
                report.add(step)
                given = step.access.newIDs.given
                try step.access.end()
                connection.forgetStatements()
            }
            try finish(last, hasNewTexts: hasNewTexts)
            lastIDs = last.stage.lastIDs(lastIDs, given)
        }
        if !lastIDs.isEmpty { try LastIDs.write(lastIDs, to: connection) }
        try PendingMigration.discard(in: connection)
        return checksForeignKeys
    }

    /// Replaces the tables of the store by those after a stage that others follow.
    ///
    /// - Parameters:
    ///   - old: The tables of the store.
    ///   - stage: The stage.
    ///   - last: The stage after it.
    private func replace(_ old: [Table], with stage: BatchedStage, before last: BatchedStage) throws {
        let new = stage.stage.mapping.new
        let kept = Dictionary(
            new.filter { stage.names[$0.name] == nil }.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let named = try migrator.namingIndexes(TableMapping(of: old)).old
        try connection.execute("PRAGMA legacy_alter_table = OFF")
        for table in named {
            let heir = kept[table.name]
            if let search = SearchIndex(of: table), heir.flatMap({ SearchIndex(of: $0) }) != search {
                for statement in search.removal { try connection.execute(statement) }
            }
            guard let heir else {
                try connection.execute("DROP TABLE \(SQL.quoted(table.name))")
                continue
            }
            for index in table.indexes where !heir.indexes.contains(where: { $0.shape == index.shape }) {
                try connection.execute("DROP INDEX \(SQL.quoted(index.name))")
            }
        }
        try TableRenaming(connection: connection).rename(new, from: stage.names)
        for table in kept.values { try StoredIndexes.create(table.indexes, on: table.name, in: connection) }
        for search in Self.newSearches(old, stage, last) { try create(search) }
    }

    /// Returns the searches that `replace` creates: the store lacks them, and the last stage keeps them.
    static func newSearches(_ old: [Table], _ stage: BatchedStage, _ last: BatchedStage) -> [NewSearch] {
        let searches = last.statements.searches
        let replaced = last.statements.dropped.subtracting(searches.filter { !$0.isFilled }.map(\.table)).union(
            searches.filter(\.isFilled).map(\.table))
        return stage.stage.mapping.new.compactMap { table in
            guard let index = SearchIndex(of: table), !replaced.contains(table.name) else { return nil }
            let isKept =
                stage.names[table.name] == nil
                && old.contains { $0.name == table.name && SearchIndex(of: $0) == index }
            return isKept ? nil : NewSearch(table: table.name, index: index, isFilled: true)
        }
    }

    /// Replaces the tables before the last stage by those after it.
    ///
    /// - Parameters:
    ///   - stage: The last stage.
    ///   - hasNewTexts: Whether anything was written since the searches were filled.
    private func finish(_ stage: BatchedStage, hasNewTexts: Bool) throws {
        let mapping = try migrator.namingIndexes(stage.stage.mapping)
        let statements = stage.statements(mapping)
        try connection.execute("PRAGMA legacy_alter_table = OFF")
        for statement in statements.alter { try connection.execute(statement) }
        try TableRenaming(connection: connection).rename(mapping.new, from: stage.created)
        for table in mapping.new { try StoredIndexes.create(table.indexes, on: table.name, in: connection) }
        for search in statements.searches { try create(search, hasNewTexts: hasNewTexts) }
    }

    /// Creates a search, or gives the one that was filled in batches its final name.
    private func create(_ search: NewSearch, hasNewTexts: Bool = false) throws {
        let filled = FlipPreparation.searchName(of: search.table)
        let isFilled = "SELECT 1 FROM sqlite_schema WHERE name = \(SQL.literal(filled))"
        guard search.isFilled, try connection.integer(isFilled) == 1 else {
            for statement in search.statements { try connection.execute(statement) }
            return
        }
        try connection.execute("ALTER TABLE \(SQL.quoted(filled)) RENAME TO \(SQL.quoted(search.index.name))")
        for statement in search.index.triggers + (hasNewTexts ? [search.index.rebuild] : []) {
            try connection.execute(statement)
        }
    }
}

extension SQLiteError {
    /// Whether rows are not unique.
    var isNotUnique: Bool { extendedCode == 2067 }  // SQLITE_CONSTRAINT_UNIQUE
}
