import CSQLite

/// A statement that has ended. ``StoreOptions/trace`` receives it.
public struct StatementTrace: Sendable {
    /// The statement, with parameters instead of values.
    public let sql: String
    /// How long the statement ran, in seconds.
    public let seconds: Double
}

extension Connection {
    /// Receives the durations of statements. SQLite holds no reference to it.
    private final class Trace {
        let receive: @Sendable (StatementTrace) -> Void

        init(_ receive: @escaping @Sendable (StatementTrace) -> Void) { self.receive = receive }
    }

    /// Sets a closure that receives each statement when it has ended.
    func setTrace(_ receive: @escaping @Sendable (StatementTrace) -> Void) {
        let trace = Trace(receive)
        self.trace = trace
        sqlite3_trace_v2(
            pointer, UInt32(SQLITE_TRACE_PROFILE),
            { _, context, statement, nanoseconds in
                guard let context, let statement, let nanoseconds else { return 0 }
                let sql = sqlite3_sql(OpaquePointer(statement)).map { String(cString: $0) } ?? ""
                let seconds = Double(nanoseconds.assumingMemoryBound(to: Int64.self).pointee) / 1e9
                Unmanaged<Trace>.fromOpaque(context).takeUnretainedValue().receive(
                    StatementTrace(sql: sql, seconds: seconds))
                return 0
            }, Unmanaged.passUnretained(trace).toOpaque())
    }
}
