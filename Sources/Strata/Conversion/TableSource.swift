import SchemaSQL

/// A database whose tables are those of the store: one of Room, Drift, GRDB or SQLite itself.
struct TableSource: ConversionSource {
    private let database: DatabaseTables
    let versionName: String?

    init(reading connection: Connection, _ library: ImportedFormat.Library) throws {
        database = try DatabaseTables(reading: connection)
        let number = try connection.integer("PRAGMA user_version") ?? 0
        // What an app that uses SQLite itself means by the number, nobody knows.
        versionName = number == 0 || library == .sqlite ? nil : String(number)
    }

    func tables(of version: SchemaVersion, formats: ImportedFormat) throws -> [ConvertedTable] {
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

    func unused(by tables: [ConvertedTable]) -> Int {
        database.columns.values.reduce(0) { $0 + $1.count } - tables.reduce(0) { $0 + $1.values.count }
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
