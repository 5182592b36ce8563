import Foundation

/// A database that is written to a temporary file and then moved to its destination, so that it appears there complete.
///
/// The name of the draft is unique, so that no other process writes to it. It is hard-linked to the destination, which never
/// replaces a file that appeared meanwhile. Drafts of killed processes are deleted a minute later, by the next draft of the same
/// file.
package struct DraftFile {
    /// The file of the draft.
    package let url: URL
    private let destination: URL
    private let isReplaced: Bool

    /// Creates a draft of the file at `destination`.
    ///
    /// - Parameters:
    ///   - destination: The file to create.
    ///   - isReplaced: Whether an existing file at `destination` is replaced.
    ///   - name: A name that the drafts of several destinations have in common, so that each deletes what killed processes
    ///     have left of the others; nil for the name of the destination.
    /// - Throws: `MigrationError.destinationExists` if there is a file, or one that SQLite would use as its journal.
    package init(of destination: URL, replacing isReplaced: Bool = false, named name: String? = nil) throws {
        if !isReplaced { try DatabaseCopy.check(destination) }
        self.isReplaced = isReplaced
        self.destination = destination
        let start = ".\(name ?? destination.lastPathComponent).strata-"
        Self.sweep(destination.deletingLastPathComponent(), start)
        let name = "\(start)\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)"
        url = destination.deletingLastPathComponent().appendingPathComponent(name)
    }

    /// Creates the draft as a new store of a version. An earlier draft is removed.
    ///
    /// - Returns: The connection to the new store.
    package func createStore(
        _ version: SchemaVersion, schema: String, draft: DraftState? = nil, _ options: StoreOptions
    ) throws -> Connection {
        remove()
        let connection = try Connection(path: url.path, mode: .create)
        // It waits for the locks of a database that it reads as well.
        connection.setBusyTimeout(options)
        try options.setUp?(ConnectionSetUp(connection: connection))
        try connection.transaction("BEGIN IMMEDIATE") {
            try NewStore.create(version, schema: schema, draft: draft, in: connection)
        }
        return connection
    }

    /// Sets the journal mode of the draft.
    package func setJournal(_ journal: StoreOptions.Journal, _ options: StoreOptions) throws {
        let connection = try StoreFile.connect(to: url, .readWrite, options)
        try connection.execute("PRAGMA journal_mode = \(journal.rawValue)")
    }

    /// Writes the draft to the disk and moves it to its destination.
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
            // Some file systems have no hard links.
            try FileManager.default.moveItem(at: url, to: destination)
        }
        remove()
        try? StoreFile.synchronize(destination.deletingLastPathComponent())
    }

    /// Deletes the draft.
    package func remove() { try? StoreFile.remove(url) }

    /// Deletes the drafts of processes that no longer run.
    private static func sweep(_ folder: URL, _ start: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix(start) {
            guard let process = pid_t(name.dropFirst(start.count).prefix { $0 != "-" }),
                process != ProcessInfo.processInfo.processIdentifier, kill(process, 0) != 0, errno == ESRCH
            else { continue }
            let file = folder.appendingPathComponent(name)
            // Processes in other containers have other numbers, so the age of the file counts too. A draft is written to all
            // the time.
            let values = try? file.resourceValues(forKeys: [.contentModificationDateKey])
            guard let written = values?.contentModificationDate, written.timeIntervalSinceNow < -60 else {
                continue
            }
            try? FileManager.default.removeItem(at: file)
        }
    }
}
