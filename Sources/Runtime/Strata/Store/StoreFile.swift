import Foundation

extension Connection {
    /// Sets how long to wait for another connection's lock.
    package func setBusyTimeout(_ options: StoreOptions) {
        setBusyTimeout(Int32(max(0, min(options.busyTimeout, 86_400)) * 1000))
    }
}

/// The file of a store.
package enum StoreFile {
    /// A connection to the database at `url`.
    ///
    /// - Throws: `StoreError` where what is there is no file that holds one.
    package static func connect(to url: URL, _ mode: Connection.Mode, _ options: StoreOptions) throws -> Connection {
        guard url.isFileURL else { throw StoreError.notAFile }
        var status = stat()
        if stat(url.path, &status) == 0 {
            // SQLite would wait for what somebody writes into a pipe.
            guard status.st_mode & S_IFMT == S_IFREG else { throw StoreError.unreadable(reason: "it is no file") }
            // SQLite would take it for a new database, one byte included, and delete a log that may hold what it held.
            if status.st_size <= 1 { throw StoreError.empty }
        }
        return try SQLiteError.translated {
            let connection = try Connection(path: url.path, mode: mode)
            // A log stays as large as the largest transaction otherwise.
            if mode != .readOnly { try connection.execute("PRAGMA journal_size_limit = \(4 << 20)") }
            try options.setUp?(ConnectionSetUp(connection: connection))
            return connection
        }
    }

    /// The length of a file, in bytes.
    static func size(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Makes a store of the newest version at `url`, which is there as a whole or not at all: what ends while it is made
    /// leaves no empty file.
    ///
    /// Where there is a file already, or the file system cannot do it, nothing is done.
    static func create(at url: URL, _ schema: KnownSchema, _ options: StoreOptions) throws {
        // What SQLite takes for a journal of a missing file, it deletes when it makes the file itself.
        guard !["", "-wal", "-journal"].contains(where: { FileManager.default.fileExists(atPath: url.path + $0) }),
            let newest = schema.versions.last, let draft = try? DraftFile(of: url)
        else { return }
        defer { draft.remove() }
        do {
            let connection = try draft.createStore(newest, schema: schema.name, options)
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

    /// Waits until the file, or the folder's list of files, is on the disk.
    static func synchronize(_ url: URL) throws {
        let file = try FileHandle(forReadingFrom: url)
        try file.synchronize()
        try file.close()
    }
}

/// A new connection, before anything is done with it.
public struct ConnectionSetUp {
    let connection: Connection

    /// SQLite's own handle of it (`sqlite3 *`), which must not leave the function that is given it.
    public var handle: OpaquePointer { connection.pointer }

    /// Runs SQL, such as `PRAGMA key`.
    public func execute(_ sql: String) throws { try connection.execute(sql) }
}
