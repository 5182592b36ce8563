import SQLSchema

/// Groups of rows with equal values, for selecting the number of rows and other aggregates of each group.
///
/// ```swift
/// let groups = Movie.all.grouped(by: \.studioID).having { $0.count > 1 }.orderBy { $0.count.descending }
/// let counts = try transaction.fetch(groups.select { ($0.key, $0.count, $0.max(\.popularity)) })
/// ```
///
/// `Key` is the column that the rows are grouped by, or a tuple of several.
public struct GroupedRequest<Entity: StoredEntity, Key: Sendable>: Sendable {
    private let request: Request<Entity>
    private let keys: QueryFragment
    @usableFromInline let group: RowGroup<Entity, Key>
    private var condition: Condition<Entity>?
    private var orders: [Ordering<Entity>] = []
    private var range: RowRange?

    fileprivate init(_ request: Request<Entity>, by keys: [QueryFragment], _ key: Key) {
        self.request = request
        self.keys = .joined(keys)
        group = RowGroup(key: key)
    }

    /// Restricts the groups to those for which `condition` is true.
    ///
    /// ```swift
    /// let groups = Movie.all.grouped(by: \.studioID).having { $0.count > 1 }
    /// ```
    public func having(_ condition: (RowGroup<Entity, Key>) -> Condition<Entity>) -> GroupedRequest {
        var groups = self
        let new = condition(group)
        groups.condition = self.condition.map { $0 && new } ?? new
        return groups
    }

    /// Orders the groups by several values, the most significant one first.
    public func orderBy(_ orders: (RowGroup<Entity, Key>) -> [Ordering<Entity>]) -> GroupedRequest {
        var groups = self
        groups.orders = orders(group)
        return groups
    }

    /// Orders the groups by a value.
    ///
    /// ```swift
    /// let groups = Movie.all.grouped(by: \.studioID).orderBy { $0.count.descending }
    /// ```
    public func orderBy(_ order: (RowGroup<Entity, Key>) -> Ordering<Entity>) -> GroupedRequest {
        orderBy { [order($0)] }
    }

    /// Orders the groups by a value, from the least to the greatest.
    public func orderBy<Value>(_ value: (RowGroup<Entity, Key>) -> Column<Entity, Value>) -> GroupedRequest {
        orderBy { [value($0).ascending] }
    }

    /// Limits the request to the first groups. A limit of the request before `grouped(by:)` limits the rows.
    public func limit(_ count: Int, offset: Int = 0) -> GroupedRequest {
        var groups = self
        groups.range = RowRange(limit: count, offset: offset == 0 ? nil : offset)
        return groups
    }

    /// Selects a value of each group: its key or an aggregate.
    @inlinable public func select<Value: Selectable>(
        _ value: (RowGroup<Entity, Key>) -> Column<Entity, Value>
    ) -> Selection<Entity, Value> {
        selectionSource.selection(value(group))
    }

    /// Selects several values of each group.
    ///
    /// - Parameter values: A closure that returns a tuple.
    @inlinable public func select<First: Selectable, each Rest: Selectable>(
        _ values: (RowGroup<Entity, Key>) -> (Column<Entity, First>, repeat Column<Entity, each Rest>)
    ) -> Selection<Entity, (First, repeat each Rest)> {
        selectionSource.selection(of: group, values)
    }

    /// Makes the compiler refuse a closure that returns no values of the group.
    public func select(_ nothing: (RowGroup<Entity, Key>) -> Void) -> EmptySelection { EmptySelection() }

    @usableFromInline var selectionSource: SelectionSource<Entity> {
        let having: QueryFragment = condition.map { " HAVING \($0.fragment)" } ?? ""
        return SelectionSource(
            request: request,
            grouping: GroupClauses(fragment: "GROUP BY \(keys)\(having)", orders: orders, range: range))
    }
}

/// A group of rows in a query: its key, and aggregates over its rows.
public struct RowGroup<Entity: StoredEntity, Key: Sendable>: Sendable {
    /// The value that all rows of the group have, or a tuple of several.
    public let key: Key

    /// The number of rows.
    public var count: Column<Entity, Int> { Column(computed: "count(*)") }

    /// The number of rows in which a property is not nil.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - isDistinct: Whether rows with equal values are counted once.
    public func count<Value>(_ property: (Entity.Columns) -> Column<Entity, Value>, distinct isDistinct: Bool = false)
        -> Column<
            Entity, Int
        >
    {
        Column(computed: Aggregate.count(property(Entity.Columns()), isDistinct: isDistinct))
    }

    /// The least value of a property.
    public func min<Value: ColumnComparable>(_ property: (Entity.Columns) -> Column<Entity, Value>) -> Column<
        Entity, Value
    > {
        Column(computed: Aggregate.min(property(Entity.Columns())))
    }

    /// The least value of a property that may be nil; nil without values.
    public func min<Value: ColumnComparable>(_ property: (Entity.Columns) -> Column<Entity, Value?>) -> Column<
        Entity, Value?
    > {
        Column(computed: Aggregate.min(property(Entity.Columns())))
    }

    /// The greatest value of a property.
    public func max<Value: ColumnComparable>(_ property: (Entity.Columns) -> Column<Entity, Value>) -> Column<
        Entity, Value
    > {
        Column(computed: Aggregate.max(property(Entity.Columns())))
    }

    /// The greatest value of a property that may be nil; nil without values.
    public func max<Value: ColumnComparable>(_ property: (Entity.Columns) -> Column<Entity, Value?>) -> Column<
        Entity, Value?
    > {
        Column(computed: Aggregate.max(property(Entity.Columns())))
    }

    /// The sum of a property.
    public func sum<Value: ColumnComparable & Numeric>(_ property: (Entity.Columns) -> Column<Entity, Value>) -> Column<
        Entity, Value
    > {
        Column(computed: Aggregate.sum(property(Entity.Columns())))
    }

    /// The sum of a property that may be nil; 0 without values.
    public func sum<Value: ColumnComparable & Numeric>(_ property: (Entity.Columns) -> Column<Entity, Value?>)
        -> Column<Entity, Value>
    {
        Column(computed: Aggregate.sum(property(Entity.Columns())))
    }

    /// The average of a property.
    public func average<Value: ColumnComparable & Numeric>(
        _ property: (Entity.Columns) -> Column<Entity, Value>
    ) -> Column<Entity, Double> {
        Column(computed: Aggregate.average(property(Entity.Columns())))
    }

    /// The average of a property that may be nil; nil without values.
    public func average<Value: ColumnComparable & Numeric>(
        _ property: (Entity.Columns) -> Column<Entity, Value?>
    ) -> Column<Entity, Double?> {
        Column(computed: Aggregate.average(property(Entity.Columns())))
    }
}

/// The clauses of a grouped statement.
struct GroupClauses<Entity: StoredEntity>: Sendable {
    /// The GROUP BY clause with its HAVING clause.
    let fragment: QueryFragment
    let orders: [Ordering<Entity>]
    let range: RowRange?
}

extension Request {
    /// Groups the rows that have the same value of a property. The order of the request has no effect on the groups.
    ///
    /// ```swift
    /// let counts = try transaction.fetch(Movie.all.grouped(by: \.studioID).select { ($0.key, $0.count) })
    /// ```
    ///
    /// ```swift
    /// let groups = Movie.all.grouped { $0.popularity * 2 }.select { ($0.key, $0.count) }
    /// ```
    ///
    /// - Parameter key: The property, which can be one of a related row: `\.studio.name`. A closure can compute a value.
    public func grouped<Value>(
        by key: (Entity.Columns) -> Column<Entity, Value>
    ) -> GroupedRequest<Entity, Column<Entity, Value>> {
        let column = key(Entity.Columns())
        return GroupedRequest(self, by: column.collatedFragments, column)
    }

    /// Groups the rows that have the same values of several properties.
    ///
    /// ```swift
    /// let groups = Movie.all.grouped(by: \.studioID, \.voteCount).select { ($0.key.0, $0.key.1, $0.count) }
    /// ```
    public func grouped<First, each Value>(
        by first: (Entity.Columns) -> Column<Entity, First>,
        _ others: repeat (Entity.Columns) -> Column<Entity, each Value>
    ) -> GroupedRequest<Entity, (Column<Entity, First>, repeat Column<Entity, each Value>)> {
        let all = Entity.Columns()
        var fragments = first(all).collatedFragments
        repeat fragments.append(contentsOf: (each others)(all).collatedFragments)
        return GroupedRequest(self, by: fragments, (first(all), repeat (each others)(all)))
    }

    /// Groups the rows for which a closure returns the same tuple of values.
    ///
    /// ```swift
    /// let groups = Movie.all.grouped { ($0.studio.name, $0.voteCount) }.select { ($0.key.0, $0.count) }
    /// ```
    public func grouped<A, B>(
        by keys: (Entity.Columns) -> (Column<Entity, A>, Column<Entity, B>)
    ) -> GroupedRequest<Entity, (Column<Entity, A>, Column<Entity, B>)> {
        let keys = keys(Entity.Columns())
        return GroupedRequest(self, by: keys.0.collatedFragments + keys.1.collatedFragments, keys)
    }

    /// Groups the rows for which a closure returns the same tuple of values.
    public func grouped<A, B, C>(
        by keys: (Entity.Columns) -> (Column<Entity, A>, Column<Entity, B>, Column<Entity, C>)
    ) -> GroupedRequest<Entity, (Column<Entity, A>, Column<Entity, B>, Column<Entity, C>)> {
        let keys = keys(Entity.Columns())
        return GroupedRequest(
            self, by: keys.0.collatedFragments + keys.1.collatedFragments + keys.2.collatedFragments, keys)
    }

    /// Groups the rows for which a closure returns the same tuple of values. It can have up to four.
    public func grouped<A, B, C, D>(
        by keys: (Entity.Columns) -> (Column<Entity, A>, Column<Entity, B>, Column<Entity, C>, Column<Entity, D>)
    ) -> GroupedRequest<Entity, (Column<Entity, A>, Column<Entity, B>, Column<Entity, C>, Column<Entity, D>)> {
        let keys = keys(Entity.Columns())
        return GroupedRequest(
            self,
            by: keys.0.collatedFragments + keys.1.collatedFragments + keys.2.collatedFragments
                + keys.3.collatedFragments, keys)
    }
}
