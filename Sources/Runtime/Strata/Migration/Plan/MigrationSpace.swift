import Foundation
import SQLSchema

/// The disk space that a migration needs.
package struct MigrationSpace {
    /// The free disk space in bytes for tests; nil to read it from the file system.
    @TaskLocal package static var available: Int64?

    private let connection: Connection
    private let run: MigrationRun?
    /// The tables of the first stage whose columns are all copied unchanged. Their copies need at least as much space.
    private let whole: Set<String>
    private let pageSize: Int64

    /// - Parameter run: The migration; nil if there is none.
    init(_ run: MigrationRun?, _ connection: Connection) throws {
        (self.connection, self.run) = (connection, run)
        let first = run?.stages.first
        let copies = first?.statements.copies ?? []
        whole = Set(copies.filter(\.keepsAllColumns).map(\.source.name))
        pageSize = try connection.integer64("PRAGMA page_size") ?? 0
    }

    /// Whether the first stage copies a table with all its columns.
    var copiesTables: Bool { !whole.isEmpty }

    /// The size of the database, in bytes.
    func databaseBytes() throws -> Int64 {
        try (connection.integer64("PRAGMA page_count") ?? 0) * pageSize
    }

    /// The approximate maximum by which the files grow, in bytes: the copies and the journal.
    func neededBytes() throws -> Int64 {
        // A write-ahead log contains the copies too, until a checkpoint writes them to the database.
        let isLogged = try connection.text("PRAGMA journal_mode") == "wal"
        // A stage after the first copies the tables that the earlier stages have made of the database's.
        let copied = run?.copiedTables() ?? []
        return try copied.filter { !$0.isEmpty }.reduce(0) { bytes, tables in
            try bytes + (sum("pgsize", of: Set(tables)) ?? databaseBytes()) * (isLogged ? 3 : 2)
        }
    }

    /// Refuses a migration for which the disk space is certainly not enough.
    ///
    /// - Throws: `MigrationError.diskFull`.
    func check() throws {
        guard copiesTables, let path = connection.file,
            let available = Self.available ?? Self.freeBytes(at: path),
            // If there is enough space for a second database, the size of the copied tables does not matter.
            try available < databaseBytes(), let needed = try sum("payload", of: whole)
        else { return }
        let reused = try (connection.integer64("PRAGMA freelist_count") ?? 0) * pageSize
        if available < needed - reused { throw MigrationError.diskFull(needed: needed - reused, available: available) }
    }

    private static func freeBytes(at path: String) -> Int64? {
        #if os(iOS) || os(macOS)
            // Space that the system can purge counts as free.
            let key = URLResourceKey.volumeAvailableCapacityForImportantUsageKey
            let values = try? URL(fileURLWithPath: path).resourceValues(forKeys: [key])
            if let bytes = values?.volumeAvailableCapacityForImportantUsage, bytes > 0 { return bytes }
        #endif
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }

    /// The disk space of tables, in bytes: with all their pages (`pgsize`), or only their content (`payload`). Nil if
    /// SQLite was built without the `dbstat` table (https://sqlite.org/dbstat.html).
    private func sum(_ column: String, of tables: Set<String>) throws -> Int64? {
        guard try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'") == 1 else { return nil }
        let names = tables.sorted().map(SQL.literal).joined(separator: ", ")
        return try connection.integer64("SELECT sum(\(column)) FROM dbstat WHERE aggregate = 1 AND name IN (\(names))")
            ?? 0
    }
}
