import Foundation
import SQLSchema

/// The transaction in which a store gets the newest version.
///
/// It takes the app's objects out of the way, replaces old tables by the copies of `copied`, carries out the other stages,
/// creates the app's objects again, compares the store with a new one, and writes the version.
struct LastTransaction {
    let migrator: Migrator
    let run: MigrationRun
    /// Whether foreign keys that are dangling before the migration may still be dangling after it.
    let toleratesOld: Bool
    /// The stages that were copied in batches; nil if everything happens in this transaction.
    var copied: CopiedStages?

    private var connection: Connection { migrator.connection }
    private var options: StoreOptions { migrator.options }
    private var newest: SchemaVersion { run.path.newest }

    /// Does everything in a transaction that has begun, and leaves the COMMIT to the caller.
    ///
    /// - Parameter report: The report of the batches.
    /// - Returns: The report of the migration.
    func run(_ report: MigrationReport) throws -> MigrationReport {
        var report = report
        let start = ContinuousClock.now
        let oldTables = run.path.source.tables
        let old = toleratesOld ? try DanglingKeys(reading: connection, of: oldTables) : DanglingKeys()
        // 3. "If there are indexes, triggers, or views associated with table X, then remember the format of all
        // those indexes, triggers, and views."
        let objects = try UserObjects(
            takenFrom: connection, run, copied: copied?.unchangedTables(run.lineage) ?? [])
        report.renamedTables = objects.renamedTables
        var checksForeignKeys = true
        if let copied {
            checksForeignKeys = try TableFlip(connection: connection, migrator: migrator).run(
                copied, from: oldTables, &report)
        } else {
            report.repairedRows = try repair(oldTables)
        }
        for stage in copied?.plan.rest ?? run.stages { try migrator.run(stage, &report) }
        // 8. and 9.: "Use CREATE INDEX, CREATE TRIGGER, and CREATE VIEW to reconstruct indexes, triggers, and views
        // associated with table X." The stages have already created the schema's indexes.
        report.droppedObjects = try objects.putBack(into: connection, run.lineage)
        let differences = try SchemaComparison.differences(of: connection, from: newest)
        if !differences.isEmpty { throw MigrationError.schemaDiffers(objects: differences) }
        // 10. "If foreign key constraints were originally enabled then run PRAGMA foreign_key_check."
        if checksForeignKeys { try checkForeignKeys(old) }
        report.seconds += max(0, (ContinuousClock.now - start) / .seconds(1))
        try conclude(report)
        return report
    }

    /// Handles foreign keys that are dangling before the migration, as the options say.
    ///
    /// - Returns: The number of repaired rows, by table.
    private func repair(_ tables: [Table]) throws -> [String: Int] {
        switch options.danglingForeignKeys {
        case .keep: break
        case .repair: return try ForeignKeyRepair(connection: connection, tables: tables).run()
        case .refuse: try DanglingKey.all(of: tables, in: connection).refuse()
        }
        return [:]
    }

    private func checkForeignKeys(_ old: DanglingKeys) throws {
        if !toleratesOld { return try DanglingKey.all(of: newest.tables, in: connection).refuse() }
        let new = try DanglingKeys(reading: connection, of: newest.tables)
        let beyond = new.beyond(old.after(run), movedByCode: run.hasCode)
        if !beyond.isEmpty { throw MigrationError.danglingForeignKeys(beyond) }
    }

    /// Writes the new version and the log.
    private func conclude(_ report: MigrationReport) throws {
        let schema = migrator.schema
        try StoreMetadata.write(newest, schema: schema.name, draft: schema.draft, to: connection)
        if options.checksIntegrity { try migrator.checkIntegrity() }
        try StoreMetadata.log(report.droppedObjects, to: report.to, in: connection)
        let statement = try connection.prepare(
            """
            INSERT INTO "strata_migrations" ("from_version", "to_version", "finished_at", "seconds", "rows")
            VALUES (?1, ?2, ?3, ?4, ?5)
            """)
        try statement.bind(report.from, at: 1)
        try statement.bind(report.to, at: 2)
        try statement.bind(Date(), at: 3)
        try statement.bind(report.seconds, at: 4)
        try statement.bind(report.rows, at: 5)
        try statement.run()
    }
}
