import Foundation
import SQLSchema

extension Store {
    /// Writes a copy of the store. Other transactions continue; the copy has the state when it was begun.
    ///
    /// The copy appears at `url` when it is complete and synchronized to the disk, with the permissions of the store's file. It
    /// replaces an older backup of the same schema, and no other file.
    ///
    /// ```swift
    /// try store.backup(to: url.appendingPathExtension("backup")) { print($0.completedPages, $0.totalPages) }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file of the copy.
    ///   - progress: A closure that receives the progress. If it throws, no copy is made.
    /// - Throws: `MigrationError.sameFile` or `.destinationExists` if there is another file at `url`; ``StoreError/busy`` if this
    ///   process has a store open there; `SQLiteError`, or the error of `progress`.
    public func backup(to url: URL, progress: (BackupProgress) throws -> Void = { _ in }) throws {
        guard url.isFileURL else { throw StoreError.notAFile }
        try read { transaction in
            let source = try transaction.open()
            try DatabaseCopy.check(url, isNot: source)
            let isBackup = try DatabaseCopy.isBackup(url, of: source, options)
            let draft = try DraftFile(of: url, replacing: isBackup)
            defer { draft.remove() }
            if let file = source.file { draft.create(like: URL(fileURLWithPath: file)) }
            try DatabaseCopy.copy(source, to: draft.url, options) { now in
                try connection.checkStop()
                try progress(now)
            }
            try draft.publish()
        }
    }

    /// Replaces the store at `url` by a backup of it. The backup stays.
    ///
    /// The store must not be open. It keeps its state if the backup is damaged, or if the copy fails. A file that is not known to
    /// be a store of the schema, for example a store in a newer format, is renamed: `Notes.sqlite` becomes
    /// `Notes.aside-1.sqlite`.
    ///
    /// ```swift
    /// try Store.restoreBackup(from: backup, to: url, schema: MoviesSchema.self)
    /// ```
    ///
    /// - Parameters:
    ///   - backup: A file that ``backup(to:progress:)`` or ``StoreOptions/backup`` has written.
    ///   - url: The file of the store.
    ///   - schema: The schema of the store. The backup may have an older version, which the next opening migrates.
    ///   - options: The options for opening both files.
    /// - Throws: `StoreError` if the backup is not a store of the schema, or is damaged; ``StoreError/busy`` if the store is open.
    public static func restoreBackup(
        from backup: URL, to url: URL, schema: any Schema.Type, options: StoreOptions = StoreOptions()
    ) throws {
        try restore(backup, to: url, SchemaDefinition(schema), options)
    }

    /// Replaces the store at `url` by a backup of it.
    ///
    /// - Parameter keepsOther: Whether any store is renamed.
    package static func restore(
        _ backup: URL, to url: URL, _ known: SchemaDefinition, _ options: StoreOptions = StoreOptions(),
        keepsOther: Bool = false
    ) throws {
        guard url.isFileURL else { throw StoreError.notAFile }
        if StoreFile.isSame(backup, url) { throw MigrationError.sameFile(url.path) }
        let url = StoreFile.resolved(url).url
        let draft = try DraftFile(of: url, replacing: true)
        defer { draft.remove() }
        let wasThere = StoreFile.size(of: url.path) != nil
        try SQLiteError.translated {
            let source = try StoreFile.connect(to: backup, .readOnly, options)
            let (identity, known) = (try StoreIdentity(reading: source), try known.applying(options))
            if !identity.isNewer(than: known) { _ = try MigrationPath(from: identity, in: known) }
            if wasThere { draft.create(like: url) }
            try DatabaseCopy.write(source, to: draft, options)
            try draft.setJournal(options.journal, options)
        }
        // It keeps others out of the store until the backup is in its place.
        var owner: Connection?
        var isKnown = !wasThere
        do {
            try SQLiteError.translated {
                owner = try StoreFile.endJournal(of: url, options)
                if owner?.hasMoved == true { throw StoreError.busy }
                if let owner { isKnown = try StoreIdentity(reading: owner).schema == known.name }
            }
        } catch let error as StoreError where error != .busy {
            // A damaged store has a journal that SQLite would apply to the backup, and so may a missing store.
        }
        let hasContent = ["", "-wal"].contains { StoreFile.size(of: url.path + $0) ?? 0 > 0 }
        if hasContent, !isKnown || keepsOther {
            try StoreFile.synchronize(draft.url)
            _ = try StoreFile.setAside(url, linking: true)
        } else {
            try StoreFile.remove(url, StoreFile.journalSuffixes)
        }
        try draft.publish()
        withExtendedLifetime(owner) {}
    }

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
