import CSQLite
import SQLSchema

/// A table, index, view or trigger, as `sqlite_schema` lists it. Its SQL comes from a file, so it may say anything.
package struct SchemaObject: Hashable, Sendable {
    /// `table`, `index`, `view` or `trigger`.
    package let type: String
    package let name: String
    /// The table of an index or a trigger; otherwise the name.
    package let table: String
    package let sql: String
    /// Whether the texts are complete. Text that is not UTF-8 cannot be repeated.
    private let isWhole: Bool

    package init(type: String, name: String, table: String, sql: String) {
        self.init(type, name, table, sql, isWhole: true)
    }

    private init(_ type: String, _ name: String, _ table: String, _ sql: String, isWhole: Bool) {
        (self.type, self.name, self.table, self.sql, self.isWhole) = (type, name, table, sql, isWhole)
    }

    /// Reads the columns of `columns`.
    ///
    /// - Parameter first: The index of the first one in the row.
    package init(row: Row, at first: Int = 0) {
        var isWhole = true
        let texts = (first..<first + 4).map { index in
            if let text = try? row.string(index) { return text }
            isWhole = false
            if case .text(let text) = row.value(index) { return text }
            return ""
        }
        self.init(texts[0], texts[1], texts[2], texts[3], isWhole: isWhole)
    }

    /// The columns of `sqlite_schema` that make an object. SQLite itself reads them as texts, whatever their types are.
    package static let columns = "CAST(type AS TEXT), CAST(name AS TEXT), CAST(tbl_name AS TEXT), CAST(sql AS TEXT)"

    /// Returns the objects of a database that have SQL, in the order of their creation.
    package static func all(in connection: Connection) throws -> [SchemaObject] {
        var objects: [SchemaObject] = []
        try connection.query("SELECT \(columns) FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid") {
            objects.append(SchemaObject(row: $0))
        }
        return objects
    }

    /// Whether the object is a virtual table.
    package var isVirtual: Bool {
        type == "table" && SQLToken.tokens(of: sql).lazy.filter(\.isCode).prefix(2).last?.isWord("VIRTUAL") == true
    }

    /// Whether SQLite or Strata reserves the name of the object, or that of its table.
    var isReserved: Bool {
        [name, table].map { $0.lowercased() }.contains { ReservedNames.isOfStrata($0) || $0.hasPrefix("sqlite_") }
    }

    /// Returns the object with another name, table and SQL.
    func renamed(_ name: String, table: String, sql: String) -> SchemaObject {
        SchemaObject(type, name, table, sql, isWhole: isWhole)
    }

    /// Creates the object in a database. Its SQL can do nothing else: it must be one statement, and create an object of this
    /// type, name and table.
    ///
    /// - Throws: `SQLiteError`, with the code `SQLITE_AUTH` if the SQL is something else.
    package func create(in connection: Connection) throws {
        guard isWhole else { throw Self.refusal("it is not text in UTF-8", sql) }
        try connection.create(self, sql)
    }

    fileprivate static func refusal(_ reason: String, _ sql: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_AUTH, message: reason, sql: sql)
    }
}

extension Connection {
    /// Runs one statement that creates a table or an index, and that can do nothing else.
    ///
    /// - Throws: `SQLiteError`, with the code `SQLITE_AUTH` if the SQL is something else.
    package func createTableOrIndex(_ sql: String) throws { try create(nil, sql) }

    fileprivate func create(_ object: SchemaObject?, _ sql: String) throws {
        let statement = try authorizer.creating(object) { try prepare(sql) }
        guard statement.isAlone else { throw SchemaObject.refusal("it is more than one statement", sql) }
        try statement.run()
    }
}

extension Authorizer {
    /// What a statement may create.
    enum Creation {
        case tableOrIndex
        case object(SchemaObject)

        /// Whether SQLite may do something to prepare the statement.
        ///
        /// - Parameters:
        ///   - action: An action code (https://sqlite.org/c3ref/c_alter_table.html).
        ///   - name: Its first argument.
        ///   - value: Its second argument.
        func allows(_ action: Int32, _ name: String, _ value: String) -> Bool {
            switch action {
            case SQLITE_READ, SQLITE_FUNCTION, SQLITE_REINDEX: return true
            // SQLite writes the object into its list.
            case SQLITE_INSERT, SQLITE_UPDATE: return name == "sqlite_master"
            // A table with AUTOINCREMENT has one, too.
            case SQLITE_CREATE_TABLE where name == "sqlite_sequence": return true
            // Constraints have indexes without SQL.
            case SQLITE_CREATE_INDEX where name.hasPrefix("sqlite_autoindex_"): return true
            case SQLITE_CREATE_TABLE: return creates("table", name, name)
            case SQLITE_CREATE_INDEX: return creates("index", name, value)
            case SQLITE_CREATE_VIEW: return creates("view", name, name)
            case SQLITE_CREATE_TRIGGER: return creates("trigger", name, value)
            case SQLITE_CREATE_VTABLE: return value == "fts5" && creates("table", name, name)
            default: return false
            }
        }

        private func creates(_ type: String, _ name: String, _ table: String) -> Bool {
            switch self {
            case .tableOrIndex: type == "table" || type == "index"
            // The list has the names as the SQL spells them, which is the same for SQLite in another case.
            case .object(let object):
                object.type == type && object.name.lowercased() == name.lowercased()
                    && object.table.lowercased() == table.lowercased()
            }
        }
    }
}
