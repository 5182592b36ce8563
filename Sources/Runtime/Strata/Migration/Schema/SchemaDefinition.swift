import SQLSchema

/// A schema as a value: the versions that an app knows, and the steps between them.
package struct SchemaDefinition: Sendable {
    /// The schema's name.
    package let name: String
    /// The fingerprint of the newest version. Opening a store of this version reads nothing else of the schema.
    private(set) var fingerprint: UInt64
    private let source: Source
    /// The newest version; nil for the last one.
    private var newest: String?
    private var chain: StoreOptions.Chain?

    private enum Source {
        /// A generated schema. Its versions are parsed when they are read first.
        case type(any Schema.Type)
        case value([SchemaVersion], [MigrationStep], ImportedFormat?, valueTypes: String)
    }

    /// A generated schema with all its versions.
    package init(_ schema: any Schema.Type) {
        name = schema.name
        fingerprint = schema.fingerprint
        source = .type(schema)
    }

    /// A schema that is not generated. `versions` must not be empty.
    package init(
        _ name: String, versions: [SchemaVersion], steps: [MigrationStep], imported: ImportedFormat? = nil,
        valueTypes: String = ""
    ) {
        self.name = name
        fingerprint = versions.last?.fingerprint ?? 0
        source = .value(versions, steps, imported, valueTypes: valueTypes)
    }

    /// Returns the schema with its versions up to `version`, or all for nil.
    ///
    /// - Throws: `StoreError.unknownVersion` if there is no such version.
    package func upTo(_ version: String?) throws(StoreError) -> SchemaDefinition {
        guard let version else { return self }
        let all = allVersions
        guard let found = all.first(where: { $0.name == version }) else {
            throw .unknownVersion(found: version, newest: all.last?.name ?? "")
        }
        var result = self
        result.newest = found.name == all.last?.name ? nil : found.name
        result.fingerprint = found.fingerprint
        return result
    }

    /// Returns the schema as options limit it: to their newest version, and to the steps that they choose.
    ///
    /// - Throws: `StoreError.unknownVersion` if there is no such version.
    func applying(_ options: StoreOptions) throws(StoreError) -> SchemaDefinition {
        try upTo(options.newestVersion).choosing(options.chain ?? chain)
    }

    /// Returns the schema with a closure that chooses between steps from one version.
    package func choosing(_ chain: StoreOptions.Chain?) -> SchemaDefinition {
        var result = self
        result.chain = chain
        return result
    }

    /// Returns the step by which stores of a version are migrated.
    ///
    /// - Throws: `MigrationError.noStep` if there is none, or if the closure chooses another one.
    func step(from version: String) throws(MigrationError) -> MigrationStep {
        let known = Set(versions.map(\.name))
        let ways = steps.filter { $0.from == version && known.contains($0.to) }
        guard let first = ways.first else { throw .noStep(from: version) }
        guard ways.count > 1, let target = chain?(version, ways.map(\.to)) else { return first }
        guard let step = ways.first(where: { $0.to == target }) else { throw .noStep(from: version, to: target) }
        return step
    }

    /// The version to which the schema is limited, and the last one; nil if it is not limited.
    var limit: (version: String, last: String)? { newest.map { ($0, allVersions.last?.name ?? "") } }

    private var allVersions: [SchemaVersion] {
        switch source {
        case .value(let versions, _, _, _): versions
        case .type(let schema): schema.versions
        }
    }

    /// The versions, oldest first.
    package var versions: [SchemaVersion] {
        let versions = allVersions
        guard let newest, let last = versions.firstIndex(where: { $0.name == newest }) else { return versions }
        return Array(versions[...last])
    }

    /// The steps, oldest first.
    package var steps: [MigrationStep] {
        switch source {
        case .value(_, let steps, _, _): steps
        case .type(let schema): schema.steps
        }
    }

    /// The format of the databases that the schema was imported from; nil if it was not imported.
    package var imported: ImportedFormat? {
        switch source {
        case .value(_, _, let imported, _): imported
        case .type(let schema): schema.imported
        }
    }

    /// The newest version as a state of a draft, which stores keep in debug builds; nil in release builds.
    var draft: DraftState? {
        #if DEBUG
            let valueTypes =
                switch source {
                case .value(_, _, _, let valueTypes): valueTypes
                case .type(let schema): newest == nil ? schema.valueTypes : ""
                }
            return DraftState(tables: versions.last?.tables ?? [], valueTypes: valueTypes)
        #else
            return nil
        #endif
    }
}

extension StoreIdentity {
    /// Whether the store has a newer version than the newest one of `known`, and apps with `known` can use it.
    func isNewer(than known: SchemaDefinition) -> Bool {
        schema == known.name && compatible.contains(known.fingerprint)
    }

    /// The version of `known` that the store has; nil if it is not one of its versions.
    func version(of known: SchemaDefinition) -> SchemaVersion? {
        schema == known.name ? known.versions.first { $0.fingerprint == fingerprint } : nil
    }
}
