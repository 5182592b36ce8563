/// Why a migration was given up. The store is then at its old version with all its rows.
public enum MigrationError: Error, Hashable, Sendable {
    /// The disk has no place for the tables that are copied, in bytes.
    case diskFull(needed: Int, available: Int)
    /// Foreign keys lead nowhere after the migration, or did before it where that is refused, counted by table.
    case danglingForeignKeys([String: Int])
    /// What the store holds after the migration is not the new version's schema.
    case schemaDiffers(objects: [String])
    /// The store could not be migrated, and was not what a store of its version is: somebody has changed its tables, or it
    /// is damaged.
    case oldSchemaDiffers(objects: [String], cause: SQLiteError)
    /// Foreign keys could not be turned off, so that rebuilding a table would delete rows elsewhere.
    case foreignKeysStuck
    /// There is no step from that version.
    case noStep(from: String)
    /// There is a file where a copy is to be written, or one that SQLite would take for a journal of it.
    case destinationExists(String)
    /// A copy of the store does not hold what the store holds.
    case badCopy(String)
    /// SQLite undid the transaction because of an error that the code of a migration kept to itself.
    case rolledBack
    /// SQLite asked for the values of a row that was not the one before it: nothing can be written then.
    case rowsOutOfOrder(table: String)
    /// Code changed rows of the new version while others were still to follow rows to their new keys.
    case changedBeforeKeys
    /// Somebody gave the migration up.
    case cancelled
    /// Rows were merged into rows that are not there.
    case mergedIntoNothing(table: String, rows: Int)
    /// Rows that were dropped may not go: rows of another table point at them and deny it.
    case droppedRowsReferenced(table: String, target: String, rows: Int)
}

extension MigrationError: CustomStringConvertible {
    /// What happened, and what to do next.
    public var description: String {
        switch self {
        case .danglingForeignKeys(let tables):
            "foreign keys lead nowhere: "
                + tables.sorted { $0.key < $1.key }.map { "\($0.value) in \($0.key)" }.joined(separator: ", ")
        case .diskFull(let needed, let available):
            "the migration needs about \(needed) bytes on the disk, which has \(available): free some first"
        case .schemaDiffers(let objects):
            "the migrated store differs from a new one in " + objects.joined(separator: ", ")
        case .oldSchemaDiffers(let objects, let cause):
            "\(cause)\nmaybe because the store differs from a new one of its version in "
                + objects.joined(separator: ", ")
        case .foreignKeysStuck: "foreign keys could not be turned off; is a transaction open?"
        case .noStep(let version): "the schema has no step from version \(version)"
        case .destinationExists(let path): "there is a file at \(path) already: remove it, or choose another name"
        case .badCopy(let path): "the copy at \(path) was not whole, and has been removed"
        case .rolledBack: "an error of SQLite, which the code of the migration caught, has undone the transaction"
        case .rowsOutOfOrder(let table): "the rows of \(table) were not evaluated one by one"
        case .changedBeforeKeys:
            "rows get other keys in this step, so update, setRelated and execute belong into didMigrate"
        case .cancelled: "the migration was given up"
        case .mergedIntoNothing(let table, let rows):
            "\(rows) rows were merged into rows of \(table) that are not there"
        case .droppedRowsReferenced(let table, let target, let rows):
            "\(rows) rows of \(table) point at rows of \(target) that were dropped, and deny it"
        }
    }
}
