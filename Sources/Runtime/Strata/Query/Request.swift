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

    let sql: String
}

extension Column {
    /// From the least to the greatest value. nil comes first.
    public var ascending: Ordering<Entity> { Ordering(sql: orderedNames.joined(separator: ", ")) }
    /// From the greatest to the least value. nil comes last.
    public var descending: Ordering<Entity> {
        Ordering(sql: orderedNames.map { $0 + " DESC" }.joined(separator: ", "))
    }

    /// From the least to the greatest value.
    ///
    /// ```swift
    /// let request = Movie.all.orderBy { $0.summary.ascending(nulls: .last) }
    /// ```
    ///
    /// - Parameter nulls: The position of rows in which the property is nil.
    public func ascending(nulls: Ordering<Entity>.Nulls) -> Ordering<Entity> {
        Ordering(sql: orderedNames.map { "\($0) \(nulls.rawValue)" }.joined(separator: ", "))
    }

    /// From the greatest to the least value.
    ///
    /// ```swift
    /// let request = Movie.all.orderBy { $0.summary.descending(nulls: .first) }
    /// ```
    ///
    /// - Parameter nulls: The position of rows in which the property is nil.
    public func descending(nulls: Ordering<Entity>.Nulls) -> Ordering<Entity> {
        Ordering(sql: orderedNames.map { "\($0) DESC \(nulls.rawValue)" }.joined(separator: ", "))
    }

    private var orderedNames: [String] { names.count == 1 ? [orderedSQL] : collatedNames }
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
    private var limit: Int?
    private var offset: Int?

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

    /// Limits the request to the first rows.
    ///
    /// ```swift
    /// let secondPage = Movie.all.orderBy { $0.title.ascending }.limit(20, offset: 20)
    /// ```
    public func limit(_ count: Int, offset: Int = 0) -> Request {
        var request = self
        request.limit = count
        request.offset = offset == 0 ? nil : offset
        return request
    }

    // MARK: SQL

    /// The statement of the request that selects `columns`.
    func select(_ columns: String, from table: String, isDistinct: Bool = false) -> String {
        "SELECT \(isDistinct ? "DISTINCT " : "")\(columns) FROM \(table)" + clauses
    }

    /// The SQL after the name of the table.
    var clauses: String {
        var sql = filter
        if !orders.isEmpty { sql += " ORDER BY " + orders.map(\.sql).joined(separator: ", ") }
        if limit != nil { sql += " LIMIT ?" }
        if offset != nil { sql += " OFFSET ?" }
        return sql
    }

    /// The WHERE clause.
    var filter: String { condition.map { " WHERE \($0.sql)" } ?? "" }
    /// Whether the request has a limit.
    var isLimited: Bool { limit != nil }

    /// Binds the values of the request to the parameters from `first` on.
    func bind(to statement: Statement, from first: Int = 1) throws {
        var index = try Condition<Entity>.bind(condition?.arguments ?? [], to: statement, from: first)
        for count in [limit, offset].compactMap(\.self) {
            try statement.bind(count, at: index)
            index += 1
        }
    }
}

extension StoredEntity {
    /// A request for all rows of the entity.
    public static var all: Request<Self> { Request() }
}
