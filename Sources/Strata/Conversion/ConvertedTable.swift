import SchemaSQL

/// A table of a store, and where its rows come from in a database of another library.
struct ConvertedTable {
    /// The store's table.
    var table: Table
    /// The other database's table, for messages.
    var source: String
    /// The expression that gives the key of a row, for messages.
    var key: String
    /// The expression of each column of the store's table, in their order.
    var values: [String]
    /// What follows after `FROM`.
    var from: String
    /// The expression that names the columns of which a row has a value in more than one, although they hold one property;
    /// NULL for a row without such.
    var conflict = "NULL"
    /// The query of the rows there that belong to no table of the store: the key, and all columns; nil where there can be none.
    var strays: String?

    /// The rows: the key, the values, and the conflict.
    var query: String { "SELECT \(([key] + values + [conflict]).joined(separator: ", ")) FROM \(from)" }
}

/// A database of another library that is to become a store.
protocol ConversionSource {
    /// How the database compares with a version, which is at `place` among all.
    ///
    /// - Parameter isExact: Whether columns have to have the types that the library gives them.
    func match(_ version: SchemaVersion, at place: Int, exactly isExact: Bool) throws -> VersionMatch

    /// The greatest key that the library ever gave to a row of a table; nil where it does not say.
    func lastKey(of table: Table) -> Int?

    /// The places of the versions that the database can be of by what it says of itself, among those at `places`; all of
    /// them where it says nothing.
    func identified(among places: [Int]) -> [Int]

    /// What the database itself says that its version is called; nil where it says nothing.
    var versionName: String? { get }
}

extension ConversionSource {
    func identified(among places: [Int]) -> [Int] { places }
}

/// What a database lacks that its version would have.
struct Missing: Error {
    var what: String
}

/// The tables and the columns of a database.
struct DatabaseTables {
    /// The columns by table; both as they are spelled.
    private(set) var columns: [String: [String]] = [:]
    private var names: [String: String] = [:]
    private var types: [String: [String: String]] = [:]
    /// The tables whose rows have no number (https://sqlite.org/withoutrowid.html).
    private var withoutNumbers: Set<String> = []
    /// The virtual tables.
    private(set) var virtual: Set<String> = []
    /// The tables in which virtual tables keep their contents.
    private(set) var shadows: Set<String> = []

    init(reading connection: Connection) throws {
        for name in try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            columns[name] = []
            try connection.query("SELECT name, type FROM pragma_table_xinfo(\(SQL.literal(name)))") { row in
                columns[name, default: []].append(try row.string(0))
                types[name, default: [:]][try row.string(0)] = try row.string(1)
            }
            names[name.lowercased()] = name
        }
        func tables(of type: String) throws -> Set<String> {
            Set(
                try connection.texts(
                    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = \(SQL.literal(type))"))
        }
        (virtual, shadows) = (try tables(of: "virtual"), try tables(of: "shadow"))
        withoutNumbers = Set(try connection.texts("SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr"))
    }

    /// The table that is called so, but for capitals.
    func table(_ name: String) -> String? { names[name.lowercased()] }

    /// What the column of a table was declared as.
    func type(of column: String, in table: String) -> String? { types[table]?[column] }

    /// What gives a number to each row of a table.
    func rowNumber(of table: String) -> String {
        let taken = (columns[table] ?? []).map { $0.lowercased() }
        let name = ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
        return withoutNumbers.contains(table) ? "row_number() OVER ()" : name ?? "row_number() OVER ()"
    }

    /// The column of a table that is called so, but for capitals.
    func column(_ name: String, of table: String) -> String? {
        columns[table]?.first { $0.lowercased() == name.lowercased() }
    }
}
