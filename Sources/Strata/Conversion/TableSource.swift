import SchemaSQL

/// A database whose tables are those of the store: one of Room, Drift, GRDB or SQLite itself.
struct TableSource: ConversionSource {
    private let database: DatabaseTables
    private let format: ImportedFormat
    let versionName: String?

    init(reading connection: Connection, _ format: ImportedFormat) throws {
        self.format = format
        database = try DatabaseTables(reading: connection)
        let number = try connection.integer("PRAGMA user_version") ?? 0
        // What an app that uses SQLite itself means by the number, nobody knows.
        versionName = number == 0 || format.library == .sqlite ? nil : String(number)
    }

    func tables(of version: SchemaVersion, at place: Int) throws -> [ConvertedTable] {
        try version.tables.map { table in
            guard let source = database.table(table.name) else { throw Missing(what: "the table \(table.name)") }
            let values = try table.columns.map { name -> String in
                if let column = database.column(name, of: source) { return SQL.quoted(column) }
                // A table without a key has the number of the row instead.
                if SQL.quoted(name) == table.rowNumber { return database.rowNumber(of: source) }
                throw Missing(what: "\(table.name).\(name)")
            }
            let keys = table.primaryKey.compactMap { name in table.columns.firstIndex(of: name).map { values[$0] } }
            let key = keys.isEmpty ? database.rowNumber(of: source) : keys.joined(separator: " || ', ' || ")
            return ConvertedTable(
                table: table, source: source, key: "CAST(\(key) AS TEXT)", values: values, from: SQL.quoted(source))
        }
    }

    /// The tables that libraries keep for themselves.
    private static let own: Set<String> = ["android_metadata", "room_master_table", "grdb_migrations"]

    func unread(by tables: [ConvertedTable]) -> [String] {
        let known = Set(format.unread.map { $0.lowercased() })
        var unread: [String] = []
        for (table, columns) in database.columns.sorted(by: { $0.key < $1.key }) {
            let name = table.lowercased()
            if name.hasPrefix("sqlite_") || Self.own.contains(name) { continue }
            // A virtual table keeps what it holds in tables that begin with its name.
            if known.contains(where: { name == $0 || name.hasPrefix($0 + "_") }) { continue }
            guard let read = tables.first(where: { $0.source == table }) else {
                unread.append(table)
                continue
            }
            for column in columns
            where !read.values.contains(SQL.quoted(column)) && !known.contains(name + "." + column.lowercased()) {
                unread.append(table + "." + column)
            }
        }
        return unread
    }
}

extension Table {
    /// The columns of the primary key, most significant first.
    var primaryKey: [String] {
        if let element = elements.first(where: { $0.hasPrefix("PRIMARY KEY (") }) {
            let list = element.dropFirst("PRIMARY KEY (".count).dropLast()
            return list.split(separator: ", ").compactMap { SQL.leadingIdentifier(String($0)) }
        }
        return elements.filter { $0.contains(" PRIMARY KEY") }.prefix(1).compactMap(SQL.leadingIdentifier)
    }
}
