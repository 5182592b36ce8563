// Conditions that are made at run time.

/// The way to a column of an entity.
public typealias ColumnPath<Entity: StoredEntity, Value> = KeyPath<Entity.Columns, Column<Entity, Value>>

extension Condition {
    private static func column<Value>(_ path: ColumnPath<Entity, Value>) -> Column<Entity, Value> {
        Entity.Columns()[keyPath: path]
    }

    /// Holds where the property is `value`.
    public static func filter<V: ColumnEquatable>(_ path: ColumnPath<Entity, V>, equalTo value: V) -> Condition {
        column(path) == value
    }

    /// Holds where the property is `value`, which may be nil.
    public static func filter<V: ColumnEquatable>(_ path: ColumnPath<Entity, V?>, equalTo value: V?) -> Condition {
        column(path) == value
    }

    /// Holds where the key is `value`.
    public static func filter<V: EntityID>(_ path: ColumnPath<Entity, V>, equalTo value: V) -> Condition {
        column(path) == value
    }

    /// Holds where the key is `value`, which may be nil.
    public static func filter<V: EntityID>(_ path: ColumnPath<Entity, V?>, equalTo value: V?) -> Condition {
        column(path) == value
    }

    /// Holds where the property is more than `value`.
    public static func filter<V: ColumnComparable>(_ path: ColumnPath<Entity, V>, moreThan value: V) -> Condition {
        column(path) > value
    }

    /// Holds where the property is there, and more than `value`.
    public static func filter<V: ColumnComparable>(_ path: ColumnPath<Entity, V?>, moreThan value: V) -> Condition {
        column(path) > value
    }

    /// Holds where the property is less than `value`.
    public static func filter<V: ColumnComparable>(_ path: ColumnPath<Entity, V>, lessThan value: V) -> Condition {
        column(path) < value
    }

    /// Holds where the property is there, and less than `value`.
    public static func filter<V: ColumnComparable>(_ path: ColumnPath<Entity, V?>, lessThan value: V) -> Condition {
        column(path) < value
    }

    /// Holds where the property is in a range.
    public static func filter<V: ColumnComparable>(
        _ path: ColumnPath<Entity, V>, between range: ClosedRange<V>
    ) -> Condition {
        column(path).isBetween(range)
    }

    /// Holds where the property is there, and in a range.
    public static func filter<V: ColumnComparable>(
        _ path: ColumnPath<Entity, V?>, between range: ClosedRange<V>
    ) -> Condition {
        column(path).isBetween(range)
    }

    /// Holds where the property is one of `values`.
    public static func filter<V: ColumnEquatable>(_ path: ColumnPath<Entity, V>, in values: [V]) -> Condition {
        column(path).isIn(values)
    }

    /// Holds where the property is there, and one of `values`.
    public static func filter<V: ColumnEquatable>(_ path: ColumnPath<Entity, V?>, in values: [V]) -> Condition {
        column(path).isIn(values)
    }

    /// Holds where the text begins with `prefix`, in the same case.
    public static func filter(_ path: ColumnPath<Entity, String>, beginsWith prefix: String) -> Condition {
        column(path).hasPrefix(prefix)
    }

    /// Holds where the text is there, and begins with `prefix`, in the same case.
    public static func filter(_ path: ColumnPath<Entity, String?>, beginsWith prefix: String) -> Condition {
        column(path).hasPrefix(prefix)
    }

    /// Holds where `part` stands in the text, in the same case.
    public static func filter(_ path: ColumnPath<Entity, String>, contains part: String) -> Condition {
        column(path).contains(part)
    }

    /// Holds where the text is there, and `part` stands in it, in the same case.
    public static func filter(_ path: ColumnPath<Entity, String?>, contains part: String) -> Condition {
        column(path).contains(part)
    }

    /// Holds where the text is like `pattern`, as of `isLike`.
    public static func filter(_ path: ColumnPath<Entity, String>, like pattern: String) -> Condition {
        column(path).isLike(pattern)
    }

    /// Holds where the text is there, and like `pattern`, as of `isLike`.
    public static func filter(_ path: ColumnPath<Entity, String?>, like pattern: String) -> Condition {
        column(path).isLike(pattern)
    }
}
