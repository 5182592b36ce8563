import SQLSchema

/// A request for values of rows, in place of complete rows.
///
/// ```swift
/// let titles = try transaction.fetch(Movie.all.select { ($0.title, $0.studio.name) })
/// for (title, studio) in titles { print(title, studio ?? "no studio") }
/// ```
public struct Selection<Entity: StoredEntity, Value: Sendable>: Sendable {
    private let source: SelectionSource<Entity>
    private let columns: QueryFragment
    /// Reads a value from a row.
    @usableFromInline let read: @Sendable (Row) throws -> Value
    /// Whether two values are equal.
    let areSame: @Sendable (Value, Value) -> Bool
    private var isDistinct = false
    private var range: RowRange?

    @usableFromInline init(
        _ source: SelectionSource<Entity>, _ columns: SelectedColumns,
        _ areSame: @escaping @Sendable (Value, Value) -> Bool, _ read: @escaping @Sendable (Row) throws -> Value
    ) {
        self.source = source
        self.columns = .joined(columns.fragments)
        (self.areSame, self.read) = (areSame, read)
    }

    /// The selection without repetitions: equal values are returned only once.
    ///
    /// ```swift
    /// let studios = try transaction.fetch(Movie.all.select { $0.studio.name }.distinct())
    /// ```
    public func distinct() -> Selection {
        var selection = self
        selection.isDistinct = true
        return selection
    }

    /// Limits the selection to its first values. A limit before `select` limits the rows.
    ///
    /// ```swift
    /// let studios = Movie.all.orderBy { $0.title }.select { $0.studio.name }.distinct().limit(10)
    /// ```
    public func limit(_ count: Int, offset: Int = 0) -> Selection {
        var selection = self
        selection.range = RowRange(limit: count, offset: offset == 0 ? nil : offset)
        return selection
    }

    /// Converts each value to one of your own type.
    ///
    /// ```swift
    /// let cards = try transaction.fetch(Movie.all.select { ($0.title, $0.genres.count) }.map(MovieCard.init))
    /// ```
    ///
    /// - Parameter transform: A function or an initializer that takes the selected values.
    @inlinable public func map<Result: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Result
    ) -> Selection<Entity, Result> {
        Selection<Entity, Result>(mapping: self, Strata.areSame) { [read] in try transform(try read($0)) }
    }

    /// Converts each value to one of your own type. Results that cannot be compared are never equal in an observation.
    @_disfavoredOverload @inlinable public func map<Result: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Result
    ) -> Selection<Entity, Result> {
        Selection<Entity, Result>(mapping: self, { _, _ in false }) { [read] in try transform(try read($0)) }
    }

    /// Creates the same selection with other results.
    @usableFromInline init<Other>(
        mapping other: Selection<Entity, Other>, _ areSame: @escaping @Sendable (Value, Value) -> Bool,
        _ read: @escaping @Sendable (Row) throws -> Value
    ) {
        (source, columns, isDistinct, range) = (other.source, other.columns, other.isDistinct, other.range)
        (self.areSame, self.read) = (areSame, read)
    }

    /// The SQL of the selection, for tests.
    package var sql: String { statement { $0 }.text.sql }

    func statement(names: @escaping (String) -> String) -> QueryStatement {
        let (request, grouping) = (source.request, source.grouping)
        guard isDistinct && source.isSorted || source.isLimited && (isDistinct || range != nil) else {
            return request.statement(
                selecting: columns, isDistinct: isDistinct, range: range, grouping: grouping, names: names)
        }
        // SQLite sorts and limits distinct values, each by the row that it read first. Here they are those of sorted and
        // limited rows. Without a limit, SQLite would not sort the rows of a subquery.
        let all = source.isLimited ? nil : RowRange(limit: -1, offset: nil)
        var statement = request.statement(selecting: columns, range: all, grouping: grouping, names: names)
            .wrapped("SELECT \(isDistinct ? "DISTINCT " : "")* FROM (", ")")
        if let range { statement.text.limit(to: range) }
        return statement
    }
}

/// A selection without values, which cannot be fetched.
public struct EmptySelection: Sendable {}

/// The rows, or the groups of rows, that a selection has the values of.
@usableFromInline struct SelectionSource<Entity: StoredEntity>: Sendable {
    let request: Request<Entity>
    var grouping: GroupClauses<Entity>?

    var isLimited: Bool { grouping.map { $0.range != nil } ?? request.isLimited }

    var isSorted: Bool { grouping.map { !$0.orders.isEmpty } ?? request.isSorted }

    // The compiler specializes what reads the rows for the types of the values, so it must see these functions.

    @inlinable func selection<Value: Selectable>(
        _ column: Column<Entity, Value>
    ) -> Selection<Entity, Value> {
        var columns = SelectedColumns()
        columns.add(column)
        let isJSON = columns.hasJSON
        return Selection(self, columns, areSame) { row in
            try isJSON ? Value(json: row, at: 0) : Value(row: row, at: 0)
        }
    }

    /// The values of several parts, which are the elements of a tuple.
    @inlinable func selection<Scope, each Value: Selectable>(
        of scope: Scope, _ values: (Scope) -> (repeat Column<Entity, each Value>)
    ) -> Selection<Entity, (repeat each Value)> {
        let parts = values(scope)
        var columns = SelectedColumns()
        repeat columns.add(each parts)
        if columns.hasJSON {
            let areJSON = columns.areJSON
            return Selection(self, columns, areSameTuples) { row in
                var (number, index) = (0, 0)
                return (repeat try row.next((each Value).self, &number, &index, areJSON))
            }
        }
        return Selection(self, columns, areSameTuples) { row in
            var index = 0
            return (repeat try row.next((each Value).self, &index))
        }
    }
}

/// The SQL of the selected values.
@usableFromInline struct SelectedColumns: Sendable {
    fileprivate(set) var fragments: [QueryFragment] = []
    /// Whether each value is in a JSON list.
    @usableFromInline private(set) var areJSON: [Bool] = []

    @usableFromInline init() {}

    @usableFromInline var hasJSON: Bool { areJSON.contains(true) }

    @usableFromInline mutating func add<Entity, Value>(_ column: Column<Entity, Value>) {
        fragments += column.json.map { [$0] } ?? column.collatedFragments
        areJSON.append(column.json != nil)
    }
}

extension Request {
    /// Selects a value of each row: a property, a property of a related row, or a value that SQL computes from them.
    ///
    /// ```swift
    /// let selection = Movie.all.select { $0.studio.name }
    /// ```
    @inlinable public func select<Value: Selectable>(
        _ value: (Entity.Columns) -> Column<Entity, Value>
    ) -> Selection<Entity, Value> {
        selectionSource.selection(value(Entity.Columns()))
    }

    /// Selects several values of each row.
    ///
    /// ```swift
    /// let selection = Movie.all.select { ($0.title, $0.studio.name, $0.genres.count) }
    /// ```
    ///
    /// - Parameter values: A closure that returns a tuple.
    @inlinable public func select<First: Selectable, each Rest: Selectable>(
        _ values: (Entity.Columns) -> (Column<Entity, First>, repeat Column<Entity, each Rest>)
    ) -> Selection<Entity, (First, repeat each Rest)> {
        selectionSource.selection(of: Entity.Columns(), values)
    }

    /// Selects complete rows, to fetch values of them in your own type.
    ///
    /// ```swift
    /// let titles = Movie.all.select { $0 }.map(\.title)
    /// ```
    @inlinable public func select(_ row: (Entity.Columns) -> Entity.Columns) -> Selection<Entity, Entity> {
        selectionSource.selection(Entity.Columns.row)
    }

    /// Selects the complete row and a value of each row.
    ///
    /// ```swift
    /// let rows = try transaction.fetch(Movie.all.select { ($0, $0.genres.count) })
    /// ```
    ///
    /// - Parameter values: A closure that returns a tuple, with the row first. It can have five more values.
    @inlinable public func select<A: Selectable>(
        _ values: (Entity.Columns) -> (Entity.Columns, Column<Entity, A>)
    ) -> Selection<Entity, (Entity, A)> {
        let (_, a) = values(Entity.Columns())
        return selectionSource.selection(of: Entity.Columns.row) { ($0, a) }
    }

    /// Selects the complete row and two values of each row.
    @inlinable public func select<A: Selectable, B: Selectable>(
        _ values: (Entity.Columns) -> (Entity.Columns, Column<Entity, A>, Column<Entity, B>)
    ) -> Selection<Entity, (Entity, A, B)> {
        let (_, a, b) = values(Entity.Columns())
        return selectionSource.selection(of: Entity.Columns.row) { ($0, a, b) }
    }

    /// Selects the complete row and three values of each row.
    @inlinable public func select<A: Selectable, B: Selectable, C: Selectable>(
        _ values: (Entity.Columns) -> (Entity.Columns, Column<Entity, A>, Column<Entity, B>, Column<Entity, C>)
    ) -> Selection<Entity, (Entity, A, B, C)> {
        let (_, a, b, c) = values(Entity.Columns())
        return selectionSource.selection(of: Entity.Columns.row) { ($0, a, b, c) }
    }

    /// Selects the complete row and four values of each row.
    @inlinable
    public func select<
        A: Selectable, B: Selectable, C: Selectable, D: Selectable
    >(
        _ values: (Entity.Columns) -> (
            Entity.Columns, Column<Entity, A>, Column<Entity, B>, Column<Entity, C>, Column<Entity, D>
        )
    ) -> Selection<Entity, (Entity, A, B, C, D)> {
        let (_, a, b, c, d) = values(Entity.Columns())
        return selectionSource.selection(of: Entity.Columns.row) { ($0, a, b, c, d) }
    }

    /// Selects the complete row and five values of each row.
    @inlinable
    public func select<
        A: Selectable, B: Selectable, C: Selectable, D: Selectable,
        E: Selectable
    >(
        _ values: (Entity.Columns) -> (
            Entity.Columns, Column<Entity, A>, Column<Entity, B>, Column<Entity, C>, Column<Entity, D>,
            Column<Entity, E>
        )
    ) -> Selection<Entity, (Entity, A, B, C, D, E)> {
        let (_, a, b, c, d, e) = values(Entity.Columns())
        return selectionSource.selection(of: Entity.Columns.row) { ($0, a, b, c, d, e) }
    }

    /// Selects the related row of each row.
    ///
    /// ```swift
    /// let podcasts = try transaction.fetch(Episode.all.where { $0.isPlayed }.select { $0.podcast }.distinct())
    /// ```
    @inlinable public func select<Target>(
        _ row: (Entity.Columns) -> RelatedRow<Entity, Target>
    ) -> Selection<Entity, Target> {
        selectionSource.selection(row(Entity.Columns()).complete)
    }

    /// Selects the related row of each row; nil if there is none.
    @inlinable public func select<Target>(
        _ row: (Entity.Columns) -> OptionalRelatedRow<Entity, Target>
    ) -> Selection<Entity, Target?> {
        selectionSource.selection(row(Entity.Columns()).complete)
    }

    /// Makes the compiler refuse a closure that returns no values of the row.
    public func select(_ nothing: (Entity.Columns) -> Void) -> EmptySelection { EmptySelection() }

    @usableFromInline var selectionSource: SelectionSource<Entity> { SelectionSource(request: self) }
}

extension Row {
    /// Reads a value, and moves `index` behind its columns.
    @inlinable func next<Value: Selectable>(_ type: Value.Type, _ index: inout Int) throws -> Value {
        defer { index += Value.columnCount }
        return try Value(row: self, at: index)
    }

    /// Reads a value that may be in a JSON list, and moves `number` to the next value, and `index` behind its columns.
    @usableFromInline func next<Value: Selectable>(
        _ type: Value.Type, _ number: inout Int, _ index: inout Int, _ areJSON: [Bool]
    ) throws -> Value {
        defer { (number, index) = (number + 1, index + Value.columnCount) }
        return try areJSON[number] ? Value(json: self, at: index) : Value(row: self, at: index)
    }
}

extension Selectable {
    /// Reads the value from a column with a JSON list that begins with it.
    @usableFromInline init(json row: Row, at index: Int) throws {
        do {
            let json = try row.isNull(index) ? nil : JSONReader(parsing: row.string(index)).list().first
            let value: Any? =
                if let type = Self.self as? any OptionalJSON.Type {
                    try type.read(json)
                } else {
                    try json.flatMap { try (Self.self as? any JSONConvertible.Type)?.init(json: $0) }
                }
            guard let value = value as? Self else { throw row.malformed(index, "\(Self.self)") }
            self = value
        } catch let error as MalformedJSON {
            throw row.malformed(index, error.expected)
        }
    }
}

/// An optional value that can be read from JSON.
private protocol OptionalJSON {
    /// Reads the value; nil for `null`, or without JSON.
    static func read(_ json: JSONReader?) throws -> Any
}

extension Optional: OptionalJSON where Wrapped: JSONConvertible {
    static func read(_ json: JSONReader?) throws -> Any {
        try json.flatMap { $0.isNull ? nil : try Wrapped(json: $0) } as Wrapped? as Any
    }
}
