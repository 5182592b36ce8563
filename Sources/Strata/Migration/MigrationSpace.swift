import Foundation
import SchemaSQL

/// The place on the disk that a migration takes.
package struct MigrationSpace {
    /// Nil asks the file system; tests say what it has.
    @TaskLocal package static var available: Int?

    private let connection: Connection
    /// The tables of the first stage that are copied.
    private let copied: Set<String>
    /// Those of them whose columns are all copied as they are, and in no less place.
    private let whole: Set<String>
    private let pageSize: Int

    init(stages: [Migrator.Stage], _ connection: Connection) throws {
        self.connection = connection
        var copied: Set<String> = []
        var whole: Set<String> = []
        if let stage = stages.first {
            let statements = StepStatements(stage.mapping, keepsOldTables: stage.custom != nil)
            for copy in statements.copies {
                copied.insert(copy.source.name)
                if copy.keepsAllColumns { whole.insert(copy.source.name) }
            }
            for case .custom(let source, _, _, _) in stage.changes { copied.insert(source) }
        }
        self.copied = copied
        self.whole = whole
        pageSize = try connection.integer("PRAGMA page_size") ?? 0
    }

    /// The size of the database, in bytes.
    func databaseBytes() throws -> Int {
        try (connection.integer("PRAGMA page_count") ?? 0) * pageSize
    }

    /// About how much the files grow at most: by the copies, and by what the journal keeps.
    func neededBytes() throws -> Int {
        if copied.isEmpty { return 0 }
        // A write-ahead log has the copies too, before they come into the database.
        let isLogged = try connection.text("PRAGMA journal_mode") == "wal"
        return try (sum("pgsize", of: copied) ?? databaseBytes()) * (isLogged ? 3 : 2)
    }

    /// Refuses a migration for which the disk surely has no place.
    ///
    /// - Throws: `MigrationError.diskFull`.
    func check() throws {
        guard !whole.isEmpty,
            let path = try connection.text("SELECT file FROM pragma_database_list WHERE name = 'main'"),
            let available = Self.available ?? Self.freeBytes(at: path),
            // Where there is plenty, nobody needs to know how much is needed.
            try available < databaseBytes(), let needed = try sum("payload", of: whole)
        else { return }
        let reused = try (connection.integer("PRAGMA freelist_count") ?? 0) * pageSize
        if available < needed - reused { throw MigrationError.diskFull(needed: needed - reused, available: available) }
    }

    private static func freeBytes(at path: String) -> Int? {
        #if os(iOS) || os(macOS)
            // What the system can purge is free too.
            let key = URLResourceKey.volumeAvailableCapacityForImportantUsageKey
            let values = try? URL(fileURLWithPath: path).resourceValues(forKeys: [key])
            if let bytes = values?.volumeAvailableCapacityForImportantUsage, bytes > 0 { return Int(bytes) }
        #endif
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
    }

    /// What tables take, in pages (`pgsize`) or without the space that is free in them (`payload`); nil where SQLite was built without the table that tells (https://sqlite.org/dbstat.html).
    private func sum(_ column: String, of tables: Set<String>) throws -> Int? {
        guard try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'") == 1 else { return nil }
        let names = tables.sorted().map(SQL.literal).joined(separator: ", ")
        return try connection.integer("SELECT sum(\(column)) FROM dbstat WHERE aggregate = 1 AND name IN (\(names))")
            ?? 0
    }
}
