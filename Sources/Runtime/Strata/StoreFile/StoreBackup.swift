import Foundation

/// A backup of a store that a migration has written beside it (``StoreOptions/Backup/automatic(keep:)``).
public struct StoreBackup: Hashable, Sendable {
    /// The file of the backup.
    public let url: URL
    /// The version that the store had.
    public let version: String
    /// The time at which the backup was written.
    public let date: Date
    /// The number of the backup. The date may be wrong, so the number decides which backup is the newest one.
    let number: Int
    /// The identity of the store.
    let identity: StoreIdentity
}

extension StoreBackup: CustomStringConvertible {
    /// The version, the time and the file: `version 1.0 of 2026-11-24T21:45:00Z in Notes.backup-….sqlite`.
    public var description: String { "version \(version) of \(date.formatted(.iso8601)) in \(url.lastPathComponent)" }
}
