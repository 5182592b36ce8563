import Foundation
import SQLSchema

/// Facts about a store. Reading them does not write to the store.
///
/// ```swift
/// let inspection = try StoreInspection(of: url, comparedWith: MoviesSchema.self)
/// print(inspection.version, inspection.drift ?? [])
/// ```
public struct StoreInspection: Hashable, Sendable, Codable {
    /// A table.
    public struct Table: Hashable, Sendable, Codable {
        /// The table's name.
        public var name: String
        /// The number of its rows; nil if they cannot be counted, because the table is damaged.
        public var rows: Int?
        /// The disk space of the table and its indexes, in bytes; nil if SQLite was built without the `dbstat` table.
        public var bytes: Int64?
    }

    /// A completed migration.
    public struct Migration: Hashable, Sendable, Codable {
        /// The version before.
        public var from: String
        /// The version after.
        public var to: String
        /// The time at which the migration ended.
        public var finishedAt: Date
        /// The duration, in seconds.
        public var seconds: Double
        /// The number of rows that were copied or that a custom migration migrated.
        public var rows: Int
    }

    /// The name of the schema.
    public var schema: String
    /// The version of the store.
    public var version: String
    /// The oldest version whose apps can use the store.
    public var compatibleSince: String
    /// The version's fingerprint, as sixteen hexadecimal digits.
    public var fingerprint: String
    /// The size of the database, in bytes.
    public var bytes: Int64
    /// The journal: `delete` or `wal`.
    public var journal: String
    /// The tables, without Strata's own.
    public var tables: [Table] = []
    /// The completed migrations, oldest first.
    public var migrations: [Migration] = []
    /// The tables and indexes that differ from those of a new store of the same version; nil if the store was not compared
    /// with a schema that knows its version.
    public var drift: [String]?
    /// Why SQLite cannot check the file, for example because an index of the app uses a collation that only the app has; nil if
    /// it can.
    public var unchecked: String?
    /// The damage that SQLite finds in the file; empty if there is none.
    public var damage: [String] = []
    /// The tables and indexes that the app added to the schema's own; empty if the store was not compared.
    public var userObjects: [String] = []

    /// Reads the facts about the store at `url`.
    ///
    /// - Parameters:
    ///   - url: The file of the store.
    ///   - schema: The schema to compare the store with; nil to compare it with nothing.
    ///   - options: The options for opening the store.
    /// - Throws: `StoreError` if the file is not a store.
    public init(
        of url: URL, comparedWith schema: (any Schema.Type)? = nil, options: StoreOptions = StoreOptions()
    ) throws {
        try self.init(of: url, definition: schema.map { SchemaDefinition($0) }, options: options)
    }

    package init(of url: URL, definition schema: SchemaDefinition?, options: StoreOptions = StoreOptions()) throws {
        let connection = try StoreFile.connect(to: url, .readOnly, options)
        connection.distrustSchema()
        // Another file is refused before SQLite checks it.
        _ = try SQLiteError.translated { try StoreIdentity(reading: connection) }
        do {
            damage = try Self.damage(connection)
        } catch let error as SQLiteError where error.code == 1 {  // SQLITE_ERROR
            unchecked = error.message
        }
        // The rest is read from one state. Closing the connection ends the transaction.
        try connection.execute("BEGIN")
        let identity = try SQLiteError.translated { try StoreIdentity(reading: connection) }
        self.schema = identity.schema
        version = identity.version
        compatibleSince = identity.compatibleSince
        let digits = String(identity.fingerprint, radix: 16)
        fingerprint = String(repeating: "0", count: 16 - digits.count) + digits
        bytes = try (connection.integer64("PRAGMA page_count") ?? 0) * (connection.integer64("PRAGMA page_size") ?? 0)
        journal = try connection.text("PRAGMA journal_mode") ?? ""
        let names = try connection.texts(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            AND name NOT LIKE 'strata\\_%' ESCAPE '\\' ORDER BY name
            """
        )
        tables = try names.map { name in
            // Counting the rows of a damaged table may fail, and so may counting those of a virtual table that only the app has.
            let rows = damage.isEmpty && unchecked == nil ? try connection.count(name) : try? connection.count(name)
            return Table(name: name, rows: rows, bytes: try? Self.bytes(of: name, connection))
        }
        do {
            try readMigrations(connection)
        } catch let error as SQLiteError {
            if damage.isEmpty { throw error }
        }
        if let known = schema.flatMap(identity.version) {
            let differences = try SchemaComparison.differences(of: connection, from: known)
            drift = differences
            userObjects = try SchemaComparison.differences(of: connection, from: known, isStrict: true)
                .filter { !differences.contains($0) }
        }
    }
}

extension StoreInspection {
    /// Returns the damage that SQLite finds, or the error that ends its check.
    private static func damage(_ connection: Connection) throws -> [String] {
        do {
            // The name of the database comes first.
            return try connection.texts("PRAGMA quick_check").flatMap { $0.split(separator: "\n").map(String.init) }
                .filter { $0 != "ok" && !$0.hasPrefix("***") }
        } catch let error as SQLiteError where error.isDamage || error.isOutOfMemory {
            return [error.message]
        }
    }

    private mutating func readMigrations(_ connection: Connection) throws {
        try connection.query(
            "SELECT from_version, to_version, finished_at, seconds, \"rows\" FROM strata_migrations ORDER BY id"
        ) { row in
            migrations.append(
                Migration(
                    from: try row.string(0), to: try row.string(1), finishedAt: try row.date(2),
                    seconds: try row.double(3), rows: try row.int(4)))
        }
    }

    /// Returns the disk space of a table and its indexes (https://sqlite.org/dbstat.html).
    private static func bytes(of table: String, _ connection: Connection) throws -> Int64? {
        try connection.integer64(
            """
            SELECT sum(pgsize) FROM dbstat WHERE aggregate = 1
            AND name IN (SELECT name FROM sqlite_schema WHERE tbl_name = \(SQL.literal(table)))
            """)
    }
}

extension StoreInspection: CustomStringConvertible {
    /// The facts as text, one line each.
    public var description: String {
        var lines = [
            "\(schema): version \(version), fingerprint \(fingerprint)"
                + (compatibleSince == version ? "" : ", compatible since \(compatibleSince)"),
            "  \(bytes) bytes, journal \(journal)",
        ]
        lines += tables.map { table in
            "  \(table.name): " + (table.rows.map { "\($0) \($0 == 1 ? "row" : "rows")" } ?? "not all rows can be read")
        }
        lines += migrations.map { migration in
            let seconds = String(format: "%.3f", migration.seconds)
            let date = migration.finishedAt.formatted(.iso8601)
            return "  \(date) from \(migration.from) to \(migration.to), \(migration.rows) rows copied, in \(seconds) s"
        }
        if let unchecked { lines.append("  not checked: \(unchecked)") }
        lines += damage.prefix(5).map { "  damaged: \($0)" }
        if damage.count > 5 { lines.append("  damaged: \(damage.count - 5) other places") }
        lines += userObjects.map { "  created by the app: \($0)" }
        switch drift {
        case nil: lines.append("  not compared: give a model that has this version")
        case []?: lines.append("  same tables as a new store of its version")
        case let drift?: lines += drift.map { "  differs from a new store: \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}
