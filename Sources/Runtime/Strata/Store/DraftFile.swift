import Foundation

/// A database that is written beside its place and appears there complete, or not at all.
///
/// The draft has a name of its own, so that no other process writes it. It is linked into place, which never replaces a file
/// that appeared meanwhile. Drafts of processes that were killed are removed after a day, when a file of that name is written.
package struct DraftFile {
    /// The draft.
    package let url: URL
    private let destination: URL
    private let isReplaced: Bool

    /// A draft of the file at `destination`.
    ///
    /// - Throws: `MigrationError.destinationExists` if there is a file, or one that SQLite would take for its journal.
    ///
    /// - Parameter isReplaced: Whether a file at `destination` is to be replaced.
    package init(of destination: URL, replacing isReplaced: Bool = false) throws {
        if !isReplaced { try DatabaseCopy.check(destination) }
        self.isReplaced = isReplaced
        self.destination = destination
        let start = Self.start(of: destination)
        Self.sweep(destination.deletingLastPathComponent(), start)
        let name = "\(start)\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)"
        url = destination.deletingLastPathComponent().appendingPathComponent(name)
    }

    /// Creates the draft as a new store of a version. An earlier draft is removed.
    ///
    /// - Returns: The connection to the new store.
    package func createStore(
        _ version: SchemaVersion, schema: String, _ options: StoreOptions
    ) throws -> Connection {
        remove()
        let connection = try Connection(path: url.path, mode: .create)
        try options.setUp?(ConnectionSetUp(connection: connection))
        try connection.transaction("BEGIN IMMEDIATE") {
            try NewStore.create(version, schema: schema, in: connection)
        }
        return connection
    }

    /// Gives the draft the journal that the store will have; a write-ahead log is then empty.
    package func setJournal(_ journal: StoreOptions.Journal, _ options: StoreOptions) throws {
        let connection = try StoreFile.connect(to: url, .readWrite, options)
        try connection.execute("PRAGMA journal_mode = \(journal.rawValue)")
    }

    /// The file appears at its place, with its contents on the disk.
    ///
    /// - Throws: `MigrationError.destinationExists` if another process was faster.
    package func publish() throws {
        try StoreFile.synchronize(url)
        if isReplaced {
            guard rename(url.path, destination.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            return try StoreFile.synchronize(destination.deletingLastPathComponent())
        }
        try DatabaseCopy.check(destination)
        if link(url.path, destination.path) != 0 {
            if errno == EEXIST { throw MigrationError.destinationExists(destination.path) }
            // Some file systems have no links.
            try FileManager.default.moveItem(at: url, to: destination)
        }
        remove()
        try? StoreFile.synchronize(destination.deletingLastPathComponent())
    }

    /// Removes the draft.
    package func remove() { DatabaseCopy.remove(url) }

    /// How the names of drafts of a file begin.
    private static func start(of destination: URL) -> String { ".\(destination.lastPathComponent).strata-" }

    /// Removes the drafts of processes that no longer run.
    private static func sweep(_ folder: URL, _ start: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix(start) {
            guard let process = pid_t(name.dropFirst(start.count).prefix { $0 != "-" }),
                process != ProcessInfo.processInfo.processIdentifier, kill(process, 0) != 0, errno == ESRCH
            else { continue }
            let file = folder.appendingPathComponent(name)
            // A process in another container has a number of its own.
            let values = try? file.resourceValues(forKeys: [.contentModificationDateKey])
            guard let written = values?.contentModificationDate, written.timeIntervalSinceNow < -86_400 else {
                continue
            }
            try? FileManager.default.removeItem(at: file)
        }
    }
}
