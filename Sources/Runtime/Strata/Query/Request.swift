import SQLSchema

/// The order of rows by a property.
public struct Ordering<Entity: StoredEntity>: Sendable {
    /// The position of rows in which the property is nil.
    public enum Nulls: String, Sendable {
        /// Before all other rows.
        case first = "NULLS FIRST"
        /// After all other rows.
        case last = "NULLS LAST"
    }

    let fragment: QueryFragment
}

extension Column {
    /// From the least to the greatest value. nil comes first.
    public var ascending: Ordering<Entity> { ordering("") }
    /// From the greatest to the least value. nil comes last.
    public var descending: Ordering<Entity> { ordering(" DESC") }

    /// From the least to the greatest value.
    ///
    /// ```swift
    /// let request = Movie.all.orderBy { $0.summary.ascending(nulls: .last) }
    /// ```
    ///
    /// - Parameter nulls: The position of rows in which the property is nil.
    public func ascending(nulls: Ordering<Entity>.Nulls) -> Ordering<Entity> { ordering(" \(nulls.rawValue)") }

    /// From the greatest to the least value.
    ///
    /// ```swift
    /// let request = Movie.all.orderBy { $0.summary.descending(nulls: .first) }
    /// ```
    ///
    /// - Parameter nulls: The position of rows in which the property is nil.
    public func descending(nulls: Ordering<Entity>.Nulls) -> Ordering<Entity> { ordering(" DESC \(nulls.rawValue)") }

    private func ordering(_ direction: String) -> Ordering<Entity> {
        Ordering(fragment: .joined(orderedFragments.map { "\($0)\(sql: direction)" }))
    }
}

/// A request for rows of an entity: their condition, order and number.
///
/// ```swift
/// let request = Movie.all.where { $0.popularity > 4 }.orderBy { $0.title.ascending }.limit(10)
/// let movies = try store.read { try $0.fetch(request) }
/// ```
public struct Request<Entity: StoredEntity>: Sendable {
    private var condition: Condition<Entity>?
    private var orders: [Ordering<Entity>] = []
    private var range: RowRange?
    /// Whether SQLite must not read the rows by an index, so that they come in the order of their numbers.
    private var isByRowNumber = false
    /// The condition on the rows of the search index, if the request has no other condition.
    private var search: (index: String, condition: QueryFragment)?

    /// Creates a request for all rows.
    public init() {}

    /// Creates a request for the rows for which `condition` is true.
    public init(where condition: Condition<Entity>) {
        self.condition = condition
    }

    /// Restricts the request to rows for which `condition` is true.
    ///
    /// ```swift
    /// let request = Movie.all.filter(.filter(\.title, beginsWith: "The "))
    /// ```
    public func filter(_ condition: Condition<Entity>) -> Request {
        var request = self
        request.condition = self.condition.map { $0 && condition } ?? condition
        request.search = nil
        return request
    }

    /// Restricts the request to rows whose row in a search index satisfies a condition.
    func searching(_ index: String, _ condition: QueryFragment, _ isFound: Condition<Entity>) -> Request {
        var request = filter(isFound)
        if self.condition == nil { request.search = (index, condition) }
        return request
    }

    /// Restricts the request to rows for which `condition` is true.
    ///
    /// ```swift
    /// let request = Movie.all.where { $0.title.hasPrefix("The ") && $0.summary != nil }
    /// ```
    public func `where`(_ condition: (Entity.Columns) -> Condition<Entity>) -> Request {
        filter(condition(Entity.Columns()))
    }

    /// Restricts the request to rows in which a property is true.
    ///
    /// ```swift
    /// let request = Episode.all.where { $0.isPlayed }
    /// ```
    public func `where`(_ property: (Entity.Columns) -> Column<Entity, Bool>) -> Request {
        filter(Condition(property(Entity.Columns()).fragment))
    }

    /// Orders the rows by several properties, the most significant one first.
    ///
    /// The order of rows with equal values is undefined, and so is the order of a request without one.
    ///
    /// ```swift
    /// let request = Movie.all.orderBy { [$0.popularity.descending, $0.title.ascending] }
    /// ```
    public func orderBy(_ orders: (Entity.Columns) -> [Ordering<Entity>]) -> Request {
        var request = self
        request.orders = orders(Entity.Columns())
        return request
    }

    /// Orders the rows by a property.
    ///
    /// ```swift
    /// let request = Movie.all.orderBy { $0.title.ascending }
    /// ```
    public func orderBy(_ order: (Entity.Columns) -> Ordering<Entity>) -> Request {
        orderBy { [order($0)] }
    }

    /// Orders the rows by a property, from the least to the greatest value.
    ///
    /// ```swift
    /// let request = Movie.all.orderBy { $0.title }
    /// ```
    public func orderBy<Value>(_ property: (Entity.Columns) -> Column<Entity, Value>) -> Request {
        orderBy { [property($0).ascending] }
    }

    /// Orders the rows by two properties, from the least to the greatest value.
    ///
    /// ```swift
    /// let request = Movie.all.orderBy { ($0.popularity, $0.title) }
    /// ```
    public func orderBy<A, B>(_ properties: (Entity.Columns) -> (Column<Entity, A>, Column<Entity, B>)) -> Request {
        let (a, b) = properties(Entity.Columns())
        return orderBy { _ in [a.ascending, b.ascending] }
    }

    /// Orders the rows by three properties, from the least to the greatest value.
    public func orderBy<A, B, C>(
        _ properties: (Entity.Columns) -> (Column<Entity, A>, Column<Entity, B>, Column<Entity, C>)
    ) -> Request {
        let (a, b, c) = properties(Entity.Columns())
        return orderBy { _ in [a.ascending, b.ascending, c.ascending] }
    }

    /// Limits the request to the first rows.
    ///
    /// ```swift
    /// let secondPage = Movie.all.orderBy { $0.title.ascending }.limit(20, offset: 20)
    /// ```
    public func limit(_ count: Int, offset: Int = 0) -> Request {
        var request = self
        request.range = RowRange(limit: count, offset: offset == 0 ? nil : offset)
        return request
    }

    /// All rows, sorted by primary key.
    @usableFromInline static var byKey: Request {
        var request = Request()
        if let key = Entity.ID.self as? any RawEntityID.Type, key.isRowNumber {
            request.isByRowNumber = true
        } else {
            request.orders = [Ordering(fragment: .joined(Entity.table.key.map { QueryFragment(column: $0) }))]
        }
        return request
    }

    // MARK: SQL

    /// The condition; nil if all rows match.
    var filter: Condition<Entity>? { condition }
    /// Whether the request has an order.
    var isSorted: Bool { !orders.isEmpty }
    /// Whether the request has a limit.
    var isLimited: Bool { range != nil }

    /// A SELECT statement for values of the rows.
    ///
    /// - Parameters:
    ///   - columns: The values; nil for all columns of the entity.
    ///   - isDistinct: Whether equal rows are returned only once.
    ///   - limit: The range of the values, in place of that of the rows or groups.
    ///   - grouping: The clauses of groups, whose order and range replace those of the rows.
    ///   - names: Returns the current name of a table.
    func statement(
        selecting columns: QueryFragment? = nil, isDistinct: Bool = false, range limit: RowRange? = nil,
        grouping: GroupClauses<Entity>? = nil, names: @escaping (String) -> String
    ) -> QueryStatement {
        // Only the rows within the limit are grouped.
        let limited = grouping != nil && isLimited ? statement(names: names) : nil
        let condition = limited == nil ? condition?.fragment : nil
        let orders = grouping?.orders ?? orders
        let order: QueryFragment? = orders.isEmpty ? nil : .joined(orders.map(\.fragment))
        let all = [columns, condition, grouping?.fragment, order].compactMap(\.self)
        let table = Entity.table
        let isRelated = all.contains(where: \.isRelated)
        let scope = isRelated ? QueryScope.joining(names) : QueryScope.alone(names)
        var text = QueryText()
        if let columns {
            text = scope.text(columns)
            text.sql = (isDistinct ? "SELECT DISTINCT " : "SELECT ") + text.sql
        } else if isRelated {
            text.sql = "SELECT " + table.fetchedColumns.map(scope.column).joined(separator: ", ")
        } else {
            text.sql = table.select(from: names(table.name))
        }
        var clauses = QueryText()
        for (word, fragment) in [(" WHERE ", condition), (" ", grouping?.fragment), (" ORDER BY ", order)] {
            guard let fragment else { continue }
            clauses.sql += word
            clauses += scope.text(fragment)
        }
        // The clauses have joined the tables that they need.
        if let limited {
            text.sql += " FROM ("
            text += limited.text
            text.sql += ")" + scope.alias
        } else if columns != nil || isRelated {
            text.sql += " FROM " + SQL.quoted(names(table.name)) + scope.alias + (isByRowNumber ? " NOT INDEXED" : "")
        }
        text.sql += scope.joins
        text += clauses
        if let range = limit ?? (grouping == nil ? range : grouping?.range) { text.limit(to: range) }
        return QueryStatement(
            text: text, hasOwnSQL: limited?.hasOwnSQL == true || all.contains(where: \.hasOwnSQL))
    }

    /// Whether its condition or its order is about related rows.
    var followsRelationships: Bool {
        condition?.fragment.followsRelationships == true || orders.contains(where: \.fragment.followsRelationships)
    }

    @usableFromInline var hasCondition: Bool { condition != nil }

    /// Whether the request has an order or a limit. An aggregate gets such rows from a subquery, which copies all values.
    @usableFromInline var isOrdered: Bool { !orders.isEmpty || isLimited }

    /// A SELECT statement for the related rows of several rows, each with the primary key of its source.
    ///
    /// - Parameters:
    ///   - rows: The SQL that finds the related rows.
    ///   - keys: The primary keys of the sources.
    ///   - names: Returns the current name of a table.
    func statement(
        of rows: RelatedQuery, _ keys: QueryArgument, names: @escaping (String) -> String
    ) -> QueryStatement {
        let scope = QueryScope.joining(as: "t", names)
        let count = rows.source.count
        let source = rows.source.joined(separator: ", ")
        var condition: QueryFragment =
            "\(sql: count == 1 ? source : "(\(source))") IN (\(VirtualRows.query(keys, columnCount: count)))"
        if let own = self.condition?.fragment { condition = "\(condition) AND (\(own))" }
        let order: QueryFragment =
            orders.isEmpty ? "\(sql: rows.order)" : .joined(orders.map(\.fragment))
        let (filter, by) = (scope.text(condition), scope.text(order))
        var columns = Entity.table.fetchedColumns.map(scope.column) + rows.source
        var text = QueryText()
        if let range {
            // The rows of each source are counted in their order.
            columns = columns.enumerated().map { "\($1) AS c\($0)" }
            let names = columns.indices.map { "c\($0)" }.joined(separator: ", ")
            text.sql = "SELECT \(names) FROM (SELECT \(columns.joined(separator: ", ")), "
            text.sql += "row_number() OVER (PARTITION BY \(source)"
            if !by.sql.isEmpty {
                text.sql += " ORDER BY "
                text += by
            }
            text.sql += ") AS number FROM \(rows.tables)\(scope.joins) WHERE "
            text += filter
            text.sql += ") WHERE number > ? AND number <= ? ORDER BY number"
            let offset = max(0, range.offset ?? 0)
            let (end, isOver) = offset.addingReportingOverflow(range.limit)
            text.arguments += [offset, range.limit < 0 || isOver ? .max : end].map { .value($0.stored) }
        } else {
            text.sql = "SELECT \(columns.joined(separator: ", ")) FROM \(rows.tables)\(scope.joins) WHERE "
            text += filter
            if !by.sql.isEmpty {
                text.sql += " ORDER BY "
                text += by
            }
        }
        let hasOwnSQL = condition.hasOwnSQL || order.hasOwnSQL
        return QueryStatement(text: text, hasOwnSQL: hasOwnSQL)
    }

    /// A statement that passes the rows to the connection's `RowCollection`.
    func collectingStatement(names: @escaping (String) -> String) -> QueryStatement {
        let values = QueryFragment.joined(Entity.table.fetchedColumns.map { QueryFragment(column: $0) })
        return statement(selecting: "\(sql: RowCollection.function)(\(values))", names: names)
    }

    /// The SQL of the request, for tests.
    package var sql: String { statement { $0 }.text.sql }

    /// The same rows in any order. SQLite would rank and sort the results of a search, even to count them.
    var unordered: Request {
        if isLimited { return self }
        var request = self
        request.orders = []
        return request
    }

    /// A SELECT statement that returns 1 for each row.
    func ones(names: @escaping (String) -> String) -> QueryStatement {
        guard let search, !isLimited else { return unordered.statement(selecting: "1", names: names) }
        // The index has a row for each row of the table, so a count need not read the table.
        var text = QueryText(sql: "SELECT 1 FROM \(SQL.quoted(names(search.index))) WHERE ")
        text += QueryScope.alone(names).text(search.condition)
        return QueryStatement(text: text, hasOwnSQL: false)
    }

    /// A SELECT statement for the primary keys of the rows.
    func keys(names: @escaping (String) -> String) -> QueryStatement {
        unordered.statement(selecting: .joined(Entity.table.key.map { QueryFragment(column: $0) }), names: names)
    }
}

/// The rows that a request has by their number: the first `limit` rows after the first `offset` rows.
struct RowRange: Sendable {
    let limit: Int
    let offset: Int?
}

/// A statement of a query.
struct QueryStatement {
    var text: QueryText
    /// Whether it contains the app's own SQL, which is restricted.
    var hasOwnSQL: Bool

    /// A statement that selects from the rows of this one.
    func wrapped(_ prefix: String, _ suffix: String) -> QueryStatement {
        var statement = self
        statement.text.sql = prefix + text.sql + suffix
        return statement
    }

    /// Prepares the statement and binds its values.
    func prepared(_ connection: Connection, isCached: Bool = true) throws -> Statement {
        let statement =
            if hasOwnSQL {
                try connection.confined(text.sql, isCached: isCached)
            } else {
                try isCached ? connection.cached(text.sql) : connection.prepare(text.sql)
            }
        try text.bind(to: statement, hasOwnSQL: hasOwnSQL)
        return statement
    }
}

extension StoredEntity {
    /// A request for all rows of the entity.
    public static var all: Request<Self> { Request() }
}
