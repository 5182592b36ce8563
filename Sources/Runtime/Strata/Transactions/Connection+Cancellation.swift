import CSQLite

extension Connection {
    /// Runs `body`, whose statements are interrupted when `isCancelled` returns true.
    ///
    /// - Throws: `CancellationError` after an interruption, or the error of `body`.
    func cancellable<Result>(by isCancelled: (@Sendable () -> Bool)?, _ body: () throws -> Result) throws -> Result {
        do {
            return try interruptible(by: isCancelled, body)
        } catch  where error.isOfInterruption && isCancelled?() == true {
            throw CancellationError()
        }
    }
}

extension Error {
    /// Whether a lock of another connection was waited for in vain.
    var isOfWaiting: Bool { self as? StoreError == .busy || (self as? SQLiteError)?.code == SQLITE_BUSY }

    /// Whether the error may be the consequence of an interruption: SQLite ends the wait for a lock or the statement that runs, and
    /// may roll the transaction back.
    var isOfInterruption: Bool {
        isOfWaiting || self is CancellationError || self as? StoreError == .rolledBack
            || (self as? SQLiteError)?.code == SQLITE_INTERRUPT
    }
}
