import SQLSchema
import Strata

/// A table of a store, and the SQL that reads its rows from another library's database.
struct ConvertedTable {
    /// The table in the store.
    var table: Table
    /// The name of the table in the other database.
    var source: String
    /// The SQL expression for the key of a row, for messages.
    var key: String
    /// The SQL expressions for the columns of the store's table, in order.
    var values: [String]
    /// The SQL that follows `FROM`.
    var from: String
    /// The SQL expression for a conflict in a row. It lists the columns that contain the same property, if more than
    /// one of them has a value. It is NULL if the row has no conflict.
    var conflict = "NULL"
    /// The query for the rows of the other database that belong to no table of the store, with their key and all
    /// columns; nil if there can be no such rows.
    var strays: String?

    /// The query for the rows, with the key, the values and the conflict.
    var query: String { "SELECT \(([key] + values + [conflict]).joined(separator: ", ")) FROM \(from)" }
}

/// A database of another library to convert to a store.
protocol ConversionSource {
    /// Compares the database with a version of the schema.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - place: The position of the version in the schema.
    ///   - isExact: Whether columns must have the types that the library gives them.
    func match(_ version: SchemaVersion, at place: Int, exactly isExact: Bool) throws -> VersionMatch

    /// Returns the greatest key that the library ever assigned to a row of a table; nil if the database does not record
    /// it.
    func lastKey(of table: Table) -> Int64?

    /// Returns the elements of `places` whose versions match the metadata in the database; all of them if there is no
    /// such metadata.
    func identified(among places: [Int]) -> [Int]

    /// The name of the version, as recorded in the database; nil if it records none.
    var versionName: String? { get }
}

extension ConversionSource {
    func identified(among places: [Int]) -> [Int] { places }
}

/// An element that a version has and the database lacks.
struct MissingElement: Error {
    var what: String
}

/// The tables and the columns of a database.
struct DatabaseTables {
    /// The columns by table, both in their original spelling.
    private(set) var columns: [String: [String]] = [:]
    private var names: [String: String] = [:]
    private var types: [String: [String: String]] = [:]
    /// The tables without row numbers (https://sqlite.org/withoutrowid.html).
    private var withoutNumbers: Set<String> = []
    private(set) var virtual: Set<String> = []
    /// The shadow tables, in which virtual tables store their contents.
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

    /// Returns the table with this name, ignoring letter case.
    func table(_ name: String) -> String? { names[name.lowercased()] }

    /// Returns the declared type of a column.
    func type(of column: String, in table: String) -> String? { types[table]?[column] }

    /// Returns the SQL expression for the number of each row of a table.
    func rowNumber(of table: String) -> String {
        let name = withoutNumbers.contains(table) ? nil : SQLite.rowID(besides: columns[table] ?? [])
        return name ?? "row_number() OVER ()"
    }

    /// Returns the column of a table with this name, ignoring letter case.
    func column(_ name: String, of table: String) -> String? {
        columns[table]?.first { $0.lowercased() == name.lowercased() }
    }
}
