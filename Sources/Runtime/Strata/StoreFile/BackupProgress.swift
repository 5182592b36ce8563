/// How far a backup is.
public struct BackupProgress: Hashable, Sendable {
    /// The number of pages that are copied.
    public let completedPages: Int
    /// The number of all pages.
    public let totalPages: Int
}
