import Foundation

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
    func begin(from: String, to: String, completed: Int = 0, total: Int) {
        versions = (from, to)
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
