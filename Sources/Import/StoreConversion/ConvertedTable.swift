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

    /// The SQL expression for the number of a row in the other database, by which the rows are read in parts; nil if they
    /// can only be read at once.
    var rowNumber: String?
    /// The positions of references whose values are texts if only the device knows the row. Lucid stores such keys.
    var localKeys: Set<Int> = []
    /// What is known of values without reading them, by their positions.
    var known: [Int: Known] = [:]

    /// What is known of the values of a column.
    enum Known {
        /// Each one is the number of its row, and so an integer.
        case rowNumber
        /// No number is an integer, because of the declared type.
        case realNumbers
    }

    /// A part of the rows of a table, in the order of their numbers.
    struct Part {
        /// The number of the last row before the part; nil if it begins with the first row.
        var after: Int64?
        /// The greatest number of rows; nil for all rows.
        var count: Int?
    }

    /// The result of copying a part.
    struct Copied {
        /// The number of rows that were read, and of those that are in the store.
        var read = 0, stored = 0
        /// The number of the last row in the other database; nil if there is none.
        var last: Int64?
    }

    /// The query for a part of the rows.
    ///
    /// - Parameters:
    ///   - columns: The columns to read: `strata_key`, `strata_0` and so on for the values, `strata_conflict` and `strata_row`, or
    ///     expressions of them.
    ///   - condition: A condition on these columns; nil for none.
    ///   - database: The name of the other database in the connection, with a dot; empty for the main one.
    func query(
        _ columns: [String], of part: Part, where condition: String? = nil, in database: String = ""
    ) -> String {
        let all =
            ["\(key) AS strata_key"] + values.enumerated().map { "\($1) AS strata_\($0)" }
            + ["\(conflict) AS strata_conflict", "\(rowNumber ?? "0") AS strata_row"]
        let conditions = [part.after.map { "strata_row > \($0)" }, condition].compactMap(\.self)
        return
            "SELECT \(columns.joined(separator: ", ")) FROM (SELECT \(all.joined(separator: ", ")) FROM \(database)\(from))"
            + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
            + (part.count.map { " ORDER BY strata_row LIMIT \($0)" } ?? "")
    }
}

/// A database of another library to convert to a store.
protocol ConversionSource {
    /// Compares the database with a version of the schema.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - index: The index of the version in the schema.
    ///   - isExact: Whether columns must have the types that the library gives them.
    func match(_ version: SchemaVersion, at index: Int, exactly isExact: Bool) throws -> VersionMatch

    /// Returns the greatest key that the library ever assigned to a row of a table; nil if the database does not record
    /// it.
    func lastKey(of table: Table) -> Int64?

    /// Returns the elements of `indexes` whose versions match the metadata in the database; all of them if there is no
    /// such metadata.
    func identified(among indexes: [Int]) -> [Int]

    /// The `user_version` of the database; nil if nothing has set it.
    var userVersion: Int? { get }
}

extension ConversionSource {
    func identified(among indexes: [Int]) -> [Int] { indexes }
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
    /// The columns of the primary keys, by table.
    private var keys: [String: [String]] = [:]
    /// The tables whose primary key has an index.
    private var indexedKeys: Set<String> = []
    /// The tables without row numbers (https://sqlite.org/withoutrowid.html).
    private var withoutNumbers: Set<String> = []
    private(set) var virtual: Set<String> = []
    /// The shadow tables, in which virtual tables store their contents.
    private(set) var shadows: Set<String> = []

    init(reading connection: Connection) throws {
        for name in try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            columns[name] = []
            try connection.query("SELECT name, type, pk FROM pragma_table_xinfo(\(SQL.literal(name)))") { row in
                columns[name, default: []].append(try row.string(0))
                types[name, default: [:]][try row.string(0)] = try row.string(1)
                if try row.int(2) > 0 { keys[name, default: []].append(try row.string(0)) }
            }
            names[name.lowercased()] = name
        }
        func tables(of type: String) throws -> Set<String> {
            Set(
                try connection.texts(
                    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = \(SQL.literal(type))"))
        }
        (virtual, shadows) = (try tables(of: "virtual"), try tables(of: "shadow"))
        indexedKeys = Set(
            try connection.texts(
                "SELECT t.name FROM sqlite_schema AS t, pragma_index_list(t.name) AS i WHERE t.type = 'table' AND i.origin = 'pk'"
            ))
        withoutNumbers = Set(try connection.texts("SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr"))
    }

    /// Returns the table with this name, ignoring letter case.
    func table(_ name: String) -> String? { names[name.lowercased()] }

    /// Returns what is known of the values of a column; nil if they can be anything.
    func known(_ column: String, of table: String) -> ConvertedTable.Known? {
        let type = types[table]?[column]?.uppercased() ?? ""
        // Any other primary key than the row number has an index (https://sqlite.org/lang_createtable.html#rowid).
        if keys[table] == [column], !indexedKeys.contains(table), !withoutNumbers.contains(table), type == "INTEGER" {
            return .rowNumber
        }
        // https://sqlite.org/datatype3.html#determination_of_column_affinity
        if ["INT", "CHAR", "CLOB", "TEXT", "BLOB"].contains(where: type.contains) { return nil }
        return ["REAL", "FLOA", "DOUB"].contains(where: type.contains) ? .realNumbers : nil
    }

    /// Returns the declared type of a column.
    func type(of column: String, in table: String) -> String? { types[table]?[column] }

    /// Returns the SQL expression for the number of each row of a table.
    func rowNumber(of table: String) -> String { rowID(of: table) ?? "row_number() OVER ()" }

    /// Returns the name of the row number of a table; nil if there is none.
    func rowID(of table: String) -> String? {
        withoutNumbers.contains(table) ? nil : SQLite.rowID(besides: columns[table] ?? [])
    }

    /// Returns the column of a table with this name, ignoring letter case.
    func column(_ name: String, of table: String) -> String? {
        columns[table]?.first { $0.lowercased() == name.lowercased() }
    }
}
