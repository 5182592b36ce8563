import Foundation

/// The file of the database that is converted.
struct ConvertedFile {
    let url: URL
    /// The state of the file, as text. It changes whenever something writes to the database.
    let identity: String
    /// Returns whether the database is unchanged since the conversion reads it.
    let isUnchanged: () throws -> Bool

    /// The number, size and time of the last change of a database and of its write-ahead log.
    static func identity(of url: URL) throws -> String {
        var parts: [String] = []
        for suffix in ["", "-wal"] {
            var status = stat()
            // Without a log, there is nothing to describe.
            guard stat(url.path + suffix, &status) == 0, suffix.isEmpty || status.st_size > 0 else { continue }
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            parts.append("\(status.st_ino) \(status.st_size) \(time.tv_sec).\(time.tv_nsec)")
        }
        return parts.joined(separator: ", ")
    }
}
