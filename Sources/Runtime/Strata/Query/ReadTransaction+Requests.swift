import Foundation
import SQLSchema

extension ReadTransaction {
    /// Fetches the rows of a request.
    ///
    /// ```swift
    /// let movies = try transaction.fetch(Movie.all.where { $0.popularity > 4 })
    /// ```
    @inlinable public func fetch<Entity: StoredEntity>(_ request: Request<Entity>) throws -> [Entity] {
        let statement = try select(request)
        defer { statement.reset() }
        var entities: [Entity] = []
        while try statement.step() { entities.append(try Entity.read(statement.row)) }
        return entities
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
        let table = Entity.table
        let statement = try open().prepare(request.select(SQL.list(table.columns), from: quoted(table.name)))
        try request.bind(to: statement)
        return Cursor(statement, of: self) { try Entity.read($0) }
    }

    /// Counts the rows of a request.
    ///
    /// ```swift
    /// let count = try transaction.count(Movie.all.where { $0.summary == nil })
    /// ```
    public func count<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Int {
        let rows = request.select("1", from: quoted(Entity.table.name))
        return try value(request, "SELECT count(*) FROM (\(rows))") { try $0.int(0) }
    }

    /// Returns whether a request has any rows.
    ///
    /// ```swift
    /// let isKnown = try transaction.exists(Movie.all.where { $0.title == "Stalker" })
    /// ```
    public func exists<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Bool {
        let rows = request.select("1", from: quoted(Entity.table.name))
        return try value(request, "SELECT EXISTS (\(rows))") { try $0.bool(0) }
    }

    /// Prepares the statement of a request and binds its values.
    @usableFromInline func select<Entity: StoredEntity>(_ request: Request<Entity>) throws -> Statement {
        let table = Entity.table
        let statement = try open().cached(table.select(from: name(table.name)) + request.clauses)
        try request.bind(to: statement)
        return statement
    }

    /// Returns SQLite's query plan for a request (https://sqlite.org/eqp.html), one line for each step.
    ///
    /// ```swift
    /// print(try transaction.plan(of: Movie.all.where { $0.title == "Stalker" }))
    /// ```
    public func plan<Entity: StoredEntity>(of request: Request<Entity>) throws -> String {
        let statement = try open().prepare(
            "EXPLAIN QUERY PLAN " + request.select("*", from: quoted(Entity.table.name)))
        try request.bind(to: statement)
        var lines: [String] = []
        while try statement.step() { lines.append(try statement.row.string(3)) }
        return lines.joined(separator: "\n")
    }

    // MARK: Columns

    /// Fetches the values of a property for the rows of a request.
    ///
    /// ```swift
    /// let titles = try transaction.values(of: \.title, in: Movie.all)
    /// ```
    ///
    /// - Parameters:
    ///   - column: The property.
    ///   - request: The rows.
    ///   - isDistinct: Whether equal values are returned only once.
    public func values<Entity: StoredEntity, Value: ColumnStorable>(
        of column: ColumnPath<Entity, Value>, in request: Request<Entity>,
        distinct isDistinct: Bool = false
    ) throws -> [Value] {
        var values: [Value] = []
        try read(Entity.Columns()[keyPath: column].names, of: request, isDistinct) { row in
            values.append(try Value(row: row, at: 0))
        }
        return values
    }

    /// Fetches the values of several properties for the rows of a request.
    ///
    /// ```swift
    /// let rows = try transaction.values(of: \.title, \.voteCount, in: Movie.all)
    /// for (title, votes) in rows { print(title, votes) }
    /// ```
    ///
    /// - Parameters:
    ///   - first: The first property.
    ///   - others: The other properties.
    ///   - request: The rows.
    ///   - isDistinct: Whether equal combinations of values are returned only once.
    public func values<Entity: StoredEntity, First: ColumnStorable, each Value: ColumnStorable>(
        of first: ColumnPath<Entity, First>,
        _ others: repeat ColumnPath<Entity, each Value>, in request: Request<Entity>,
        distinct isDistinct: Bool = false
    ) throws -> [(First, repeat each Value)] {
        let all = Entity.Columns()
        var names = all[keyPath: first].names
        repeat names.append(contentsOf: all[keyPath: each others].names)
        var values: [(First, repeat each Value)] = []
        try read(names, of: request, isDistinct) { row in
            var index = 0
            func next<Next: ColumnStorable>(_ type: Next.Type) throws -> Next {
                defer { index += Next.columnCount }
                return try Next(row: row, at: index)
            }
            values.append((try next(First.self), repeat try next((each Value).self)))
        }
        return values
    }

    /// Runs `body` with columns of each row of a request.
    private func read<Entity: StoredEntity>(
        _ columns: [String], of request: Request<Entity>, _ isDistinct: Bool, _ body: (Row) throws -> Void
    ) throws {
        let statement = try open().cached(
            request.select(SQL.list(columns), from: quoted(Entity.table.name), isDistinct: isDistinct))
        try request.bind(to: statement)
        defer { statement.reset() }
        do {
            while try statement.step() { try body(statement.row) }
        } catch let error as MalformedValue {
            throw error.named(Entity.table.name)
        }
    }

    /// Returns the least value of a property in the rows of a request; nil without values.
    ///
    /// ```swift
    /// let least = try transaction.minimum(of: \.popularity, in: Movie.all)
    /// ```
    public func minimum<Entity: StoredEntity, Value: ColumnComparable & ColumnStorable>(
        of column: ColumnPath<Entity, Value>, in request: Request<Entity>
    ) throws -> Value? {
        try aggregate("min", Entity.Columns()[keyPath: column], request)
    }

    /// Returns the least value of a property in the rows of a request; nil without values.
    public func minimum<Entity: StoredEntity, Value: ColumnComparable & ColumnStorable>(
        of column: ColumnPath<Entity, Value?>, in request: Request<Entity>
    ) throws -> Value? {
        try aggregate("min", Entity.Columns()[keyPath: column], request)
    }

    /// Returns the greatest value of a property in the rows of a request; nil without values.
    ///
    /// ```swift
    /// let greatest = try transaction.maximum(of: \.popularity, in: Movie.all)
    /// ```
    public func maximum<Entity: StoredEntity, Value: ColumnComparable & ColumnStorable>(
        of column: ColumnPath<Entity, Value>, in request: Request<Entity>
    ) throws -> Value? {
        try aggregate("max", Entity.Columns()[keyPath: column], request)
    }

    /// Returns the greatest value of a property in the rows of a request; nil without values.
    public func maximum<Entity: StoredEntity, Value: ColumnComparable & ColumnStorable>(
        of column: ColumnPath<Entity, Value?>, in request: Request<Entity>
    ) throws -> Value? {
        try aggregate("max", Entity.Columns()[keyPath: column], request)
    }

    /// Returns the sum of a property over the rows of a request.
    ///
    /// ```swift
    /// let votes = try transaction.sum(of: \.voteCount, in: Movie.all)
    /// ```
    ///
    /// - Throws: `SQLiteError` if the sum of integers is not an `Int`.
    public func sum<Entity: StoredEntity, Value: Numeric & ColumnStorable & ColumnComparable>(
        of column: ColumnPath<Entity, Value>, in request: Request<Entity>
    ) throws -> Value {
        try total(Entity.Columns()[keyPath: column], request)
    }

    /// Returns the sum of a property over the rows of a request in which it is not nil.
    ///
    /// - Throws: `SQLiteError` if the sum of integers is not an `Int`.
    public func sum<Entity: StoredEntity, Value: Numeric & ColumnStorable & ColumnComparable>(
        of column: ColumnPath<Entity, Value?>, in request: Request<Entity>
    ) throws -> Value {
        try total(Entity.Columns()[keyPath: column], request)
    }

    /// Returns the average of a property over the rows of a request; nil if there are no rows.
    ///
    /// ```swift
    /// let average = try transaction.average(of: \.popularity, in: Movie.all)
    /// ```
    public func average<Entity: StoredEntity, Value: Numeric & ColumnComparable>(
        of column: ColumnPath<Entity, Value>, in request: Request<Entity>
    ) throws -> Double? {
        try aggregate("avg", Entity.Columns()[keyPath: column], request)
    }

    /// Returns the average of a property over the rows of a request in which it is not nil; nil if there are none.
    public func average<Entity: StoredEntity, Value: Numeric & ColumnComparable>(
        of column: ColumnPath<Entity, Value?>, in request: Request<Entity>
    ) throws -> Double? {
        try aggregate("avg", Entity.Columns()[keyPath: column], request)
    }

    /// Returns the average of a decimal property over the rows of a request; nil if there are no rows.
    public func average<Entity: StoredEntity>(
        of column: ColumnPath<Entity, Decimal>, in request: Request<Entity>
    ) throws -> Decimal? {
        try decimalAverage(Entity.Columns()[keyPath: column], request)
    }

    /// Returns the average of a decimal property over the rows of a request in which it is not nil; nil if there are none.
    public func average<Entity: StoredEntity>(
        of column: ColumnPath<Entity, Decimal?>, in request: Request<Entity>
    ) throws -> Decimal? {
        try decimalAverage(Entity.Columns()[keyPath: column], request)
    }

    private func decimalAverage<Entity, Property>(
        _ column: Column<Entity, Property>, _ request: Request<Entity>
    ) throws -> Decimal? {
        let rows = request.select(column.sql, from: quoted(Entity.table.name))
        let sql = "SELECT \(DecimalFunctions.sum)(\(column.sql)), count(\(column.sql)) FROM (\(rows))"
        return try value(request, sql) { row in
            try row.optionalDecimal(0).map { $0 / Decimal(try row.int(1)) }
        }
    }

    private func total<Entity, Property, Value: Numeric & ColumnStorable>(
        _ column: Column<Entity, Property>, _ request: Request<Entity>
    ) throws -> Value {
        let rows = request.select(column.sql, from: quoted(Entity.table.name))
        let function = Column<Entity, Property>.isDecimal ? DecimalFunctions.sum : "sum"
        let sql = "SELECT \(function)(\(column.sql)), count(\(column.sql)) FROM (\(rows))"
        return try value(request, sql) { row in
            if let sum = try Value?(row: row, at: 0) { return sum }
            // SQLite has no NaN. The sum of both infinities is NULL.
            let notANumber = (Value.self as? any FloatingPoint.Type).flatMap { $0.nan as? Value }
            return try row.int(1) > 0 ? notANumber ?? 0 : 0
        }
    }

    private func aggregate<Entity, Value, Result: ColumnStorable>(
        _ function: String, _ column: Column<Entity, Value>, _ request: Request<Entity>
    ) throws -> Result? {
        // If the request is limited, only the rows within the limit count.
        let rows = request.select(column.sql, from: quoted(Entity.table.name))
        return try value(request, "SELECT \(function)(\(column.orderedSQL)) FROM (\(rows))") {
            try Result?(row: $0, at: 0)
        }
    }

    /// Returns the result of `body` for the single row of a statement with the values of `request`.
    private func value<Entity, Result>(
        _ request: Request<Entity>, _ sql: String, _ body: (Row) throws -> Result
    ) throws -> Result {
        let statement = try open().cached(sql)
        try request.bind(to: statement)
        defer { statement.reset() }
        _ = try statement.step()
        return try body(statement.row)
    }
}
