import SQLSchema

/// A planned migration: the way from the version of a store to the newest one, and the stages on it.
struct MigrationRun {
    let path: MigrationPath
    let stages: [MigrationStage]

    init(_ path: MigrationPath, _ strategy: StoreOptions.MigrationStrategy) throws {
        self.path = path
        stages = try path.stages(strategy)
    }

    /// Returns the migration of the store behind a connection that no other process can write to any more. Another process may
    /// have migrated the store since this migration was planned.
    ///
    /// - Returns: This migration, or the one from the version that the store has now; nil if the store needs none.
    func current(in connection: Connection, _ schema: KnownSchema, _ options: StoreOptions) throws -> MigrationRun? {
        let identity = try StoreIdentity(reading: connection)
        if identity == path.identity { return self }
        if identity.isNewer(than: schema) { return nil }
        let path = try MigrationPath(from: identity, in: schema)
        return path.steps.isEmpty ? nil : try MigrationRun(path, options.migrationStrategy)
    }
}
