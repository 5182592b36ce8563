import CSQLite
import Foundation
import SQLSchema

/// A condition on the rows of an entity.
///
/// ```swift
/// let request = Movie.all.where { $0.popularity > 4 && !$0.title.hasPrefix("The ") }
/// ```
///
/// A condition is true or false for each row, as in Swift: nil equals only nil, and is neither less nor greater than any value.
/// The negation of a condition is true for all rows for which the condition is false. Values are bound, and never part of the
/// SQL.
///
/// Any number of conditions can be joined. SQLite refuses conditions that are nested deep, older versions from about 20 negations in
/// each other.
public struct Condition<Entity: StoredEntity>: Sendable {
    private indirect enum Term: Sendable {
        case sql(QueryFragment)
        case not(Condition)
        /// Conditions that are joined with AND or OR.
        case joined([Condition], by: String)
    }

    private let term: Term
    /// How deep conditions are nested in this one.
    private let depth: Int
    /// SQLite refuses expressions that are deeper (https://sqlite.org/limits.html#max_expr_depth), and much deeper ones would use up
    /// the stack before it sees them.
    private static var mostDepth: Int { 1_000 }

    init(_ fragment: QueryFragment) {
        term = .sql(fragment)
        depth = 0
    }

    /// Creates a condition of others. A condition that is nested too deep is an error of the statement that uses it.
    private init(_ term: Term, of conditions: [Condition]) {
        let depth = conditions.reduce(0) { max($0, $1.depth) } + 1
        let isTooDeep = depth > Self.mostDepth
        self.term = isTooDeep ? .sql("strata_conditions_are_nested_too_deep()") : term
        self.depth = isTooDeep ? 0 : depth
    }

    /// The SQL of the condition. It does not contain TRUE and FALSE, which SQLite reads as columns where there are columns of these
    /// names.
    var fragment: QueryFragment {
        switch term {
        case .sql(let fragment): fragment
        case .not(let condition): "NOT coalesce(\(condition.fragment), 0)"
        case .joined(let conditions, let word): Self.fragment(of: conditions[...], joinedBy: " \(word) ")
        }
    }

    /// SQLite limits the depth of an expression (https://sqlite.org/limits.html#max_expr_depth). Many conditions are
    /// therefore joined as a balanced tree.
    private static func fragment(of conditions: ArraySlice<Condition>, joinedBy word: String) -> QueryFragment {
        if conditions.count <= 50 { return .joined(conditions.map { "(\($0.fragment))" }, by: word) }
        let middle = conditions.startIndex + conditions.count / 2
        let halves = [conditions[..<middle], conditions[middle...]]
        return .joined(halves.map { "(\(fragment(of: $0, joinedBy: word)))" }, by: word)
    }

    /// The comparison of a column with a value.
    fileprivate init<Value>(_ column: Column<Entity, Value>, _ operation: String, _ value: QueryFragment) {
        self.init("\(column.fragment) \(sql: operation) \(value)")
    }

    /// The comparison of a column with a value by order.
    fileprivate init<Value>(ordered column: Column<Entity, Value>, _ operation: String, _ value: QueryFragment) {
        self.init("\(column.orderedFragment) \(sql: operation) \(value)")
    }

    /// The comparison of two columns by order.
    fileprivate init<Value>(ordered left: Column<Entity, Value>, _ operation: String, _ right: Column<Entity, Value>) {
        self.init("\(left.orderedFragment) \(sql: operation) \(right.fragment)")
    }

    /// The comparison of a key with a value, for equality.
    fileprivate init<Value>(_ column: Column<Entity, Value>, isEqual: Bool, key: (any EntityID)?) {
        if let key {
            self.init(column, isEqual ? "=" : "IS NOT", key: key)
        } else {
            self.init("\(column.fragment) IS \(sql: isEqual ? "" : "NOT ")NULL")
        }
    }

    /// The comparison of a key with a value. Keys with several columns are compared column by column.
    fileprivate init<Value>(_ column: Column<Entity, Value>, _ operation: String, key: any EntityID) {
        let value: QueryFragment = type(of: key).columnCount == 1 ? "\(.key(key))" : "(\(.key(key)))"
        self.init("\(column.collatedRowValue) \(sql: operation) \(value)")
    }

    // MARK: Combinations

    /// A condition that is true for each row.
    public static var always: Condition { Condition("1") }

    /// All conditions are true. Without conditions, this is true for each row.
    ///
    /// ```swift
    /// let condition = Condition<Movie>.all(of: [
    ///     .filter(\.title, contains: "irr"), .filter(\.popularity, moreThan: 4),
    /// ])
    /// ```
    public static func all(of conditions: [Condition]) -> Condition {
        joined(conditions, by: "AND") ?? always
    }

    /// At least one of the conditions is true. Without conditions, this is false for each row.
    ///
    /// ```swift
    /// let condition = Condition<Movie>.any(of: ["The ", "A "].map { .filter(\.title, beginsWith: $0) })
    /// ```
    public static func any(of conditions: [Condition]) -> Condition {
        joined(conditions, by: "OR") ?? Condition("0")
    }

    private static func joined(_ conditions: [Condition], by word: String) -> Condition? {
        if conditions.isEmpty { return nil }
        // A chain such as `a && b && c` is one list, so that its depth does not grow.
        let terms = conditions.flatMap { condition in
            if case .joined(let terms, word) = condition.term { terms } else { [condition] }
        }
        return Condition(.joined(terms, by: word), of: terms)
    }

    /// The condition is false.
    ///
    /// ```swift
    /// let condition = Condition<Movie>.not(.filter(\.title, beginsWith: "The "))
    /// ```
    public static func not(_ condition: Condition) -> Condition {
        Condition(.not(condition), of: [condition])
    }

    /// Both conditions are true.
    public static func && (left: Condition, right: Condition) -> Condition { all(of: [left, right]) }
    /// At least one of the conditions is true.
    public static func || (left: Condition, right: Condition) -> Condition { any(of: [left, right]) }
    /// The condition is false.
    public static prefix func ! (condition: Condition) -> Condition { not(condition) }
}

extension Column {
    // MARK: Equality

    /// The property equals `value`.
    public static func == (column: Column, value: Value) -> Condition<Entity> where Value: ColumnEquatable {
        Condition(column, "=", column.argument(value))
    }

    /// The property differs from `value`.
    public static func != (column: Column, value: Value) -> Condition<Entity> where Value: ColumnEquatable {
        Condition(column, "<>", column.argument(value))
    }

    /// The property equals `value`, which may be nil.
    public static func == <V: ColumnEquatable>(column: Column, value: V?) -> Condition<Entity> where Value == V? {
        // Only "=" lets SQLite turn a LEFT JOIN into a JOIN, whose tables it reads in the best order.
        value.map { Condition(column, "=", column.argument($0)) } ?? Condition("\(column.fragment) IS NULL")
    }

    /// The property differs from `value`, which may be nil.
    public static func != <V: ColumnEquatable>(column: Column, value: V?) -> Condition<Entity> where Value == V? {
        value.map { Condition(column, "IS NOT", column.argument($0)) } ?? Condition("\(column.fragment) IS NOT NULL")
    }

    /// The key equals `value`.
    public static func == (column: Column, value: Value) -> Condition<Entity> where Value: EntityID {
        Condition(column, isEqual: true, key: value)
    }

    /// The key differs from `value`.
    public static func != (column: Column, value: Value) -> Condition<Entity> where Value: EntityID {
        Condition(column, isEqual: false, key: value)
    }

    /// The key equals `value`, which may be nil.
    public static func == <V: EntityID>(column: Column, value: V?) -> Condition<Entity> where Value == V? {
        Condition(column, isEqual: true, key: value)
    }

    /// The key differs from `value`, which may be nil.
    public static func != <V: EntityID>(column: Column, value: V?) -> Condition<Entity> where Value == V? {
        Condition(column, isEqual: false, key: value)
    }

    /// Two properties of a row are equal.
    public static func == (left: Column, right: Column) -> Condition<Entity> {
        Condition("\(left.collatedRowValue) IS \(right.rowValue)")
    }

    /// Two properties of a row differ.
    public static func != (left: Column, right: Column) -> Condition<Entity> {
        Condition("\(left.collatedRowValue) IS NOT \(right.rowValue)")
    }

    /// A property that may be nil equals another one.
    public static func == <V>(left: Column, right: Column<Entity, V>) -> Condition<Entity> where Value == V? {
        Condition("\(left.collatedRowValue) IS \(right.rowValue)")
    }

    /// A property that may be nil differs from another one.
    public static func != <V>(left: Column, right: Column<Entity, V>) -> Condition<Entity> where Value == V? {
        Condition("\(left.collatedRowValue) IS NOT \(right.rowValue)")
    }

    // MARK: Order

    /// The property is less than another one.
    public static func < (left: Column, right: Column) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: left, "<", right)
    }

    /// Both properties are not nil, and the first one is less than the second one.
    public static func < <V: ColumnComparable>(left: Column, right: Column) -> Condition<Entity> where Value == V? {
        Condition(ordered: left, "<", right)
    }

    /// The property is at most another one.
    public static func <= (left: Column, right: Column) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: left, "<=", right)
    }

    /// Both properties are not nil, and the first one is at most the second one.
    public static func <= <V: ColumnComparable>(left: Column, right: Column) -> Condition<Entity> where Value == V? {
        Condition(ordered: left, "<=", right)
    }

    /// The property is greater than another one.
    public static func > (left: Column, right: Column) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: left, ">", right)
    }

    /// Both properties are not nil, and the first one is greater than the second one.
    public static func > <V: ColumnComparable>(left: Column, right: Column) -> Condition<Entity> where Value == V? {
        Condition(ordered: left, ">", right)
    }

    /// The property is at least another one.
    public static func >= (left: Column, right: Column) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: left, ">=", right)
    }

    /// Both properties are not nil, and the first one is at least the second one.
    public static func >= <V: ColumnComparable>(left: Column, right: Column) -> Condition<Entity> where Value == V? {
        Condition(ordered: left, ">=", right)
    }

    /// The property is less than `value`.
    public static func < (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, "<", column.argument(value))
    }

    /// The property is at most `value`.
    public static func <= (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, "<=", column.argument(value))
    }

    /// The property is greater than `value`.
    public static func > (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, ">", column.argument(value))
    }

    /// The property is at least `value`.
    public static func >= (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, ">=", column.argument(value))
    }

    /// The property is not nil and is less than `value`.
    public static func < <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, "<", column.argument(value))
    }

    /// The property is not nil and is at most `value`.
    public static func <= <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, "<=", column.argument(value))
    }

    /// The property is not nil and is greater than `value`.
    public static func > <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, ">", column.argument(value))
    }

    /// The property is not nil and is at least `value`.
    public static func >= <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, ">=", column.argument(value))
    }

    /// The key is less than `value`.
    public static func < (column: Column, value: Value) -> Condition<Entity> where Value: EntityID {
        Condition(column, "<", key: value)
    }

    /// The key is at most `value`.
    public static func <= (column: Column, value: Value) -> Condition<Entity> where Value: EntityID {
        Condition(column, "<=", key: value)
    }

    /// The key is greater than `value`.
    public static func > (column: Column, value: Value) -> Condition<Entity> where Value: EntityID {
        Condition(column, ">", key: value)
    }

    /// The key is at least `value`.
    public static func >= (column: Column, value: Value) -> Condition<Entity> where Value: EntityID {
        Condition(column, ">=", key: value)
    }

    /// The key is not nil and is less than `value`.
    public static func < <V: EntityID>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(column, "<", key: value)
    }

    /// The key is not nil and is at most `value`.
    public static func <= <V: EntityID>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(column, "<=", key: value)
    }

    /// The key is not nil and is greater than `value`.
    public static func > <V: EntityID>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(column, ">", key: value)
    }

    /// The key is not nil and is at least `value`.
    public static func >= <V: EntityID>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(column, ">=", key: value)
    }

    /// The property is in a range.
    ///
    /// ```swift
    /// let movies = try transaction.fetch(Movie.self) { $0.popularity.isBetween(4...6) }
    /// ```
    public func isBetween(_ range: ClosedRange<Value>) -> Condition<Entity> where Value: ColumnComparable {
        Condition("\(orderedFragment) BETWEEN \(argument(range.lowerBound)) AND \(argument(range.upperBound))")
    }

    /// The property is not nil and is in a range.
    public func isBetween<V: ColumnComparable>(_ range: ClosedRange<V>) -> Condition<Entity> where Value == V? {
        Condition("\(orderedFragment) BETWEEN \(argument(range.lowerBound)) AND \(argument(range.upperBound))")
    }

    // MARK: Membership

    /// The property is one of `values`, of which there may be thousands.
    ///
    /// ```swift
    /// let movies = try transaction.fetch(Movie.self) { $0.title.isIn(["Stalker", "Solaris"]) }
    /// ```
    public func isIn(_ values: some Sequence<Value>) -> Condition<Entity> where Value: ColumnEquatable {
        isAny(of: Array(values))
    }

    /// The property is not nil and is one of `values`.
    public func isIn<V: ColumnEquatable>(_ values: some Sequence<V>) -> Condition<Entity> where Value == V? {
        isAny(of: Array(values))
    }

    /// The key is one of `values`.
    public func isIn(_ values: some Sequence<Value>) -> Condition<Entity> where Value: EntityID {
        isIn(values.map { $0 as any EntityID })
    }

    /// The key is not nil and is one of `values`.
    public func isIn<V: EntityID>(_ values: some Sequence<V>) -> Condition<Entity> where Value == V? {
        isIn(values.map { $0 as any EntityID })
    }

    /// The maximum number of values that get a parameter each.
    private static var mostParameters: Int { 100 }

    private func isAny(of values: [some ColumnEquatable]) -> Condition<Entity> {
        if values.isEmpty { return Condition("0") }
        if values.count <= Self.mostParameters {
            return Condition("\(collatedRowValue) IN (\(.joined(values.map(argument))))")
        }
        if isJSON { return .any(of: values.map { Condition("\(fragment) = \(argument($0))") }) }
        return isIn(.values(values.map(\.stored)), columnCount: 1)
    }

    private func isIn(_ keys: [any EntityID]) -> Condition<Entity> {
        let columnCount = keys.first.map { type(of: $0).columnCount } ?? 1
        if keys.count <= Self.mostParameters || columnCount > VirtualRows.mostColumns {
            return isIn(keys.map { .key($0) })
        }
        return isIn(.keys(keys, columnCount: columnCount), columnCount: columnCount)
    }

    private func isIn(_ array: QueryArgument, columnCount: Int) -> Condition<Entity> {
        Condition("\(collatedRowValue) IN (\(VirtualRows.query(array, columnCount: columnCount)))")
    }

    private func isIn(_ arguments: [QueryArgument]) -> Condition<Entity> {
        guard let first = arguments.first else { return Condition("0") }
        if first.parameterCount == 1 {
            return Condition("\(collatedRowValue) IN (\(.joined(arguments.map { "\($0)" })))")
        }
        return Condition("\(collatedRowValue) IN (VALUES \(.joined(arguments.map { "(\($0))" })))")
    }
}

extension Statement {
    /// The values of the columns of several primary keys, in a row.
    func storedValues(of keys: [any EntityID], columnCount: Int) throws -> [SQLiteValue] {
        let select = try Statement("SELECT \(SQL.parameters(columnCount))", database: sqlite3_db_handle(pointer), use)
        var values: [SQLiteValue] = []
        values.reserveCapacity(keys.count * columnCount)
        for key in keys {
            try key.bind(to: select, at: 1)
            guard try select.step() else { continue }
            for index in 0..<columnCount { values.append(select.row.value(index)) }
            select.rewind()
        }
        return values
    }
}
