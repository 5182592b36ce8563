import Foundation
import SQLSchema

extension ReadTransaction {
    /// Fetches the rows of a request.
    ///
    /// ```swift
    /// let movies = try transaction.fetch(Movie.all.where { $0.popularity > 4 })
    /// ```
    @inlinable public func fetch<Entity: StoredEntity>(_ request: Request<Entity>) throws -> [Entity] {
        let table = Entity.table
        let isCollected = table.fetchedColumns.count <= RowCollection.mostColumns && !request.isOrdered
        let statement = try isCollected ? collecting(request) : select(request)
        var entities: [Entity] = []
        // The number of rows with a condition may be very different the next time.
        if !request.hasCondition { entities.reserveCapacity(statement.lastRowCount) }
        defer { statement.reset() }
        if isCollected {
            // The compiler specializes a closure for the entity, but not a class.
            try collect(statement, table) { entities.append(try Entity(row: $0)) }
        } else {
            while try statement.step() { entities.append(try Entity.read(statement.row)) }
        }
        statement.lastRowCount = entities.count
        return entities
    }

    /// Prepares the statement that passes the rows of a request to the connection's `RowCollection`.
    @usableFromInline func collecting<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Statement {
        let connection = try open()
        // SQLite prepares the statement only if the connection has the function that it calls.
        _ = try connection.rowCollection()
        return try request.collectingStatement(names: name).prepared(connection)
    }

    /// Passes the rows of such a statement to `body`.
    @usableFromInline func collect(_ statement: Statement, _ table: EntityTable, _ body: (Row) throws -> Void) throws {
        do {
            try open().rowCollection().run(statement, table.fetchedColumns, body)
        } catch let error as MalformedValue {
            throw error.named(table.name)
        }
    }

    /// Fetches the rows for which `condition` is true, in an undefined order.
    ///
    /// ```swift
    /// let movies = try transaction.fetch(Movie.self) { $0.popularity > 4 }
    /// ```
    @inlinable public func fetch<Entity: StoredEntity>(
        _ type: Entity.Type, where condition: (Entity.Columns) -> Condition<Entity>
    ) throws -> [Entity] {
        try fetch(Request(where: condition(Entity.Columns())))
    }

    /// Fetches the first row of a request; nil if there is none.
    ///
    /// ```swift
    /// let newest = try transaction.first(Movie.all.orderBy { $0.id.descending })
    /// ```
    @inlinable public func first<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Entity? {
        let statement = try select(request)
        defer { statement.reset() }
        return try statement.step() ? Entity.read(statement.row) : nil
    }

    /// Returns a cursor over the rows of a request. It reads one row at a time.
    ///
    /// ```swift
    /// let cursor = try transaction.cursor(Movie.all.orderBy { $0.title.ascending })
    /// while let movie = try cursor.next() { print(movie.title) }
    /// ```
    public func cursor<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Cursor<Entity> {
        let statement = try request.statement(names: name).prepared(open(), isCached: false)
        return Cursor(statement, of: self) { try Entity.read($0) }
    }

    /// Counts the rows of a request.
    ///
    /// ```swift
    /// let count = try transaction.count(Movie.all.where { $0.summary == nil })
    /// ```
    public func count<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Int {
        try value(request.ones(names: name).wrapped("SELECT count(*) FROM (", ")")) { try $0.int(0) }
    }

    /// Returns whether a request has any rows.
    ///
    /// ```swift
    /// let isKnown = try transaction.exists(Movie.all.where { $0.title == "Stalker" })
    /// ```
    public func exists<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Bool {
        let rows = request.ones(names: name).wrapped("SELECT EXISTS (", ")")
        return try value(rows) { try $0.bool(0) }
    }

    /// Prepares the statement of a request and binds its values.
    @usableFromInline func select<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Statement {
        try request.statement(names: name).prepared(open())
    }

    /// Returns SQLite's query plan for a request (https://sqlite.org/eqp.html), one line for each step.
    ///
    /// ```swift
    /// print(try transaction.plan(of: Movie.all.where { $0.title == "Stalker" }))
    /// ```
    public func plan<Entity: StoredEntity>(of request: Request<Entity>) throws -> String {
        try plan(of: request.statement(names: name))
    }

    func plan(of statement: QueryStatement) throws -> String {
        let statement = try statement.wrapped("EXPLAIN QUERY PLAN ", "").prepared(open(), isCached: false)
        var lines: [String] = []
        while try statement.step() { lines.append(try statement.row.string(3)) }
        return lines.joined(separator: "\n")
    }

    // MARK: Aggregates

    /// Returns the least value of a property in the rows of a request; nil without values.
    ///
    /// ```swift
    /// let least = try transaction.min(of: \.popularity, in: Movie.all)
    /// ```
    public func min<Entity: StoredEntity, Value: ColumnComparable & ColumnStorable>(
        of property: (Entity.Columns) -> Column<Entity, Value>, in request: Request<Entity>
    ) throws -> Value? {
        try aggregate("min", property(Entity.Columns()), request)
    }

    /// Returns the least value of a property in the rows of a request; nil without values.
    public func min<Entity: StoredEntity, Value: ColumnComparable & ColumnStorable>(
        of property: (Entity.Columns) -> Column<Entity, Value?>, in request: Request<Entity>
    ) throws -> Value? {
        try aggregate("min", property(Entity.Columns()), request)
    }

    /// Returns the greatest value of a property in the rows of a request; nil without values.
    ///
    /// ```swift
    /// let greatest = try transaction.max(of: \.popularity, in: Movie.all)
    /// ```
    public func max<Entity: StoredEntity, Value: ColumnComparable & ColumnStorable>(
        of property: (Entity.Columns) -> Column<Entity, Value>, in request: Request<Entity>
    ) throws -> Value? {
        try aggregate("max", property(Entity.Columns()), request)
    }

    /// Returns the greatest value of a property in the rows of a request; nil without values.
    public func max<Entity: StoredEntity, Value: ColumnComparable & ColumnStorable>(
        of property: (Entity.Columns) -> Column<Entity, Value?>, in request: Request<Entity>
    ) throws -> Value? {
        try aggregate("max", property(Entity.Columns()), request)
    }

    /// Returns the sum of a property over the rows of a request.
    ///
    /// ```swift
    /// let votes = try transaction.sum(of: \.voteCount, in: Movie.all)
    /// ```
    ///
    /// - Throws: `SQLiteError` if the sum of integers is not an `Int`.
    public func sum<Entity: StoredEntity, Value: Numeric & ColumnStorable & ColumnComparable>(
        of property: (Entity.Columns) -> Column<Entity, Value>, in request: Request<Entity>
    ) throws -> Value {
        try total(property(Entity.Columns()), request)
    }

    /// Returns the sum of a property over the rows of a request in which it is not nil.
    ///
    /// - Throws: `SQLiteError` if the sum of integers is not an `Int`.
    public func sum<Entity: StoredEntity, Value: Numeric & ColumnStorable & ColumnComparable>(
        of property: (Entity.Columns) -> Column<Entity, Value?>, in request: Request<Entity>
    ) throws -> Value {
        try total(property(Entity.Columns()), request)
    }

    /// Returns the average of a property over the rows of a request; nil if there are no rows.
    ///
    /// ```swift
    /// let average = try transaction.average(of: \.popularity, in: Movie.all)
    /// ```
    public func average<Entity: StoredEntity, Value: Numeric & ColumnComparable>(
        of property: (Entity.Columns) -> Column<Entity, Value>, in request: Request<Entity>
    ) throws -> Double? {
        try aggregate("avg", property(Entity.Columns()), request)
    }

    /// Returns the average of a property over the rows of a request in which it is not nil; nil if there are none.
    public func average<Entity: StoredEntity, Value: Numeric & ColumnComparable>(
        of property: (Entity.Columns) -> Column<Entity, Value?>, in request: Request<Entity>
    ) throws -> Double? {
        try aggregate("avg", property(Entity.Columns()), request)
    }

    /// Returns the average of a decimal property over the rows of a request; nil if there are no rows.
    public func average<Entity: StoredEntity>(
        of property: (Entity.Columns) -> Column<Entity, Decimal>, in request: Request<Entity>
    ) throws -> Decimal? {
        try decimalAverage(property(Entity.Columns()), request)
    }

    /// Returns the average of a decimal property over the rows of a request in which it is not nil; nil if there are none.
    public func average<Entity: StoredEntity>(
        of property: (Entity.Columns) -> Column<Entity, Decimal?>, in request: Request<Entity>
    ) throws -> Decimal? {
        try decimalAverage(property(Entity.Columns()), request)
    }

    private func decimalAverage<Entity, Property>(
        _ column: Column<Entity, Property>, _ request: Request<Entity>
    ) throws -> Decimal? {
        try value(request, "\(column.fragment) AS v", "SELECT \(DecimalFunctions.sum)(v), count(v)") { row in
            guard let sum = try row.optionalDecimal(0) else { return nil }
            let average = sum / Decimal(try row.int(1))
            if average.isNaN { throw SQLiteError(extendedCode: 1, message: DecimalFunctions.outOfRange, sql: nil) }
            return average
        }
    }

    private func total<Entity, Property, Value: Numeric & ColumnStorable>(
        _ column: Column<Entity, Property>, _ request: Request<Entity>
    ) throws -> Value {
        let function = Column<Entity, Property>.isDecimal ? DecimalFunctions.sum : "sum"
        return try value(request, "\(column.fragment) AS v", "SELECT \(function)(v), count(v)") { row in
            if let sum = try Value?(row: row, at: 0) { return sum }
            // SQLite has no NaN. The sum of both infinities is NULL.
            let notANumber = (Value.self as? any FloatingPoint.Type).flatMap { $0.nan as? Value }
            return try row.int(1) > 0 ? notANumber ?? 0 : 0
        }
    }

    private func aggregate<Entity, Value, Result: ColumnStorable>(
        _ function: String, _ column: Column<Entity, Value>, _ request: Request<Entity>
    ) throws -> Result? {
        let collation = Column<Entity, Value>.isDecimal ? " COLLATE \(DecimalFunctions.collation)" : ""
        return try value(request, "\(column.orderedFragment) AS v", "SELECT \(function)(v\(collation))") {
            try Result?(row: $0, at: 0)
        }
    }

    /// Returns the result of `body` for the row of an aggregate over a value of each row of a request. If the request is
    /// limited, only the rows within the limit count.
    private func value<Entity, Result>(
        _ request: Request<Entity>, _ column: QueryFragment, _ aggregate: String, _ body: (Row) throws -> Result
    ) throws -> Result {
        try value(request.unordered.statement(selecting: column, names: name).wrapped(aggregate + " FROM (", ")"), body)
    }

    /// Returns the result of `body` for the single row of a statement.
    private func value<Result>(_ statement: QueryStatement, _ body: (Row) throws -> Result) throws -> Result {
        let statement = try statement.prepared(open())
        defer { statement.reset() }
        _ = try statement.step()
        return try body(statement.row)
    }
}
