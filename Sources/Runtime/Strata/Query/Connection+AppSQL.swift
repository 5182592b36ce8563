import CSQLite
import SQLSchema

extension Connection {
    /// Returns a cached statement for SQL that the app wrote. It refuses SQL that begins or ends a transaction,
    /// attaches a database or sets a pragma.
    ///
    /// The check happens while SQLite prepares the statement, because some pragmas take effect then.
    ///
    /// - Parameters:
    ///   - sql: The SQL of one statement.
    ///   - isCached: Whether the statement comes from the cache.
    /// - Throws: `QueryError.refused`, or `SQLiteError`.
    func confined(_ sql: String, isCached: Bool = true) throws -> Statement {
        if isCached, let known = confinedStatements[sql], !known.isBusy {
            known.rewind()
            note(known)
            return known
        }
        let statement = try confining(sql) { try prepare(sql) }
        statement.mayReplace = Self.mayReplace(sql)
        guard statement.isAlone else { throw QueryError.refused(reason: "it is more than one statement", sql: sql) }
        if !isCached { return statement }
        if confinedStatements.count >= Connection.mostStatements { confinedStatements.removeAll() }
        confinedStatements[sql] = statement
        return statement
    }

    /// Runs statements that the app wrote and that return no rows, with the same restrictions as `confined`.
    ///
    /// - Throws: `QueryError.refused`, or `SQLiteError`.
    func executeConfined(_ sql: String) throws {
        if Self.mayReplace(sql) { try noteReplacement(by: sql) }
        try confining(sql) { try execute(sql) }
    }

    /// Whether SQL of the app may replace rows: `INSERT OR REPLACE`, `UPDATE OR REPLACE`, `REPLACE INTO`.
    static func mayReplace(_ sql: String) -> Bool {
        guard sql.range(of: "REPLACE", options: .caseInsensitive) != nil else { return false }
        let words = sql.uppercased().split { !$0.isLetter }
        return words.indices.contains { place in
            words[place] == "REPLACE"
                && (place > 0 && words[place - 1] == "OR" || place + 1 < words.count && words[place + 1] == "INTO")
        }
    }

    /// Notes the searches whose rows a statement may replace. The triggers of rows that are replaced do not fire
    /// (https://sqlite.org/lang_conflict.html), so these searches are filled again at the end of the transaction.
    func noteReplacement(by sql: String) throws {
        let searches = try cached(
            "SELECT name FROM sqlite_schema WHERE name GLOB 'strata_search_*' AND sql LIKE 'CREATE VIRTUAL TABLE %'")
        defer { searches.reset() }
        while try searches.step() {
            let name = try searches.row.string(0)
            let table = name.dropFirst(SearchIndex.name(of: "").count)
            if sql.range(of: table, options: .caseInsensitive) != nil { replacedSearches.insert(name) }
        }
    }

    /// Fills the searches of tables whose rows were replaced.
    func fillReplacedSearches() throws {
        for name in replacedSearches { try execute(SearchIndex.rebuild(name)) }
        replacedSearches = []
    }

    /// Runs `body`, in which SQLite refuses to prepare SQL that the app must not run.
    private func confining<Result>(_ sql: String, _ body: () throws -> Result) throws -> Result {
        let isConfining = authorizer.isConfining
        (authorizer.isConfining, authorizer.outdatedTable) = (true, nil)
        authorizer.outdatedTables = outdatedTables
        defer { authorizer.isConfining = isConfining }
        do {
            return try body()
        } catch let error as SQLiteError where error.code == SQLITE_ERROR && !authorizer.deferredTables.isEmpty {
            // The SQL may use a column that such a table will have.
            authorizer.neededTables.formUnion(authorizer.deferredTables)
            throw error
        } catch let error as SQLiteError where error.code == SQLITE_AUTH {
            let reason = authorizer.outdatedTable.map {
                "it changes the old table \($0), which is dropped at the end of the step: "
                    + "MigrationContext.name(of:) is the name of the new one"
            }
            throw QueryError.refused(
                reason: reason ?? "it sets a pragma, attaches a database, or begins or ends a transaction", sql: sql)
        }
    }
}
