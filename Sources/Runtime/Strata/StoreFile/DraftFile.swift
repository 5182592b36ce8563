import Foundation

/// A database that is written to a temporary file and then moved to its destination, so that it appears there complete.
///
/// The name of the draft is unique, so that no other process writes to it. It is hard-linked to the destination, which never
/// replaces a file that appeared meanwhile. Drafts of killed processes are taken over, or deleted a minute later, by the next
/// draft of the same file.
package struct DraftFile {
    /// The file of the draft.
    package let url: URL
    private let destination: URL
    private let isReplaced: Bool
    /// The beginning of the names of all drafts of the destination.
    private let start: String

    /// Creates a draft of the file at `destination`.
    ///
    /// - Parameters:
    ///   - destination: The file to create.
    ///   - isReplaced: Whether an existing file at `destination` is replaced.
    ///   - name: A name that the drafts of several destinations have in common, so that each deletes what killed processes
    ///     have left of the others; nil for the name of the destination.
    ///   - takesOver: Whether a draft that a killed process has left can be continued, so that this one begins with it; nil to
    ///     begin with an empty one. It must leave no journal beside the file.
    /// - Throws: `MigrationError.destinationExists` if there is a file, or one that SQLite would use as its journal.
    package init(
        of destination: URL, replacing isReplaced: Bool = false, named name: String? = nil,
        takingOver takesOver: ((_ url: URL) throws -> Bool)? = nil
    ) throws {
        if !isReplaced { try DatabaseCopy.check(destination) }
        let destination = StoreFile.resolved(destination).url
        self.isReplaced = isReplaced
        self.destination = destination
        start = ".\(name ?? destination.lastPathComponent).strata-"
        let folder = destination.deletingLastPathComponent()
        let name = "\(start)\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)"
        url = folder.appendingPathComponent(name)
        if let takesOver { takeOver(in: folder, takesOver) }
        Self.sweep(folder, start)
    }

    /// Takes over the newest draft of a killed process that `isUsable` accepts, by giving it the name of this one.
    private func takeOver(in folder: URL, _ isUsable: (_ url: URL) throws -> Bool) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let files = names.filter { name in
            name.hasPrefix(start) && !StoreFile.journalSuffixes.contains { name.hasSuffix($0) }
                && Self.isAbandoned(name, start, orOwn: true)
        }.map(folder.appendingPathComponent)
        for file in files.sorted(by: { Self.date(of: $0) > Self.date(of: $1) }) {
            // Of several processes, only one can rename it.
            if (try? isUsable(file)) == true, rename(file.path, url.path) == 0 { return }
        }
    }

    /// Creates the draft as an empty file, which only those can read who can read the file at `source`: it has the same
    /// permissions, and on Apple's platforms the same protection class. Its owner may always write it.
    ///
    /// Does nothing if the draft exists.
    package func create(like source: URL) {
        var status = stat()
        guard stat(source.path, &status) == 0 else { return }
        let mode = status.st_mode & 0o777 | 0o600
        // If the file cannot be created, SQLite throws the reason when it opens the draft.
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { return }
        // Some file systems have no permissions.
        _ = fchmod(descriptor, mode)
        close(descriptor)
        #if canImport(Darwin)
            let attributes = try? FileManager.default.attributesOfItem(atPath: source.path)
            if let protection = attributes?[.protectionKey] {
                try? FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: url.path)
            }
        #endif
    }

    /// Creates the draft as a new store of a version. An earlier draft is removed.
    ///
    /// - Parameter source: The file whose permissions the draft has; nil for a new file.
    /// - Returns: The connection to the new store.
    package func createStore(
        _ version: SchemaVersion, schema: String, draft: DraftState? = nil, like source: URL? = nil,
        _ options: StoreOptions
    ) throws -> Connection {
        remove()
        if let source { create(like: source) }
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
            guard rename(url.path, destination.path) == 0 else { throw Self.error(errno, destination) }
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

    /// The error of a system call.
    private static func error(_ code: Int32, _ file: URL) -> any Error {
        NSError(domain: NSPOSIXErrorDomain, code: Int(code), userInfo: [NSFilePathErrorKey: file.path])
    }

    /// Deletes the draft.
    package func remove() { try? StoreFile.remove(url) }

    /// Deletes the drafts of processes that no longer run.
    private static func sweep(_ folder: URL, _ start: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix(start) && isAbandoned(name, start, orOwn: false) {
            let file = folder.appendingPathComponent(name)
            // Processes in other containers have other numbers, so the age of the file counts too. A draft is written to all
            // the time.
            if date(of: file).timeIntervalSinceNow < -60 { try? FileManager.default.removeItem(at: file) }
        }
    }

    /// Whether the process that began a draft does not run any more.
    ///
    /// - Parameter isOwn: The result for the drafts of this process.
    private static func isAbandoned(_ name: String, _ start: String, orOwn isOwn: Bool) -> Bool {
        guard let process = pid_t(name.dropFirst(start.count).prefix { $0 != "-" }) else { return false }
        if process == ProcessInfo.processInfo.processIdentifier { return isOwn }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    /// The time of the last change of a file; the future if it is unknown.
    private static func date(of file: URL) -> Date {
        let values = try? file.resourceValues(forKeys: [.contentModificationDateKey])
        return values?.contentModificationDate ?? .distantFuture
    }
}
