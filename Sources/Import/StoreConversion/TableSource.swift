import SQLSchema
import Strata

/// A database with the same tables as the store. It was created by Room, Drift, GRDB or SQLite itself.
struct TableSource: ConversionSource {
    private let database: DatabaseTables
    private let format: ImportedFormatLookup
    /// The greatest keys that SQLite recorded in `sqlite_sequence`, by table.
    private var sequences: [String: Int64] = [:]
    let userVersion: Int?

    init(reading connection: Connection, _ format: ImportedFormatLookup) throws {
        self.format = format
        database = try DatabaseTables(reading: connection)
        let number = try connection.integer("PRAGMA user_version") ?? 0
        // An app that sets no number has 0.
        userVersion = number == 0 ? nil : number
        var sequences: [String: Int64] = [:]
        if database.table("sqlite_sequence") != nil {
            try connection.query("SELECT name, seq FROM sqlite_sequence WHERE typeof(seq) = 'integer'") { row in
                sequences[try row.string(0).lowercased()] = try row.int64(1)
            }
        }
        self.sequences = sequences
    }

    func lastKey(of table: Table) -> Int64? { sequences[table.name.lowercased()] }

    func match(_ version: SchemaVersion, at index: Int, exactly isExact: Bool) -> VersionMatch {
        var match = VersionMatch()
        for table in version.tables {
            guard let source = database.table(table.name) else {
                match.missing.append("the table \(table.name)")
                continue
            }
            var values: [String] = []
            var known: [Int: ConvertedTable.Known] = [:]
            for name in table.columnNames {
                if let column = database.column(name, of: source) {
                    known[values.count] = database.known(column, of: source)
                    values.append(SQL.quoted(column))
                } else if name == table.integerKey {
                    // If the table has no primary key, the row number replaces it.
                    values.append(database.rowNumber(of: source))
                } else {
                    match.missing.append("\(table.name).\(name)")
                }
            }
            guard values.count == table.columns.count else { continue }
            let keys = table.primaryKey.compactMap { name in table.columnNames.firstIndex(of: name).map { values[$0] } }
            // Show a blob in hexadecimal digits, because its bytes are not text.
            let parts = keys.map {
                "CASE typeof(\($0)) WHEN 'blob' THEN 'X''' || hex(\($0)) || '''' WHEN 'null' THEN 'NULL' ELSE \($0) END"
            }
            let key = parts.isEmpty ? database.rowNumber(of: source) : parts.joined(separator: " || ', ' || ")
            match.tables.append(
                ConvertedTable(
                    table: table, source: source, key: key, values: values, from: SQL.quoted(source),
                    rowNumber: database.rowID(of: source), known: known))
        }
        addLeft(to: &match, format.unread(at: index))
        return match
    }

    /// Adds the data that the conversion does not read: to `left` if the import reported it, and otherwise to `extra`.
    private func addLeft(to match: inout VersionMatch, _ unread: [ImportedUnread]) {
        for (table, columns) in database.columns.sorted(by: { $0.key < $1.key }) {
            let name = table.lowercased()
            if name.hasPrefix("sqlite_") || ReservedNames.ofLibraries.contains(name) { continue }
            if let left = unread.first(where: { $0.name.lowercased() == name }) {
                match.left.append(
                    .init(name: left.name, reason: left.reason, count: "SELECT count(*) FROM \(SQL.quoted(table))"))
                continue
            }
            // A virtual table stores its contents in tables whose names begin with its own name.
            let isShadow = database.shadows.contains(table)
            if isShadow, unread.contains(where: { name.hasPrefix($0.name.lowercased() + "_") }) { continue }
            guard let read = match.tables.first(where: { $0.source == table }) else {
                if match.missing.isEmpty { match.extra.append(table) }
                continue
            }
            // The store computes these values too.
            let computed = Set(read.table.computed.map { $0.name.lowercased() })
            for column in columns
            where !read.values.contains(SQL.quoted(column)) && !computed.contains(column.lowercased()) {
                if let left = unread.first(where: { $0.name.lowercased() == name + "." + column.lowercased() }) {
                    let count = "SELECT count(\(SQL.quoted(column))) FROM \(SQL.quoted(table))"
                    match.left.append(.init(name: left.name, reason: left.reason, count: count))
                } else {
                    match.extra.append(table + "." + column)
                }
            }
        }
    }
}
