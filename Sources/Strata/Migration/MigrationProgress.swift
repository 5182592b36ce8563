import Foundation
import SchemaSQL

/// How far a migration is, in rows.
public struct MigrationProgress: Hashable, Sendable {
    /// The version that the store had.
    public let from: String
    /// The version that it is taken to.
    public let to: String
    /// The table whose rows are being moved.
    public let table: String
    /// The rows that were moved so far, in all tables.
    public let completedRows: Int
    /// The rows that are to be moved, in all tables: those of tables that are altered in place are not among them.
    public let totalRows: Int
}

/// What happens while a store is opened.
public enum StoreOpeningEvent: Sendable {
    /// It is being migrated.
    case migrating(MigrationProgress)
    /// It is open: nothing comes after it.
    case opened(Store)
}

extension StoreOptions {
    /// Reports a migration to `progress`, in rows, and gives it up when that is cancelled.
    public mutating func report(to progress: Progress) {
        migrationProgress = { now in
            progress.totalUnitCount = Int64(max(1, now.totalRows))
            progress.completedUnitCount = Int64(now.completedRows)
        }
        isMigrationCancelled = { progress.isCancelled }
    }
}

/// Counts the rows of one migration, tells of them, and gives it up when somebody wants that.
final class MigrationMonitor {
    private let options: StoreOptions
    private let from: String
    private let to: String
    private var total = 0
    private var completed = 0
    private var told = Date.distantPast

    /// Rows are copied in parts of so many where somebody wants to know how far the copy is.
    static let part = 10_000

    /// Whether nobody wants to know anything.
    private let isIdle: Bool

    init(_ options: StoreOptions, from: String, to: String) {
        self.options = options
        isIdle = options.migrationProgress == nil && options.isMigrationCancelled == nil
        self.from = from
        self.to = to
    }

    var isWatched: Bool { options.migrationProgress != nil }

    /// Adds rows that are to be moved.
    func expect(_ rows: Int) {
        total += rows
    }

    /// Tells that rows of `table` were moved.
    ///
    /// - Throws: `MigrationError.cancelled`.
    func advance(_ rows: Int, table: String) throws {
        if isIdle { return }
        completed += rows
        try checkCancellation()
        guard let report = options.migrationProgress else { return }
        let now = Date()
        // Oftener nobody sees it.
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
