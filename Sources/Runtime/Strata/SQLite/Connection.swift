import CSQLite
import Foundation
import SQLSchema

/// The function that SQLite's progress handler calls to find out whether to interrupt a statement.
private final class Interruption {
    let isWanted: @Sendable () -> Bool

    init(_ isWanted: @escaping @Sendable () -> Bool) {
        self.isWanted = isWanted
    }
}

/// The owner of a connection. It knows what SQLite does not know about the database.
protocol ConnectionDelegate: AnyObject {
    /// Checks, in a transaction, that the database is what it was when it was opened. Another process may have changed it.
    func check(_ connection: Connection) throws
    /// Returns the reason why a statement cannot be prepared; nil if it is SQLite's.
    func error(for error: SQLiteError) -> (any Error)?
    /// Returns the conditions of a table's unique indexes that have exactly these columns and contain only some rows, as SQL.
    func conditions(ofUniqueIndexesOf table: String, on columns: [String]) -> [String]
}

/// A connection to a database. Its owner must ensure that only one thread at a time uses it.
package final class Connection {
    /// The mode in which a database is opened.
    package enum Mode {
        case readOnly, readWrite, create
        /// A database on a read-only volume. SQLite takes no lock and creates no journal.
        case immutable

        var flags: Int32 {
            switch self {
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .readWrite: SQLITE_OPEN_READWRITE
            // A conversion attaches the other database by a URI that says that it is only read.
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
            }
        }
    }

    /// The name of the SQLite VFS that accesses files; nil for the default. Tests set one that injects faults.
    @TaskLocal package static var fileSystem: String?

    package let pointer: OpaquePointer
    /// The thread that uses the connection.
    let use = ConnectionUse()
    /// Keeps the object alive that the progress handler uses: SQLite holds no reference to it.
    private var interruption: Interruption?
    /// Waits for locks. SQLite holds no reference to it.
    private var lockWait: LockWait?
    private var statements: [String: Statement] = [:]
    /// The maximum number of cached statements.
    static let mostStatements = 1_000
    /// The cached statement that was used last.
    private var lastStatement: (sql: String, statement: Statement)?
    /// The cached statements of the app's SQL. The authorizer has allowed each of them.
    var confinedStatements: [String: Statement] = [:]
    /// Decides about statements that are prepared.
    let authorizer = Authorizer()
    /// The tables that the statements of an observed transaction read; nil if no transaction is observed.
    private var readTables: Set<String>?
    /// The tables that the app's SQL must not change: the old tables of a migration's step, which are dropped at its end.
    var outdatedTables: Set<String> = []
    /// Is asked about the database; nil if it is not open for transactions.
    var delegate: (any ConnectionDelegate)?
    /// The function that collects rows, which a connection gets when it first needs it.
    private var addedRowCollection: RowCollection?
    /// The searches of tables whose rows the app's SQL may have replaced in this transaction.
    var replacedSearches: Set<String> = []
    /// Keeps the object alive that receives the durations of statements.
    var trace: AnyObject?
    /// An object that SQL functions use. It lives as long as the connection.
    var functionState: AnyObject?

    /// Opens the database at `path`. SQLite does not access the file before the first read.
    package init(path: String, mode: Mode) throws {
        var pointer: OpaquePointer?
        let flags = mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let name = mode == .immutable ? URL(fileURLWithPath: path).absoluteString + "?immutable=1" : path
        let code = sqlite3_open_v2(name, &pointer, flags, Self.fileSystem)
        guard code == SQLITE_OK, let pointer else {
            let error = SQLiteError(of: pointer)
            sqlite3_close_v2(pointer)
            throw error
        }
        self.pointer = pointer
        // Without this, SQLite would treat the quoted name of a missing column as a string, and a wrong copy would
        // succeed (https://sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
        _ = strata_db_config_switch(pointer, Int32(SQLITE_DBCONFIG_DQS_DML), 0)
        _ = strata_db_config_switch(pointer, Int32(SQLITE_DBCONFIG_DQS_DDL), 0)
        try DecimalFunctions.add(to: pointer)
        authorizer.add(to: pointer)
        try VirtualRows.add(to: pointer)
        try TextFolding.add(to: pointer)
        try DateFunctions.add(to: pointer)
    }

    deinit {
        // The closure that receives the durations of statements is released with the connection.
        sqlite3_trace_v2(pointer, 0, nil, nil)
        forgetStatements()
        use.leave(pointer)
    }

    /// Closes the connection, which nothing uses any more. A cursor that has left its closure must not keep the file open.
    func close() {
        sqlite3_trace_v2(pointer, 0, nil, nil)
        forgetStatements()
        use.close(pointer)
    }

    /// Runs `body`, in which this thread uses a connection that several threads know. Its owner must ensure that they do so one
    /// after the other.
    func used<Result>(_ body: (Connection) throws -> Result) rethrows -> Result {
        use.begin()
        defer { use.end() }
        return try body(self)
    }

    /// Returns the function that collects rows.
    func rowCollection() throws -> RowCollection {
        if let addedRowCollection { return addedRowCollection }
        let new = RowCollection()
        try new.add(to: pointer)
        addedRowCollection = new
        return new
    }

    /// Interrupts the statements that run now. Another thread may call this while one uses the connection
    /// (https://sqlite.org/c3ref/interrupt.html).
    func interrupt() { sqlite3_interrupt(pointer) }

    /// Sets how long to wait for another connection's lock, in seconds. The wait ends early when `isStopped` returns true, or the
    /// function of `interruptible`.
    package func setBusyTimeout(_ seconds: Double, until isStopped: (@Sendable () -> Bool)? = nil) {
        let wait = LockWait(for: file, seconds: seconds, until: isStopped)
        wait.isCancelled = interruption?.isWanted
        wait.add(to: pointer)
        lockWait = wait
    }

    /// Runs `body`, and interrupts its SQL when `isWanted` returns true.
    ///
    /// - Parameters:
    ///   - isWanted: Returns whether to interrupt. SQLite calls it every 10,000 virtual machine instructions. Nil never
    ///     interrupts.
    ///   - body: The code to run.
    /// - Throws: `SQLiteError` with the code `SQLITE_INTERRUPT` after an interruption, or the error of `body`.
    func interruptible<Result>(by isWanted: (@Sendable () -> Bool)?, _ body: () throws -> Result) throws -> Result {
        guard let isWanted else { return try body() }
        let outer = interruption
        setInterruption(Interruption(isWanted))
        defer { setInterruption(outer) }
        return try body()
    }

    private func setInterruption(_ interruption: Interruption?) {
        self.interruption = interruption
        lockWait?.isCancelled = interruption?.isWanted
        guard let interruption else { return sqlite3_progress_handler(pointer, 0, nil, nil) }
        sqlite3_progress_handler(
            pointer, 10_000,
            { argument in
                let interruption = argument.map { Unmanaged<Interruption>.fromOpaque($0).takeUnretainedValue() }
                return interruption?.isWanted() == true ? 1 : 0
            },
            Unmanaged.passUnretained(interruption).toOpaque())
    }

    /// Whether the database is read-only.
    var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }

    /// The path of the database's file; nil for a database in memory.
    var file: String? {
        guard let path = sqlite3_db_filename(pointer, "main"), path.pointee != 0 else { return nil }
        return String(cString: path)
    }

    /// Whether the file was deleted, moved or replaced since it was opened.
    var hasMoved: Bool {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }

    /// Whether the open transaction may have written something.
    private var hasWritten: Bool { sqlite3_txn_state(pointer, "main") == SQLITE_TXN_WRITE }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes64(pointer)) }
    /// The number of the row that was last inserted.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(pointer) }

    /// The number of rows that all statements on this connection have changed so far.
    var totalChanges: Int { Int(sqlite3_total_changes64(pointer)) }

    /// Runs one or more statements that return no rows.
    package func execute(_ sql: String) throws {
        guard sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK else { throw SQLiteError(of: pointer, sql: sql) }
    }

    /// Prepares a new statement.
    package func prepare(_ sql: String) throws -> Statement {
        let (statement, tables) = try authorizer.recordingTables {
            do {
                return try Statement(sql, connection: self)
            } catch let error as SQLiteError where error.code == SQLITE_ERROR {
                throw delegate?.error(for: error) ?? error
            }
        }
        statement.tables = tables
        readTables?.formUnion(tables)
        return statement
    }

    /// Runs `body`, and returns its result with the tables that its statements read.
    func observingTables<Result>(_ body: () throws -> Result) throws -> (Result, Set<String>) {
        // The tables of cached statements are out of date if SQLite has prepared one again.
        if !authorizer.tablesReadAgain.isEmpty { forgetStatements() }
        authorizer.tablesReadAgain = []
        readTables = []
        defer { readTables = nil }
        let result = try body()
        return (result, authorizer.tablesReadAgain.union(readTables ?? []))
    }

    /// Notes the tables of a statement that was prepared before.
    func note(_ statement: Statement) {
        if readTables != nil { readTables?.formUnion(statement.tables) }
    }

    /// Returns a prepared statement for `sql` from the cache, ready to run. Values from an earlier use stay bound.
    ///
    /// If the cached statement is in use, this method prepares a second one.
    package func cached(_ sql: String) throws -> Statement {
        // Comparing a string with itself is fast. Hashing takes longer than running a small statement.
        if let lastStatement, lastStatement.sql == sql, !lastStatement.statement.isBusy {
            lastStatement.statement.rewind()
            note(lastStatement.statement)
            return lastStatement.statement
        }
        let statement: Statement
        if let known = statements[sql], !known.isBusy {
            known.rewind()
            note(known)
            statement = known
        } else {
            statement = try prepare(sql)
            // SQL that differs on every call must not fill the memory.
            if statements.count >= Self.mostStatements { statements.removeAll() }
            statements[sql] = statement
        }
        lastStatement = (sql, statement)
        return statement
    }

    /// Resets all statements and clears their bindings. A statement that is not reset would keep a transaction open.
    func resetStatements() {
        var statement = sqlite3_next_stmt(pointer, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { sqlite3_reset(current) }
            // Bound values may be large.
            sqlite3_clear_bindings(current)
            statement = sqlite3_next_stmt(pointer, current)
        }
    }

    /// Removes all statements from the cache.
    package func forgetStatements() {
        lastStatement = nil
        statements.removeAll()
        confinedStatements.removeAll()
    }

    /// Runs `body` with each row of a query.
    package func query(_ sql: String, _ body: (Row) throws -> Void) throws {
        let statement = try prepare(sql)
        defer { statement.rewind() }
        while try statement.step() { try body(statement.row) }
    }

    /// Returns the integer in the first column of the first row; nil for NULL or without a row.
    package func integer(_ sql: String) throws -> Int? {
        let statement = try prepare(sql)
        defer { statement.rewind() }
        return try statement.step() ? statement.row.optionalInt(0) : nil
    }

    /// Returns the integer of 64 bits in the first column of the first row; nil for NULL or without a row.
    func integer64(_ sql: String) throws -> Int64? {
        let statement = try prepare(sql)
        defer { statement.rewind() }
        return try statement.step() && !statement.row.isNull(0) ? statement.row.int64(0) : nil
    }

    /// The number of rows of a table.
    package func count(_ table: String) throws -> Int {
        do {
            return try integer("SELECT count(*) FROM \(SQL.quoted(table))") ?? 0
        } catch let error as SQLiteError where error.code == SQLITE_ERROR {
            // An index of the app may use a collation or a function that this process does not have.
            return try integer("SELECT count(*) FROM \(SQL.quoted(table)) NOT INDEXED") ?? 0
        }
    }

    /// Returns the text in the first column of the first row; nil for NULL or without a row.
    package func text(_ sql: String) throws -> String? {
        let statement = try prepare(sql)
        defer { statement.rewind() }
        return try statement.step() ? statement.row.optionalString(0) : nil
    }

    /// Returns the SQL for the number of a row of a table; nil if the table has no row numbers, or if its columns hide
    /// them.
    func rowNumber(of table: String) throws -> String? {
        let literal = SQL.literal(table)
        let columns = try texts("SELECT name FROM pragma_table_xinfo(\(literal))")
        let key = try texts("SELECT name FROM pragma_table_info(\(literal)) WHERE pk > 0 AND upper(type) = 'INTEGER'")
        let isSingle = try integer("SELECT sum(pk > 0) FROM pragma_table_info(\(literal))") == 1
        if isSingle, let key = key.first { return SQL.quoted(key) }
        let list = "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = \(literal)"
        return try integer(list) == 1 ? nil : SQLite.rowID(besides: columns)
    }

    /// Returns the collations of columns of a table.
    package func collations(of columns: [String], in table: String) throws -> [Collation?] {
        try columns.map { column in
            var name: UnsafePointer<CChar>?
            let code = sqlite3_table_column_metadata(pointer, "main", table, column, nil, &name, nil, nil, nil)
            guard code == SQLITE_OK, let name else { throw SQLiteError(of: pointer) }
            return Collation(rawValue: String(cString: name).lowercased())
        }
    }

    /// Returns the texts in the first column of all rows.
    package func texts(_ sql: String) throws -> [String] {
        var texts: [String] = []
        try query(sql) { texts.append(try $0.string(0)) }
        return texts
    }

    /// Runs `body` in a transaction. If `body` throws an error, the transaction is rolled back.
    ///
    /// - Parameters:
    ///   - begin: The statement that begins the transaction.
    ///   - body: The code to run.
    package func transaction<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try execute(begin)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            try? rollBack()
            throw error
        }
    }

    /// Runs `body` in the open transaction, or else in a new one, so that its statements read one state of the database.
    func readingOneState<Result>(_ body: () throws -> Result) throws -> Result {
        isInTransaction ? try body() : try transaction("BEGIN", body)
    }

    /// Rolls the transaction back, unless SQLite already has, because of an error (https://sqlite.org/lang_transaction.html).
    func rollBack() throws { if isInTransaction { try executeUninterrupted("ROLLBACK") } }

    /// Runs statements that undo a transaction, and that have no effect the second time. Another thread may be interrupting the
    /// statements of the connection; then they are run again.
    func executeUninterrupted(_ sql: String) throws {
        while true {
            do {
                return try execute(sql)
            } catch let error as SQLiteError where error.code == 9 {  // SQLITE_INTERRUPT
                continue
            }
        }
    }

    /// Commits the transaction.
    ///
    /// - Throws: The error `SQLITE_READONLY_DBMOVED` if this is a write transaction on a file that is not there any more: with a
    ///   write-ahead log, SQLite does not find that out.
    func commit() throws {
        if hasWritten, hasMoved { throw SQLiteError(1032) }
        do {
            try execute("COMMIT")
        } catch let error as SQLiteError where error.extendedCode == 787 {  // SQLITE_CONSTRAINT_FOREIGNKEY
            // SQLite does not report which foreign key it is.
            let columns = try? DanglingKey.all(of: nil, in: self).flatMap { key in
                try key.columns(in: self).map { "\(key.table).\($0)" }
            }
            guard let columns, !columns.isEmpty else { throw error }
            throw SQLiteError(
                extendedCode: error.extendedCode, message: "\(error.message): \(columns.joined(separator: ", "))",
                sql: nil)
        }
    }
}
