import Foundation

/// The hashes of the entities of each version, which the Core Data model compiler writes to `VersionInfo.plist` in the
/// folder `App.momd` of a built app.
struct VersionInfo {
    private let path: String
    /// The hashes by version and entity.
    private let hashes: [String: [String: Data]]

    init(path: String) throws {
        self.path = path
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ImportError("the file does not exist or cannot be read", path: path)
        }
        let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        guard let hashes = list?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] else {
            throw ImportError("it is not a VersionInfo.plist: it has no NSManagedObjectModel_VersionHashes", path: path)
        }
        self.hashes = hashes
    }

    /// Returns the hashes of the entities of a version, as sixteen hexadecimal digits; empty if the file does not
    /// contain the version.
    ///
    /// - Throws: `ImportError` if the file contains another model's version with that name, or if a hash is too short.
    func hashes(of version: CoreDataFolder.Version) throws -> [String: String] {
        guard let hashes = hashes[version.name] else { return [:] }
        let entities = Set(version.model.entities.map(\.name))
        guard Set(hashes.keys) == entities else {
            let differing = entities.symmetricDifference(hashes.keys).sorted().joined(separator: ", ")
            throw ImportError(
                "it is of another model than \(version.path): in \(version.name) they differ in \(differing)",
                path: path)
        }
        return try hashes.mapValues { data in
            guard data.count >= 8 else { throw ImportError("a hash of \(version.name) is too short", path: path) }
            return data.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
