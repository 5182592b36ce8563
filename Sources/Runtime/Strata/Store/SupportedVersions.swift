/// The versions of a store that its connections accept: the newest one of the schema, and a newer one that the app can use.
///
/// All connections to a store share it.
final class SupportedVersions: Sendable {
    let schema: SchemaDefinition
    /// The `user_version` of the newer version; nil if the store has the app's own version.
    private let newer = Locked<Int?>(nil)
    /// The `user_version` that another program has given to a store of the app's own version.
    private let changed = Locked<Int?>(nil)

    init(_ schema: SchemaDefinition) { self.schema = schema }

    /// Whether the store has a newer version.
    var isNewer: Bool { newer.withLock { $0 != nil } }

    /// Returns whether a store with this `user_version` has one of the versions.
    func accepts(_ userVersion: Int) -> Bool {
        userVersion == Int(schema.fingerprint.userVersion) || newer.withLock { $0 == userVersion }
            || changed.withLock { $0 == userVersion }
    }

    /// Accepts a newer version.
    func accept(newer userVersion: Int) { newer.withLock { $0 = userVersion } }

    /// Accepts a number that another program has written.
    func accept(changed userVersion: Int) { changed.withLock { $0 = userVersion } }
}
