import CSQLite

// The switches of a connection (https://sqlite.org/c3ref/c_dbconfig_defensive.html).

extension Connection {
    /// Sets whether closing the last connection checkpoints a write-ahead log into the database file.
    package func setCheckpointsOnClose(_ isOn: Bool) {
        _ = strata_db_config_switch(pointer, Int32(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE), isOn ? 0 : 1)
    }

    /// The size of the cache, as `PRAGMA cache_size` has it. A transaction that changes more pages than the cache holds writes them to
    /// the file before its end, and syncs the journal before each time.
    func cacheSize() throws -> Int { try integer("PRAGMA cache_size") ?? 0 }

    func setCacheSize(_ size: Int) throws { try execute("PRAGMA cache_size = \(size)") }

    /// Makes the cache so many bytes large, if it is smaller.
    func raiseCacheSize(to bytes: Int) throws {
        let size = try cacheSize()
        let present = size < 0 ? -size * 1_024 : size * (try integer("PRAGMA page_size") ?? 0)
        if present < bytes { try setCacheSize(-bytes / 1_024) }
    }

    /// Lets checks, computed columns, indexes and views of the file call only functions that do no harm. A store that is open
    /// trusts its schema: views and triggers of the app may call its functions, and before version 3.41 of SQLite, a trigger
    /// could not fill a search otherwise.
    package func distrustSchema() {
        _ = strata_db_config_switch(pointer, Int32(SQLITE_DBCONFIG_TRUSTED_SCHEMA), 0)
    }

    /// Makes statements check foreign keys and apply their delete rules.
    func enforceForeignKeys() {
        _ = strata_db_config_switch(pointer, Int32(SQLITE_DBCONFIG_ENABLE_FKEY), 1)
    }

    /// Accepts string literals in double quotes in the declarations of tables and indexes, as other libraries do.
    package func acceptQuotedStrings() {
        _ = strata_db_config_switch(pointer, Int32(SQLITE_DBCONFIG_DQS_DDL), 1)
    }

    /// Runs `body`, in which SQLite treats a double-quoted word that is not a known name as a string
    /// (https://sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
    func allowingQuotedStrings(_ body: () throws -> Void) rethrows {
        let switches = [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL]
        for option in switches { _ = strata_db_config_switch(pointer, Int32(option), 1) }
        defer { for option in switches { _ = strata_db_config_switch(pointer, Int32(option), 0) } }
        try body()
    }
}
