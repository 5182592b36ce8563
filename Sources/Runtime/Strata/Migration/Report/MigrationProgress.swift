import Foundation
import SQLSchema

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

/// An event while a store is opened.
public enum StoreOpeningEvent: Sendable {
    /// The store is being migrated.
    case migrating(MigrationProgress)
    /// The store is open. This is the last event.
    case opened(Store)
}

/// The events while ``Store/opening(at:schema:options:)`` opens a store.
public struct StoreOpeningEvents: AsyncSequence, Sendable {
    let stream: AsyncThrowingStream<StoreOpeningEvent, any Error>

    /// Creates an iterator over the events.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }

    /// An iterator over the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncThrowingStream<StoreOpeningEvent, any Error>.Iterator
        private var isOpened = false

        fileprivate init(base: AsyncThrowingStream<StoreOpeningEvent, any Error>.Iterator) { self.base = base }

        /// Returns the next event; nil after the store was opened.
        ///
        /// - Throws: The error of opening the store, or `CancellationError` if the task is cancelled.
        public mutating func next() async throws -> StoreOpeningEvent? {
            let event = try await base.next()
            if case .opened? = event { isOpened = true }
            // The stream ends without an error in a task that is cancelled.
            if event == nil, !isOpened { throw CancellationError() }
            return event
        }
    }
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

extension Connection {
    /// Runs `body`, a part of a migration that `options` may cancel.
    ///
    /// - Throws: `CancellationError` after a cancellation, or the error of `body`.
    func cancellable<Result>(_ options: StoreOptions, _ body: () throws -> Result) throws -> Result {
        do {
            return try interruptible(by: { options.isOpeningEnded() }, body)
        } catch let error as SQLiteError where error.code == 9 {  // SQLITE_INTERRUPT
            throw CancellationError()
        }
    }
}

extension Connection {
    /// Returns the number of rows of tables. A table that is named twice counts twice.
    func count(_ tables: [String]) throws -> Int {
        let times = Dictionary(tables.map { ($0, 1) }, uniquingKeysWith: +)
        return try times.reduce(0) { try $0 + $1.value * count($1.key) }
    }
}

/// Counts the rows of a migration, reports its progress, and cancels it on request.
final class MigrationMonitor {
    private let options: StoreOptions
    private var versions = (from: "", to: "")
    private(set) var total = 0
    private(set) var completed = 0
    /// The last report, and its time.
    private var told: (progress: MigrationProgress?, time: Date) = (nil, .distantPast)
    /// Whether the options have neither a progress function nor a cancellation function.
    private let isIdle: Bool

    init(_ options: StoreOptions) {
        self.options = options
        isIdle = options.migrationProgress == nil && options.isMigrationCancelled == nil
    }

    var isWatched: Bool { options.migrationProgress != nil }

    /// Whether rows that cannot be read are set aside.
    var setsMalformedRowsAside: Bool { options.malformedRows == .setAside }

    /// Begins an attempt to migrate, after which `total` rows are copied. `completed` rows already are.
    func begin(_ path: MigrationPath, completed: Int = 0, total: Int) {
        versions = (path.source.name, path.newest.name)
        (self.completed, self.total) = (completed, total)
    }

    /// Counts copied rows of `table`, and reports the progress.
    ///
    /// - Throws: `CancellationError` if the migration was cancelled.
    func advance(_ rows: Int, table: String) throws {
        completed += rows
        if options.isStopped?() == true { throw CancellationError() }
        if isIdle { return }
        try checkCancellation()
        guard isWatched else { return }
        let now = Date()
        // At most twenty reports a second: more are not visible.
        guard now.timeIntervalSince(told.time) > 0.05 || completed == total else { return }
        report(table, completed, total)
    }

    /// Makes the last report: the store is open.
    ///
    /// - Parameter version: Its version.
    func finish(at version: String) {
        if told.progress == nil, versions.to.isEmpty { versions = (version, version) }
        report(nil, total, total)
    }

    private func report(_ table: String?, _ completed: Int, _ total: Int) {
        let progress = MigrationProgress(
            from: versions.from, to: versions.to, table: table, completedRows: min(completed, total), totalRows: total)
        // An attempt may begin again, and a custom migration may drop or add rows.
        guard progress.fraction >= told.progress?.fraction ?? 0 else { return }
        told = (progress, Date())
        options.migrationProgress?(progress)
    }

    func checkCancellation() throws {
        if options.isOpeningEnded() { throw CancellationError() }
    }
}
