import CSQLite

/// The aggregate function of a connection that passes the rows of a query to a closure: `SELECT strata_collect(a, b) FROM t`.
///
/// A program that steps through a query pays for each step, and for finding each value of the row. An aggregate function, which
/// SQLite calls with the values of each row, costs neither.
@usableFromInline final class RowCollection {
    /// The name of the function.
    static let function = "strata_collect"
    /// The most columns that SQLite passes to a function, by default (https://sqlite.org/limits.html#max_function_arg).
    @usableFromInline static let mostColumns = 100

    /// The query that runs.
    private final class Query {
        let body: (Row) throws -> Void
        let names: RowSource
        var error: (any Error)?

        init(_ columns: [String], _ body: @escaping (Row) throws -> Void) {
            names = RowSource(columns)
            self.body = body
        }

        func step(_ context: OpaquePointer, _ values: UnsafeMutablePointer<OpaquePointer?>, _ count: Int) {
            do {
                try body(Row(values, count, Unmanaged.passUnretained(names)))
            } catch {
                self.error = error
                sqlite3_result_error(context, "a row could not be read", -1)
            }
        }
    }

    /// `run` keeps the query alive. A reference that is counted would cost a few percent of the time.
    private var query: Unmanaged<Query>?

    /// Adds the function to a connection, which must keep this object alive.
    func add(to database: OpaquePointer) throws {
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
        let code = sqlite3_create_function_v2(
            database, Self.function, -1, flags, Unmanaged.passUnretained(self).toOpaque(), nil,
            { context, count, values in
                guard let context, let values, let pointer = sqlite3_user_data(context) else { return }
                let query = Unmanaged<RowCollection>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.query }
                query?._withUnsafeGuaranteedRef { $0.step(context, values, Int(count)) }
            },
            { sqlite3_result_null($0) }, nil)
        guard code == SQLITE_OK else { throw SQLiteError(of: database) }
    }

    /// Runs a statement that calls the function, and passes its rows to `body`.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - columns: The names of the function's arguments.
    ///   - body: The closure that receives the rows.
    func run(_ statement: Statement, _ columns: [String], _ body: (Row) throws -> Void) throws {
        try withoutActuallyEscaping(body) { body in
            let query = Query(columns, body)
            let outer = self.query
            self.query = Unmanaged.passUnretained(query)
            defer { self.query = outer }
            try withExtendedLifetime(query) {
                do {
                    while try statement.step() {}
                } catch {
                    throw query.error ?? error
                }
            }
        }
    }
}
