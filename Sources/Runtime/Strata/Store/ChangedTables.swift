import CSQLite
import Foundation

/// The tables that a transaction changes.
final class ChangedTables {
    private var names: Set<String> = []
    /// The name of the last table. SQLite may use its own text at the same place for another table.
    private var last: UnsafeMutablePointer<CChar>?
    private var count: Int64 = 0
    private let before: Int64
    private let connection: Connection

    /// Records the tables that `connection` changes from now on, until `end`.
    init(by connection: Connection) {
        self.connection = connection
        connection.authorizer.hasChangedSchema = false
        before = sqlite3_total_changes64(connection.pointer)
        sqlite3_update_hook(
            connection.pointer,
            { context, _, _, table, _ in
                guard let context, let table else { return }
                Unmanaged<ChangedTables>.fromOpaque(context).takeUnretainedValue().add(table)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func add(_ table: UnsafePointer<CChar>) {
        count += 1
        // Most changes are in the same table as the one before.
        if let last, strcmp(table, last) == 0 { return }
        free(last)
        last = strdup(table)
        names.insert(String(cString: table))
    }

    deinit { free(last) }

    /// Ends the recording.
    ///
    /// SQLite does not report each row if a statement deletes all rows of a table, nor rows of a table without row numbers
    /// (https://sqlite.org/c3ref/update_hook.html). Any table may then have changed.
    func end() -> TableChanges {
        sqlite3_update_hook(connection.pointer, nil, nil)
        // A view may have other rows now.
        if connection.authorizer.hasChangedSchema { return .any }
        let changes = sqlite3_total_changes64(connection.pointer) - before
        if changes == 0 { return .tables([]) }
        return changes == count ? .tables(names) : .any
    }
}

/// The tables that a transaction has changed.
enum TableChanges: Sendable {
    case tables(Set<String>)
    /// The tables are unknown, so any table may have changed.
    case any
}
