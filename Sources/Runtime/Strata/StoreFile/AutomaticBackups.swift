import Foundation

/// The automatic backups of a store: `Notes.backup-12-20261124T214500.250Z-1.0.sqlite` beside `Notes.sqlite`.
struct AutomaticBackups {
    private let store: URL
    private let options: StoreOptions
    private static let dateStyle = Date.ISO8601FormatStyle(
        dateSeparator: .omitted, timeSeparator: .omitted, includingFractionalSeconds: true)

    init(of store: URL, _ options: StoreOptions) {
        self.store = StoreFile.resolved(store).url
        self.options = options
    }

    /// The name that the drafts of all backups have in common.
    private var draftName: String { store.lastPathComponent + ".backup" }

    private var start: String { store.deletingPathExtension().lastPathComponent + ".backup-" }

    /// The name of a new backup.
    private func url(_ number: Int, _ version: String) -> URL {
        let name = start + "\(number)-" + Date().formatted(Self.dateStyle) + "-" + version
        let url = store.deletingLastPathComponent().appendingPathComponent(name)
        return store.pathExtension.isEmpty ? url : url.appendingPathExtension(store.pathExtension)
    }

    /// The parts of the names of all backups: number, date and version.
    private func names() throws -> [(name: String, number: Int, date: Date, version: Substring)] {
        let ending = store.pathExtension.isEmpty ? "" : "." + store.pathExtension
        return try FileManager.default.contentsOfDirectory(atPath: store.deletingLastPathComponent().path).compactMap {
            guard $0.hasPrefix(start), $0.hasSuffix(ending) else { return nil }
            let parts = $0.dropFirst(start.count).dropLast(ending.count).split(separator: "-", maxSplits: 2)
            guard parts.count == 3, let number = Int(parts[0]), let date = try? Self.dateStyle.parse(String(parts[1]))
            else { return nil }
            return ($0, number, date, parts[2])
        }
    }

    /// All backups, newest first, without files that are not stores.
    func all() throws -> [StoreBackup] {
        try names().compactMap { name, number, date, version in
            let url = store.deletingLastPathComponent().appendingPathComponent(name)
            guard let identity = DatabaseCopy.identity(ofBackup: url, options, checked: false),
                identity.version == version
            else { return nil }
            return StoreBackup(url: url, version: identity.version, date: date, number: number, identity: identity)
        }.sorted { ($0.number, $0.url.path) > ($1.number, $1.url.path) }
    }

    /// Writes a backup of a store.
    ///
    /// - Returns: The file of the backup, and whether it is new. It is not if the newest backup of the version has the same bytes.
    @discardableResult func write(_ source: Connection, _ identity: StoreIdentity) throws -> (file: URL, isNew: Bool) {
        let newest = try all().first { $0.identity.fingerprint == identity.fingerprint }
        let last = try names().map(\.number).filter { $0 < Int.max }.max() ?? 0
        let new = url(last + 1, identity.version)
        let draft = try DraftFile(of: new, named: draftName)
        defer { draft.remove() }
        try DatabaseCopy.write(source, to: draft, options)
        // After a migration that was killed, there is a backup already.
        if let newest, FileManager.default.contentsEqual(atPath: draft.url.path, andPath: newest.url.path) {
            return (newest.url, false)
        }
        try draft.publish()
        return (new, true)
    }

    /// Deletes earlier backups of the same version. A migration that is killed at each launch must not fill the disk.
    func removeOthers(than url: URL, of identity: StoreIdentity) {
        for backup in (try? all()) ?? []
        where backup.url.lastPathComponent != url.lastPathComponent && backup.identity.schema == identity.schema
            && backup.identity.fingerprint == identity.fingerprint
        {
            try? StoreFile.remove(backup.url)
        }
    }

    /// Deletes all but the newest `count` backups of stores of a schema.
    func prune(keeping count: Int, schema: String) {
        for backup in ((try? all()) ?? []).filter({ $0.identity.schema == schema }).dropFirst(max(1, count)) {
            try? StoreFile.remove(backup.url)
        }
    }
}
