import Foundation

extension Store {
    /// Removes the migration that was interrupted in the store at `url`. The store keeps its version and all its rows, and the
    /// next opening begins the migration again.
    ///
    /// The space of the rows that were already copied is given back to the system, if there is enough free space for a second
    /// copy of the store (https://sqlite.org/lang_vacuum.html). Otherwise the store uses it for new rows.
    ///
    /// The store must not be open.
    ///
    /// ```swift
    /// if try Store.discardPendingMigration(of: url) { print("The update starts again.") }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - options: The options for opening it.
    /// - Returns: Whether there was such a migration.
    /// - Throws: ``StoreError/notAStore`` or another `StoreError`; ``StoreError/busy`` if the store is in use.
    @discardableResult public static func discardPendingMigration(
        of url: URL, options: StoreOptions = StoreOptions()
    ) throws -> Bool {
        let connection = try StoreFile.connect(to: url, .readWrite, options)
        return try SQLiteError.translated {
            _ = try StoreIdentity(reading: connection)
            try connection.execute("PRAGMA foreign_keys = OFF")
            let wasPending = try connection.transaction("BEGIN IMMEDIATE") {
                try PendingMigration.discard(in: connection)
            }
            // Another connection, or a full disk, may prevent it.
            if wasPending { try? connection.vacuum() }
            return wasPending
        }
    }
}
