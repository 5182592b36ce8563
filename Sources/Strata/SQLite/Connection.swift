import CSQLite
import SchemaSQL

/// Something that SQLite asks whether it is to stop.
private final class Interruption {
    let isWanted: @Sendable () -> Bool

    init(_ isWanted: @escaping @Sendable () -> Bool) {
        self.isWanted = isWanted
    }
}

/// A connection to a database; used by one thread at a time, which whoever owns it sees to.
package final class Connection {
    /// How a database is opened.
    package enum Mode {
        case readOnly, readWrite, create

        var flags: Int32 {
            switch self {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }
    }

    /// The file system of SQLite by which files are reached; nil for the system's own. Tests put in one that fails.
    @TaskLocal package static var fileSystem: String?

    let pointer: OpaquePointer
    /// What SQLite asks while it works; it holds no reference to it.
    private var interruption: Interruption?
    private var statements: [String: Statement] = [:]
    /// So many statements are kept at most.
    private static let mostStatements = 1_000
    /// The statement that was used last.
    private var lastStatement: (sql: String, statement: Statement)?
    /// The statements of your own SQL, which SQLite has found to do no more than such SQL may.
    private var confinedStatements: [String: Statement] = [:]
    /// Whether what is prepared now is your own SQL; nil until there is any. The authorizer reads it.
    private var confinement: UnsafeMutablePointer<Bool>?
    /// The schema at whose newest version the store was opened; nil if it is not open for transactions.
    var openedSchema: KnownSchema?
    /// The copy whose code SQL may ask.
    @exclusivity(unchecked) var columnCopy: ColumnCopy?
    /// Whether SQL knows the functions by which it asks.
    var hasColumnFunctions = false

    /// Opens the database at `path`; SQLite touches the file only when something is read.
    package init(path: String, mode: Mode) throws {
        var pointer: OpaquePointer?
        let flags = mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &pointer, flags, Self.fileSystem)
        guard code == SQLITE_OK, let pointer else {
            let error = SQLiteError(of: pointer)
            sqlite3_close_v2(pointer)
            throw error
        }
        self.pointer = pointer
        // Without this a quoted name of no column would be taken for a string, and a wrong copy for a right one
        // (https://sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
        _ = strata_db_config_switch(pointer, Int32(SQLITE_DBCONFIG_DQS_DML), 0)
        _ = strata_db_config_switch(pointer, Int32(SQLITE_DBCONFIG_DQS_DDL), 0)
    }

    deinit {
        forgetStatements()
        sqlite3_close_v2(pointer)
        confinement?.deallocate()
    }

    /// How long to wait for another connection's lock, in milliseconds.
    package func setBusyTimeout(_ milliseconds: Int32) {
        sqlite3_busy_timeout(pointer, milliseconds)
    }

    /// Whether the last connection to close brings a write-ahead log back into the main file.
    package func setCheckpointsOnClose(_ isOn: Bool) {
        _ = strata_db_config_switch(pointer, Int32(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE), isOn ? 0 : 1)
    }

    /// Runs `body`, and gives up what it does when `isWanted` says so, which is asked every so many instructions; nil asks
    /// nobody.
    ///
    /// - Throws: `MigrationError.cancelled`, or what `body` throws.
    func interruptible<Result>(by isWanted: (@Sendable () -> Bool)?, _ body: () throws -> Result) throws -> Result {
        guard let isWanted else { return try body() }
        let interruption = Interruption(isWanted)
        self.interruption = interruption
        sqlite3_progress_handler(
            pointer, 10_000,
            { argument in
                let interruption = argument.map { Unmanaged<Interruption>.fromOpaque($0).takeUnretainedValue() }
                return interruption?.isWanted() == true ? 1 : 0
            },
            Unmanaged.passUnretained(interruption).toOpaque())
        defer {
            sqlite3_progress_handler(pointer, 0, nil, nil)
            self.interruption = nil
        }
        do {
            return try body()
        } catch let error as SQLiteError where error.code == 9 {  // SQLITE_INTERRUPT
            throw MigrationError.cancelled
        }
    }

    /// Whether the database can only be read.
    var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }

    /// The number of rows that the last INSERT, UPDATE or DELETE touched.
    package var changes: Int { Int(sqlite3_changes64(pointer)) }

    /// The number of parameters that a statement may have.
    var mostParameters: Int { Int(sqlite3_limit(pointer, SQLITE_LIMIT_VARIABLE_NUMBER, -1)) }

    /// The number of rows that all statements so far have touched.
    var totalChanges: Int { Int(sqlite3_total_changes64(pointer)) }

    /// Runs one statement or several that give no rows.
    package func execute(_ sql: String) throws {
        guard sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK else { throw SQLiteError(of: pointer, sql: sql) }
    }

    /// A new statement.
    package func prepare(_ sql: String) throws -> Statement {
        try Statement(sql, connection: self)
    }

    /// The statement `sql`, prepared once and ready to run; what was bound to it is so until something else is. A
    /// statement in use is not taken from under its user: the second user gets one of its own.
    package func cached(_ sql: String) throws -> Statement {
        // Texts that are one and the same are equal at once; hashing takes longer than a small statement.
        if let lastStatement, lastStatement.sql == sql, !lastStatement.statement.isBusy {
            lastStatement.statement.rewind()
            return lastStatement.statement
        }
        let statement: Statement
        if let known = statements[sql], !known.isBusy {
            known.rewind()
            statement = known
        } else {
            statement = try prepare(sql)
            // SQL that is never the same twice must not fill the memory.
            if statements.count >= Self.mostStatements { statements.removeAll() }
            statements[sql] = statement
        }
        lastStatement = (sql, statement)
        return statement
    }

    /// Like `cached`, for SQL of your own: refuses SQL that begins or ends a transaction, attaches a database or sets a
    /// pragma, some of which act when they are prepared.
    ///
    /// - Throws: `QueryError.refused`, or `SQLiteError`.
    func confined(_ sql: String) throws -> Statement {
        if let known = confinedStatements[sql], !known.isBusy {
            known.rewind()
            return known
        }
        let statement = try confining(sql) { try prepare(sql) }
        if confinedStatements.count >= Self.mostStatements { confinedStatements.removeAll() }
        confinedStatements[sql] = statement
        return statement
    }

    /// Runs statements of your own that give no rows, and that do no more than `confined` allows.
    ///
    /// - Throws: `QueryError.refused`, or `SQLiteError`.
    func executeConfined(_ sql: String) throws {
        try confining(sql) { try execute(sql) }
    }

    /// Runs `body`, in which SQLite prepares only what your own SQL may do.
    ///
    /// The authorizer is set once: SQLite prepares all statements again when it is set
    /// (https://sqlite.org/c3ref/set_authorizer.html).
    private func confining<Result>(_ sql: String, _ body: () throws -> Result) throws -> Result {
        let confinement = self.confinement ?? UnsafeMutablePointer<Bool>.allocate(capacity: 1)
        let isConfined = self.confinement?.pointee ?? false
        confinement.initialize(to: true)
        defer { confinement.pointee = isConfined }
        if self.confinement == nil {
            self.confinement = confinement
            sqlite3_set_authorizer(
                pointer,
                { confinement, action, name, value, _, _ in
                    guard confinement?.assumingMemoryBound(to: Bool.self).pointee == true else { return SQLITE_OK }
                    return switch action {
                    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH: SQLITE_DENY
                    case SQLITE_PRAGMA: value == nil || Connection.reads(pragma: name) ? SQLITE_OK : SQLITE_DENY
                    default: SQLITE_OK
                    }
                }, confinement)
        }
        do {
            return try body()
        } catch let error as SQLiteError where error.code == SQLITE_AUTH {
            throw QueryError.refused(
                reason: "it sets a pragma, attaches a database, or begins or ends a transaction", sql: sql)
        }
    }

    /// Whether a pragma with an argument only reads. SQLite uses some of them itself.
    private static func reads(pragma name: UnsafePointer<CChar>?) -> Bool {
        let names = [
            "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
            "foreign_key_check", "quick_check", "integrity_check",
        ]
        return name.map { names.contains(String(cString: $0).lowercased()) } ?? false
    }

    /// Runs `body`, in which SQLite takes a double-quoted word that is no name for a string
    /// (https://sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
    func allowingQuotedStrings(_ body: () throws -> Void) rethrows {
        let switches = [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL]
        for option in switches { _ = strata_db_config_switch(pointer, Int32(option), 1) }
        defer { for option in switches { _ = strata_db_config_switch(pointer, Int32(option), 0) } }
        try body()
    }

    /// Takes all statements off the rows that they stand on, which would keep a transaction open.
    func resetStatements() {
        var statement = sqlite3_next_stmt(pointer, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { sqlite3_reset(current) }
            // What is bound may be large.
            sqlite3_clear_bindings(current)
            statement = sqlite3_next_stmt(pointer, current)
        }
    }

    /// Lets go of all cached statements.
    package func forgetStatements() {
        lastStatement = nil
        statements.removeAll()
        confinedStatements.removeAll()
    }

    /// Runs `body` with the rows of a query, one after the other.
    package func query(_ sql: String, _ body: (Row) throws -> Void) throws {
        let statement = try prepare(sql)
        while try statement.step() { try body(statement.row) }
    }

    /// The integer in the first column of the first row.
    package func integer(_ sql: String) throws -> Int? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.row.optionalInt(0) : nil
    }

    /// The text in the first column of the first row.
    package func text(_ sql: String) throws -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.row.optionalString(0) : nil
    }

    /// The texts in the first column of all rows.
    package func texts(_ sql: String) throws -> [String] {
        var texts: [String] = []
        try query(sql) { texts.append(try $0.string(0)) }
        return texts
    }

    /// Runs `body` in a transaction that begins with `begin`; what it throws rolls everything back.
    package func transaction<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try execute(begin)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            // An error of SQLite may have rolled back already (https://sqlite.org/lang_transaction.html).
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Checks in a transaction that no other process has migrated the store since it was opened: its columns may have other
    /// names now.
    ///
    /// - Throws: `StoreError.newer`.
    func checkVersion() throws {
        guard let openedSchema else { return }
        let statement = try cached("PRAGMA user_version")
        defer { statement.reset() }
        guard try statement.step(), try statement.row.int(0) != Int(openedSchema.fingerprint.userVersion)
        else { return }
        let found = try? StoreMetadata(reading: self).version
        throw StoreError.newer(found: found ?? "", newest: openedSchema.versions.last?.name ?? "")
    }

    private func commit() throws {
        do {
            try execute("COMMIT")
        } catch let error as SQLiteError where error.extendedCode == 787 {  // SQLITE_CONSTRAINT_FOREIGNKEY
            // SQLite does not say which key it is.
            let keys = ForeignKeyRepair(connection: self)
            let columns = try? keys.danglingKeys().flatMap { key in
                try keys.columns(of: key).map { "\(key.table).\($0)" }
            }
            guard let columns, !columns.isEmpty else { throw error }
            throw SQLiteError(
                extendedCode: error.extendedCode, message: "\(error.message): \(columns.joined(separator: ", "))",
                sql: nil)
        }
    }
}
