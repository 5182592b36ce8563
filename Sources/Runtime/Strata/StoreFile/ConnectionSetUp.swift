/// A new connection, before Strata uses it. ``StoreOptions/setUp`` receives it.
public struct ConnectionSetUp {
    let connection: Connection

    /// SQLite's handle of the connection (`sqlite3 *`). Do not store it.
    public var handle: OpaquePointer { connection.pointer }

    /// Runs SQL, such as `PRAGMA key`.
    public func execute(_ sql: String) throws { try connection.execute(sql) }
}
