import CSQLite

/// What SQLite answered when it did not do what it was asked.
///
/// It never holds values of rows: `message` is SQLite's own and names tables and columns only, `sql` has parameters in
/// the place of values.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code (https://sqlite.org/rescode.html).
    public let extendedCode: Int32
    /// SQLite's message.
    public let message: String
    /// The statement that failed, if it was one.
    public let sql: String?

    /// The primary result code.
    public var code: Int32 { extendedCode & 0xff }

    /// The code, the message, and the statement.
    public var description: String {
        "SQLite error \(extendedCode): \(message)" + (sql.map { "\nin \($0)" } ?? "")
    }

    init(extendedCode: Int32, message: String, sql: String?) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// The last error of `connection`.
    init(of connection: OpaquePointer?, sql: String? = nil) {
        self.init(
            extendedCode: sqlite3_extended_errcode(connection),
            message: sqlite3_errmsg(connection).map { String(cString: $0) } ?? "out of memory", sql: sql)
    }
}
