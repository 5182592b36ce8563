import SQLSchema

/// A new value for a property, for updating all rows of a request.
///
/// ```swift
/// try transaction.update(Movie.all) { [$0.popularity.set(to: 5), $0.voteCount.add(1)] }
/// ```
public struct Assignment<Entity: StoredEntity>: Sendable {
    let sql: String
    let arguments: [Condition<Entity>.Argument]
}

extension Column {
    /// Sets the property to `value`.
    public func set(to value: Value) -> Assignment<Entity> where Value: ColumnEquatable {
        Assignment(sql: "\(sql) = ?", arguments: [.value(value.stored)])
    }

    /// Sets the property to `value`, which may be nil.
    public func set<V: ColumnEquatable>(to value: V?) -> Assignment<Entity> where Value == V? {
        Assignment(sql: "\(sql) = ?", arguments: [.value(value?.stored ?? .null)])
    }

    /// Sets the foreign key to `value`.
    public func set(to value: Value) -> Assignment<Entity> where Value: EntityID {
        Assignment(sql: "(\(SQL.list(names))) = (\(SQL.parameterList(names.count)))", arguments: [.key(value)])
    }

    /// Sets the foreign key to `value`, which may be nil.
    public func set<V: EntityID>(to value: V?) -> Assignment<Entity> where Value == V? {
        guard let value else {
            return Assignment(sql: names.map { SQL.quoted($0) + " = NULL" }.joined(separator: ", "), arguments: [])
        }
        return Assignment(sql: "(\(SQL.list(names))) = (\(SQL.parameterList(names.count)))", arguments: [.key(value)])
    }

    /// Adds `value` to the property.
    public func add(_ value: Value) -> Assignment<Entity> where Value: ColumnComparable & Numeric {
        sum(value.stored)
    }

    /// Adds `value` to the property, unless it is nil.
    public func add<V: ColumnComparable & Numeric>(_ value: V) -> Assignment<Entity> where Value == V? {
        sum(value.stored)
    }

    private func sum(_ value: SQLiteValue) -> Assignment<Entity> {
        let sum = Self.isDecimal ? "\(DecimalFunctions.add)(\(sql), ?)" : "\(sql) + ?"
        return Assignment(sql: "\(sql) = \(sum)", arguments: [.value(value)])
    }
}

extension SQL {
    /// The SQL of `count` parameters without numbers.
    fileprivate static func parameterList(_ count: Int) -> String {
        [String](repeating: "?", count: count).joined(separator: ", ")
    }
}
