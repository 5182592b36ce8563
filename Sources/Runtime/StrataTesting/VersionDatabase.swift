import Foundation
import Strata

/// A database of a version, as an app with that version has it.
///
/// The database is in a temporary folder. The folder is deleted when neither this object nor one of its stores is in
/// use.
public final class VersionDatabase: Sendable {
    /// The name of the version.
    public let version: String
    /// The URL of the database file.
    public let url: URL
    private let folder: URL
    private let schema: any Schema.Type

    /// Creates a database with the function `make`, which writes it to the URL that it receives.
    init(of version: String, _ schema: any Schema.Type, _ make: (URL) throws -> Void) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)")
        url = folder.appendingPathComponent("store.sqlite")
        self.version = version
        self.schema = schema
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try make(url)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Returns a store at the version of this database. The structs of that version read and write it.
    public func store(options: StoreOptions = StoreOptions()) throws -> Store {
        try Store(at: url, definition: known(version), options: options, owner: self)
    }

    /// Returns a copy of the database that was migrated to a version. This database is not changed.
    ///
    /// - Parameters:
    ///   - version: The name of the version; nil for the newest version.
    ///   - options: The options of the store that performs the migration.
    /// - Throws: The error of the migration, or `FixtureError` if the schema does not have the version.
    public func migrated(to version: String? = nil, options: StoreOptions = StoreOptions()) throws -> VersionDatabase {
        let target = version ?? schema.versions.last?.name ?? self.version
        return try VersionDatabase(of: target, schema) { copy in
            try DatabaseCopy.copy(StoreFile.connect(to: url, .readOnly, options), to: copy, options)
            try StoreFile.connect(to: copy, .readWrite, options).vacuum()
            _ = try Store(at: copy, definition: known(target), options: options)
        }
    }

    private func known(_ version: String) throws -> SchemaDefinition {
        do {
            return try SchemaDefinition(schema).upTo(version)
        } catch {
            throw FixtureError.unknownVersion(version, schema: schema.name)
        }
    }
}

extension Fixtures {
    /// Returns a copy of the fixture of a version.
    public func database(of version: String) throws -> VersionDatabase {
        try VersionDatabase(of: version, schema) { try copyFixture(of: self.version(version), to: $0) }
    }

    /// Returns a new database of a version, without rows.
    public func emptyDatabase(of version: String) throws -> VersionDatabase {
        try VersionDatabase(of: version, schema) { try create(self.version(version), at: $0, withRows: false) }
    }
}
