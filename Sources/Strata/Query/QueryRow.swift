import CSQLite

/// The row that a query of your own stands on. It must not leave the closure that is given it.
public struct QueryRow {
    private let columns: QueryColumns

    init(_ columns: QueryColumns) {
        self.columns = columns
    }

    /// The names of the columns, in the query's order.
    public var names: [String] { columns.names }

    /// The values of the columns as they are stored, in the query's order.
    public var values: [SQLiteValue] { columns.row.values }

    /// The value of the first column that is called `name`: `try row.value("total", as: Int.self)`.
    ///
    /// A key of several columns is read from as many that follow each other.
    ///
    /// - Throws: `QueryError.noSuchColumn`, or `MalformedValue` where what is stored is no such value.
    public func value<Value: ColumnStorable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        let index = try columns.index(of: name)
        guard index + Value.columnCount <= columns.names.count else {
            throw QueryError.noSuchColumn(name: "after " + name, sql: columns.statement.sql)
        }
        return try Value(row: columns.row, at: index)
    }

    /// The entity whose columns are found by their names, wherever they stand; other columns do not matter.
    ///
    /// - Throws: `QueryError.noSuchColumn`, or `MalformedValue` where a stored value is none of its column's type.
    public func entity<Entity: StoredEntity>(_ type: Entity.Type = Entity.self) throws -> Entity {
        let order = try columns.order(of: Entity.table)
        return try withExtendedLifetime(order) {
            try Entity.read(Row(columns.statement.pointer, Unmanaged.passUnretained(order)))
        }
    }
}

/// What is wrong with SQL of your own.
public enum QueryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rows have no column of that name.
    case noSuchColumn(name: String, sql: String)
    /// It has more or fewer parameters than there are values.
    case arguments(expected: Int, given: Int, sql: String)
    /// It gives no rows, or is more than one statement, or begins or ends a transaction.
    case refused(reason: String, sql: String)

    /// What is wrong, and the SQL.
    public var description: String {
        switch self {
        case .noSuchColumn(let name, let sql): "there is no column \(name)\nin \(sql)"
        case .arguments(let expected, let given, let sql): "\(given) values for \(expected) parameters\nin \(sql)"
        case .refused(let reason, let sql): "\(reason)\nin \(sql)"
        }
    }
}

/// The columns of a query, by name.
final class QueryColumns {
    let statement: Statement
    let names: [String]
    private var orders: [String: ColumnOrder] = [:]

    init(of statement: Statement) {
        self.statement = statement
        let row = statement.row
        names = (0..<row.columnCount).map(row.name)
    }

    var row: Row { statement.row }

    func index(of name: String) throws -> Int {
        guard let index = names.firstIndex(of: name) else {
            throw QueryError.noSuchColumn(name: name, sql: statement.sql)
        }
        return index
    }

    /// Where the columns of a table stand.
    func order(of table: EntityTable) throws -> ColumnOrder {
        if let order = orders[table.name] { return order }
        let order = ColumnOrder(statement.pointer, try table.columns.map(index), table.columns)
        orders[table.name] = order
        return order
    }
}

/// Columns of a statement's row in another order.
final class ColumnOrder: RowSource {
    private let pointer: OpaquePointer
    private let places: [Int]
    private let names: [String]

    init(_ pointer: OpaquePointer, _ places: [Int], _ names: [String]) {
        (self.pointer, self.places, self.names) = (pointer, places, names)
    }

    override func cell(_ index: Int) -> OpaquePointer? { sqlite3_column_value(pointer, Int32(places[index])) }
    override func name(_ index: Int) -> String? { names[index] }
}

extension ReadTransaction {
    /// The entities that a query of your own gives, whose columns are found by their names:
    /// `rows("SELECT * FROM movie WHERE rating > ? ORDER BY title", [4.5], as: Movie.self)`.
    ///
    /// - `arguments`: the values of the parameters, in their order.
    /// - Throws: `SQLiteError` where SQLite does not understand it, `QueryError`, or `MalformedValue`.
    public func rows<Entity: StoredEntity>(
        _ sql: String, _ arguments: [(any ColumnEquatable)?] = [], as type: Entity.Type = Entity.self
    ) throws -> [Entity] {
        try rows(sql, arguments) { try $0.entity(Entity.self) }
    }

    /// What `body` makes of the rows that a query of your own gives.
    ///
    /// - `arguments`: the values of the parameters, in their order.
    /// - Throws: `SQLiteError` where SQLite does not understand it, `QueryError`, or what `body` throws.
    public func rows<Element>(
        _ sql: String, _ arguments: [(any ColumnEquatable)?] = [], _ body: (QueryRow) throws -> Element
    ) throws -> [Element] {
        let statement = try open().query(sql, arguments)
        guard statement.columnCount > 0 else { throw QueryError.refused(reason: "it gives no rows", sql: sql) }
        defer { statement.reset() }
        let row = QueryRow(QueryColumns(of: statement))
        var elements: [Element] = []
        while try statement.step() { elements.append(try body(row)) }
        return elements
    }
}

extension WriteTransaction {
    /// Runs a statement of your own that changes rows: `execute("UPDATE movie SET rating = rating + ?", [0.5])`.
    ///
    /// - Returns: The number of rows that it changed.
    /// - Throws: `SQLiteError`, or `QueryError` where it changes nothing or has other parameters than `arguments`.
    @discardableResult public func execute(
        _ sql: String, _ arguments: [(any ColumnEquatable)?] = []
    ) throws -> Int {
        let statement = try open().query(sql, arguments)
        // BEGIN, COMMIT, ROLLBACK, SAVEPOINT and ATTACH are such (https://sqlite.org/c3ref/stmt_readonly.html).
        if statement.isReadOnly { throw QueryError.refused(reason: "it changes no rows", sql: sql) }
        try statement.run()
        return try open().changes
    }
}

extension Connection {
    /// A statement of the user's own with its values bound.
    fileprivate func query(_ sql: String, _ arguments: [(any ColumnEquatable)?]) throws -> Statement {
        let statement = try cached(sql)
        guard statement.isAlone else { throw QueryError.refused(reason: "it is more than one statement", sql: sql) }
        guard statement.parameterCount == arguments.count else {
            throw QueryError.arguments(expected: statement.parameterCount, given: arguments.count, sql: sql)
        }
        for (place, argument) in arguments.enumerated() {
            try statement.bind(argument?.stored ?? .null, at: place + 1)
        }
        return statement
    }
}
