import SchemaModel
import Strata

/// A version of a database's schema: the SQL that makes it, and what its file says besides.
struct SourceSchema: Sendable {
    /// What the version is called.
    var formerName: String
    /// The file.
    var path: String
    /// The statements that make the tables and the indexes, in order.
    var statements: [String] = []
    /// The types of columns that the SQL does not tell, by table and column.
    var types: [ColumnName: ScalarType] = [:]
    /// How the values of columns stand, by table and column.
    var forms: [ColumnName: String] = [:]
    /// The names of columns in the app's code, by table and column.
    var paths: [ColumnName: String] = [:]
    /// What is in the file and not in these.
    var leftOut: [(entity: String?, reason: String)] = []

    /// The tables that are left out.
    var unreadTables: [String] = []

    /// A column of a table; SQL does not tell capitals from small letters.
    struct ColumnName: Hashable, Sendable {
        var table: String
        var column: String

        init(_ table: String, _ column: String) {
            self.table = table.lowercased()
            self.column = column.lowercased()
        }
    }

    /// The tables that the statements make: SQLite reads them, in memory.
    func tables() throws -> [SourceTable] {
        let connection = try Connection(path: ":memory:", mode: .readWrite)
        for statement in statements {
            do {
                try connection.execute(statement)
            } catch let error as SQLiteError {
                throw ImportError("SQLite refuses \(statement.prefix(200)): \(error.description)", path: path)
            }
        }
        return try SourceTable.all(in: connection)
    }
}
