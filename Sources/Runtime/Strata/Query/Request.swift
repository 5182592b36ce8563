import SQLSchema

/// In which direction rows stand by one of their properties.
public struct Ordering<Entity: StoredEntity>: Sendable {
    /// Where rows stand whose property is nil.
    public enum Nulls: String, Sendable {
        /// Before all others.
        case first = "NULLS FIRST"
        /// After all others.
        case last = "NULLS LAST"
    }

    let sql: String
}

extension Column {
    /// From the least to the greatest; nil stands first.
    public var ascending: Ordering<Entity> { Ordering(sql: orderedNames.joined(separator: ", ")) }
    /// From the greatest to the least; nil stands last.
    public var descending: Ordering<Entity> {
        Ordering(sql: orderedNames.map { $0 + " DESC" }.joined(separator: ", "))
    }

    /// From the least to the greatest, with nil where it is said.
    public func ascending(nulls: Ordering<Entity>.Nulls) -> Ordering<Entity> {
        Ordering(sql: orderedNames.map { "\($0) \(nulls.rawValue)" }.joined(separator: ", "))
    }

    /// From the greatest to the least, with nil where it is said.
    public func descending(nulls: Ordering<Entity>.Nulls) -> Ordering<Entity> {
        Ordering(sql: orderedNames.map { "\($0) DESC \(nulls.rawValue)" }.joined(separator: ", "))
    }

    private var orderedNames: [String] { names.count == 1 ? [orderedSQL] : collatedNames }
}

/// Which rows of an entity are meant, and in which order.
public struct Request<Entity: StoredEntity>: Sendable {
    private var condition: Condition<Entity>?
    private var orders: [Ordering<Entity>] = []
    private var limit: Int?
    private var offset: Int?

    /// All rows.
    public init() {}

    /// The rows for which `condition` holds.
    public init(where condition: Condition<Entity>) {
        self.condition = condition
    }

    /// Those of the rows for which `condition` holds too.
    public func filter(_ condition: Condition<Entity>) -> Request {
        var request = self
        request.condition = self.condition.map { $0 && condition } ?? condition
        return request
    }

    /// Those of the rows for which `condition` holds too.
    public func `where`(_ condition: (Entity.Columns) -> Condition<Entity>) -> Request {
        filter(condition(Entity.Columns()))
    }

    /// The rows by these properties, the first of them first. Rows that agree in all of them, and those of a request
    /// without an order, stand in an order of their own.
    public func orderBy(_ orders: (Entity.Columns) -> [Ordering<Entity>]) -> Request {
        var request = self
        request.orders = orders(Entity.Columns())
        return request
    }

    /// The rows by this property.
    public func orderBy(_ order: (Entity.Columns) -> Ordering<Entity>) -> Request {
        orderBy { [order($0)] }
    }

    /// The first rows, at most so many.
    public func limit(_ count: Int, offset: Int = 0) -> Request {
        var request = self
        request.limit = count
        request.offset = offset == 0 ? nil : offset
        return request
    }

    // MARK: SQL

    /// A statement of the request that gives `columns`.
    func select(_ columns: String, from table: String, isDistinct: Bool = false) -> String {
        "SELECT \(isDistinct ? "DISTINCT " : "")\(columns) FROM \(table)" + clauses
    }

    /// What stands behind the table.
    var clauses: String {
        var sql = filter
        if !orders.isEmpty { sql += " ORDER BY " + orders.map(\.sql).joined(separator: ", ") }
        if limit != nil { sql += " LIMIT ?" }
        if offset != nil { sql += " OFFSET ?" }
        return sql
    }

    /// Its condition.
    var filter: String { condition.map { " WHERE \($0.sql)" } ?? "" }
    /// Whether it means but some of the rows for which its condition holds.
    var isLimited: Bool { limit != nil }

    /// Binds its values to the parameters from `first` on.
    func bind(to statement: Statement, from first: Int = 1) throws {
        var index = try Condition<Entity>.bind(condition?.arguments ?? [], to: statement, from: first)
        for count in [limit, offset].compactMap(\.self) {
            try statement.bind(count, at: index)
            index += 1
        }
    }
}

extension StoredEntity {
    /// All rows of the entity, to be narrowed, ordered and limited.
    public static var all: Request<Self> { Request() }
}
