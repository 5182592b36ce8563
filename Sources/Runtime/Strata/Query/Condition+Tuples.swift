// Comparisons of several values of a row, the most significant one first, as Swift compares tuples.
//
// A page of a long list begins behind the last row of the page before:
//
//     Movie.all.where { ($0.popularity, $0.id) > (last.popularity, last.id) }.orderBy { ($0.popularity, $0.id) }.limit(20)

/// A value of a row, and the value that it is compared with.
private struct OrderedPart<Entity: StoredEntity> {
    let columns: [QueryFragment]
    let values: [QueryFragment]

    init<Value: OrderedValue>(_ column: Column<Entity, Value>, _ value: Value) {
        columns = column.orderedFragments
        values =
            switch value {
            case let key as any EntityID: ["\(.key(key))"]
            case let value as any ColumnEquatable: [column.argument(value)]
            default: []
            }
    }
}

extension Condition {
    fileprivate init(_ parts: [OrderedPart<Entity>], _ operation: String) {
        let (columns, values) = (parts.flatMap(\.columns), parts.flatMap(\.values))
        self.init("(\(.joined(columns))) \(sql: operation) (\(.joined(values)))")
    }
}

/// The first of two values that differs from its other one is less than it.
public func < <Entity, A: OrderedValue, B: OrderedValue>(
    left: (Column<Entity, A>, Column<Entity, B>), right: (A, B)
) -> Condition<Entity> {
    Condition([OrderedPart(left.0, right.0), OrderedPart(left.1, right.1)], "<")
}

/// The first of three values that differs from its other one is less than it.
public func < <Entity, A: OrderedValue, B: OrderedValue, C: OrderedValue>(
    left: (Column<Entity, A>, Column<Entity, B>, Column<Entity, C>), right: (A, B, C)
) -> Condition<Entity> {
    Condition(
        [OrderedPart(left.0, right.0), OrderedPart(left.1, right.1), OrderedPart(left.2, right.2)], "<")
}

/// The first of two values that differs from its other one is at most it.
public func <= <Entity, A: OrderedValue, B: OrderedValue>(
    left: (Column<Entity, A>, Column<Entity, B>), right: (A, B)
) -> Condition<Entity> {
    Condition([OrderedPart(left.0, right.0), OrderedPart(left.1, right.1)], "<=")
}

/// The first of three values that differs from its other one is at most it.
public func <= <Entity, A: OrderedValue, B: OrderedValue, C: OrderedValue>(
    left: (Column<Entity, A>, Column<Entity, B>, Column<Entity, C>), right: (A, B, C)
) -> Condition<Entity> {
    Condition(
        [OrderedPart(left.0, right.0), OrderedPart(left.1, right.1), OrderedPart(left.2, right.2)], "<=")
}

/// The first of two values that differs from its other one is greater than it.
public func > <Entity, A: OrderedValue, B: OrderedValue>(
    left: (Column<Entity, A>, Column<Entity, B>), right: (A, B)
) -> Condition<Entity> {
    Condition([OrderedPart(left.0, right.0), OrderedPart(left.1, right.1)], ">")
}

/// The first of three values that differs from its other one is greater than it.
public func > <Entity, A: OrderedValue, B: OrderedValue, C: OrderedValue>(
    left: (Column<Entity, A>, Column<Entity, B>, Column<Entity, C>), right: (A, B, C)
) -> Condition<Entity> {
    Condition(
        [OrderedPart(left.0, right.0), OrderedPart(left.1, right.1), OrderedPart(left.2, right.2)], ">")
}

/// The first of two values that differs from its other one is at least it.
public func >= <Entity, A: OrderedValue, B: OrderedValue>(
    left: (Column<Entity, A>, Column<Entity, B>), right: (A, B)
) -> Condition<Entity> {
    Condition([OrderedPart(left.0, right.0), OrderedPart(left.1, right.1)], ">=")
}

/// The first of three values that differs from its other one is at least it.
public func >= <Entity, A: OrderedValue, B: OrderedValue, C: OrderedValue>(
    left: (Column<Entity, A>, Column<Entity, B>, Column<Entity, C>), right: (A, B, C)
) -> Condition<Entity> {
    Condition(
        [OrderedPart(left.0, right.0), OrderedPart(left.1, right.1), OrderedPart(left.2, right.2)], ">=")
}
