import SchemaSQL
import Strata

/// All that a database holds and how it is made, in a form that can be compared: bytes differ between machines.
struct DatabaseContents: Equatable {
    private var definitions: [String] = []
    private var rows: [String: [[SQLiteValue]]] = [:]

    init(reading connection: Connection) throws {
        var tables: [String] = []
        try connection.query("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name") {
            row in
            if try row.string(0) == "table" { tables.append(try row.string(1)) }
            definitions.append(try row.string(2))
        }
        for table in tables {
            var values: [[SQLiteValue]] = []
            // The first columns are the key: one, or the two of a join table.
            let columns = try connection.integer("SELECT count(*) FROM pragma_table_info(\(SQL.literal(table)))") ?? 0
            let order = columns > 1 ? "1, 2" : "1"
            try connection.query("SELECT * FROM \(SQL.quoted(table)) ORDER BY \(order)") { values.append($0.values) }
            rows[table] = values
        }
        for pragma in ["user_version", "application_id", "page_size"] {
            definitions.append("\(pragma) \(try connection.integer("PRAGMA \(pragma)") ?? 0)")
        }
    }

    /// The contents of the database at `path`.
    init(path: String) throws {
        try self.init(reading: Connection(path: path, mode: .readOnly))
    }
}
