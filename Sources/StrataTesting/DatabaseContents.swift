import SchemaSQL
import Strata

/// All that a database holds and how it is made, in a form that can be compared: bytes differ between machines.
struct DatabaseContents: Equatable {
    private var definitions: [String] = []
    private var rows: [String: [[StoredValue]]] = [:]

    /// The contents of a database.
    ///
    /// - `hasLog`: whether those of the store's own tables are meant too, which say when what was done.
    init(reading connection: Connection, withLog hasLog: Bool = true) throws {
        var tables: [String] = []
        try connection.query("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name") {
            row in
            let name = try row.string(1)
            if !hasLog, name.hasPrefix("strata_") { return }
            if try row.string(0) == "table" { tables.append(name) }
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

    /// The first table and row that are others in `other`, in words; nil where there is none.
    func difference(from other: DatabaseContents, _ names: Names) -> String? {
        for table in Set(rows.keys).union(other.rows.keys).sorted() {
            guard let ours = rows[table], let theirs = other.rows[table] else {
                return "only one has the table \(table)"
            }
            if ours == theirs { continue }
            if ours.count != theirs.count { return "\(names.entity(table)): \(ours.count) rows and \(theirs.count)" }
            guard let pair = zip(ours, theirs).first(where: { $0 != $1 }) else { continue }
            let texts = [pair.0, pair.1].map { "(" + $0.map(\.value.description).joined(separator: ", ") + ")" }
            return "\(names.entity(table)): the row \(texts[0]) and the row \(texts[1])"
        }
        return self == other ? nil : "what they are made by is not the same"
    }

    /// The contents of the database at `path`.
    init(path: String) throws {
        try self.init(reading: Connection(path: path, mode: .readOnly))
    }
}
