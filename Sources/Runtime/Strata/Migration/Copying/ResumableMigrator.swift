import Foundation
import SQLSchema

/// Migrates a store in batches: a migration that is interrupted goes on after its last batch.
///
/// The stages are those of `Migrator`. Their rows go to new tables beside the old ones (`BatchedStage`), and
/// `PendingMigration` keeps the state. The last transaction replaces the old tables. Until then the store has its old version
/// for every app that opens it.
struct ResumableMigrator {
    private let migrator: Migrator
    private let planned: MigrationRun
    private let toleratesOld: Bool
    private var connection: Connection { migrator.connection }
    private var schema: SchemaDefinition { migrator.schema }
    private var options: StoreOptions { migrator.options }

    /// A migration starts again so many times because something else has written to the store. Then it runs in one
    /// transaction, which nothing can disturb.
    private static let mostRestarts = 3
    /// The bytes of a cache that holds the pages which a batch changes.
    private static let cacheSize = 16 << 20
    /// The time in seconds after which a process that does not go on with its migration counts as suspended.
    private static let suspension = 1.0

    /// - Parameter toleratesOld: Whether foreign keys that are dangling before the migration may be dangling after it.
    init(_ migrator: Migrator, _ planned: MigrationRun, toleratesOld: Bool) {
        (self.migrator, self.planned, self.toleratesOld) = (migrator, planned, toleratesOld)
    }

    enum Outcome {
        /// The store was migrated, with this report; nil if another process has migrated it.
        case migrated(MigrationReport?)
        /// The store has to be migrated in one transaction.
        case oneTransaction
    }

    /// Migrates the store.
    func migrate() throws -> Outcome {
        guard try isWanted() else { return .oneTransaction }
        let owner = MigrationOwner()
        let cacheSize = try connection.cacheSize()
        defer {
            owner.end()
            connection.guardedTables = []
            try? connection.setCacheSize(cacheSize)
        }
        var restarts = 0
        var transactionStage: Int?
        while true {
            do {
                return try attempt(owner, transactionStage)
            } catch {
                // The statements of the custom migration may have failed because of a guarded table.
                let refused = connection.refusedTable.map { MigrationBatches.Obstacle.writes(table: $0) }
                try rollBack()
                guard !(error is DeferredTable.Written),
                    let obstacle = error as? MigrationBatches.Obstacle ?? refused
                else {
                    if !canGoOn(after: error) { try? discard(owner) }
                    throw error
                }
                switch obstacle {
                case .taken: break
                case .stale:
                    restarts += 1
                    if restarts > Self.mostRestarts { return .oneTransaction }
                case .unsuitable(let stage):
                    transactionStage = min(stage, transactionStage ?? stage)
                    try discard(owner)
                case .writes(let table):
                    if try !copy(table, owner) { transactionStage = try discardForTransaction(owner) }
                case .notUnique: try createUniqueIndexesLast(owner)
                }
            }
        }
    }

    /// Whether the options ask for batches, or the store is large enough for them, and there are rows to copy.
    private func isWanted() throws -> Bool {
        if options.migration == .oneTransaction { return false }
        if try PendingMigration.find(in: connection) != nil { return true }
        if options.migration == .automatic {
            let pages = try connection.integer64("PRAGMA page_count") ?? 0
            let size = try connection.integer64("PRAGMA page_size") ?? 0
            if pages * size < StoreOptions.MigrationMode.leastBytes { return false }
        }
        return BatchedStages(planned.stages).copiesRows
    }

    /// Whether a later attempt can go on after an error.
    private func canGoOn(after error: any Error) -> Bool {
        switch error {
        case MigrationError.danglingForeignKeys: options.danglingForeignKeys == .keep && !toleratesOld
        case is CancellationError, StoreError.busy: true
        case let error as SQLiteError: error.isBusy || error.code == 9  // SQLITE_INTERRUPT
        default: false
        }
    }

    // MARK: The state

    private func rollBack() throws {
        connection.guardedTables = []
        connection.resetStatements()
        connection.forgetStatements()
        try connection.rollBack()
        try DeferredTable.Views.drop(from: connection)
    }

    /// Removes the pending migration, unless another process has taken it over.
    private func discard(_ owner: MigrationOwner) throws {
        try connection.transaction("BEGIN IMMEDIATE") {
            let other = try PendingMigration.find(in: connection)?.owner
            if let other, other != owner.description, MigrationOwner.mayBeRunning(other) { return }
            try PendingMigration.discard(in: connection)
        }
    }

    /// Removes the pending migration, whose present stage then runs in the last transaction.
    ///
    /// - Returns: The present stage.
    private func discardForTransaction(_ owner: MigrationOwner) throws -> Int {
        let stage = try PendingMigration.find(in: connection)?.state.stage ?? 0
        try discard(owner)
        return stage
    }

    /// Changes the state of the pending migration, if it still belongs to `owner`.
    private func change(_ owner: MigrationOwner, _ body: (inout PendingMigration.State) throws -> Void) throws {
        try connection.transaction("BEGIN IMMEDIATE") {
            guard let found = try PendingMigration.find(in: connection), found.owner == owner.description else {
                return
            }
            var pending = PendingMigration(connection: connection, state: found.state)
            try body(&pending.state)
            try pending.save()
        }
    }

    /// Leaves the unique indexes to the last transaction. Tables that were copied with all indexes are copied again.
    private func createUniqueIndexesLast(_ owner: MigrationOwner) throws {
        try change(owner) { state in
            state.createsUniqueIndexesLast = true
            state.done = state.done.filter { !$0.hasSuffix(FlipPreparation.suffix) && !$0.hasPrefix("index ") }
            state.rows = state.rows.filter { !$0.key.hasSuffix(FlipPreparation.suffix) }
            for name in try connection.texts(
                "SELECT name FROM sqlite_schema WHERE name GLOB 'strata_[0-9]*\(FlipPreparation.suffix)'")
            {
                try connection.execute("DROP TABLE \(SQL.quoted(name))")
            }
        }
    }

    /// Makes the present stage copy the rows of a table that its custom migration writes to.
    ///
    /// - Returns: Whether the table is one of the stage's new tables.
    private func copy(_ table: String, _ owner: MigrationOwner) throws -> Bool {
        guard let found = try PendingMigration.find(in: connection), found.owner == owner.description,
            planned.stages.indices.contains(found.state.stage)
        else { return true }
        guard planned.stages[found.state.stage].mapping.new.contains(where: { $0.name == table }) else { return false }
        try change(owner) { $0.copied[$0.stage, default: []].insert(table) }
        return true
    }

    // MARK: An attempt

    private func attempt(_ owner: MigrationOwner, _ transactionStage: Int?) throws -> Outcome {
        let opened: (PendingMigration, MigrationRun)
        switch try open(owner, transactionStage) {
        case .migrated: return .migrated(nil)
        case .oneTransaction: return .oneTransaction
        case .pending(let pending, let run): opened = (pending, run)
        }
        let (pending, run) = opened
        let monitor = migrator.monitor
        let plan = BatchedStages(run.stages, upTo: pending.state.transactionStage, copied: pending.state.copied)
        let state = pending.state
        // Counting takes as long as a tenth of the copying.
        let counted = monitor.isWatched && state.totalRows == 0 ? plan.copiedTables(of: run) : []
        let total = try connection.readingOneState {
            // Another process that has finished the migration has dropped its tables.
            guard case .taken = try pending.change(owner: owner) else {
                return try state.totalRows + connection.count(counted)
            }
            throw MigrationBatches.Obstacle.taken
        }
        monitor.begin(
            from: run.path.source.name, to: run.path.newest.name, completed: state.completedRows, total: total)
        let batches = MigrationBatches(pending, owner: owner, monitor: monitor)
        batches.runsCustomCode = plan.batched.contains { $0.stage.custom != nil }
        connection.forgetStatements()
        connection.guardedTables = Set(try PendingMigration.watchedTables(connection))
        try connection.raiseCacheSize(to: Self.cacheSize)
        try batches.begin()
        for stage in plan.batched[pending.state.stage...] { try copy(stage, batches, monitor) }
        if let last = plan.batched.last {
            let preparation = FlipPreparation(connection: connection, batches: batches, monitor: monitor)
            try preparation.createIndexes(last, after: plan.batched.dropLast().last)
            if plan.rest.isEmpty {
                try preparation.fillSearches(last, after: plan.batched.dropLast().last, from: run.path.source.tables)
                try preparation.checkForeignKeys(last)
            }
        }
        try batches.beginLast()
        let last = LastTransaction(
            migrator: migrator, run: run, toleratesOld: toleratesOld,
            copied: CopiedStages(plan: plan, batches: batches))
        let report = try last.run(batches.pending.state.report)
        try connection.commit()
        return .migrated(report)
    }

    /// The state of a store before an attempt.
    private enum Opened {
        /// Another process has migrated it.
        case migrated
        case oneTransaction
        case pending(PendingMigration, MigrationRun)
    }

    /// Takes over the pending migration of the store, or begins one.
    private func open(_ owner: MigrationOwner, _ transactionStage: Int?) throws -> Opened {
        let deadline = Date(timeIntervalSinceNow: options.busyTimeout)
        var seen: (state: PendingMigration.State, since: Date)?
        while true {
            let opened = try connection.transaction("BEGIN IMMEDIATE") { () throws -> Opened? in
                guard var run = try planned.current(in: connection, schema) else { return .migrated }
                if let found = try PendingMigration.find(in: connection) {
                    if found.owner != owner.description, MigrationOwner.mayBeRunning(found.owner) {
                        if seen?.state != found.state { seen = (found.state, Date()) }
                        if let since = seen?.since, Date().timeIntervalSince(since) < Self.suspension { return nil }
                    }
                    if !found.isStale, isContinued(found.state, run) {
                        run = try run.deferring(except: run.written.union(found.state.written))
                        try PendingMigration.take(owner: owner, in: connection)
                        return .pending(PendingMigration(connection: connection, state: found.state), run)
                    }
                }
                // A backup must not contain it, so this is committed first.
                if try PendingMigration.discard(in: connection) { return nil }
                guard let pending = try begin(run, owner, transactionStage) else { return .oneTransaction }
                return .pending(pending, run)
            }
            if let opened { return opened }
            if options.isOpeningEnded() { throw CancellationError() }
            if Date() > deadline { throw StoreError.busy }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    /// Whether the app is the one that began the migration, and still migrates between the same versions.
    private func isContinued(_ state: PendingMigration.State, _ run: MigrationRun) -> Bool {
        let batched = 0..<BatchedStages.count(run.stages, upTo: state.transactionStage)
        return state.app == AppIdentity.current && state.strategy == "\(options.migrationStrategy)"
            && state.versions == run.path.steps.map(\.from)
            && state.from == run.path.source.fingerprint && state.to == run.path.newest.fingerprint
            && hasBackup(state) && batched.contains(state.stage) && state.copied.keys.allSatisfy(batched.contains)
    }

    /// Whether the backup of the options is there. If anything had written to the store since it was written, the state would be
    /// stale.
    private func hasBackup(_ state: PendingMigration.State) -> Bool {
        guard let wanted = options.backup else { return true }
        guard let backup = state.backup else { return false }
        guard let store = connection.file else { return false }
        // The folder of an app's files may have another path after an update.
        var file = URL(fileURLWithPath: store).deletingLastPathComponent().appendingPathComponent(backup.name)
        if case .file(let url) = wanted { file = url }
        return PendingMigration.Backup(file) == backup
            && DatabaseCopy.identity(ofBackup: file, options, checked: false)?.fingerprint == state.from
    }

    /// Begins a migration.
    ///
    /// - Returns: The migration; nil if the store has to be migrated in one transaction.
    private func begin(
        _ run: MigrationRun, _ owner: MigrationOwner, _ transactionStage: Int?
    ) throws -> PendingMigration? {
        let path = run.path
        let plan = BatchedStages(run.stages, upTo: transactionStage)
        guard plan.copiesRows else { return nil }
        let tables = path.source.tables
        switch options.danglingForeignKeys {
        case .keep: break
        case .refuse: try DanglingKey.all(of: tables, in: connection).refuse()
        case .repair:
            // The repair changes the old tables, so it belongs in the transaction that replaces them.
            if try !DanglingKey.all(of: tables, in: connection).isEmpty { return nil }
        }
        let backup = try migrator.prepare()
        try RowsSetAside.forget(path.steps.map(\.from), in: connection)
        var pending = PendingMigration(
            connection: connection,
            state: PendingMigration.State(
                app: AppIdentity.current, strategy: "\(options.migrationStrategy)", versions: path.steps.map(\.from),
                from: path.source.fingerprint, to: path.newest.fingerprint, now: migrator.now,
                backup: backup.map(PendingMigration.Backup.init),
                written: run.written,
                report: MigrationReport(from: path.source.name, to: path.newest.name),
                lastIDs: try LastIDs.read(from: connection), transactionStage: transactionStage))
        // If anything writes to the store after the backup, the migration begins again, with another backup.
        try pending.begin(owner: owner, sources: options.backup == nil ? plan.sources : nil)
        return pending
    }

    // MARK: Stages

    /// Copies the rows of a stage. The custom migration of the last stage runs up to `didMigrate`.
    private func copy(_ stage: BatchedStage, _ batches: MigrationBatches, _ monitor: MigrationMonitor) throws {
        batches.isLastStage = stage.isLast
        for (table, statement) in stage.creation where !batches.isDone("create \(table)") {
            try connection.execute(statement)
            try batches.finish("create \(table)")
        }
        let copying = RowCopying(connection: connection, monitor: monitor, batches: batches)
        for copy in stage.statements.copies {
            _ = try copying.run(copy, from: stage.oldName(copy.source.name), into: stage.name(copy.target.name))
        }
        if stage.stage.custom == nil { return try end(stage, nil, batches) }
        let step = try stage.customStep(batches, monitor, oldNames: stage.oldNames)
        try stage.stage.runCode(step, outdated: stage.index == 0 ? stage.statements.dropped : [])
        try batches.check()
        try end(stage, step, batches)
    }

    /// Ends a stage after which others follow.
    private func end(_ stage: BatchedStage, _ step: CustomStep?, _ batches: MigrationBatches) throws {
        if stage.isLast { return }
        if let step {
            try step.access.end()
            connection.forgetStatements()
        }
        // The new tables of earlier stages that this one has replaced.
        for name in Set(stage.oldNames.values).subtracting(stage.names.values) {
            try connection.execute("DROP TABLE \(SQL.quoted(name))")
        }
        batches.update { state in
            if let step { state.report.add(step) }
            state.lastIDs = stage.stage.lastIDs(state.lastIDs, step?.access.newIDs.given ?? [:])
            state.stage += 1
            (state.done, state.rows, state.attempts) = ([], [:], [:])
            state.custom = PendingMigration.CustomState()
        }
        try batches.commit()
    }
}
