import Foundation
import SQLSchema

/// The progress of a migration, in rows.
public struct MigrationProgress: Hashable, Sendable {
    /// The store's version before the migration.
    public let from: String
    /// The store's version after the migration.
    public let to: String
    /// The table whose rows are being copied.
    public let table: String
    /// The number of rows that were copied so far, in all tables.
    public let completedRows: Int
    /// The number of rows to copy, in all tables. Rows of tables that are altered in place do not count.
    public let totalRows: Int
}

/// An event while a store is opened.
public enum StoreOpeningEvent: Sendable {
    /// The store is being migrated.
    case migrating(MigrationProgress)
    /// The store is open. This is the last event.
    case opened(Store)
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
            progress.completedUnitCount = Int64(now.completedRows)
        }
        isMigrationCancelled = { progress.isCancelled }
    }
}

extension Connection {
    /// Runs `body`, a part of a migration that `options` may cancel.
    ///
    /// - Throws: `MigrationError.cancelled` after a cancellation, or the error of `body`.
    func cancellable<Result>(_ options: StoreOptions, _ body: () throws -> Result) throws -> Result {
        do {
            return try interruptible(by: options.isMigrationCancelled, body)
        } catch let error as SQLiteError where error.code == 9 {  // SQLITE_INTERRUPT
            throw MigrationError.cancelled
        }
    }
}

/// Counts the rows of one migration, reports its progress, and cancels it on request.
final class MigrationMonitor {
    private let options: StoreOptions
    private let from: String
    private let to: String
    private(set) var total = 0
    private(set) var completed = 0
    private var told = Date.distantPast

    /// Whether the options have neither a progress function nor a cancellation function.
    private let isIdle: Bool

    init(_ options: StoreOptions, from: String, to: String) {
        self.options = options
        isIdle = options.migrationProgress == nil && options.isMigrationCancelled == nil
        self.from = from
        self.to = to
    }

    /// Goes on where the progress was.
    func resume(completed: Int, total: Int) { (self.completed, self.total) = (completed, total) }

    var isWatched: Bool { options.migrationProgress != nil }

    /// Adds rows to the total.
    func expect(_ rows: Int) {
        total += rows
    }

    /// Counts copied rows of `table`, and reports the progress.
    ///
    /// - Throws: `MigrationError.cancelled` if the migration was cancelled.
    func advance(_ rows: Int, table: String) throws {
        completed += rows
        if isIdle { return }
        try checkCancellation()
        guard let report = options.migrationProgress else { return }
        let now = Date()
        // At most twenty reports a second: more are not visible.
        guard now.timeIntervalSince(told) > 0.05 || completed == total else { return }
        told = now
        report(
            MigrationProgress(
                from: from, to: to, table: table, completedRows: completed, totalRows: max(total, completed)))
    }

    func checkCancellation() throws {
        if options.isMigrationCancelled?() == true { throw MigrationError.cancelled }
    }
}
