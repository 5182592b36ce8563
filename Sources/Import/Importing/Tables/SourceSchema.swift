import SchemaModel
import SQLSchema
import Strata

/// A version of a database's schema: the SQL that creates it, and further facts from its file.
struct SourceSchema: Sendable {
    /// The name of the version in the source.
    var formerName: String
    /// The path of the file that the schema was read from.
    var path: String
    /// The statements that create the tables and the indexes, in order.
    var statements: [String] = []
    /// The types of columns that the SQL does not determine, by table and column.
    var types: [ColumnName: ScalarType] = [:]
    /// The forms in which column values are stored, by table and column.
    var forms: [ColumnName: String] = [:]
    /// The names of columns in the app's code, by table and column.
    var paths: [ColumnName: String] = [:]
    /// The identities of tables and columns while they are renamed, if the source shows them. A table has no column.
    var tokens: [ColumnName: String] = [:]
    /// The values that existing rows get in columns that are new, or become mandatory.
    var fills: [ColumnName: Fill] = [:]
    /// The new tables that get copies of the rows of another one.
    var copies: [String: Copy] = [:]
    /// The tables whose rows the file changes in ways that a description cannot express.
    var customTables: Set<String> = []
    /// All statements of the file that copy or change rows.
    var rowStatements: [RowChange] = []
    /// The identities of the tables and columns that such statements have read, in this file or an earlier one.
    var read: Set<String> = []
    /// The `user_version` of a database of this version; nil if the source does not keep one.
    var userVersion: Int?
    /// The findings about elements of the file that are left out.
    var leftOut: [(entity: String?, finding: ImportFinding)] = []

    /// The virtual tables, which are left out.
    var unreadTables: [String] = []

    /// The origin of the rows of a new table.
    struct Copy: Sendable {
        /// The name of the table in the version before.
        var table: String
        /// The columns of its primary key.
        var key: [String]
    }

    /// The value of a column in existing rows.
    enum Fill: Sendable {
        /// A constant, as SQL.
        case constant(String)
        /// The value of a column in the version before.
        case column(String)
    }

    /// A column of a table. As in SQL, letter case does not matter.
    struct ColumnName: Hashable, Sendable {
        var table: String
        var column: String

        init(_ table: String, _ column: String) {
            self.table = table.lowercased()
            self.column = column.lowercased()
        }
    }

    init(formerName: String, path: String) { (self.formerName, self.path) = (formerName, path) }

    /// Creates the schema of a database. Views, triggers and virtual tables are left out.
    ///
    /// - Parameter unread: The tables that are left out too.
    init(formerName: String, path: String, objects: [SchemaObject], unread: [String] = []) {
        self.init(formerName: formerName, path: path)
        unreadTables = unread
        let virtual = objects.filter(\.isVirtual).map(\.name)
        for object in objects {
            if object.name.hasPrefix("sqlite_") || ReservedNames.ofLibraries.contains(object.table.lowercased()) {
                continue
            }
            if unread.contains(object.table) { continue }
            if virtual.contains(where: { SourceTable.isPart(object.table, of: $0) }) {
                guard virtual.contains(object.name) else { continue }
                leftOut.append((object.name, .virtualTable))
                unreadTables.append(object.name)
            } else if object.type == "table" || object.type == "index" {
                statements.append(object.sql)
            } else {
                leftOut.append((object.name, .object(type: object.type)))
            }
        }
    }

    /// Sets the type of a column, and adds a finding about it.
    mutating func add(
        _ type: ScalarType, _ finding: ImportFinding?, of column: SourceTable.Column, in table: SourceTable
    ) {
        types[.init(table.name, column.name)] = type
        if let finding { leftOut.append(("\(table.name).\(column.name)", finding)) }
    }

    /// Returns the tables that the statements create. SQLite executes the statements in memory and reports the tables.
    func tables() throws -> [SourceTable] {
        let connection = try Connection(path: ":memory:", mode: .readWrite)
        connection.acceptQuotedStrings()
        for statement in statements {
            do {
                try connection.createTableOrIndex(statement)
            } catch let error as SQLiteError {
                throw ImportError("SQLite refuses \(statement.prefix(200)): \(error.description)", path: path)
            }
        }
        return try SourceTable.all(in: connection)
    }
}
