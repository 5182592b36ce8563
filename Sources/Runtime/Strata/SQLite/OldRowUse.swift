import CSQLite

/// The use that the statements of a custom migration make of old rows in tables that also get the new rows.
///
/// A statement must not read old rows after another one has changed them. SQLite tells when it prepares a statement, so a
/// statement that reads counts until it is forgotten.
struct OldRowUse {
    /// The views of the old rows, with the names of their tables.
    let views: [String: String]
    private var (readTables, changedTables): (Set<String>, Set<String>) = ([], [])

    init(views: [String: String] = [:]) { self.views = views }

    /// Records what a statement does.
    ///
    /// - Parameters:
    ///   - action: The action code of the authorizer.
    ///   - name: The table.
    ///   - view: The view that the statement reads it by; nil if there is none.
    ///   - isOfApp: Whether it is the app's SQL.
    /// - Returns: The table whose old rows would be read after they have changed; nil if there is none.
    mutating func conflict(_ action: Int32, _ name: String, in view: String?, isOfApp: Bool) -> String? {
        if action == SQLITE_READ {
            guard let table = view.flatMap({ views[$0] }) else { return nil }
            readTables.insert(table)
            return changedTables.contains(table) ? table : nil
        }
        // The views leave out the rows that the migration inserts, unless it does so in the app's SQL.
        let isChange = action == SQLITE_UPDATE || action == SQLITE_DELETE || action == SQLITE_INSERT && isOfApp
        guard isChange, views.values.contains(name) else { return nil }
        changedTables.insert(name)
        return readTables.contains(name) ? name : nil
    }

    /// Forgets the statements that read. None of them may run again.
    mutating func forgetReads() { readTables = [] }
}
