/// The reason why a migration failed. The store still has its old version and all its rows.
public enum MigrationError: Error, Hashable, Sendable {
    /// There is not enough disk space for the tables that the migration copies. Both values are in bytes.
    case diskFull(needed: Int64, available: Int64)
    /// Foreign keys are dangling after the migration, or before it if the options refuse that. The value is the number
    /// of such foreign keys, by table.
    case danglingForeignKeys([String: Int])
    /// Tables or indexes of the migrated store differ from those of the new version.
    case schemaDiffers(objects: [String])
    /// A statement of the migration failed, and tables or indexes of the store already differed from those of its
    /// version. Another program has changed them, or the store is damaged.
    case oldSchemaDiffers(objects: [String], cause: SQLiteError)
    /// Foreign keys could not be turned off. Rebuilding a table would then delete rows of other tables.
    case foreignKeysStuck
    /// The store has changed since ``MigrationPlan`` read it, or the options have: its migration would have another plan now.
    case planOutdated
    /// The schema has no step from this version, or none to the version that ``StoreOptions/chain`` chose.
    case noStep(from: String, to: String? = nil)
    /// The path of a copy or a backup is that of the store itself.
    case sameFile(String)
    /// There is already a file at the path of a copy, or a file that SQLite would use as the copy's journal. The value
    /// is the path of that file.
    case destinationExists(String)
    /// A copy of the store, at this path, is incomplete or damaged.
    case badCopy(String)
    /// SQLite rolled the transaction back because of an error that the custom migration caught.
    case rolledBack
    /// SQLite asked for values of a different row than the one that it had evaluated last. Strata writes no row then.
    case rowsOutOfOrder(table: String)
    /// The custom migration changed new rows before Strata had updated the references to rows with new primary keys.
    case changedBeforeKeys
    /// Rows were merged into rows that do not exist.
    case mergedIntoNothing(table: String, rows: Int)
    /// Rows of `table` reference dropped rows of `target`, and their delete rule forbids that.
    case droppedRowsReferenced(table: String, target: String, rows: Int)
    /// The custom migration asked for the new primary key of a row of `table` that was dropped, or never existed. The value
    /// is its old primary key.
    case noNewRow(table: String, key: String)
    /// The custom migration asked for the new primary key of a row of `table` that it has not migrated yet. The value is its
    /// old primary key.
    case notMigratedYet(table: String, key: String)
    /// The custom migration was to delete a row of `table` that it has not inserted. The value is its primary key.
    case notInserted(table: String, key: String)
}

extension MigrationError: CustomStringConvertible {
    /// A message that says what happened and, where possible, what to do.
    public var description: String {
        switch self {
        case .danglingForeignKeys(let tables):
            "foreign keys are dangling: "
                + tables.sorted { $0.key < $1.key }.map { "\($0.value) in \($0.key)" }.joined(separator: ", ")
        case .diskFull(let needed, let available):
            "the migration needs about \(needed) bytes of disk space, and \(available) are free: free some space first"
        case .schemaDiffers(let objects):
            "the migrated store differs from a new one in " + objects.joined(separator: ", ")
        case .oldSchemaDiffers(let objects, let cause):
            "\(cause)\nThe cause may be that the store differs from a new store of its version in "
                + objects.joined(separator: ", ")
        case .foreignKeysStuck: "foreign keys could not be turned off; is a transaction open?"
        case .planOutdated: "the store has changed since the plan was made: make another plan"
        case .noStep(let version, nil): "the schema has no step from version \(version)"
        case .noStep(let version, let target?):
            "the schema has no step from version \(version) to version \(target): add it to `chain` in `strata.json`"
        case .sameFile(let path): "\(path) is the store itself: choose another name for the copy"
        case .destinationExists(let path): "the file \(path) already exists: delete it, or choose another name"
        case .badCopy(let path): "the copy at \(path) was incomplete, and was deleted"
        case .rolledBack:
            "SQLite rolled the transaction back because of an error that the custom migration caught: do not catch it"
        case .rowsOutOfOrder(let table): "the rows of \(table) were not evaluated one by one"
        case .changedBeforeKeys:
            "rows get new primary keys in this step: call update, setRelated and execute in didMigrate"
        case .mergedIntoNothing(let table, let rows):
            "\(rows) rows were merged into rows of \(table) that do not exist"
        case .droppedRowsReferenced(let table, let target, let rows):
            "\(rows) rows of \(table) reference dropped rows of \(target), and their delete rule forbids that"
        case .noNewRow(let table, let key):
            "the row \(key) of \(table) was dropped, or never existed, so it has no new primary key; drop the row that "
                + "references it, or pass the reference as an optional"
        case .notMigratedYet(let table, let key):
            "the row \(key) of \(table) has no new primary key yet; set the reference in didMigrate"
        case .notInserted(let table, let key):
            "the row \(key) of \(table) was not inserted by this step; let its migrate return .drop or .merge(into:) instead"
        }
    }
}
