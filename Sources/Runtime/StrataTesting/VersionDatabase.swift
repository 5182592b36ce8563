import Foundation
import Strata

/// A database of a version, as an app with that version has it. Its temporary folder is deleted together with it and with
/// its stores.
public final class VersionDatabase: Sendable {
    /// The version as it is written.
    public let version: String
    /// The file.
    public let url: URL
    private let folder: URL
    private let schema: any Schema.Type

    /// A database that `make` puts at its place.
    init(of version: String, _ schema: any Schema.Type, _ make: (URL) throws -> Void) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)")
        url = folder.appendingPathComponent("store.sqlite")
        self.version = version
        self.schema = schema
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try make(url)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The store at its own version: it is read and written by the structs of that version.
    public func store(options: StoreOptions = StoreOptions()) throws -> Store {
        try Store(at: url, knowing: known(version), options: options, owner: self)
    }

    /// A copy of the database that was migrated to a version, or to the newest one; this one stays what it is.
    ///
    /// - Throws: The error of the migration, or `FixtureError` if the schema does not have the version.
    public func migrated(to version: String? = nil, options: StoreOptions = StoreOptions()) throws -> VersionDatabase {
        let target = version ?? schema.versions.last?.name ?? self.version
        return try VersionDatabase(of: target, schema) { copy in
            let source = try Connection(path: url.path, mode: .readOnly)
            let statement = try source.prepare("VACUUM INTO ?1")
            try statement.bind(copy.path, at: 1)
            try statement.run()
            _ = try Store(at: copy, knowing: known(target), options: options)
        }
    }

    private func known(_ version: String) throws -> KnownSchema {
        guard let known = KnownSchema(schema, upTo: version) else {
            throw FixtureError.unknownVersion(version, schema: schema.name)
        }
        return known
    }
}

extension Fixtures {
    /// A copy of the fixture of a version.
    public func database(of version: String) throws -> VersionDatabase {
        try VersionDatabase(of: version, schema) { try copyFixture(of: self.version(version), to: $0) }
    }

    /// A database of a version without any row.
    public func emptyDatabase(of version: String) throws -> VersionDatabase {
        try VersionDatabase(of: version, schema) { try create(self.version(version), at: $0, withRows: false) }
    }
}
