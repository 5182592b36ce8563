import SQLSchema
import Strata

/// The definitions, rows and settings of a database.
///
/// Different versions of SQLite may write the same contents as different bytes. The values of this type are equal for
/// such files.
struct DatabaseContents: Equatable {
    private var definitions: [String] = []
    private var rows: [String: [[StoredValue]]] = [:]

    /// Reads the contents of the database at `path`.
    init(path: String) throws {
        let connection = try Connection(path: path, mode: .readOnly)
        var tables: [String] = []
        try connection.query("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name") {
            row in
            let name = try row.string(1)
            // The index of a search divides the same words differently after other writes.
            let isSearch = name.hasPrefix("strata_search_")
            if try row.string(0) == "table", !isSearch { tables.append(name) }
            definitions.append(try row.string(2))
        }
        for table in tables {
            var values: [[StoredValue]] = []
            let columns = try connection.integer("SELECT count(*) FROM pragma_table_info(\(SQL.literal(table)))") ?? 0
            let order = (1...max(1, columns)).map(String.init).joined(separator: ", ")
            try connection.query("SELECT * FROM \(SQL.quoted(table)) ORDER BY \(order)") {
                values.append($0.values.map(StoredValue.init))
            }
            rows[table] = values
        }
        for pragma in ["user_version", "application_id", "page_size"] {
            definitions.append("\(pragma) \(try connection.integer("PRAGMA \(pragma)") ?? 0)")
        }
    }
}
