/// A schema as an app knows it: with all its versions, or, as an app that was built earlier did, with those up to one.
package struct KnownSchema: Sendable {
    private let schema: any Schema.Type
    private let newest: String?
    /// The fingerprint of the newest version that is known: all that is compared when a store is already there.
    let fingerprint: UInt64

    /// A schema with all its versions.
    init(_ schema: any Schema.Type) {
        self.schema = schema
        newest = nil
        fingerprint = schema.fingerprint
    }

    /// A schema with its versions up to `newest`; nil where it has no version of that name.
    package init?(_ schema: any Schema.Type, upTo newest: String) {
        guard let version = schema.versions.first(where: { $0.name == newest }) else { return nil }
        self.schema = schema
        self.newest = newest
        fingerprint = version.fingerprint
    }

    /// The schema's name.
    package var name: String { schema.name }

    /// The versions that are known, oldest first.
    package var versions: [SchemaVersion] {
        let versions = schema.versions
        guard let last = versions.firstIndex(where: { $0.name == newest }) else { return versions }
        return Array(versions[...last])
    }

    /// The steps of the schema, oldest first.
    var steps: [MigrationStep] { schema.steps }
}
