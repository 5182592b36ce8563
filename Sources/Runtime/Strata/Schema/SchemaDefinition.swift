import SQLSchema

/// A schema as a value: the versions that an app knows, and the steps between them.
package struct SchemaDefinition: Sendable {
    /// The schema's name.
    package let name: String
    /// The fingerprint of the newest version. Opening a store of this version reads nothing else of the schema.
    let fingerprint: UInt64
    private let source: Source

    private enum Source {
        /// A generated schema. Its versions are parsed when they are read first.
        case type(any Schema.Type, newest: String?)
        case value([SchemaVersion], [MigrationStep], ImportedFormat?, valueTypes: String)
    }

    /// A generated schema with all its versions.
    package init(_ schema: any Schema.Type) {
        name = schema.name
        fingerprint = schema.fingerprint
        source = .type(schema, newest: nil)
    }

    /// A generated schema with its versions up to `newest`; nil if it has no version with this name.
    package init?(_ schema: any Schema.Type, upTo newest: String) {
        guard let version = schema.versions.first(where: { $0.name == newest }) else { return nil }
        name = schema.name
        fingerprint = version.fingerprint
        source = .type(schema, newest: newest)
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

    /// The versions, oldest first.
    package var versions: [SchemaVersion] {
        switch source {
        case .value(let versions, _, _, _): return versions
        case .type(let schema, let newest):
            let versions = schema.versions
            guard let last = versions.firstIndex(where: { $0.name == newest }) else { return versions }
            return Array(versions[...last])
        }
    }

    /// The steps, oldest first.
    package var steps: [MigrationStep] {
        switch source {
        case .value(_, let steps, _, _): steps
        case .type(let schema, _): schema.steps
        }
    }

    /// The format of the databases that the schema was imported from; nil if it was not imported.
    package var imported: ImportedFormat? {
        switch source {
        case .value(_, _, let imported, _): imported
        case .type(let schema, _): schema.imported
        }
    }

    /// The newest version as a state of a draft, which stores keep in debug builds; nil in release builds.
    var draft: DraftState? {
        #if DEBUG
            let valueTypes =
                switch source {
                case .value(_, _, _, let valueTypes): valueTypes
                case .type(let schema, let newest): newest == nil ? schema.valueTypes : ""
                }
            return DraftState(tables: versions.last?.tables ?? [], valueTypes: valueTypes)
        #else
            return nil
        #endif
    }
}
