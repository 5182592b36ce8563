// Conditions with a column that is chosen at run time.

/// A key path to a column of an entity: `\.title`.
public typealias ColumnPath<Entity: StoredEntity, Value> = KeyPath<Entity.Columns, Column<Entity, Value>>

extension Condition {
    private static func column<Value>(_ path: ColumnPath<Entity, Value>) -> Column<Entity, Value> {
        Entity.Columns()[keyPath: path]
    }

    /// The property equals `value`.
    public static func filter<V: ColumnEquatable>(_ path: ColumnPath<Entity, V>, equalTo value: V) -> Condition {
        column(path) == value
    }

    /// The property equals `value`, which may be nil.
    public static func filter<V: ColumnEquatable>(_ path: ColumnPath<Entity, V?>, equalTo value: V?) -> Condition {
        column(path) == value
    }

    /// The key equals `value`.
    public static func filter<V: EntityID>(_ path: ColumnPath<Entity, V>, equalTo value: V) -> Condition {
        column(path) == value
    }

    /// The key equals `value`, which may be nil.
    public static func filter<V: EntityID>(_ path: ColumnPath<Entity, V?>, equalTo value: V?) -> Condition {
        column(path) == value
    }

    /// The property is greater than `value`.
    public static func filter<V: ColumnComparable>(_ path: ColumnPath<Entity, V>, moreThan value: V) -> Condition {
        column(path) > value
    }

    /// The property is not nil and is greater than `value`.
    public static func filter<V: ColumnComparable>(_ path: ColumnPath<Entity, V?>, moreThan value: V) -> Condition {
        column(path) > value
    }

    /// The property is less than `value`.
    public static func filter<V: ColumnComparable>(_ path: ColumnPath<Entity, V>, lessThan value: V) -> Condition {
        column(path) < value
    }

    /// The property is not nil and is less than `value`.
    public static func filter<V: ColumnComparable>(_ path: ColumnPath<Entity, V?>, lessThan value: V) -> Condition {
        column(path) < value
    }

    /// The property is in a range.
    public static func filter<V: ColumnComparable>(
        _ path: ColumnPath<Entity, V>, between range: ClosedRange<V>
    ) -> Condition {
        column(path).isBetween(range)
    }

    /// The property is not nil and is in a range.
    public static func filter<V: ColumnComparable>(
        _ path: ColumnPath<Entity, V?>, between range: ClosedRange<V>
    ) -> Condition {
        column(path).isBetween(range)
    }

    /// The property is one of `values`.
    public static func filter<V: ColumnEquatable>(_ path: ColumnPath<Entity, V>, in values: [V]) -> Condition {
        column(path).isIn(values)
    }

    /// The property is not nil and is one of `values`.
    public static func filter<V: ColumnEquatable>(_ path: ColumnPath<Entity, V?>, in values: [V]) -> Condition {
        column(path).isIn(values)
    }

    /// The text begins with `prefix`. Letter case matters.
    public static func filter(_ path: ColumnPath<Entity, String>, beginsWith prefix: String) -> Condition {
        column(path).hasPrefix(prefix)
    }

    /// The text is not nil and begins with `prefix`. Letter case matters.
    public static func filter(_ path: ColumnPath<Entity, String?>, beginsWith prefix: String) -> Condition {
        column(path).hasPrefix(prefix)
    }

    /// The text contains `part`. Letter case matters.
    public static func filter(_ path: ColumnPath<Entity, String>, contains part: String) -> Condition {
        column(path).contains(part)
    }

    /// The text is not nil and contains `part`. Letter case matters.
    public static func filter(_ path: ColumnPath<Entity, String?>, contains part: String) -> Condition {
        column(path).contains(part)
    }

    /// The text matches the pattern, as with `isLike`.
    public static func filter(_ path: ColumnPath<Entity, String>, like pattern: String) -> Condition {
        column(path).isLike(pattern)
    }

    /// The text is not nil and matches the pattern, as with `isLike`.
    public static func filter(_ path: ColumnPath<Entity, String?>, like pattern: String) -> Condition {
        column(path).isLike(pattern)
    }
}
