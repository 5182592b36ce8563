import SQLSchema

/// The steps that take a store from its version to the newest one.
struct MigrationPath: Sendable {
    /// The identity of the store.
    let identity: StoreIdentity
    /// The version of the store.
    let source: SchemaVersion
    /// The steps, in their order; empty if the store has the newest version.
    let steps: [MigrationStep]
    /// The newest version.
    let newest: SchemaVersion
    private let versions: [SchemaVersion]

    /// Returns the version of the schema that a store has; nil if there is none.
    private static func source(of store: StoreIdentity, among versions: [SchemaVersion]) -> SchemaVersion? {
        let found = VersionNumber(store.version)
        if let version = versions.first(where: { VersionNumber($0.name) == found }) { return version }
        // The draft of the store may have become the newest beta.
        guard let newest = versions.last, let number = VersionNumber(newest.name), number.beta != nil,
            number.components == found?.components, store.draft != nil
        else { return nil }
        return newest
    }

    /// Returns the changes of tables between the draft of a store and the version that it has become.
    private static func draftChanges(
        of store: StoreIdentity, to source: SchemaVersion, in schema: SchemaDefinition
    ) throws(DraftDifference.Obstacle) -> [TableChange] {
        // Only the newest version is known as a state of a draft, and only to debug builds.
        guard let old = store.draft, let new = schema.draft, source.fingerprint == schema.fingerprint else {
            throw .unknown
        }
        let changes = try DraftDifference.changes(from: old, to: new)
        if source.name == store.version {
            if changes.isEmpty { throw .other }
        } else if !changes.isEmpty {
            // A newer app may have the version of the store, so the store of a beta's draft must not change.
            throw .beta(source.name)
        }
        return changes
    }

    /// Finds the steps for a store.
    ///
    /// - Throws: `StoreError` if the store has another schema or an unknown version; `MigrationError.noStep` if the
    ///   schema has no step from a version.
    init(from store: StoreIdentity, in schema: SchemaDefinition) throws {
        identity = store
        guard store.schema == schema.name else {
            throw StoreError.otherSchema(found: store.schema, expected: schema.name)
        }
        let versions = schema.versions
        guard let oldest = versions.first, let newest = versions.last else {
            throw StoreError.unknownVersion(found: store.version, newest: "")
        }
        guard let source = Self.source(of: store, among: versions) else {
            let found = VersionNumber(store.version)
            if let found, let number = VersionNumber(newest.name), number < found {
                throw StoreError.newer(found: store.version, newest: newest.name)
            }
            if let found, let number = VersionNumber(oldest.name), found < number {
                throw StoreError.tooOld(found: store.version, oldest: oldest.name)
            }
            throw StoreError.unknownVersion(found: store.version, newest: newest.name)
        }
        var steps: [MigrationStep] = []
        var first = source
        if source.fingerprint != store.fingerprint {
            do throws(DraftDifference.Obstacle) {
                let changes = try Self.draftChanges(of: store, to: source, in: schema)
                steps.append(MigrationStep(from: store.version, to: source.name, changes: changes))
            } catch {
                throw StoreError.draftChanged(
                    version: source.name, reason: error == .unknown ? nil : error.description)
            }
            first = SchemaVersion(
                store.version, fingerprint: store.fingerprint, tables: store.draft?.tables ?? source.tables)
        }
        var current = source.name
        while current != newest.name {
            let step = try schema.step(from: current)
            steps.append(step)
            current = step.to
        }
        (self.source, self.steps, self.newest, self.versions) = (first, steps, newest, versions)
    }

    /// The stages of the migration.
    func stages(_ strategy: StoreOptions.MigrationStrategy) throws -> [MigrationStage] {
        var stages: [MigrationStage] = []
        var tables = source.tables
        for step in steps {
            guard let new = versions.first(where: { $0.name == step.to }) else {
                throw MigrationError.noStep(from: step.from)
            }
            defer { tables = new.tables }
            if strategy == .fused, !step.isCustom, let last = stages.last, last.custom == nil,
                let mapping = last.mapping.followed(by: step.changes, to: new.tables)
            {
                stages[stages.count - 1].mapping = mapping
            } else {
                let mapping = TableMapping(from: tables, to: new.tables, changes: step.changes)
                stages.append(
                    MigrationStage(
                        from: step.from, mapping: mapping, changes: step.changes, custom: step.custom,
                        isResumable: step.isResumable))
            }
        }
        return stages
    }
}

extension StoreIdentity {
    /// Whether an app with `known` can open the store, and migrate it if necessary.
    func canBeOpened(by known: SchemaDefinition) -> Bool {
        isNewer(than: known) || (try? MigrationPath(from: self, in: known)) != nil
    }
}
