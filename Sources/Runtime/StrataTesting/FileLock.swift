import Foundation
import SQLSchema

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A lock on a folder. It excludes other threads, and other processes of the same user.
struct FileLock {
    private let path: String

    /// Creates the lock for `folder`. The lock file is in the temporary directory.
    init(for folder: URL) {
        let hash = FNV1a(folder.standardizedFileURL.path.utf8).value
        // The name contains the user ID, because one user may not be allowed to open another user's file.
        let name = "strata-fixtures-\(getuid())-\(hash).lock"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    }

    /// Runs `body` while holding the lock.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path]) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw CocoaError(.fileLocking, userInfo: [NSFilePathErrorKey: path]) }
        }
        return try body()
    }
}
