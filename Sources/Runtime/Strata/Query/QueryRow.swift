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
    ///
    /// - Throws: `MalformedValue` for text that is not UTF-8.
    public func values() throws -> [SQLiteValue] {
        try names.indices.map { try SQLiteValue(row: columns.row, at: $0) }
    }

    /// The value of the column that is called `name`: `try row.value("total", as: Int.self)`.
    ///
    /// A key of several columns is read from as many that follow each other.
    ///
    /// - Throws: `QueryError.noSuchColumn`, `.ambiguousColumn`, or `MalformedValue` where what is stored is no such value.
    public func value<Value: ColumnStorable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        let index = try columns.index(of: name)
        guard index + Value.columnCount <= columns.names.count else {
            throw QueryError.noSuchColumn(name: "after " + name, sql: columns.statement.sql)
        }
        return try Value(row: columns.row, at: index)
    }

    /// The entity whose columns are found by their names, wherever they stand; other columns do not matter.
    ///
    /// - `prefix`: what stands before each of the names, where a query has columns of several entities:
    ///   `SELECT movie.*, genre.id AS genre_id, genre.name AS genre_name …` has a `Genre` after `genre_`.
    /// - Throws: `QueryError.noSuchColumn`, `.ambiguousColumn`, or `MalformedValue` where a stored value is none of its
    ///   column's type.
    public func entity<Entity: StoredEntity>(
        _ type: Entity.Type = Entity.self, prefix: String = ""
    ) throws -> Entity {
        let order = try columns.order(of: Entity.self, prefix)
        return try withExtendedLifetime(order) {
            try Entity.read(Row(columns.statement.pointer, Unmanaged.passUnretained(order)))
        }
    }
}

/// What is wrong with SQL of your own.
public enum QueryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rows have no column of that name.
    case noSuchColumn(name: String, sql: String)
    /// The rows have several columns of that name.
    case ambiguousColumn(name: String, sql: String)
    /// It has more or fewer parameters than there are values.
    case arguments(expected: Int, given: Int, sql: String)
    /// It does what it must not, as `reason` says.
    case refused(reason: String, sql: String)

    /// What is wrong, and the SQL.
    public var description: String {
        switch self {
        case .noSuchColumn(let name, let sql): "there is no column \(name)\nin \(sql)"
        case .ambiguousColumn(let name, let sql):
            "there are several columns \(name): call all but one otherwise\nin \(sql)"
        case .arguments(let expected, let given, let sql): "\(given) values for \(expected) parameters\nin \(sql)"
        case .refused(let reason, let sql): "\(reason)\nin \(sql)"
        }
    }
}

/// The columns of a query that stands on a row, by name.
final class QueryColumns {
    let statement: Statement
    let names: [String]
    private struct Entities: Hashable {
        let type: ObjectIdentifier
        let prefix: String
    }
    private var orders: [Entities: ColumnOrder] = [:]

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
        // A key that is another's would lead to another row.
        if names.lastIndex(of: name) != index { throw QueryError.ambiguousColumn(name: name, sql: statement.sql) }
        return index
    }

    /// Where the columns of an entity stand.
    func order<Entity: StoredEntity>(of type: Entity.Type, _ prefix: String) throws -> ColumnOrder {
        let entities = Entities(type: ObjectIdentifier(type), prefix: prefix)
        if let order = orders[entities] { return order }
        let columns = Entity.table.columns
        let order = ColumnOrder(statement.pointer, try columns.map { try index(of: prefix + $0) }, columns)
        orders[entities] = order
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
    /// - `arguments`: the values of the parameters, in their order; a key of several columns is as many.
    /// - Throws: `SQLiteError` where SQLite does not understand it, `QueryError`, or `MalformedValue`.
    public func rows<Entity: StoredEntity>(
        _ sql: String, _ arguments: [(any ColumnStorable)?] = [], as type: Entity.Type = Entity.self
    ) throws -> [Entity] {
        try rows(sql, arguments) { try $0.entity(Entity.self) }
    }

    /// What `body` makes of the rows that a query of your own gives.
    ///
    /// - `arguments`: the values of the parameters, in their order; a key of several columns is as many.
    /// - Throws: `SQLiteError` where SQLite does not understand it, `QueryError`, or what `body` throws.
    public func rows<Element>(
        _ sql: String, _ arguments: [(any ColumnStorable)?] = [], _ body: (QueryRow) throws -> Element
    ) throws -> [Element] {
        let statement = try open().query(sql, arguments)
        guard statement.columnCount > 0 else { throw QueryError.refused(reason: "it gives no rows", sql: sql) }
        guard statement.isReadOnly || self is WriteTransaction else {
            throw QueryError.refused(reason: "it changes rows in a transaction that only reads", sql: sql)
        }
        defer { statement.reset() }
        var elements: [Element] = []
        guard try statement.step() else { return elements }
        // Not before: the first step may prepare it anew, for a schema that has changed.
        let row = QueryRow(QueryColumns(of: statement))
        repeat { elements.append(try body(row)) } while try statement.step()
        return elements
    }
}

extension WriteTransaction {
    /// Runs a statement of your own that changes rows: `execute("UPDATE movie SET rating = rating + ?", [0.5])`.
    ///
    /// - Returns: The number of rows that it changed.
    /// - Throws: `SQLiteError`, or `QueryError` where it changes nothing or has other parameters than `arguments`.
    @discardableResult public func execute(
        _ sql: String, _ arguments: [(any ColumnStorable)?] = []
    ) throws -> Int {
        let connection = try open()
        let statement = try connection.query(sql, arguments)
        if statement.isReadOnly { throw QueryError.refused(reason: "it changes no rows", sql: sql) }
        let before = connection.totalChanges
        try statement.run()
        return connection.totalChanges == before ? 0 : connection.changes
    }
}

extension Connection {
    /// A statement of the user's own with its values bound.
    func query(_ sql: String, _ arguments: [(any ColumnStorable)?]) throws -> Statement {
        let statement = try confined(sql)
        guard statement.isAlone else { throw QueryError.refused(reason: "it is more than one statement", sql: sql) }
        let counts = arguments.map { $0.map { type(of: $0).columnCount } ?? 1 }
        let count = counts.reduce(0, +)
        guard statement.parameterCount == count else {
            throw QueryError.arguments(expected: statement.parameterCount, given: count, sql: sql)
        }
        var index = 1
        for (argument, count) in zip(arguments, counts) {
            if let argument { try argument.bind(to: statement, at: index) } else { try statement.bindNull(at: index) }
            index += count
        }
        return statement
    }
}
