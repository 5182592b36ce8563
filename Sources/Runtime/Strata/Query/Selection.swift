import SQLSchema

/// A request for values of rows, in place of complete rows.
///
/// ```swift
/// let titles = try transaction.fetch(Movie.all.select { ($0.title, $0.studio.name) })
/// for (title, studio) in titles { print(title, studio ?? "no studio") }
/// ```
public struct Selection<Entity: StoredEntity, Value>: Sendable {
    private let request: Request<Entity>
    private let columns: QueryFragment
    private let grouping: GroupClauses<Entity>?
    /// Reads a value from a row.
    @usableFromInline let read: @Sendable (Row) throws -> Value
    private var isDistinct = false

    @usableFromInline init(
        _ source: SelectionSource<Entity>, _ columns: SelectedColumns, _ read: @escaping @Sendable (Row) throws -> Value
    ) {
        request = source.request
        grouping = source.grouping
        self.columns = .joined(columns.fragments)
        self.read = read
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

    /// The SQL of the selection, for tests.
    package var sql: String { statement { $0 }.text.sql }

    func statement(names: @escaping (String) -> String) -> QueryStatement {
        request.statement(selecting: columns, isDistinct: isDistinct, grouping: grouping, names: names)
    }
}

/// The rows, or the groups of rows, that a selection has the values of.
@usableFromInline struct SelectionSource<Entity: StoredEntity>: Sendable {
    let request: Request<Entity>
    var grouping: GroupClauses<Entity>?

    // The compiler specializes what reads the rows for the types of the values, so it must see these functions.

    @inlinable func selection<Value: ColumnStorable & Sendable>(
        _ column: Column<Entity, Value>
    ) -> Selection<Entity, Value> {
        var columns = SelectedColumns()
        columns.add(column)
        let isJSON = columns.hasJSON
        return Selection(self, columns) { row in
            try isJSON ? Value(json: row, at: 0) : Value(row: row, at: 0)
        }
    }

    @inlinable func selection<each Value: ColumnStorable & Sendable>(
        _ parts: repeat Column<Entity, each Value>
    ) -> Selection<Entity, (repeat each Value)> {
        var columns = SelectedColumns()
        repeat columns.add(each parts)
        if columns.hasJSON {
            let areJSON = columns.areJSON
            return Selection(self, columns) { row in
                var (number, index) = (0, 0)
                return (repeat try row.next((each Value).self, &number, &index, areJSON))
            }
        }
        return Selection(self, columns) { row in
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
        fragments += column.json.map { [$0] } ?? column.fragments
        areJSON.append(column.json != nil)
    }
}

extension Request {
    /// Selects a value of each row: a property, a property of a related row, or a value that SQL computes from them.
    ///
    /// ```swift
    /// let selection = Movie.all.select { $0.studio.name }
    /// ```
    @inlinable public func select<Value: ColumnStorable & Sendable>(
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
    @inlinable public func select<each Value: ColumnStorable & Sendable>(
        _ values: (Entity.Columns) -> (repeat Column<Entity, each Value>)
    ) -> Selection<Entity, (repeat each Value)> {
        selectionSource.selection(repeat each values(Entity.Columns()))
    }

    @usableFromInline var selectionSource: SelectionSource<Entity> { SelectionSource(request: self) }
}

extension Row {
    /// Reads a value, and moves `index` behind its columns.
    @inlinable func next<Value: ColumnStorable>(_ type: Value.Type, _ index: inout Int) throws -> Value {
        defer { index += Value.columnCount }
        return try Value(row: self, at: index)
    }

    /// Reads a value that may be in a JSON list, and moves `number` to the next value, and `index` behind its columns.
    @usableFromInline func next<Value: ColumnStorable>(
        _ type: Value.Type, _ number: inout Int, _ index: inout Int, _ areJSON: [Bool]
    ) throws -> Value {
        defer { (number, index) = (number + 1, index + Value.columnCount) }
        return try areJSON[number] ? Value(json: self, at: index) : Value(row: self, at: index)
    }
}

extension ColumnStorable {
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
