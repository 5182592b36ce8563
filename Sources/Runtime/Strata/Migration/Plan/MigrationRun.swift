import SQLSchema

/// A planned migration: the way from the version of a store to the newest one, and the stages on it.
struct MigrationRun {
    let path: MigrationPath
    let stages: [MigrationStage]
    let lineage: TableLineage
    /// The tables that each stage changes or copies, because a custom migration writes to them.
    let written: Set<String>
    private let strategy: StoreOptions.MigrationStrategy

    init(
        _ path: MigrationPath, _ strategy: StoreOptions.MigrationStrategy, written: Set<String> = []
    ) throws {
        (self.path, self.strategy, self.written) = (path, strategy, written)
        var stages = try path.stages(strategy)
        for index in stages.indices where stages[index].custom != nil {
            stages[index].copied = written.intersection(stages[index].mapping.unchanged.map(\.name))
        }
        self.stages = strategy == .fused ? DeferredTable.deferring(stages, except: written) : stages
        lineage = TableLineage(self.stages)
    }

    /// Returns the same migration, in which the changes of some tables are not deferred.
    func deferring(except written: Set<String>) throws -> MigrationRun {
        written == self.written ? self : try MigrationRun(path, strategy, written: written)
    }

    /// Returns, for each stage from `first` on, the tables of the store whose rows it copies in one transaction, once for each
    /// copy.
    func copiedTables(from first: Int = 0) -> [[String]] {
        stages[first...].enumerated().map { offset, stage in
            (stage.statements.copies.map(\.source.name) + stage.customSources).flatMap {
                lineage.origins(of: $0, before: first + offset)
            }
        }
    }

    /// Whether a table before a stage is still the one of the store.
    func isStored(_ table: String, before stage: Int) -> Bool {
        stages[..<stage].allSatisfy { stage in
            let (old, new) = (stage.mapping.old, stage.mapping.new)
            return stage.mapping.origins[table] == nil
                && old.first { $0.name == table } == new.first { $0.name == table }
        }
    }

    /// Whether any stage has a custom migration.
    var hasCode: Bool { stages.contains { $0.custom != nil } }

    /// Returns the migration of the store behind a connection that no other process can write to any more. Another process may
    /// have migrated the store since this migration was planned.
    ///
    /// - Returns: This migration, or the one from the version that the store has now; nil if the store needs none.
    func current(in connection: Connection, _ schema: SchemaDefinition) throws -> MigrationRun? {
        let identity = try StoreIdentity(reading: connection)
        if identity.isNewer(than: schema) { return nil }
        let isSame = identity == path.identity
        let run = isSame ? self : try MigrationRun(MigrationPath(from: identity, in: schema), strategy)
        return run.path.steps.isEmpty ? nil : run
    }
}
