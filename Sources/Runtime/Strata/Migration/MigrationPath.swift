import SQLSchema

/// The steps that take a store from its version to the newest one.
struct MigrationPath: Sendable {
    /// The version of the store.
    let source: SchemaVersion
    /// The steps, in their order; empty if the store has the newest version.
    let steps: [MigrationStep]
    /// The newest version.
    let newest: SchemaVersion
    private let versions: [SchemaVersion]

    /// Finds the steps for a store.
    ///
    /// - Throws: `StoreError` if the store has another schema or an unknown version; `MigrationError.noStep` if the
    ///   schema has no step from a version.
    init(from store: StoreIdentity, in schema: KnownSchema) throws {
        guard store.schema == schema.name else {
            throw StoreError.otherSchema(found: store.schema, expected: schema.name)
        }
        let versions = schema.versions
        guard let oldest = versions.first, let newest = versions.last else {
            throw StoreError.unknownVersion(found: store.version, newest: "")
        }
        let found = VersionNumber(store.version)
        guard let source = versions.first(where: { VersionNumber($0.name) == found }) else {
            if let found, let number = VersionNumber(newest.name), number < found {
                throw StoreError.newer(found: store.version, newest: newest.name)
            }
            if let found, let number = VersionNumber(oldest.name), found < number {
                throw StoreError.tooOld(found: store.version, oldest: oldest.name)
            }
            throw StoreError.unknownVersion(found: store.version, newest: newest.name)
        }
        guard source.fingerprint == store.fingerprint else { throw StoreError.draftChanged(version: source.name) }
        var steps: [MigrationStep] = []
        var current = source.name
        while current != newest.name {
            guard let step = schema.steps.first(where: { $0.from == current }) else {
                throw MigrationError.noStep(from: current)
            }
            steps.append(step)
            current = step.to
        }
        (self.source, self.steps, self.newest, self.versions) = (source, steps, newest, versions)
    }

    /// The stages of the migration.
    func stages(_ strategy: StoreOptions.MigrationStrategy) throws -> [MigrationStage] {
        var stages: [MigrationStage] = []
        for step in steps {
            guard let old = versions.first(where: { $0.name == step.from }),
                let new = versions.first(where: { $0.name == step.to })
            else { throw MigrationError.noStep(from: step.from) }
            if strategy == .fused, !step.isCustom, let last = stages.last, last.custom == nil,
                let mapping = last.mapping.followed(by: step.changes, to: new.tables)
            {
                stages[stages.count - 1].mapping = mapping
            } else {
                let mapping = TableMapping(from: old.tables, to: new.tables, changes: step.changes)
                stages.append(MigrationStage(mapping: mapping, changes: step.changes, custom: step.custom))
            }
        }
        return stages
    }
}

/// A part of a migration that is carried out in one pass: a step with a custom migration, or one or more other steps.
struct MigrationStage: Sendable {
    var mapping: TableMapping
    let changes: [TableChange]
    /// The custom migration; nil if there is none.
    let custom: (@Sendable (CustomStep) throws -> Void)?
}
