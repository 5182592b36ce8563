import CSQLite

/// The current row of your own SQL. It is valid only in the closure that receives it.
public struct QueryRow {
    private let columns: QueryColumns

    init(_ columns: QueryColumns) {
        self.columns = columns
    }

    /// The names of the columns.
    public var names: [String] { columns.names }

    /// Returns the stored values of all columns.
    ///
    /// - Throws: `MalformedValue` for text that is not UTF-8.
    public func values() throws -> [SQLiteValue] {
        let row = try columns.row()
        return try names.indices.map { try SQLiteValue(row: row, at: $0) }
    }

    /// Returns the value of a column.
    ///
    /// ```swift
    /// let votes = try row.value("votes", as: Int.self)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the column. A primary key with several columns is read from this column and the ones after it.
    ///   - type: The type of the value.
    /// - Throws: `QueryError.noSuchColumn`, `.ambiguousColumn`, or `MalformedValue` if the stored value has another type.
    public func value<Value: ColumnStorable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        let index = try columns.index(of: name)
        guard index + Value.columnCount <= columns.names.count else {
            throw QueryError.noSuchColumn(name: "after " + name, sql: columns.statement.sql)
        }
        return try Value(row: columns.row(), at: index)
    }

    /// Returns an entity from the columns with its names. The order of the columns and other columns do not matter.
    ///
    /// - Parameters:
    ///   - type: The type of the entity.
    ///   - prefix: The prefix of the names, for queries with columns of several entities:
    ///     `SELECT movie.*, genre.id AS genre_id, genre.name AS genre_name …` contains a `Genre` with the prefix `genre_`.
    /// - Throws: `QueryError.noSuchColumn`, `.ambiguousColumn`, or `MalformedValue` if a stored value has another type.
    public func entity<Entity: StoredEntity>(
        _ type: Entity.Type = Entity.self, prefix: String = ""
    ) throws -> Entity {
        let (row, order) = (try columns.row(), try columns.order(of: Entity.self, prefix))
        return try withExtendedLifetime(order) { try Entity.read(Row(row.pointer, Unmanaged.passUnretained(order))) }
    }
}

/// The columns of a statement by their names.
final class QueryColumns {
    let statement: Statement
    let names: [String]
    private let transaction: ReadTransaction
    /// Whether the statement has ended. It may have been run again since.
    var isEnded = false
    private struct Entities: Hashable {
        let type: ObjectIdentifier
        let prefix: String
    }
    private var orders: [Entities: ColumnOrder] = [:]

    init(of statement: Statement, in transaction: ReadTransaction) {
        (self.statement, self.transaction) = (statement, transaction)
        let row = statement.row
        names = (0..<row.columnCount).map(row.name)
    }

    /// Returns the current row.
    ///
    /// - Throws: `StoreError.transactionEnded` after the end of the transaction, `QueryError.rowEnded` after that of the statement.
    func row() throws -> Row {
        _ = try transaction.open()
        if isEnded { throw QueryError.rowEnded(sql: statement.sql) }
        return statement.row
    }

    func index(of name: String) throws -> Int {
        guard let index = names.firstIndex(of: name) else {
            throw QueryError.noSuchColumn(name: name, sql: statement.sql)
        }
        // A key column of another entity would identify another row.
        if names.lastIndex(of: name) != index { throw QueryError.ambiguousColumn(name: name, sql: statement.sql) }
        return index
    }

    /// The positions of the columns of an entity.
    func order<Entity: StoredEntity>(of type: Entity.Type, _ prefix: String) throws -> ColumnOrder {
        let entities = Entities(type: ObjectIdentifier(type), prefix: prefix)
        if let order = orders[entities] { return order }
        let columns = Entity.table.fetchedColumns
        let order = ColumnOrder(statement.pointer, try columns.map { try index(of: prefix + $0) }, columns)
        orders[entities] = order
        return order
    }
}

/// The columns of a row in another order.
final class ColumnOrder: RowSource {
    private let pointer: OpaquePointer?
    private let indexes: [Int]

    init(_ pointer: OpaquePointer?, _ indexes: [Int], _ names: [String]) {
        (self.pointer, self.indexes) = (pointer, indexes)
        super.init(names)
    }

    override func cell(_ index: Int) -> OpaquePointer? {
        indexes.indices.contains(index) ? sqlite3_column_value(pointer, Int32(indexes[index])) : nil
    }
}

extension ReadTransaction {
    /// Runs your own query, and returns its rows as entities. Columns are found by their names.
    ///
    /// ```swift
    /// let movies = try transaction.rows("SELECT * FROM movie WHERE popularity > ?", [4.5], as: Movie.self)
    /// ```
    ///
    /// - Parameters:
    ///   - sql: The query.
    ///   - arguments: The values of the parameters. A primary key with several columns takes several parameters.
    ///   - type: The type of the entities.
    /// - Throws: `SQLiteError` if the SQL is invalid, `QueryError`, or `MalformedValue`.
    public func rows<Entity: StoredEntity>(
        _ sql: String, _ arguments: [(any ColumnStorable)?] = [], as type: Entity.Type = Entity.self
    ) throws -> [Entity] {
        try rows(sql, arguments) { try $0.entity(Entity.self) }
    }

    /// Runs your own query, and returns the results of `body` for its rows.
    ///
    /// ```swift
    /// let titles = try transaction.rows("SELECT title FROM movie") { try $0.value("title", as: String.self) }
    /// ```
    ///
    /// - Parameters:
    ///   - sql: The query.
    ///   - arguments: The values of the parameters. A primary key with several columns takes several parameters.
    ///   - body: A closure that reads one row.
    /// - Throws: `SQLiteError` if the SQL is invalid, `QueryError`, or the error of `body`.
    public func rows<Element>(
        _ sql: String, _ arguments: [(any ColumnStorable)?] = [], _ body: (QueryRow) throws -> Element
    ) throws -> [Element] {
        let statement = try open().query(sql, arguments)
        guard statement.columnCount > 0 else { throw QueryError.refused(reason: "it gives no rows", sql: sql) }
        guard statement.isReadOnly || self is WriteTransaction else {
            throw QueryError.refused(reason: "it changes rows in a transaction that only reads", sql: sql)
        }
        defer { statement.reset() }
        (self as? WriteTransaction)?.listEnds = [:]
        var elements: [Element] = []
        guard try statement.step() else { return elements }
        // The names are read after the first step, because it may prepare the statement again for a changed schema.
        let columns = QueryColumns(of: statement, in: self)
        defer { columns.isEnded = true }
        let row = QueryRow(columns)
        repeat { elements.append(try body(row)) } while try statement.step()
        return elements
    }
}

extension WriteTransaction {
    /// Runs your own statement that changes rows.
    ///
    /// ```swift
    /// try transaction.execute("UPDATE movie SET popularity = popularity + ?", [0.5])
    /// ```
    ///
    /// - Returns: The number of changed rows.
    /// - Throws: `SQLiteError`, or `QueryError` if the number of arguments is wrong or the statement is not allowed.
    @discardableResult public func execute(
        _ sql: String, _ arguments: [(any ColumnStorable)?] = []
    ) throws -> Int {
        let connection = try open()
        let statement = try connection.query(sql, arguments)
        if statement.isReadOnly { throw QueryError.refused(reason: "it changes no rows", sql: sql) }
        listEnds = [:]
        let before = connection.totalChanges
        try statement.run()
        return connection.totalChanges == before ? 0 : connection.changes
    }
}

extension Connection {
    /// Prepares your own statement and binds its values.
    func query(_ sql: String, _ arguments: [(any ColumnStorable)?]) throws -> Statement {
        let statement = try confined(sql)
        if statement.mayReplace { try noteReplacement(by: sql) }
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
