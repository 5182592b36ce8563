/// The tables that a migration keeps its statements from changing or reading.
extension Connection {
    /// The tables that no statement may change, because a migration is running in batches.
    var guardedTables: Set<String> {
        get { authorizer.guardedTables }
        set { (authorizer.guardedTables, authorizer.refusedTable) = (newValue, nil) }
    }
    /// The one of them that a statement was to change.
    var refusedTable: String? { authorizer.refusedTable }
    /// See `Authorizer`.
    var neededTables: Set<String> { authorizer.neededTables }

    /// Refuses statements that write to views of tables, or read the tables themselves in the app's SQL, and statements that
    /// read old rows after they have changed.
    ///
    /// - Parameters:
    ///   - views: The views, with the names of their tables.
    ///   - tables: The tables.
    ///   - oldViews: The views of old rows in tables that also get the new rows, with the names of these tables.
    func deferring(_ views: [String: String], _ tables: Set<String>, oldViews: [String: String] = [:]) {
        (authorizer.deferredViews, authorizer.deferredTables, authorizer.neededTables) = (views, tables, [])
        authorizer.oldRows = OldRowUse(views: oldViews)
    }

    /// Forgets the statements of a custom migration, and which old rows they have read.
    func forgetOldReads() {
        if authorizer.oldRows.views.isEmpty { return }
        forgetStatements()
        authorizer.oldRows.forgetReads()
    }
}
