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
    fileprivate let read: @Sendable (Row) throws -> Value
    private var isDistinct = false

    init(_ request: Request<Entity>, grouping: GroupClauses<Entity>? = nil, one column: Column<Entity, Value>)
    where Value: ColumnStorable & Sendable {
        self.request = request
        self.grouping = grouping
        columns = .joined(column.json.map { [$0] } ?? column.fragments)
        if column.json == nil {
            read = { row in try Value(row: row, at: 0) }
        } else {
            read = { row in try Value(json: row, at: 0) }
        }
    }

    init<each Part: ColumnStorable & Sendable>(
        _ request: Request<Entity>, grouping: GroupClauses<Entity>? = nil, _ parts: repeat Column<Entity, each Part>
    ) where Value == (repeat each Part) {
        self.request = request
        self.grouping = grouping
        var fragments: [QueryFragment] = []
        var areJSON: [Bool] = []
        for part in repeat each parts {
            fragments += part.json.map { [$0] } ?? part.fragments
            areJSON.append(part.json != nil)
        }
        columns = .joined(fragments)
        if areJSON.contains(true) {
            let areJSON = areJSON
            read = { row in
                var (place, index) = (0, 0)
                return (repeat try row.next((each Part).self, &place, &index, areJSON))
            }
        } else {
            read = { row in
                var index = 0
                return (repeat try row.next((each Part).self, &index))
            }
        }
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

    fileprivate func statement(names: @escaping (String) -> String) -> QueryStatement {
        request.statement(selecting: columns, isDistinct: isDistinct, grouping: grouping, names: names)
    }
}

extension Request {
    /// Selects a value of each row: a property, a property of a related row, or a value that SQL computes from them.
    ///
    /// ```swift
    /// let selection = Movie.all.select { $0.studio.name }
    /// ```
    public func select<Value: ColumnStorable & Sendable>(
        _ value: (Entity.Columns) -> Column<Entity, Value>
    ) -> Selection<Entity, Value> {
        Selection(self, one: value(Entity.Columns()))
    }

    /// Selects several values of each row.
    ///
    /// ```swift
    /// let selection = Movie.all.select { ($0.title, $0.studio.name, $0.genres.count) }
    /// ```
    ///
    /// - Parameter values: A closure that returns a tuple.
    public func select<each Value: ColumnStorable & Sendable>(
        _ values: (Entity.Columns) -> (repeat Column<Entity, each Value>)
    ) -> Selection<Entity, (repeat each Value)> {
        Selection(self, repeat each values(Entity.Columns()))
    }
}

extension Row {
    /// Reads a value, and moves `index` behind its columns.
    fileprivate func next<Value: ColumnStorable>(_ type: Value.Type, _ index: inout Int) throws -> Value {
        defer { index += Value.columnCount }
        return try Value(row: self, at: index)
    }

    /// Reads a value that may be in a JSON list, and moves `place` to the next value, and `index` behind its columns.
    fileprivate func next<Value: ColumnStorable>(
        _ type: Value.Type, _ place: inout Int, _ index: inout Int, _ areJSON: [Bool]
    ) throws -> Value {
        defer { (place, index) = (place + 1, index + Value.columnCount) }
        return try areJSON[place] ? Value(json: self, at: index) : Value(row: self, at: index)
    }
}

extension ColumnStorable {
    /// Reads the value from a column with a JSON list that begins with it.
    fileprivate init(json row: Row, at index: Int) throws {
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

extension ReadTransaction {
    /// Fetches the values of a selection.
    ///
    /// ```swift
    /// let titles = try transaction.fetch(Movie.all.orderBy { $0.title.ascending }.select { $0.title })
    /// ```
    public func fetch<Entity, Value>(_ selection: Selection<Entity, Value>) throws -> [Value] {
        var values: [Value] = []
        try read(selection) {
            values.append($0)
            return true
        }
        return values
    }

    /// Fetches the first values of a selection; nil if there are none.
    public func first<Entity, Value>(_ selection: Selection<Entity, Value>) throws -> Value? {
        var first: Value?
        try read(selection) {
            first = $0
            return false
        }
        return first
    }

    /// Returns a cursor over the values of a selection. It reads one row at a time.
    public func cursor<Entity, Value>(_ selection: Selection<Entity, Value>) throws -> Cursor<Value> {
        let statement = try selection.statement(names: name).prepared(open(), isCached: false)
        let read = selection.read
        return Cursor(statement, of: self) { try read($0) }
    }

    /// Returns SQLite's query plan for a selection (https://sqlite.org/eqp.html), one line for each step.
    public func plan<Entity, Value>(of selection: Selection<Entity, Value>) throws -> String {
        try plan(of: selection.statement(names: name))
    }

    /// Passes the values to `body`, until it returns false.
    private func read<Entity, Value>(_ selection: Selection<Entity, Value>, _ body: (Value) -> Bool) throws {
        let statement = try selection.statement(names: name).prepared(open())
        defer { statement.reset() }
        do {
            while try statement.step(), body(try selection.read(statement.row)) {}
        } catch let error as MalformedValue {
            throw error.named(Entity.table.name)
        }
    }
}
