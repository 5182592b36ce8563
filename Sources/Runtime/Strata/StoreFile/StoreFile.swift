import Foundation

extension Connection {
    /// Sets how long to wait for another connection's lock.
    package func setBusyTimeout(_ options: StoreOptions) {
        setBusyTimeout(options.busyTimeout, until: options.isStopped)
    }

    /// Runs `body`, which opens a store, and interrupts its statements when the opening is cancelled or the store is stopped.
    ///
    /// - Throws: `CancellationError` after an interruption, or the error of `body`.
    func cancellable<Result>(_ options: StoreOptions, _ body: () throws -> Result) throws -> Result {
        try cancellable(by: { options.isOpeningEnded() }, body)
    }
}

/// The file of a store.
package enum StoreFile {
    /// Opens a connection to the database at `url`.
    ///
    /// - Throws: `StoreError` if there is something else than a database.
    package static func connect(to url: URL, _ mode: Connection.Mode, _ options: StoreOptions) throws -> Connection {
        guard url.isFileURL else { throw StoreError.notAFile }
        let path = url.path
        var status = stat()
        if stat(path, &status) == 0 {
            // Opening a pipe would block until another process writes to it.
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw StoreError.unreadable(reason: "it is not a regular file")
            }
            // SQLite treats a file of at most one byte as a new database, and deletes its log, which may have its contents.
            if status.st_size <= 1 { throw StoreError.empty }
        } else if errno == ENOENT, mode != .create {
            throw StoreError.missing(path)
        }
        return try SQLiteError.translated {
            let connection = try open(path, mode, options)
            if options.setUp != nil { connection.setBusyTimeout(options) }
            return try isUnreadableLog(connection, path) ? open(path, .immutable, options) : connection
        }
    }

    private static func open(_ path: String, _ mode: Connection.Mode, _ options: StoreOptions) throws -> Connection {
        let connection = try Connection(path: path, mode: mode)
        connection.setBusyTimeout(options)
        // Otherwise the log would stay as large as the largest transaction.
        if [.readWrite, .create].contains(mode) {
            try connection.execute("PRAGMA journal_size_limit = \(4 << 20)")
        }
        try options.setUp?(ConnectionSetUp(connection: connection))
        if let trace = options.trace { connection.setTrace(trace) }
        return connection
    }

    /// Whether SQLite cannot read a file only because it would have to create the files of a write-ahead log beside it, on a
    /// read-only volume such as a disk image.
    ///
    /// - Throws: `StoreError.unreadable` if the store has a journal there, which SQLite would have to write into the file.
    private static func isUnreadableLog(_ connection: Connection, _ path: String) throws -> Bool {
        // SQLite opens a file for reading only if it cannot be written to.
        guard connection.isReadOnly else { return false }
        var volume = statvfs()
        guard statvfs(path, &volume) == 0, volume.f_flag & UInt(ST_RDONLY) != 0 else { return false }
        do {
            _ = try connection.integer("PRAGMA schema_version")
            return false
        } catch let error as SQLiteError where [8, 14].contains(error.code) {  // SQLITE_READONLY, SQLITE_CANTOPEN
            for suffix in ["-wal", "-journal"] where size(of: path + suffix) ?? 0 > 0 {
                throw StoreError.unreadable(
                    reason:
                        "the volume is read-only, and the store has changes in its journal (\(suffix)): copy both files "
                        + "to another volume")
            }
            if FileManager.default.fileExists(atPath: path + "-shm") { throw error }
            return true
        }
    }

    /// Writes the journal of a store into its file, and removes it. SQLite would apply it to a file that replaces this one.
    ///
    /// - Returns: A connection that keeps all others out of the file; nil if the file is empty.
    /// - Throws: `StoreError.busy` if the store is open.
    static func endJournal(of url: URL, _ options: StoreOptions) throws -> Connection? {
        if OpenFile.exists(at: url) { throw StoreError.busy }
        guard size(of: url.path) ?? 0 > 1 else { return nil }
        let connection = try connect(to: url, .readWrite, options)
        connection.setBusyTimeout(0)
        // Exclusive access shows that the store is not in use. Without a write-ahead log, its file is complete by itself.
        do {
            try connection.execute("PRAGMA journal_mode = DELETE")
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            try connection.execute("BEGIN EXCLUSIVE; COMMIT")
        } catch let error as SQLiteError where error.isBusy {
            throw StoreError.busy
        }
        return connection
    }

    /// Renames a file with its journals: `Notes.sqlite` becomes `Notes.aside-1.sqlite`.
    ///
    /// - Parameter isLinked: Whether the file also keeps its name, until another one replaces it.
    /// - Returns: The renamed file.
    static func setAside(_ url: URL, linking isLinked: Bool = false) throws -> URL {
        var number = 1
        var aside: URL
        repeat {
            aside = url.deletingPathExtension().appendingPathExtension("aside-\(number)")
                .appendingPathExtension(url.pathExtension)
            number += 1
        } while FileManager.default.fileExists(atPath: aside.path)
        // SQLite would delete the journal of a missing file, or apply it to the new file. From the moment at which the name is
        // free, a journal belongs to the file of another process.
        for suffix in ["-wal", "-journal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.moveItem(atPath: url.path + suffix, toPath: aside.path + suffix)
        }
        try? FileManager.default.removeItem(atPath: url.path + "-shm")
        // Some file systems have no hard links.
        if !isLinked || link(url.path, aside.path) != 0 { try FileManager.default.moveItem(at: url, to: aside) }
        return aside
    }

    /// Returns the file that a symbolic link leads to. SQLite keeps the journals beside this file. Any other file has the URL
    /// that the app knows.
    ///
    /// - Returns: The file, and whether it is known to exist.
    static func resolved(_ url: URL) -> (url: URL, exists: Bool) {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { return (url, false) }
        guard status.st_mode & S_IFMT == S_IFLNK else { return (url, true) }
        guard let path = realpath(url.path, nil) else { return (url, false) }
        defer { free(path) }
        return (URL(fileURLWithPath: String(cString: path)), true)
    }

    /// The ends of the names of the files that SQLite keeps beside a database.
    static let journalSuffixes = ["-wal", "-shm", "-journal"]

    /// Deletes the files at `url` with the given suffixes, as far as they exist.
    static func remove(_ url: URL, _ suffixes: [String] = [""] + journalSuffixes) throws {
        for suffix in suffixes where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }

    /// Whether two URLs are those of the same existing file.
    static func isSame(_ left: URL, _ right: URL) -> Bool {
        guard let left = FileIdentity(left) else { return false }
        return left == FileIdentity(right)
    }

    /// The length of a file, in bytes.
    static func size(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// The sizes of a store's file and its log, and the times at which they were written last.
    static func state(of url: URL) -> String {
        ["", "-wal"].compactMap { suffix -> String? in
            let path = url.path + suffix
            // Reading a store may create an empty log.
            guard let size = size(of: path), size > 0,
                let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            else { return nil }
            return "\(size) bytes at \(date.timeIntervalSinceReferenceDate)"
        }.joined(separator: ", ")
    }

    /// Creates a store of `version` at `url`. The file appears when it is complete, so that a process that is
    /// killed meanwhile leaves no empty file.
    ///
    /// Does nothing if there is a file already, or if the file system does not support it.
    static func create(
        at url: URL, _ version: SchemaVersion, schema: String, draft state: DraftState?, _ options: StoreOptions
    ) throws {
        // If a journal exists without its file, SQLite has to create the file, because it then deletes the journal.
        guard !["", "-wal", "-journal"].contains(where: { FileManager.default.fileExists(atPath: url.path + $0) }),
            let draft = try? DraftFile(of: url)
        else { return }
        defer { draft.remove() }
        do {
            let connection = try draft.createStore(version, schema: schema, draft: state, options)
            // This writes only the header, so the file is complete without a log.
            try connection.execute("PRAGMA journal_mode = \(options.journal.rawValue)")
        } catch let error as SQLiteError where error.code == 14 {  // SQLITE_CANTOPEN
            // The name of the draft is too long for a file. The store is then created in its final place.
            return
        } catch let error as SQLiteError {
            throw error.whileOpening
        }
        try? draft.publish()
    }

    /// Waits until a file, or the list of files in a folder, is written to the disk.
    static func synchronize(_ url: URL) throws {
        let file = try FileHandle(forReadingFrom: url)
        try file.synchronize()
        try file.close()
    }
}
