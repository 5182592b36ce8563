import Foundation

/// A backup of a store that a migration has written beside it (``StoreOptions/Backup/automatic(keep:)``).
public struct StoreBackup: Hashable, Sendable {
    /// The file of the backup.
    public let url: URL
    /// The version that the store had.
    public let version: String
    /// The time at which the backup was written.
    public let date: Date
    /// The number of the backup. The date may be wrong, so the number decides which backup is the newest one.
    let number: Int
    /// The identity of the store.
    let identity: StoreIdentity
}

extension StoreBackup: CustomStringConvertible {
    /// The version, the time and the file: `version 1.0 of 2026-11-24T21:45:00Z in Notes.backup-….sqlite`.
    public var description: String { "version \(version) of \(date.formatted(.iso8601)) in \(url.lastPathComponent)" }
}

/// The automatic backups of a store: `Notes.backup-12-20261124T214500.250Z-1.0.sqlite` beside `Notes.sqlite`.
struct AutomaticBackups {
    private let store: URL
    private let options: StoreOptions
    private static let dateStyle = Date.ISO8601FormatStyle(
        dateSeparator: .omitted, timeSeparator: .omitted, includingFractionalSeconds: true)

    init(of store: URL, _ options: StoreOptions) {
        self.store = StoreFile.resolved(store)
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

extension Store {
    /// Returns the automatic backups of the store at `url`, newest first.
    ///
    /// ```swift
    /// for backup in try Store.backups(of: url) { print(backup.version, backup.date) }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file of the store, which need not exist.
    ///   - options: The options for opening the backups.
    public static func backups(of url: URL, options: StoreOptions = StoreOptions()) throws -> [StoreBackup] {
        guard url.isFileURL else { throw StoreError.notAFile }
        return try AutomaticBackups(of: url, options).all()
    }

    /// Replaces the store at `url` by its newest automatic backup that the app can open. The replaced store becomes a backup
    /// itself, so a later app can still read it. A store that is damaged, or in a newer format, is renamed instead:
    /// `Notes.sqlite` becomes `Notes.aside-1.sqlite`.
    ///
    /// The store must not be open.
    ///
    /// ```swift
    /// do {
    ///     store = try Store(at: url, schema: MoviesSchema.self, options: options)
    /// } catch StoreError.newer {
    ///     // The customer went back from a beta, and agrees to lose the changes since then.
    ///     try Store.restoreNewestBackup(to: url, schema: MoviesSchema.self)
    ///     store = try Store(at: url, schema: MoviesSchema.self, options: options)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - schema: The schema of the store. The backup may have an older version, which the next opening migrates.
    ///   - options: The options for opening the files.
    /// - Returns: The restored backup.
    /// - Throws: ``StoreError/noBackup`` if there is no such backup; ``StoreError/busy`` if the store is open.
    @discardableResult public static func restoreNewestBackup(
        to url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()
    ) throws -> StoreBackup {
        let known = SchemaDefinition(schema)
        let backup = try backups(of: url, options: options).first { backup in
            backup.identity.canBeOpened(by: known) && DatabaseCopy.identity(ofBackup: backup.url, options) != nil
        }
        guard let backup else { throw StoreError.noBackup }
        if OpenFile.exists(at: url) { throw StoreError.busy }
        var isSaved = false
        if FileManager.default.fileExists(atPath: url.path),
            let connection = try? StoreFile.connect(to: url, .readOnly, options),
            let identity = try? StoreIdentity(reading: connection)
        {
            do {
                try SQLiteError.translated { _ = try AutomaticBackups(of: url, options).write(connection, identity) }
                isSaved = true
            } catch let error as StoreError where error.isDamage {
                // A damaged store is the reason to restore a backup.
            }
        }
        try restore(backup.url, to: url, known, options, keepsOther: !isSaved)
        return backup
    }
}
