import Foundation
import SQLSchema

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A lock between all threads of all processes that work on one folder.
struct FileLock {
    private let path: String

    /// The lock for `folder`; its file lies among the temporary ones.
    init(for folder: URL) {
        let hash = FNV1a(folder.standardizedFileURL.path.utf8).value
        // What one user made, another may not open.
        let name = "strata-fixtures-\(getuid())-\(hash).lock"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    }

    /// Runs `body` while the lock is held.
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
