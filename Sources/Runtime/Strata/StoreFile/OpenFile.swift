import Foundation

/// The file of an open store. While it is open, no code of this process replaces it.
///
/// With a rollback journal, a store holds no lock between its transactions, so only this object tells that it is in use.
final class OpenFile: Sendable {
    /// How often each file is open.
    private static let counts = Locked<[FileIdentity: Int]>([:])
    private let identity: FileIdentity?

    init(_ url: URL) {
        identity = FileIdentity(url)
        if let identity { Self.counts.withLock { $0[identity, default: 0] += 1 } }
    }

    deinit {
        guard let identity else { return }
        Self.counts.withLock { counts in
            let left = (counts[identity] ?? 1) - 1
            counts[identity] = left == 0 ? nil : left
        }
    }

    /// Whether this process has the file at `url` open as a store.
    static func exists(at url: URL) -> Bool {
        guard let identity = FileIdentity(url) else { return false }
        return counts.withLock { $0[identity] != nil }
    }
}

/// The device and the number of a file, which stay when the file is renamed.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let number: UInt64

    /// - Returns: nil if there is no file.
    init?(_ url: URL) {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return nil }
        (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
    }
}
