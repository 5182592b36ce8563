import SQLSchema

/// A value that a property of many rows is given.
public struct Assignment<Entity: StoredEntity>: Sendable {
    let sql: String
    let arguments: [Condition<Entity>.Argument]
}

extension Column {
    /// Gives the property that value.
    public func set(to value: Value) -> Assignment<Entity> where Value: ColumnEquatable {
        Assignment(sql: "\(sql) = ?", arguments: [.value(value.stored)])
    }

    /// Gives the property that value, or none.
    public func set<V: ColumnEquatable>(to value: V?) -> Assignment<Entity> where Value == V? {
        Assignment(sql: "\(sql) = ?", arguments: [.value(value?.stored ?? .null)])
    }

    /// Makes the property point at the row whose key that is.
    public func set(to value: Value) -> Assignment<Entity> where Value: EntityID {
        Assignment(sql: "(\(SQL.list(names))) = (\(SQL.parameterList(names.count)))", arguments: [.key(value)])
    }

    /// Makes the property point at the row whose key that is, or at none.
    public func set<V: EntityID>(to value: V?) -> Assignment<Entity> where Value == V? {
        guard let value else {
            return Assignment(sql: names.map { SQL.quoted($0) + " = NULL" }.joined(separator: ", "), arguments: [])
        }
        return Assignment(sql: "(\(SQL.list(names))) = (\(SQL.parameterList(names.count)))", arguments: [.key(value)])
    }

    /// Adds to the property.
    public func add(_ value: Value) -> Assignment<Entity> where Value: ColumnComparable & Numeric {
        sum(value.stored)
    }

    /// Adds to the property where it is there.
    public func add<V: ColumnComparable & Numeric>(_ value: V) -> Assignment<Entity> where Value == V? {
        sum(value.stored)
    }

    private func sum(_ value: SQLiteValue) -> Assignment<Entity> {
        let sum = Self.isDecimal ? "\(DecimalFunctions.add)(\(sql), ?)" : "\(sql) + ?"
        return Assignment(sql: "\(sql) = \(sum)", arguments: [.value(value)])
    }
}

extension SQL {
    /// So many parameters without numbers.
    fileprivate static func parameterList(_ count: Int) -> String {
        [String](repeating: "?", count: count).joined(separator: ", ")
    }
}
