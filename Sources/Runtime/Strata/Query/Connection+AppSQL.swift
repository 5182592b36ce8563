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
        let tokens = SQLToken.tokens(of: sql).filter(\.isCode)
        return tokens.indices.contains { index in
            tokens[index].isWord("REPLACE")
                && (index > 0 && tokens[index - 1].isWord("OR")
                    || index + 1 < tokens.count && tokens[index + 1].isWord("INTO"))
        }
    }

    /// Notes the searches whose rows a statement may replace. The triggers of rows that are replaced do not fire
    /// (https://sqlite.org/lang_conflict.html), so these searches are filled again at the end of the transaction.
    func noteReplacement(by sql: String) throws {
        // SQLite also reads a text in single quotes as a name, where only a name can be.
        let names = Set(
            SQLToken.tokens(of: sql).compactMap { ($0.kind == .string ? $0.content : $0.name)?.lowercased() })
        for search in try searches() where names.contains(SearchIndex.table(of: search).lowercased()) {
            replacedSearches.insert(search)
        }
    }

    /// The names of the search indexes.
    func searches() throws -> [String] {
        try texts(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual' AND name GLOB 'strata_search_*'"
        )
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
                    + "MigrationContext.tableName(of:) is the name of the new one"
            }
            throw QueryError.refused(
                reason: reason ?? "it sets a pragma, attaches a database, or begins or ends a transaction", sql: sql)
        }
    }
}
