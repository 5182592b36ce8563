import CSQLite

/// What SQLite answered when it did not do what it was asked.
///
/// It never holds values of rows: `message` is SQLite's own and names tables and columns only, `sql` has parameters in
/// the place of values, but for those that stand in SQL of your own.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code (https://sqlite.org/rescode.html).
    public let extendedCode: Int32
    /// SQLite's message.
    public let message: String
    /// The statement that failed, if it was one.
    public let sql: String?

    /// The primary result code.
    public var code: Int32 { extendedCode & 0xff }

    /// The columns of the constraint that does not hold, with their tables, `movie.title`; of a foreign key, all those of
    /// the store that lead nowhere when the transaction ends. None where it is no such error, or SQLite does not name
    /// them: what a row is denied that others point at is told by `sql`.
    public var columns: [String] {
        if extendedCode == 3091 { return message.split(separator: " ").last.map { [String($0)] } ?? [] }  // …_DATATYPE
        guard code == 19, let range = message.range(of: "constraint failed: ") else { return [] }  // SQLITE_CONSTRAINT
        let names = message[range.upperBound...].split(separator: ", ").map(String.init)
        return names.allSatisfy { $0.contains(".") } ? names : []
    }

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
