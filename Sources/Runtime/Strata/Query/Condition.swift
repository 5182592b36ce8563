import CSQLite
import Foundation
import SQLSchema

/// A condition on the rows of an entity. Values are bound, and never part of the SQL.
///
/// It is true or false of every row, as in Swift: what is NULL equals nil alone, is neither more nor less than anything,
/// and the negation of a condition holds for all rows for which the condition does not.
public struct Condition<Entity: StoredEntity>: Sendable {
    /// A value that is bound, or a key, to as many parameters as it has columns.
    enum Argument: Sendable {
        case value(SQLiteValue)
        case key(any EntityID)
        /// The rows of a `ValueArray`, which is one parameter.
        case values(ValueArray)
        /// The same for primary keys, whose values only a statement reads.
        case keys([any EntityID], columnCount: Int)
    }

    private indirect enum Term: Sendable {
        case sql(String, [Argument])
        case not(Condition)
        /// Conditions that are joined by AND or by OR.
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

    /// The values of the parameters, in their order.
    var arguments: [Argument] {
        switch term {
        case .sql(_, let arguments): arguments
        case .not(let condition): condition.arguments
        case .joined(let conditions, _): conditions.flatMap(\.arguments)
        }
    }

    /// A column, an operator, and a value.
    fileprivate init<Value>(_ column: Column<Entity, Value>, _ operation: String, _ value: SQLiteValue) {
        self.init("\(column.sql) \(operation) ?", [.value(value)])
    }

    /// A column that is compared by order, an operator, and a value.
    fileprivate init<Value>(ordered column: Column<Entity, Value>, _ operation: String, _ value: SQLiteValue) {
        self.init("\(column.orderedSQL) \(operation) ?", [.value(value)])
    }

    /// Whether a key is `value`, or is not.
    fileprivate init<Value>(_ column: Column<Entity, Value>, isEqual: Bool, key: (any EntityID)?) {
        guard let key else {
            self.init("\(column.sql) IS \(isEqual ? "" : "NOT ")NULL")
            return
        }
        let pairs = column.collatedNames.map { "\($0) IS ?" }.joined(separator: " AND ")
        self.init(isEqual ? (column.names.count == 1 ? pairs : "(\(pairs))") : "NOT (\(pairs))", [.key(key)])
    }

    /// Binds `arguments` to the parameters from `first` on, and gives the next one.
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

    // MARK: Together

    /// Holds for every row.
    public static var always: Condition { Condition("TRUE") }

    /// Holds where all of them do.
    public static func all(of conditions: [Condition]) -> Condition {
        joined(conditions, by: "AND") ?? always
    }

    /// Holds where at least one of them does.
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

    /// Holds where it does not.
    public static func not(_ condition: Condition) -> Condition {
        Condition(.not(condition))
    }

    /// Holds where both do.
    public static func && (left: Condition, right: Condition) -> Condition { all(of: [left, right]) }
    /// Holds where at least one does.
    public static func || (left: Condition, right: Condition) -> Condition { any(of: [left, right]) }
    /// Holds where it does not.
    public static prefix func ! (condition: Condition) -> Condition { not(condition) }
}

extension Column {
    // MARK: Equality

    /// Whether the property is `value`.
    public static func == (column: Column, value: Value) -> Condition<Entity> where Value: ColumnEquatable {
        Condition(column, "=", value.stored)
    }

    /// Whether the property is another than `value`.
    public static func != (column: Column, value: Value) -> Condition<Entity> where Value: ColumnEquatable {
        Condition(column, "<>", value.stored)
    }

    /// Whether the property is `value`, which may be nil.
    public static func == <V: ColumnEquatable>(column: Column, value: V?) -> Condition<Entity> where Value == V? {
        Condition(column, "IS", value?.stored ?? .null)
    }

    /// Whether the property is another than `value`, which may be nil.
    public static func != <V: ColumnEquatable>(column: Column, value: V?) -> Condition<Entity> where Value == V? {
        Condition(column, "IS NOT", value?.stored ?? .null)
    }

    /// Whether the key is `value`.
    public static func == (column: Column, value: Value) -> Condition<Entity> where Value: EntityID {
        Condition(column, isEqual: true, key: value)
    }

    /// Whether the key is another than `value`.
    public static func != (column: Column, value: Value) -> Condition<Entity> where Value: EntityID {
        Condition(column, isEqual: false, key: value)
    }

    /// Whether the key is `value`, which may be nil.
    public static func == <V: EntityID>(column: Column, value: V?) -> Condition<Entity> where Value == V? {
        Condition(column, isEqual: true, key: value)
    }

    /// Whether the key is another than `value`, which may be nil.
    public static func != <V: EntityID>(column: Column, value: V?) -> Condition<Entity> where Value == V? {
        Condition(column, isEqual: false, key: value)
    }

    /// Whether two properties of a row have the same value.
    public static func == (left: Column, right: Column) -> Condition<Entity> {
        Condition("\(left.collatedRowValue) IS \(right.rowValue)")
    }

    /// Whether two properties of a row have other values.
    public static func != (left: Column, right: Column) -> Condition<Entity> {
        Condition("\(left.collatedRowValue) IS NOT \(right.rowValue)")
    }

    // MARK: Order

    /// Whether the property is less than `value`.
    public static func < (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, "<", value.stored)
    }

    /// Whether the property is `value` or less.
    public static func <= (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, "<=", value.stored)
    }

    /// Whether the property is more than `value`.
    public static func > (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, ">", value.stored)
    }

    /// Whether the property is `value` or more.
    public static func >= (column: Column, value: Value) -> Condition<Entity> where Value: ColumnComparable {
        Condition(ordered: column, ">=", value.stored)
    }

    /// Whether the property is there, and less than `value`.
    public static func < <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, "<", value.stored)
    }

    /// Whether the property is there, and `value` or less.
    public static func <= <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, "<=", value.stored)
    }

    /// Whether the property is there, and more than `value`.
    public static func > <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, ">", value.stored)
    }

    /// Whether the property is there, and `value` or more.
    public static func >= <V: ColumnComparable>(column: Column, value: V) -> Condition<Entity> where Value == V? {
        Condition(ordered: column, ">=", value.stored)
    }

    /// Whether the key is less than `value`.
    public static func < (column: Column, value: Value) -> Condition<Entity>
    where Value: RawEntityID, Value.RawValue: ColumnComparable {
        Condition(ordered: column, "<", value.rawValue.stored)
    }

    /// Whether the key is no more than `value`.
    public static func <= (column: Column, value: Value) -> Condition<Entity>
    where Value: RawEntityID, Value.RawValue: ColumnComparable {
        Condition(ordered: column, "<=", value.rawValue.stored)
    }

    /// Whether the key is more than `value`.
    public static func > (column: Column, value: Value) -> Condition<Entity>
    where Value: RawEntityID, Value.RawValue: ColumnComparable {
        Condition(ordered: column, ">", value.rawValue.stored)
    }

    /// Whether the key is no less than `value`.
    public static func >= (column: Column, value: Value) -> Condition<Entity>
    where Value: RawEntityID, Value.RawValue: ColumnComparable {
        Condition(ordered: column, ">=", value.rawValue.stored)
    }

    /// Whether the property is in a range.
    public func isBetween(_ range: ClosedRange<Value>) -> Condition<Entity> where Value: ColumnComparable {
        Condition("\(orderedSQL) BETWEEN ? AND ?", [.value(range.lowerBound.stored), .value(range.upperBound.stored)])
    }

    /// Whether the property is there, and in a range.
    public func isBetween<V: ColumnComparable>(_ range: ClosedRange<V>) -> Condition<Entity> where Value == V? {
        Condition("\(orderedSQL) BETWEEN ? AND ?", [.value(range.lowerBound.stored), .value(range.upperBound.stored)])
    }

    // MARK: Membership

    /// Whether the property is one of `values`.
    public func isIn(_ values: some Sequence<Value>) -> Condition<Entity> where Value: ColumnEquatable {
        isIn(values.map(\.stored))
    }

    /// Whether the property is there, and one of `values`.
    public func isIn<V: ColumnEquatable>(_ values: some Sequence<V>) -> Condition<Entity> where Value == V? {
        isIn(values.map(\.stored))
    }

    /// Whether the key is one of `values`.
    public func isIn(_ values: some Sequence<Value>) -> Condition<Entity> where Value: EntityID {
        isIn(values.map { $0 as any EntityID })
    }

    /// Whether the key is there, and one of `values`.
    public func isIn<V: EntityID>(_ values: some Sequence<V>) -> Condition<Entity> where Value == V? {
        isIn(values.map { $0 as any EntityID })
    }

    /// The maximum number of values that are parameters each.
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
    /// The values of the columns of primary keys, one primary key after the other.
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
    /// Whether the text begins with `prefix`, in the same case.
    public func hasPrefix(_ prefix: String) -> Condition<Entity> { begins(with: prefix) }
    /// Whether the text ends with `suffix`, in the same case.
    public func hasSuffix(_ suffix: String) -> Condition<Entity> { ends(with: suffix) }
    /// Whether `part` stands in the text, in the same case.
    public func contains(_ part: String) -> Condition<Entity> { holds(part) }
    /// Whether the text is like `pattern`: `%` stands for any text, `_` for any character, and letters of ASCII are the
    /// same in either case (https://sqlite.org/lang_expr.html#like).
    ///
    /// - `escape`: a character that takes from the next one its meaning.
    public func isLike(_ pattern: String, escape: Character? = nil) -> Condition<Entity> { like(pattern, escape) }
}

extension Column where Value == String? {
    /// Whether the text is there, and begins with `prefix`, in the same case.
    public func hasPrefix(_ prefix: String) -> Condition<Entity> { begins(with: prefix) }
    /// Whether the text is there, and ends with `suffix`, in the same case.
    public func hasSuffix(_ suffix: String) -> Condition<Entity> { ends(with: suffix) }
    /// Whether the text is there, and `part` stands in it, in the same case.
    public func contains(_ part: String) -> Condition<Entity> { holds(part) }
    /// Whether the text is there, and like `pattern`: `%` stands for any text, `_` for any character, and letters of ASCII
    /// are the same in either case (https://sqlite.org/lang_expr.html#like).
    ///
    /// - `escape`: a character that takes from the next one its meaning.
    public func isLike(_ pattern: String, escape: Character? = nil) -> Condition<Entity> { like(pattern, escape) }
}

extension Column {
    /// GLOB heeds the case, and uses an index (https://sqlite.org/optoverview.html#the_like_optimization); it reads a text
    /// up to U+0000.
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

    /// `text` as GLOB takes it for itself: what means something to it stands in brackets.
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
