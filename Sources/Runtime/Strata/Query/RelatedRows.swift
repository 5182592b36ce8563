import SQLSchema

/// The row that a to-one relationship leads to, in a query. Its members are the row's properties and relationships.
///
/// ```swift
/// let request = Episode.all.where { $0.podcast.title.hasPrefix("S") }
/// ```
@dynamicMemberLookup public struct RelatedRow<Source: StoredEntity, Target: StoredEntity>: Sendable {
    let links: [ToOneLink]

    /// A property of the row.
    public subscript<Value>(dynamicMember path: ColumnPath<Target, Value>) -> Column<Source, Value> {
        Column(Target.Columns()[keyPath: path], of: links)
    }

    /// The complete row, as a value of a selection.
    ///
    /// ```swift
    /// let rows = try transaction.fetch(Episode.all.select { ($0.title, $0.podcast.row) })
    /// ```
    @_disfavoredOverload public subscript(dynamicMember path: KeyPath<CompleteRow, Void>) -> Column<Source, Target> {
        complete
    }

    @usableFromInline var complete: Column<Source, Target> { Column(completeRowOf: links) }

    /// The row of a relationship of the row.
    public subscript<Next>(
        dynamicMember path: KeyPath<Target.Relationships, RequiredToOne<Target, Next>>
    ) -> RelatedRow<Source, Next> {
        RelatedRow<Source, Next>(links: links + [Target.Relationships()[keyPath: path].link])
    }

    /// The row of a relationship of the row, if there is one.
    public subscript<Next>(
        dynamicMember path: KeyPath<Target.Relationships, ToOne<Target, Next>>
    ) -> OptionalRelatedRow<Source, Next> {
        OptionalRelatedRow<Source, Next>(links: links + [Target.Relationships()[keyPath: path].link()])
    }

    /// The rows of a relationship of the row.
    public subscript<Next>(
        dynamicMember path: KeyPath<Target.Relationships, ToMany<Target, Next>>
    ) -> RelatedRows<Source, Next> {
        RelatedRows<Source, Next>(links: links, rows: Target.Relationships()[keyPath: path].link, condition: nil)
    }
}

/// The name of the complete row among the members of a related row. A property with this name has precedence.
public struct CompleteRow {
    /// The row.
    public var row: Void { () }
}

/// The row that a to-one relationship leads to in a query, if there is one. Its properties are nil otherwise.
///
/// ```swift
/// let request = Movie.all.where { $0.studio.name == "Mosfilm" }
/// ```
@dynamicMemberLookup public struct OptionalRelatedRow<Source: StoredEntity, Target: StoredEntity>: Sendable {
    let links: [ToOneLink]

    /// The complete row, as a value of a selection; nil without a row.
    ///
    /// ```swift
    /// let rows = try transaction.fetch(Podcast.all.select { ($0, $0.publisher.row) })
    /// ```
    @_disfavoredOverload public subscript(dynamicMember path: KeyPath<CompleteRow, Void>) -> Column<Source, Target?> {
        complete
    }

    @usableFromInline var complete: Column<Source, Target?> { Column(completeRowOf: links) }

    /// A property of the row; nil without a row.
    public subscript<Value>(dynamicMember path: ColumnPath<Target, Value>) -> Column<Source, Value?> {
        Column(Target.Columns()[keyPath: path], of: links)
    }

    /// A property of the row, which may be nil.
    public subscript<Value>(dynamicMember path: ColumnPath<Target, Value?>) -> Column<Source, Value?> {
        Column(Target.Columns()[keyPath: path], of: links)
    }

    /// The row of a relationship of the row.
    public subscript<Next>(
        dynamicMember path: KeyPath<Target.Relationships, RequiredToOne<Target, Next>>
    ) -> OptionalRelatedRow<Source, Next> {
        OptionalRelatedRow<Source, Next>(links: links + [Target.Relationships()[keyPath: path].link])
    }

    /// The row of a relationship of the row, if there is one.
    public subscript<Next>(
        dynamicMember path: KeyPath<Target.Relationships, ToOne<Target, Next>>
    ) -> OptionalRelatedRow<Source, Next> {
        OptionalRelatedRow<Source, Next>(links: links + [Target.Relationships()[keyPath: path].link()])
    }

    /// The rows of a relationship of the row. There are none without a row.
    public subscript<Next>(
        dynamicMember path: KeyPath<Target.Relationships, ToMany<Target, Next>>
    ) -> RelatedRows<Source, Next> {
        RelatedRows<Source, Next>(links: links, rows: Target.Relationships()[keyPath: path].link, condition: nil)
    }
}

extension EntityColumns {
    /// The related row of a to-one relationship.
    public subscript<Target>(
        dynamicMember path: KeyPath<Entity.Relationships, RequiredToOne<Entity, Target>>
    ) -> RelatedRow<Entity, Target> {
        RelatedRow(links: [Entity.Relationships()[keyPath: path].link])
    }

    /// The related row of a to-one relationship, if there is one.
    public subscript<Target>(
        dynamicMember path: KeyPath<Entity.Relationships, ToOne<Entity, Target>>
    ) -> OptionalRelatedRow<Entity, Target> {
        OptionalRelatedRow(links: [Entity.Relationships()[keyPath: path].link()])
    }

    /// The related rows of a to-many relationship.
    public subscript<Target>(
        dynamicMember path: KeyPath<Entity.Relationships, ToMany<Entity, Target>>
    ) -> RelatedRows<Entity, Target> {
        RelatedRows(links: [], rows: Entity.Relationships()[keyPath: path].link, condition: nil)
    }
}

/// The rows that a to-many relationship leads to, in a query.
///
/// ```swift
/// let request = Podcast.all.where { $0.episodes.contains { !$0.isPlayed } }
///     .orderBy { $0.episodes.max(\.date).descending }
/// ```
public struct RelatedRows<Source: StoredEntity, Target: StoredEntity>: Sendable {
    fileprivate let links: [ToOneLink]
    fileprivate let rows: ToManyLink
    fileprivate let condition: Condition<Target>?

    /// The rows for which `condition` is true.
    ///
    /// ```swift
    /// let request = Podcast.all.orderBy { $0.episodes.where { !$0.isPlayed }.count.descending }
    /// ```
    public func `where`(_ condition: (Target.Columns) -> Condition<Target>) -> RelatedRows {
        let new = condition(Target.Columns())
        return RelatedRows(links: links, rows: rows, condition: self.condition.map { $0 && new } ?? new)
    }

    /// The rows in which a property is true.
    public func `where`(_ property: (Target.Columns) -> Column<Target, Bool>) -> RelatedRows {
        `where` { Condition(property($0).fragment) }
    }

    /// There is a row in which a property is true.
    public func contains(_ property: (Target.Columns) -> Column<Target, Bool>) -> Condition<Source> {
        `where`(property).exists
    }

    /// There is a row for which `condition` is true.
    ///
    /// ```swift
    /// let request = Movie.all.where { $0.genres.contains { $0.name == "Drama" } }
    /// ```
    public func contains(_ condition: (Target.Columns) -> Condition<Target>) -> Condition<Source> {
        `where`(condition).exists
    }

    /// The row with the primary key `id` is among the rows.
    public func contains(_ id: Target.ID) -> Condition<Source> {
        contains { _ in Column(Target.table.key) == id }
    }

    /// The row is among the rows.
    ///
    /// ```swift
    /// let request = Movie.all.where { $0.genres.contains(drama) }
    /// ```
    public func contains(_ row: Target) -> Condition<Source> { contains(Target.id(of: row)) }

    /// `condition` is true for all rows. It is also true if there are no rows.
    public func allSatisfy(_ condition: (Target.Columns) -> Condition<Target>) -> Condition<Source> {
        !contains { !condition($0) }
    }

    /// There are no rows.
    public var isEmpty: Condition<Source> { !exists }

    /// The number of rows.
    public var count: Column<Source, Int> { column("count(*)") }

    /// The least value of a property; nil without values.
    public func min<Value: ColumnComparable>(_ property: (Target.Columns) -> Column<Target, Value>) -> Column<
        Source, Value?
    > {
        column(Aggregate.min(property(Target.Columns())))
    }

    /// The least value of a property that may be nil; nil without values.
    public func min<Value: ColumnComparable>(_ property: (Target.Columns) -> Column<Target, Value?>) -> Column<
        Source, Value?
    > {
        column(Aggregate.min(property(Target.Columns())))
    }

    /// The greatest value of a property; nil without values.
    ///
    /// ```swift
    /// let request = Podcast.all.orderBy { $0.episodes.max(\.date).descending }
    /// ```
    public func max<Value: ColumnComparable>(_ property: (Target.Columns) -> Column<Target, Value>) -> Column<
        Source, Value?
    > {
        column(Aggregate.max(property(Target.Columns())))
    }

    /// The greatest value of a property that may be nil; nil without values.
    public func max<Value: ColumnComparable>(_ property: (Target.Columns) -> Column<Target, Value?>) -> Column<
        Source, Value?
    > {
        column(Aggregate.max(property(Target.Columns())))
    }

    /// The sum of a property; 0 without values.
    public func sum<Value: ColumnComparable & Numeric>(_ property: (Target.Columns) -> Column<Target, Value>) -> Column<
        Source, Value
    > {
        column(Aggregate.sum(property(Target.Columns())))
    }

    /// The sum of a property that may be nil; 0 without values.
    public func sum<Value: ColumnComparable & Numeric>(_ property: (Target.Columns) -> Column<Target, Value?>)
        -> Column<Source, Value>
    {
        column(Aggregate.sum(property(Target.Columns())))
    }

    /// The average of a property; nil without values.
    public func average<Value: ColumnComparable & Numeric>(
        _ property: (Target.Columns) -> Column<Target, Value>
    ) -> Column<Source, Double?> {
        column(Aggregate.average(property(Target.Columns())))
    }

    /// The average of a property that may be nil; nil without values.
    public func average<Value: ColumnComparable & Numeric>(
        _ property: (Target.Columns) -> Column<Target, Value?>
    ) -> Column<Source, Double?> {
        column(Aggregate.average(property(Target.Columns())))
    }

    private var exists: Condition<Source> {
        Condition(fragment(condition == nil ? .exists : .membership))
    }

    private func column<Value>(_ value: QueryFragment) -> Column<Source, Value> {
        Column(computed: fragment(.value(value)))
    }

    private func fragment(_ result: RelatedSubquery.Result) -> QueryFragment {
        let subquery = RelatedSubquery(link: rows, result: result, condition: condition?.fragment)
        return QueryFragment(.subquery(subquery)).following(links)
    }
}

/// The SQL of aggregates over a property of several rows.
enum Aggregate {
    static func min<Entity, Value>(_ column: Column<Entity, Value>) -> QueryFragment {
        "min(\(column.orderedFragment))"
    }

    static func max<Entity, Value>(_ column: Column<Entity, Value>) -> QueryFragment {
        "max(\(column.orderedFragment))"
    }

    static func sum<Entity, Value>(_ column: Column<Entity, Value>) -> QueryFragment {
        if Column<Entity, Value>.isDecimal { return "coalesce(\(sql: DecimalFunctions.sum)(\(column.fragment)), '0')" }
        let isInteger = Value.self == Int.self || Value.self == Int?.self
        // The sum of no values is an integer, and their total a real number.
        return isInteger ? "coalesce(sum(\(column.fragment)), 0)" : "total(\(column.fragment))"
    }

    static func average<Entity, Value>(_ column: Column<Entity, Value>) -> QueryFragment {
        "avg(\(column.fragment))"
    }

    static func count<Entity, Value>(_ column: Column<Entity, Value>, isDistinct: Bool) -> QueryFragment {
        if !isDistinct { return "count(\(column.presenceFragment))" }
        let parts = column.orderedFragments
        if parts.count == 1 { return "count(DISTINCT \(parts[0]))" }
        // SQLite counts only single values. A literal keeps the type of a value, but not its collation.
        let collations = column.names == Entity.table.key ? Entity.table.keyCollations : column.collations
        let values = column.fragments.enumerated().map { index, part -> QueryFragment in
            switch collations.indices.contains(index) ? collations[index].uppercased() : "" {
            case "NOCASE": "quote(lower(\(part)))"
            case "RTRIM": "quote(rtrim(\(part), ' '))"
            default: "quote(\(part))"
            }
        }
        return
            "count(DISTINCT CASE WHEN \(column.presenceFragment) IS NOT NULL THEN \(.joined(values, by: " || ',' || ")) END)"
    }
}

extension QueryFragment {
    /// The same SQL about the row at the end of `links`, seen from the row at their beginning.
    func following(_ links: [ToOneLink]) -> QueryFragment {
        links.reversed().reduce(self) { QueryFragment(.related($1, $0)) }
    }
}

extension RequiredToOne {
    /// The way to the related row.
    var link: ToOneLink { optional.link(isRequired: true) }
}

extension ToOne {
    /// The way to the related row.
    func link(isRequired: Bool = false) -> ToOneLink {
        switch storage {
        case .column(let columns, _):
            ToOneLink(
                table: Target.table.name, columns: columns, targetColumns: Target.table.key, isKeyOnThisSide: false,
                isRequired: isRequired)
        case .inverse(let columns):
            ToOneLink(
                table: Target.table.name, columns: Source.table.key, targetColumns: columns, isKeyOnThisSide: true,
                isRequired: isRequired)
        }
    }
}

extension ToMany {
    /// The way to the related rows.
    var link: ToManyLink {
        let storage: ToManyLink.Storage =
            switch storage {
            case .inverse(let columns, _): .columns(columns)
            case .joinTable(let join, .target):
                .joinTable(
                    join.name, source: join.target, target: join.source, isDistinct: join.hasDuplicates)
            case .joinTable(let join, _):
                .joinTable(join.name, source: join.source, target: join.target, isDistinct: false)
            }
        return ToManyLink(
            key: Source.table.key, table: Target.table.name, targetKey: Target.table.key, storage: storage)
    }
}
