import CSQLite
import SQLSchema

/// A value of a parameter. A key is bound to as many parameters as it has columns.
enum QueryArgument: Sendable {
    case value(SQLiteValue)
    case key(any EntityID)
    /// Any number of values, which a `ValueArray` passes with a single parameter.
    case values([SQLiteValue])
    /// Any number of primary keys, whose values are read by binding them to a statement.
    case keys([any EntityID], columnCount: Int)
    /// A value of the app's own SQL.
    case own((any ColumnStorable & Sendable)?)

    /// The number of parameters.
    var parameterCount: Int {
        switch self {
        case .value, .values, .keys: 1
        case .key(let key): type(of: key).columnCount
        case .own(let value): value.map { type(of: $0).columnCount } ?? 1
        }
    }
}

/// SQL about one row of a query, with the values of its parameters.
///
/// The row's columns are named without their table. `QueryScope` adds it, because only the complete statement knows which
/// alias the table has.
struct QueryFragment: Sendable, ExpressibleByStringInterpolation {
    indirect enum Part: Sendable {
        case sql(String)
        /// A column of the row, by its unquoted name.
        case column(String)
        case argument(QueryArgument)
        /// SQL about the row that a to-one relationship leads to. Its columns are NULL if there is no such row.
        case related(ToOneLink, QueryFragment)
        /// A query for the rows that a to-many relationship leads to.
        case subquery(RelatedSubquery)
        /// A value in the app's own SQL. It names the columns of the row's table without a qualifier.
        case own(String, [QueryArgument], table: EntityTable)
    }

    private(set) var parts: [Part]
    /// Whether it reads other tables than the row's, or the elements of a list, which SQLite provides as a table with columns
    /// such as `key` and `value`. The columns of the row then need the name of their table.
    var isRelated = false
    /// Whether it contains the app's own SQL.
    private(set) var hasOwnSQL = false
    /// The number of lists whose elements it is about. Each list in a list needs another alias.
    var listDepth = 0

    /// Whether it is about related rows.
    var followsRelationships: Bool {
        parts.contains { if case .related = $0 { true } else if case .subquery = $0 { true } else { false } }
    }

    init(_ parts: [Part]) {
        self.parts = []
        for part in parts { append(part) }
    }

    init(_ part: Part) { self.init([part]) }

    init(column: String) { parts = [.column(column)] }

    mutating func append(_ part: Part) {
        parts.append(part)
        switch part {
        case .sql, .column, .argument: break
        case .related(_, let fragment):
            (isRelated, hasOwnSQL) = (true, hasOwnSQL || fragment.hasOwnSQL)
            listDepth = max(listDepth, fragment.listDepth)
        case .subquery(let subquery): (isRelated, hasOwnSQL) = (true, hasOwnSQL || subquery.hasOwnSQL)
        case .own: hasOwnSQL = true
        }
    }

    mutating func append(_ fragment: QueryFragment) {
        parts += fragment.parts
        isRelated = isRelated || fragment.isRelated
        hasOwnSQL = hasOwnSQL || fragment.hasOwnSQL
        listDepth = max(listDepth, fragment.listDepth)
    }

    /// Fragments that are separated by `separator`.
    static func joined(_ fragments: some Sequence<QueryFragment>, by separator: String = ", ") -> QueryFragment {
        var result = QueryFragment([])
        for (index, fragment) in fragments.enumerated() {
            if index > 0 { result.parts.append(.sql(separator)) }
            result.append(fragment)
        }
        return result
    }

    // MARK: Interpolation

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragment = QueryFragment([])

        init(literalCapacity: Int, interpolationCount: Int) {
            fragment.parts.reserveCapacity(2 * interpolationCount + 1)
        }

        mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { fragment.parts.append(.sql(literal)) }
        }

        mutating func appendInterpolation(sql: String) { fragment.parts.append(.sql(sql)) }
        mutating func appendInterpolation(_ value: SQLiteValue) { fragment.parts.append(.argument(.value(value))) }
        mutating func appendInterpolation(_ argument: QueryArgument) { fragment.parts.append(.argument(argument)) }
        mutating func appendInterpolation(_ other: QueryFragment) { fragment.append(other) }
    }

    init(stringLiteral value: String) { parts = [.sql(value)] }
    init(stringInterpolation: StringInterpolation) { self = stringInterpolation.fragment }
}

/// The way from a row to the related row of a to-one relationship.
struct ToOneLink: Sendable, Hashable {
    /// The unquoted name of the related row's table.
    let table: String
    /// The columns of the row, and the columns of the related row that equal them.
    let columns: [String]
    let targetColumns: [String]
    /// Whether `columns` are the primary key. The collations of a key decide a comparison, so it is the left operand.
    let isKeyOnThisSide: Bool
    /// Whether each row has a related row.
    let isRequired: Bool
}

/// A query for the rows that a to-many relationship leads to.
struct RelatedSubquery: Sendable {
    enum Result: Sendable {
        /// The value of an aggregate over the rows.
        case value(QueryFragment)
        /// Whether there is a row.
        case exists
        /// Whether there is a row, tested by a list of the sources. SQLite makes the list once, and an index on the source's
        /// key then finds the sources. It is faster than `exists` if few rows meet the condition.
        case membership
    }

    let link: ToManyLink
    let result: Result
    let condition: QueryFragment?

    var hasOwnSQL: Bool {
        if case .value(let value) = result, value.hasOwnSQL { return true }
        return condition?.hasOwnSQL == true
    }
}

/// The way from a row to the related rows of a to-many relationship.
struct ToManyLink: Sendable {
    /// The primary key of the row.
    let key: [String]
    /// The table of the related rows, and its primary key.
    let table: String
    let targetKey: [String]
    enum Storage: Sendable {
        /// The columns of the related rows that reference the row.
        case columns([String])
        /// A join table. Its `source` columns reference the row, and its `target` columns the related row.
        ///
        /// If `isDistinct` is true, equal pairs count as one.
        case joinTable(String, source: [String], target: [String], isDistinct: Bool)
    }
    let storage: Storage
}

extension VirtualRows {
    /// A query for all rows of `rows`.
    static func query(_ rows: QueryArgument, columnCount: Int) -> QueryFragment {
        "SELECT \(sql: (0..<columnCount).map { "v\($0)" }.joined(separator: ", ")) FROM strata_rows(\(rows))"
    }
}
