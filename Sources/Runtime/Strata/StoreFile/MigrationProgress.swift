import Foundation

/// The progress of a migration, in rows.
public struct MigrationProgress: Hashable, Sendable {
    /// The store's version before the migration.
    public let from: String
    /// The store's version after the migration.
    public let to: String
    /// The table whose rows are being copied; nil in the last report.
    public let table: String?
    /// The number of rows that were copied so far, in all tables and steps.
    public let completedRows: Int
    /// The number of rows to copy, in all tables and steps. Rows of tables that are altered in place do not count. Where a custom
    /// migration drops or adds rows, the number for later steps is an estimate.
    public let totalRows: Int
    /// Whether this is the last report: the store is open. It is also made if there was nothing to migrate, with 0 of 0 rows.
    public var isFinished: Bool { table == nil }
    /// The completed part, from 0 to 1. It never decreases.
    public var fraction: Double { totalRows == 0 ? (isFinished ? 1 : 0) : Double(completedRows) / Double(totalRows) }
}

extension StoreOptions {
    /// Reports a migration to `progress`, in rows, and cancels the migration when `progress` is cancelled.
    ///
    /// ```swift
    /// var options = StoreOptions()
    /// options.report(to: progress)
    /// let store = try Store(at: url, schema: MoviesSchema.self, options: options)
    /// ```
    public mutating func report(to progress: Progress) {
        migrationProgress = { now in
            progress.totalUnitCount = Int64(max(1, now.totalRows))
            progress.completedUnitCount = now.isFinished ? progress.totalUnitCount : Int64(now.completedRows)
        }
        isMigrationCancelled = { progress.isCancelled }
    }
}
