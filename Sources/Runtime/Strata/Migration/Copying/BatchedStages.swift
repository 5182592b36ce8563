import SQLSchema

/// The stages of a resumable migration that are carried out in batches, and the stages that run in its last transaction.
struct BatchedStages {
    /// The stages whose rows are copied in batches.
    let batched: [BatchedStage]
    /// The stages after them.
    let rest: [MigrationStage]

    /// Plans the stages of a migration.
    ///
    /// - Parameters:
    ///   - stages: All stages.
    ///   - first: The first stage that has to run in the last transaction; nil if only the stages themselves decide that.
    ///   - copied: The unchanged tables whose rows are copied, by stage.
    init(_ stages: [MigrationStage], upTo first: Int? = nil, copied: [Int: Set<String>] = [:]) {
        let count = Self.count(stages, upTo: first)
        var batched: [BatchedStage] = []
        for index in 0..<count {
            batched.append(
                BatchedStage(
                    stages[index], index: index, isLast: index == count - 1, oldNames: batched.last?.names ?? [:],
                    copied: copied[index] ?? []))
        }
        self.batched = batched
        rest = Array(stages[count...])
    }

    /// The number of stages that are carried out in batches.
    static func count(_ stages: [MigrationStage], upTo first: Int?) -> Int {
        min(stages.firstIndex { !$0.isResumable } ?? stages.count, first ?? stages.count)
    }

    /// Whether any rows are copied, or read for a search.
    var copiesRows: Bool {
        batched.contains {
            !$0.statements.copies.isEmpty || $0.stage.custom != nil || !$0.searchedOldTables.isEmpty
        }
    }

    /// The tables of the store whose rows the stages copy, or read for a new search, once for each time. A later stage may copy fewer
    /// rows than its old table has now.
    func copiedTables(of run: MigrationRun) -> [String] {
        var tables = run.copiedTables(from: batched.count).flatMap(\.self)
        for (index, stage) in batched.enumerated() {
            let searched = stage.isLast && rest.isEmpty ? stage.statements.searches.filter(\.isFilled) : []
            let sources =
                stage.stage.customSources + stage.statements.copies.map(\.source.name)
                + searched.map { stage.stage.mapping.source(of: $0.table) }
            tables += sources.flatMap { run.lineage.origins(of: $0, before: index) }
        }
        return tables
    }

    /// The tables of the store that the stages read; nil for all, because a custom migration reads what it wants.
    var sources: Set<String>? {
        if batched.contains(where: { $0.stage.custom != nil }) { return nil }
        return Set(
            batched.flatMap { stage in
                (stage.statements.copies.map(\.source.name) + stage.searchedOldTables).map(stage.oldName)
            })
    }
}

/// The stages whose rows are copied when the last transaction begins.
struct CopiedStages {
    let plan: BatchedStages
    let batches: MigrationBatches

    /// The names in the store of tables that are copied although their stages do not change them.
    func unchangedTables(_ lineage: TableLineage) -> Set<String> {
        batches.pending.state.copied.reduce(into: []) { names, copied in
            for table in copied.value { names.formUnion(lineage.origins(of: table, before: copied.key)) }
        }
    }
}

/// A stage of a migration whose rows are copied in batches to new tables. Until the last transaction, the new tables have
/// other names, such as `strata_1_movie`.
///
/// Their foreign keys refer to names such as `strata_new_movie`, which no table has. So they do not stop an older app from
/// deleting rows. In the last transaction, each table gets this name for a moment, and then its final name; SQLite changes
/// the foreign keys accordingly.
struct BatchedStage {
    let stage: MigrationStage
    let index: Int
    /// Whether no other stage is carried out in batches after this one.
    let isLast: Bool
    let statements: StepStatements
    /// The present names of tables of the version before, by their own names. A table that is not in the dictionary has its
    /// own name.
    let oldNames: [String: String]
    /// The present names of tables of the version after.
    let names: [String: String]
    /// The names of the new tables, by their final names.
    let created: [String: String]
    /// The unchanged tables whose rows are copied.
    let copied: Set<String>

    init(_ stage: MigrationStage, index: Int, isLast: Bool, oldNames: [String: String], copied: Set<String>) {
        self.stage = stage
        self.index = index
        self.isLast = isLast
        self.oldNames = oldNames
        self.copied = copied
        statements = Self.statements(stage, stage.mapping, keepsOldTables: !isLast, copied)
        created = Dictionary(
            statements.temporaryNames.keys.map { ($0, "strata_\(index + 1)_\($0)") },
            uniquingKeysWith: { first, _ in first })
        var names = created
        for table in stage.mapping.new where created[table.name] == nil {
            names[table.name] = oldNames[stage.mapping.source(of: table.name)]
        }
        self.names = names
    }

    private static func statements(
        _ stage: MigrationStage, _ mapping: TableMapping, keepsOldTables: Bool, _ copied: Set<String>
    ) -> StepStatements {
        StepStatements(
            mapping, keepsOldTables: stage.custom != nil || keepsOldTables, copied: copied,
            altering: Set(stage.deferred.map(\.name)), hidesNewTables: true)
    }

    /// The statements that carry out the stage, with the index names of a database.
    func statements(_ mapping: TableMapping) -> StepStatements {
        Self.statements(stage, mapping, keepsOldTables: !isLast, copied)
    }

    func oldName(_ table: String) -> String { oldNames[table] ?? table }
    func name(_ table: String) -> String { names[table] ?? table }

    /// The old tables whose texts can be searched after the stage and not before, without a copy of their rows.
    var searchedOldTables: [String] {
        statements.searches.filter { $0.isFilled && created[$0.table] == nil }
            .map { stage.mapping.source(of: $0.table) }
    }

    /// Returns the run of the stage's custom migration.
    ///
    /// - Parameter oldNames: The present names of the tables of the version before.
    func customStep(
        _ batches: MigrationBatches, _ monitor: MigrationMonitor, oldNames: [String: String]
    ) throws -> CustomStep {
        let access = try StepAccess(
            connection: batches.connection, stage: stage, temporaryNames: batches.isLast ? created : names,
            oldNames: oldNames, now: batches.pending.state.now, batches: batches)
        return try CustomStep(
            access: access, mapping: stage.mapping, changes: stage.changes, monitor: monitor, version: stage.from)
    }

    /// The statements that create the new tables, by their final names.
    var creation: [(table: String, statement: String)] {
        stage.mapping.new.compactMap { table in
            created[table.name].map { (table.name, SQLite.createTable(table.withTemporaryTargets, named: $0)) }
        }
    }
}

extension Table {
    /// The same table with foreign keys that refer to the names which the targets have for a moment.
    var withTemporaryTargets: Table {
        var table = self
        for index in table.foreignKeys.indices {
            table.foreignKeys[index].target = StepStatements.temporaryName(of: table.foreignKeys[index].target)
        }
        return table
    }
}

/// Gives the new tables of a resumable migration their final names, in its last transaction.
struct TableRenaming {
    let connection: Connection

    /// Renames tables.
    ///
    /// - Parameters:
    ///   - tables: The tables of a version.
    ///   - names: The present names of the tables that have another name.
    func rename(_ tables: [Table], from names: [String: String]) throws {
        let targets = Set(tables.filter { names[$0.name] != nil }.flatMap(\.foreignKeys).map(\.target))
        let renamed = tables.map(\.name).filter { names[$0] != nil || targets.contains($0) }
        func rename(_ from: String, _ to: String) throws {
            try connection.execute("ALTER TABLE \(SQL.quoted(from)) RENAME TO \(SQL.quoted(to))")
        }
        // Foreign keys that already refer to the final name must not follow the first renaming.
        try connection.execute("PRAGMA legacy_alter_table = ON")
        for table in renamed { try rename(names[table] ?? table, StepStatements.temporaryName(of: table)) }
        // Foreign keys that refer to the temporary name follow the second one.
        try connection.execute("PRAGMA legacy_alter_table = OFF")
        for table in renamed { try rename(StepStatements.temporaryName(of: table), table) }
    }
}
