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
public struct Condition<Entity: StoredEntity>: Sendable {
    /// A value of a parameter. A key is bound to as many parameters as it has columns.
    enum Argument: Sendable {
        case value(SQLiteValue)
        case key(any EntityID)
        /// The rows of a `ValueArray`, which is a single parameter.
        case values(ValueArray)
        /// The same for primary keys, whose values are read by binding them to a statement.
        case keys([any EntityID], columnCount: Int)
    }

    private indirect enum Term: Sendable {
        case sql(String, [Argument])
        case not(Condition)
        /// Conditions that are joined with AND or OR.
        case joined([Condition], by: String)
    }

    private let term: Term

    init(_ sql: String, _ arguments: [Argument] = []) {
        term = .sql(sql, arguments)
    }

    private init(_ term: Term) {
        self.term = term
    }

    /// The SQL of the condition.
    var sql: String {
        switch term {
        case .sql(let sql, _): sql
        case .not(let condition): "(\(condition.sql)) IS NOT TRUE"
        case .joined(let conditions, let word): Self.sql(of: conditions[...], joinedBy: word)
        }
    }

    /// SQLite limits the depth of an expression (https://sqlite.org/limits.html#max_expr_depth). Many conditions are
    /// therefore joined as a balanced tree.
    private static func sql(of conditions: ArraySlice<Condition>, joinedBy word: String) -> String {
        if conditions.count <= 50 { return conditions.map { "(\($0.sql))" }.joined(separator: " \(word) ") }
        let middle = conditions.startIndex + conditions.count / 2
        let halves = [conditions[..<middle], conditions[middle...]]
        return halves.map { "(\(sql(of: $0, joinedBy: word)))" }.joined(separator: " \(word) ")
    }

    /// The values of the parameters.
    var arguments: [Argument] {
        switch term {
        case .sql(_, let arguments): arguments
        case .not(let condition): condition.arguments
        case .joined(let conditions, _): conditions.flatMap(\.arguments)
        }
    }

    /// The comparison of a column with a value.
    fileprivate init<Value>(_ column: Column<Entity, Value>, _ operation: String, _ value: SQLiteValue) {
        self.init("\(column.sql) \(operation) ?", [.value(value)])
    }

    /// The comparison of a column with a value by order.
    fileprivate init<Value>(ordered column: Column<Entity, Value>, _ operation: String, _ value: SQLiteValue) {
        self.init("\(column.orderedSQL) \(operation) ?", [.value(value)])
    }

    /// The comparison of a key with a value.
    fileprivate init<Value>(_ column: Column<Entity, Value>, isEqual: Bool, key: (any EntityID)?) {
        guard let key else {
            self.init("\(column.sql) IS \(isEqual ? "" : "NOT ")NULL")
            return
        }
        let pairs = column.collatedNames.map { "\($0) IS ?" }.joined(separator: " AND ")
        self.init(isEqual ? (column.names.count == 1 ? pairs : "(\(pairs))") : "NOT (\(pairs))", [.key(key)])
    }

    /// Binds `arguments` to the parameters from `first` on. Returns the number of the next parameter.
    static func bind(_ arguments: [Argument], to statement: Statement, from first: Int = 1) throws -> Int {
        var index = first
        for argument in arguments {
            switch argument {
            case .value(let value):
                try statement.bind(value, at: index)
                index += 1
            case .key(let key):
                try key.bind(to: statement, at: index)
                index += type(of: key).columnCount
            case .values(let values):
                try values.bind(to: statement, at: index)
                index += 1
            case .keys(let keys, let columnCount):
                let values = try statement.storedValues(of: keys, columnCount: columnCount)
                try ValueArray(values, columnCount: columnCount).bind(to: statement, at: index)
                index += 1
            }
        }
        return index
    }

    // MARK: Combinations

    /// A condition that is true for each row.
    public static var always: Condition { Condition("TRUE") }

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
        joined(conditions, by: "OR") ?? Condition("FALSE")
    }

    private static func joined(_ conditions: [Condition], by word: String) -> Condition? {
        if conditions.isEmpty { return nil }
        // A chain such as `a && b && c` is one list, so that its depth does not grow.
        let terms = conditions.flatMap { condition in
            if case .joined(let terms, word) = condition.term { terms } else { [condition] }
        }
        return Condition(.joined(terms, by: word))
    }

    /// The condition is false.
    ///
    /// ```swift
    /// let condition = Condition<Movie>.not(.filter(\.title, beginsWith: "The "))
    /// ```
    public static func not(_ condition: Condition) -> Condition {
        Condition(.not(condition))
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
        Condition(column, "=", value.stored)
    }

    /// The property differs from `value`.
    public static func != (column: Column, value: Value) -> Condition<Entity> where Value: ColumnEquatable {
        Condition(column, "<>", value.stored)
    }

    /// The property equals `value`, which may be nil.
    public static func == <V: ColumnEquatable>(column: Column, value: V?) -> Condition<Entity> where Value == V? {
        Condition(column, "IS", value?.stored ?? .null)
    }

    /// The property differs from `value`, which may be nil.
    public static func != <V: ColumnEquatable>(column: Column, value: V?) -> Condition<Entity> where Value == V? {
        Condition(column, "IS NOT", value?.stored ?? .null)
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

    // MARK: Order

    /// The property is less than `value`.
    public static func < (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, "<", value.stored)
    }

    /// The property is at most `value`.
    public static func <= (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, "<=", value.stored)
    }

    /// The property is greater than `value`.
    public static func > (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, ">", value.stored)
    }

    /// The property is at least `value`.
    public static func >= (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, ">=", value.stored)
    }

    /// The property is not nil and is less than `value`.
    public static func < <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, "<", value.stored)
    }

    /// The property is not nil and is at most `value`.
    public static func <= <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, "<=", value.stored)
    }

    /// The property is not nil and is greater than `value`.
    public static func > <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, ">", value.stored)
    }

    /// The property is not nil and is at least `value`.
    public static func >= <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, ">=", value.stored)
    }

    /// The key is less than `value`.
    public static func < (column: Column, value: Value) -> Condition<Entity>
    where Value: RawEntityID, Value.RawValue: ColumnComparable {
        Condition(ordered: column, "<", value.rawValue.stored)
    }

    /// The key is at most `value`.
    public static func <= (column: Column, value: Value) -> Condition<Entity>
    where Value: RawEntityID, Value.RawValue: ColumnComparable {
        Condition(ordered: column, "<=", value.rawValue.stored)
    }

    /// The key is greater than `value`.
    public static func > (column: Column, value: Value) -> Condition<Entity>
    where Value: RawEntityID, Value.RawValue: ColumnComparable {
        Condition(ordered: column, ">", value.rawValue.stored)
    }

    /// The key is at least `value`.
    public static func >= (column: Column, value: Value) -> Condition<Entity>
    where Value: RawEntityID, Value.RawValue: ColumnComparable {
        Condition(ordered: column, ">=", value.rawValue.stored)
    }

    /// The property is in a range.
    ///
    /// ```swift
    /// let movies = try transaction.fetch(Movie.self) { $0.popularity.isBetween(4...6) }
    /// ```
    public func isBetween(_ range: ClosedRange<Value>) -> Condition<Entity> where Value: ColumnComparable {
        Condition("\(orderedSQL) BETWEEN ? AND ?", [.value(range.lowerBound.stored), .value(range.upperBound.stored)])
    }

    /// The property is not nil and is in a range.
    public func isBetween<V: ColumnComparable>(_ range: ClosedRange<V>) -> Condition<Entity> where Value == V? {
        Condition("\(orderedSQL) BETWEEN ? AND ?", [.value(range.lowerBound.stored), .value(range.upperBound.stored)])
    }

    // MARK: Membership

    /// The property is one of `values`, of which there may be thousands.
    ///
    /// ```swift
    /// let movies = try transaction.fetch(Movie.self) { $0.title.isIn(["Stalker", "Solaris"]) }
    /// ```
    public func isIn(_ values: some Sequence<Value>) -> Condition<Entity> where Value: ColumnEquatable {
        isIn(values.map(\.stored))
    }

    /// The property is not nil and is one of `values`.
    public func isIn<V: ColumnEquatable>(_ values: some Sequence<V>) -> Condition<Entity> where Value == V? {
        isIn(values.map(\.stored))
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

    private func isIn(_ values: [SQLiteValue]) -> Condition<Entity> {
        if values.count <= Self.mostParameters { return isIn(values.map { .value($0) }) }
        return isIn(.values(ValueArray(values, columnCount: 1)))
    }

    private func isIn(_ keys: [any EntityID]) -> Condition<Entity> {
        if keys.count <= Self.mostParameters || names.count > ValueArray.mostColumns {
            return isIn(keys.map { .key($0) })
        }
        return isIn(.keys(keys, columnCount: names.count))
    }

    private func isIn(_ array: Condition<Entity>.Argument) -> Condition<Entity> {
        Condition("\(collatedRowValue) IN (\(ValueArray.query(columnCount: names.count)))", [array])
    }

    private func isIn(_ arguments: [Condition<Entity>.Argument]) -> Condition<Entity> {
        if arguments.isEmpty { return Condition("FALSE") }
        let one = names.count == 1 ? "?" : "(" + names.map { _ in "?" }.joined(separator: ", ") + ")"
        let all = [String](repeating: one, count: arguments.count).joined(separator: ", ")
        return Condition("\(collatedRowValue) IN (\(names.count == 1 ? all : "VALUES " + all))", arguments)
    }
}

extension Statement {
    /// The values of the columns of several primary keys, in a row.
    fileprivate func storedValues(of keys: [any EntityID], columnCount: Int) throws -> [SQLiteValue] {
        let select = try Statement("SELECT \(SQL.parameters(columnCount))", database: sqlite3_db_handle(pointer))
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

// MARK: Text

extension Column where Value == String {
    /// The text begins with `prefix`. Letter case matters.
    public func hasPrefix(_ prefix: String) -> Condition<Entity> { begins(with: prefix) }
    /// The text ends with `suffix`. Letter case matters.
    public func hasSuffix(_ suffix: String) -> Condition<Entity> { ends(with: suffix) }
    /// The text contains `part`. Letter case matters.
    public func contains(_ part: String) -> Condition<Entity> { holds(part) }
    /// The text matches a pattern of SQL's LIKE (https://sqlite.org/lang_expr.html#like).
    ///
    /// ```swift
    /// let movies = try transaction.fetch(Movie.self) { $0.title.isLike("%100^%%", escape: "^") }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: The pattern. `%` matches any text, and `_` any character. The case of ASCII letters does not matter.
    ///   - escape: A character before `%`, `_` or itself that makes it match only itself.
    public func isLike(_ pattern: String, escape: Character? = nil) -> Condition<Entity> { like(pattern, escape) }
}

extension Column where Value == String? {
    /// The text is not nil and begins with `prefix`. Letter case matters.
    public func hasPrefix(_ prefix: String) -> Condition<Entity> { begins(with: prefix) }
    /// The text is not nil and ends with `suffix`. Letter case matters.
    public func hasSuffix(_ suffix: String) -> Condition<Entity> { ends(with: suffix) }
    /// The text is not nil and contains `part`. Letter case matters.
    public func contains(_ part: String) -> Condition<Entity> { holds(part) }
    /// The text is not nil and matches a pattern of SQL's LIKE (https://sqlite.org/lang_expr.html#like).
    ///
    /// - Parameters:
    ///   - pattern: The pattern. `%` matches any text, and `_` any character. The case of ASCII letters does not matter.
    ///   - escape: A character before `%`, `_` or itself that makes it match only itself.
    public func isLike(_ pattern: String, escape: Character? = nil) -> Condition<Entity> { like(pattern, escape) }
}

extension Column {
    /// GLOB respects letter case and can use an index (https://sqlite.org/optoverview.html#the_like_optimization). It reads
    /// text up to U+0000.
    fileprivate func begins(with prefix: String) -> Condition<Entity> {
        if !prefix.utf8.contains(0) { return Condition(self, "GLOB", .text(Self.globbed(prefix) + "*")) }
        return Condition(
            "substr(CAST(\(sql) AS BLOB), 1, \(prefix.utf8.count)) = ?", [.value(.blob(Data(prefix.utf8)))])
    }

    fileprivate func ends(with suffix: String) -> Condition<Entity> {
        if suffix.isEmpty { return Condition("\(sql) IS NOT NULL") }
        return Condition("substr(CAST(\(sql) AS BLOB), -\(suffix.utf8.count)) = ?", [.value(.blob(Data(suffix.utf8)))])
    }

    fileprivate func holds(_ part: String) -> Condition<Entity> {
        Condition("instr(\(sql), ?) > 0", [.value(.text(part))])
    }

    fileprivate func like(_ pattern: String, _ escape: Character?) -> Condition<Entity> {
        guard let escape else { return Condition(self, "LIKE", .text(pattern)) }
        return Condition("\(sql) LIKE ? ESCAPE ?", [.value(.text(pattern)), .value(.text(String(escape)))])
    }

    /// The pattern of GLOB that matches only `text`: special characters are in brackets.
    private static func globbed(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if ["*", "?", "["].contains(scalar) {
                result += "[\(scalar)]"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
