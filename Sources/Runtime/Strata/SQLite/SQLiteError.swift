import CSQLite

/// An error that SQLite reported.
///
/// It contains no values of rows. `message` is SQLite's message, which names only tables and columns. `sql` contains
/// parameters instead of values, unless you wrote values into your SQL.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code (https://sqlite.org/rescode.html).
    public let extendedCode: Int32
    /// SQLite's message.
    public let message: String
    /// The statement that failed; nil if the error does not belong to a statement.
    public let sql: String?

    /// The primary result code.
    public var code: Int32 { extendedCode & 0xff }

    /// The columns of the violated constraint, with their tables, such as `movie.title`.
    ///
    /// If foreign keys make a commit fail, these are the columns of all dangling foreign keys in the store. Empty if
    /// the error is not a violated constraint, or if SQLite does not name the columns. For example, SQLite names no
    /// column if a delete rule forbids deleting a row; `sql` is the statement then.
    public var columns: [String] {
        if extendedCode == 3091 { return message.split(separator: " ").last.map { [String($0)] } ?? [] }  // …_DATATYPE
        guard code == 19, let range = message.range(of: "constraint failed: ") else { return [] }  // SQLITE_CONSTRAINT
        let names = message[range.upperBound...].split(separator: ", ").map(String.init)
        return names.allSatisfy { $0.contains(".") } ? names : []
    }

    /// The name of the violated check of an entity, such as `laundry_price_minimum`; nil for another error.
    public var check: String? {
        guard extendedCode == 275, let range = message.range(of: "constraint failed: ") else { return nil }
        return String(message[range.upperBound...])
    }

    /// The extended result code, the message and the statement.
    public var description: String {
        "SQLite error \(extendedCode): \(message)" + (sql.map { "\nin \($0)" } ?? "")
    }

    init(extendedCode: Int32, message: String, sql: String?) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// Creates an error from a result code that a function returned.
    init(_ code: Int32) {
        self.init(extendedCode: code, message: sqlite3_errstr(code).map { String(cString: $0) } ?? "", sql: nil)
    }

    /// Creates an error from the last error of `connection`.
    package init(of connection: OpaquePointer?, sql: String? = nil) {
        self.init(
            extendedCode: sqlite3_extended_errcode(connection),
            message: sqlite3_errmsg(connection).map { String(cString: $0) } ?? "out of memory", sql: sql)
    }
}
