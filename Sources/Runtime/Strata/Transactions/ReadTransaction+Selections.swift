extension ReadTransaction {
    /// Fetches the values of a selection.
    ///
    /// ```swift
    /// let titles = try transaction.fetch(Movie.all.orderBy { $0.title.ascending }.select { $0.title })
    /// ```
    @inlinable public func fetch<Entity, Value>(_ selection: Selection<Entity, Value>) throws -> [Value] {
        var values: [Value] = []
        try read(selection) { row in
            values.append(try selection.read(row))
            return true
        }
        return values
    }

    /// Fetches the first values of a selection; nil if there are none.
    public func first<Entity, Value>(_ selection: Selection<Entity, Value>) throws -> Value? {
        var first: Value?
        try read(selection) { row in
            first = try selection.read(row)
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

    /// Passes the rows to `body`, until it returns false.
    @inlinable func read<Entity, Value>(
        _ selection: Selection<Entity, Value>, _ body: (Row) throws -> Bool
    ) throws {
        let statement = try prepared(selection)
        defer { statement.reset() }
        do {
            while try statement.step(), try body(statement.row) {}
        } catch let error as MalformedValue {
            throw error.named(Entity.table.name)
        }
    }

    @usableFromInline func prepared<Entity, Value>(_ selection: Selection<Entity, Value>) throws -> Statement {
        try selection.statement(names: name).prepared(open())
    }
}
