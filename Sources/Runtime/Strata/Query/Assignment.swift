import SQLSchema

/// A new value for a property, for updating all rows of a request.
///
/// ```swift
/// try transaction.update(Movie.all) { [$0.popularity.set(to: 5), $0.voteCount.set(to: 0)] }
/// ```
public struct Assignment<Entity: StoredEntity>: Sendable {
    /// The unquoted names of the columns; empty if the value is not a property of the entity.
    let names: [String]
    /// The new value, which is a row value if there are several columns.
    let value: QueryFragment

    fileprivate init<Value>(_ column: Column<Entity, Value>, _ value: QueryFragment) {
        names = column.names
        self.value = value
    }

    /// The key or NULLs for nil.
    fileprivate init<Value>(_ column: Column<Entity, Value>, key: (any EntityID)?) {
        let nulls = [QueryFragment](repeating: "NULL", count: column.names.count)
        let values: QueryFragment = key.map { "\(.key($0))" } ?? .joined(nulls)
        self.init(column, column.names.count == 1 ? values : "(\(values))")
    }
}

extension Column {
    /// Sets the property to `value`.
    public func set(to value: Value) -> Assignment<Entity> where Value: ColumnEquatable {
        Assignment(self, "\(value.stored)")
    }

    /// Sets the property to `value`, which may be nil.
    public func set<V: ColumnEquatable>(to value: V?) -> Assignment<Entity> where Value == V? {
        Assignment(self, "\(value?.stored ?? .null)")
    }

    /// Sets the foreign key to `value`.
    public func set(to value: Value) -> Assignment<Entity> where Value: EntityID {
        Assignment(self, key: value)
    }

    /// Sets the foreign key to `value`, which may be nil.
    public func set<V: EntityID>(to value: V?) -> Assignment<Entity> where Value == V? {
        Assignment(self, key: value)
    }

    /// Sets the property to a value that SQL computes from the row as it was before.
    ///
    /// ```swift
    /// try transaction.update(Movie.all) { [$0.popularity.set(to: $0.popularity * 2)] }
    /// ```
    public func set(to value: Column) -> Assignment<Entity> { Assignment(self, value.rowValue) }

    /// Sets the property, which may be nil, to a value that SQL computes from the row as it was before.
    public func set<V>(to value: Column<Entity, V>) -> Assignment<Entity> where Value == V? {
        Assignment(self, value.rowValue)
    }

    /// Adds `value` to the property.
    ///
    /// ```swift
    /// try transaction.update(Movie.all.where { $0.studioID == nil }) { $0.voteCount += 1 }
    /// ```
    public static func += (column: Column, value: Value) -> Assignment<Entity>
    where Value: ColumnComparable & Numeric {
        column.set(to: column + value)
    }

    /// Adds `value` to the property, unless it is nil.
    public static func += <V: ColumnComparable & Numeric>(column: Column, value: V) -> Assignment<Entity>
    where Value == V? {
        column.set(to: column + value)
    }

    /// Subtracts `value` from the property.
    public static func -= (column: Column, value: Value) -> Assignment<Entity>
    where Value: ColumnComparable & Numeric {
        column.set(to: column - value)
    }

    /// Subtracts `value` from the property, unless it is nil.
    public static func -= <V: ColumnComparable & Numeric>(column: Column, value: V) -> Assignment<Entity>
    where Value == V? {
        column.set(to: column - value)
    }
}
