import Foundation
import SQLSchema

/// The short transactions of a resumable migration. Each one commits a batch of rows, and the state after it.
package final class MigrationBatches {
    let connection: Connection
    private(set) var pending: PendingMigration
    private let owner: MigrationOwner
    private let monitor: MigrationMonitor
    /// Whether no other stage is carried out in batches after the running one.
    var isLastStage = false
    /// Whether a stage has a custom migration.
    var runsCustomCode = false
    /// Whether the last transaction is running: nothing more is committed in parts.
    private(set) var isLast = false
    /// Writes the state of the running custom migration.
    var saveCustom: ((inout PendingMigration.CustomState) throws -> Void)?
    /// The reason why the running transaction cannot go on.
    private var obstacle: Obstacle?
    private var began = ContinuousClock.now
    /// The last time at which any other process could write.
    private var gap = ContinuousClock.now
    /// The time since which the duration is not in the report.
    private var counted = ContinuousClock.now

    /// The duration of a batch, for tests; nil for the usual one.
    @TaskLocal package static var duration: Duration?
    private let duration: Duration

    /// A reason to roll the running transaction back.
    enum Obstacle: Error {
        /// Another process has taken the migration over, or has finished it.
        case taken
        /// Something else has written to the old tables.
        case stale
        /// The custom migration writes to a table that its stage does not change.
        case writes(table: String)
        /// The custom migration of a stage has to run in the last transaction.
        case unsuitable(stage: Int)
        /// The custom migration creates rows that are unique only after `didMigrate`.
        case notUnique
    }

    init(_ pending: PendingMigration, owner: MigrationOwner, monitor: MigrationMonitor) {
        connection = pending.connection
        self.pending = pending
        self.owner = owner
        self.monitor = monitor
        duration = Self.duration ?? .milliseconds(50)
    }

    /// Changes the state, which the next commit writes.
    func update(_ body: (inout PendingMigration.State) throws -> Void) rethrows { try body(&pending.state) }

    // MARK: Tasks

    func isDone(_ task: String) -> Bool { pending.state.done.contains(task) }

    /// Begins a task, or goes on with it.
    ///
    /// - Returns: The number of the first row that is not finished; nil if the task is done.
    func start(_ task: String) throws -> Int64? {
        if isDone(task) { return nil }
        guard let row = pending.state.rows[task] else { return Int64.min }
        if row < Int64.max { return row + 1 }
        try finish(task)
        return nil
    }

    /// Whether the batch has lasted long enough.
    var isDue: Bool { !isLast && ContinuousClock.now - began >= duration }

    /// The rows until `isDueAfterRow` looks at the time again, their number, and when it last did.
    private var rowsToTime = (left: 0, count: 1, since: ContinuousClock.now)

    /// Whether the batch has lasted long enough after one more row. The time is not asked for after each of several fast rows: that
    /// could take as long as a row.
    func isDueAfterRow() -> Bool {
        rowsToTime.left -= 1
        guard rowsToTime.left <= 0 || duration == .zero else { return false }
        let now = ContinuousClock.now
        let isFast = now - rowsToTime.since < .milliseconds(1)
        let count = isFast ? min(2 * rowsToTime.count, 16) : 1
        rowsToTime = (count, count, now)
        return !isLast && now - began >= duration
    }

    func commitIfDue() throws { if isDue { try commit() } }

    /// Commits the batch: the task has finished all rows up to the one with the number `row`.
    func commit(_ task: String, through row: Int64) throws {
        update { $0.rows[task] = row }
        try commit()
    }

    /// Marks a task as done, and commits if the batch has lasted long enough.
    func finish(_ task: String) throws {
        update {
            $0.done.insert(task)
            ($0.rows[task], $0.attempts[task]) = (nil, nil)
        }
        try check()
        try commitIfDue()
    }

    /// Runs `body` with ranges of a table's row numbers, in their order, and commits between them.
    ///
    /// - Parameters:
    ///   - task: The name of the task.
    ///   - table: The present name of the table.
    ///   - number: SQL for its row number.
    ///   - body: Handles the rows from the first number to the last one; their count is its third argument.
    func forEachPart(
        _ task: String, of table: String, number: String, _ body: (Int64, Int64, Int) throws -> Void
    ) throws {
        try forEachPart(task) { first, size in
            guard let part = try connection.part(of: table, number: number, from: first, size: size) else { return nil }
            try body(first, part.last, part.count)
            return part
        }
    }

    /// Runs `body` with parts of a task's rows, in the order of their numbers, and commits between them.
    ///
    /// - Parameters:
    ///   - task: The name of the task.
    ///   - body: Handles rows from a number on, at most the given count of them. Returns which they were; nil if there are none.
    func forEachPart(_ task: String, _ body: (_ first: Int64, _ size: Int) throws -> RowPart?) throws {
        guard var first = try start(task) else { return }
        let least = duration == .zero ? 1 : 100
        var size = duration == .zero ? 1 : 1_000
        while true {
            let start = ContinuousClock.now
            guard let part = try body(first, size) else { break }
            update { $0.rows[task] = part.last }
            if part.count < size || part.last == Int64.max { break }
            // Four parts fill a batch.
            let ratio = duration / 4 / max(.nanoseconds(1), ContinuousClock.now - start)
            size = max(least, min(Int(Double(size) * min(4, ratio)), 100_000))
            try commitIfDue()
            first = part.last + 1
        }
        try finish(task)
    }

    /// Throws the reason why the transaction cannot go on, if there is one.
    func check() throws {
        if let table = connection.refusedTable, obstacle == nil {
            obstacle = runsSQL ? .unsuitable(stage: pending.state.stage) : .writes(table: table)
        }
        if let obstacle { throw obstacle }
    }

    /// Prepares for SQL that you wrote. It names the tables as they are named in one transaction. In batches, that is true
    /// only for the old tables of the first stage.
    func prepareSQL() throws {
        runsSQL = true
        if isLast || pending.state.stage == 0 { return }
        obstacle = .unsuitable(stage: pending.state.stage)
        try check()
    }

    /// Whether the running batch has run SQL that you wrote.
    private var runsSQL = false

    // MARK: Transactions

    /// Writes the state, commits, and begins the next batch.
    func commit() throws {
        if isLast { return }
        try check()
        connection.resetStatements()
        try save()
        try connection.commit()
        try monitor.checkCancellation()
        if duration > .zero { try giveWay() }
        try begin()
    }

    /// Lets others write: for a moment, and from time to time as long as another process may pause between two attempts. If one of
    /// them has written then, others may have waited for it.
    private func giveWay() throws {
        guard ContinuousClock.now - gap >= .seconds(3.5) else {
            return LockWait.giveWay(in: connection.file, isLong: false)
        }
        var version = try connection.integer("PRAGMA data_version")
        for _ in 0..<Self.mostGaps {
            LockWait.giveWay(in: connection.file, isLong: true)
            let now = try connection.integer("PRAGMA data_version")
            if now == version { break }
            version = now
        }
        gap = .now
    }

    /// The most gaps in a row, so that others cannot stop the migration.
    private static let mostGaps = 4

    /// Begins a transaction.
    func begin() throws {
        try connection.execute("BEGIN IMMEDIATE")
        (began, runsSQL) = (.now, false)
        switch try pending.change(owner: owner) {
        case .none: break
        case .written: update { $0.checksForeignKeysLast = true }
        case .stale: throw Obstacle.stale
        case .taken: throw Obstacle.taken
        }
    }

    /// Turns the running transaction into the last one, which may write to the old tables.
    func beginLast() throws {
        try save()
        isLast = true
        connection.forgetStatements()
        connection.guardedTables = []
        try PendingMigration.dropTriggers(in: connection)
    }

    private func save() throws {
        let now = ContinuousClock.now
        update {
            $0.report.seconds += max(0, (now - counted) / .seconds(1))
            ($0.completedRows, $0.totalRows) = (monitor.completed, monitor.total)
        }
        counted = now
        if let saveCustom { try update { try saveCustom(&$0.custom) } }
        try pending.save()
    }
}
