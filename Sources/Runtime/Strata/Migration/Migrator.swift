import Foundation
import SQLSchema

/// Migrates a store to the newest version, in one transaction or in batches.
///
/// The numbered comments quote the steps of the procedure "Making Other Kinds Of Table Schema Changes"
/// (https://sqlite.org/lang_altertable.html#otheralter).
struct Migrator {
    let connection: Connection
    let schema: SchemaDefinition
    let options: StoreOptions
    let monitor: MigrationMonitor
    /// The moment at which the migration started.
    let now = StepAccess.fixedNow ?? Date()

    init(connection: Connection, schema: SchemaDefinition, options: StoreOptions, monitor: MigrationMonitor) {
        self.connection = connection
        self.monitor = monitor
        self.schema = schema
        self.options = options
    }

    /// Migrates the store along `path`.
    ///
    /// - Returns: The report of the migration; nil if another process has migrated the store meanwhile.
    func migrate(along path: MigrationPath) throws -> MigrationReport? {
        try connection.cancellable(options) {
            try checkLength()
            let run = try MigrationRun(path, options.migrationStrategy)
            let space = try MigrationSpace(run, connection)
            // A pending migration has already taken the space.
            if try options.checksFreeSpace && space.copiesTables && PendingMigration.find(in: connection) == nil {
                try space.check()
            }
            // 1. "If foreign key constraints are enabled, disable them using PRAGMA foreign_keys=OFF." Inside a
            // transaction the pragma does nothing, and DROP TABLE would then delete rows that reference the table, or set
            // their foreign keys to NULL.
            try connection.execute("PRAGMA foreign_keys = OFF")
            guard try connection.integer("PRAGMA foreign_keys") == 0 else { throw MigrationError.foreignKeysStuck }
            let isLegacy = try connection.integer("PRAGMA legacy_alter_table") == 1
            defer { try? connection.execute("PRAGMA legacy_alter_table = \(isLegacy ? "ON" : "OFF")") }
            do {
                return try migrate(run, toleratesOld: false)
            } catch MigrationError.danglingForeignKeys where options.danglingForeignKeys == .keep {
                // The option `keep` accepts foreign keys that were dangling before the migration. The second attempt finds
                // out which ones were.
                return try migrate(run, toleratesOld: true)
            }
        }
    }

    private func migrate(_ run: MigrationRun, toleratesOld: Bool) throws -> MigrationReport? {
        var run = run
        while true {
            do {
                return try attempt(run, toleratesOld: toleratesOld)
            } catch let written as DeferredTable.Written {
                run = try run.deferring(except: run.written.union(written.tables))
            }
        }
    }

    /// Migrates the store in batches if that is wanted and possible, or else in one transaction.
    private func attempt(_ run: MigrationRun, toleratesOld: Bool) throws -> MigrationReport? {
        let batches = ResumableMigrator(self, run, toleratesOld: toleratesOld)
        if case .migrated(let report) = try batches.migrate() { return report }
        // A backup must not contain it.
        if try options.backup != nil && PendingMigration.find(in: connection) != nil {
            try connection.transaction("BEGIN IMMEDIATE") { _ = try PendingMigration.discard(in: connection) }
        }
        // 2. "Start a transaction."
        return try connection.transaction("BEGIN IMMEDIATE") {
            guard let run = try run.current(in: connection, schema) else { return nil }
            let start = ContinuousClock.now
            try PendingMigration.discard(in: connection)
            try prepare()
            var report = MigrationReport(from: run.path.source.name, to: run.path.newest.name)
            report.seconds = max(0, (ContinuousClock.now - start) / .seconds(1))
            let copied = monitor.isWatched ? run.copiedTables().flatMap(\.self) : []
            monitor.begin(
                from: run.path.source.name, to: run.path.newest.name, total: try connection.count(copied))
            return try LastTransaction(migrator: self, run: run, toleratesOld: toleratesOld).run(report)
            // 11. "Commit the transaction": `transaction` does. 12. Turn foreign keys on again: `StoreOpening` does.
        }
    }

    /// Does what the options want before a migration writes anything.
    ///
    /// - Returns: The backup; nil if the options want none.
    @discardableResult func prepare() throws -> URL? {
        let backup = try options.backup.flatMap { try DatabaseCopy.backUp(connection, to: $0, options) }
        if options.checksIntegrity { try checkIntegrity() }
        return backup
    }

    /// Carries out one stage.
    func run(_ stage: MigrationStage, _ report: inout MigrationReport) throws {
        let mapping = try namingIndexes(stage.mapping)
        let statements = stage.statements(mapping)
        // 4. "Use CREATE TABLE to construct a new table "new_X" that is in the desired revised format of table X."
        for statement in statements.create { try connection.execute(statement) }
        // 5. "Transfer content from X into new_X using a statement like: INSERT INTO new_X SELECT ... FROM X."
        let copying = RowCopying(connection: connection, monitor: monitor)
        for copy in statements.copies { report.rows += try copying.run(copy) }
        let lastIDs = try LastIDs.read(from: connection)
        var newIDs: [String: Int64] = [:]
        if stage.custom != nil {
            let access = try StepAccess(
                connection: connection, stage: stage, temporaryNames: statements.temporaryNames, now: now)
            let run = try CustomStep(
                access: access, mapping: stage.mapping, changes: stage.changes, monitor: monitor,
                version: stage.from)
            try stage.runCode(run, outdated: statements.dropped)
            // The custom migration may have caught an error that made SQLite roll the transaction back.
            guard connection.isInTransaction else { throw MigrationError.rolledBack }
            report.add(run)
            newIDs = access.newIDs.given
            try access.end()
            // An open statement locks its table, so the statements of the step must end here.
            connection.forgetStatements()
        }
        // 6. "Drop the old table X", and 7. "change the name of new_X to X using: ALTER TABLE new_X RENAME TO X."
        // If an altered table is renamed, SQLite must update all references to it. A rebuilt table's final name is
        // already in all references, so renaming it must change no reference: that is SQLite's legacy behavior.
        try connection.execute("PRAGMA legacy_alter_table = OFF")
        for statement in statements.alter { try connection.execute(statement) }
        try connection.execute("PRAGMA legacy_alter_table = ON")
        for statement in statements.finish { try connection.execute(statement) }
        if !lastIDs.isEmpty || !newIDs.isEmpty {
            try LastIDs.write(stage.lastIDs(lastIDs, newIDs), to: connection)
        }
    }

    /// Returns a mapping with the names that the indexes have in the store.
    func namingIndexes(_ mapping: TableMapping) throws -> TableMapping {
        let names = try SchemaComparison.indexNames(of: connection)
        return mapping.namingIndexes { statement, index in
            // The app may have created the same index under another name.
            let found = names[SchemaComparison.unnamed(statement, index.name)] ?? []
            return found.contains(index.name) ? index.name : found.first
        }
    }

    /// Refuses a file that ends before its last page does. SQLite would read the missing bytes as zeros. With a
    /// write-ahead log, the file may be shorter, because the log contains the page.
    private func checkLength() throws {
        try connection.readingOneState {
            // This is the first statement that locks the file. From then on, the journal mode stays.
            guard let pages = try connection.integer64("PRAGMA page_count"),
                let pageSize = try connection.integer64("PRAGMA page_size"),
                try connection.text("PRAGMA journal_mode") != "wal",
                let size = connection.file.flatMap(StoreFile.size), size < pages * pageSize
            else { return }
            throw StoreError.corrupt(reason: "the end of the file is missing")
        }
    }

    func checkIntegrity() throws {
        let result = try connection.text("PRAGMA integrity_check(1)") ?? ""
        if result != "ok" { throw StoreError.corrupt(reason: result) }
    }
}
