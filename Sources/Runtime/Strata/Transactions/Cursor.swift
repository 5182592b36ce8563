/// The rows of a query, read one at a time. A cursor is valid until the end of its transaction.
public final class Cursor<Element> {
    private let statement: Statement
    private let transaction: ReadTransaction
    private let decode: (Row) throws -> Element
    private var isDone = false

    /// Creates a cursor over `statement`, which must not be used elsewhere.
    init(_ statement: Statement, of transaction: ReadTransaction, _ decode: @escaping (Row) throws -> Element) {
        self.statement = statement
        self.transaction = transaction
        self.decode = decode
    }

    /// Returns the next element; nil after the last one.
    ///
    /// ```swift
    /// let cursor = try transaction.cursor(Movie.all)
    /// while let movie = try cursor.next() { print(movie.title) }
    /// ```
    public func next() throws -> Element? {
        _ = try transaction.open()
        // Stepping a statement after its last row, or after an error, would start it again.
        if isDone { return nil }
        isDone = true
        guard try statement.step() else { return nil }
        isDone = false
        return try decode(statement.row)
    }

    /// Runs `body` with each remaining element.
    ///
    /// ```swift
    /// try transaction.cursor(Movie.all).forEach { print($0.title) }
    /// ```
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() { try body(element) }
    }

    /// Returns all remaining elements.
    func all() throws -> [Element] {
        var elements: [Element] = []
        while let element = try next() { elements.append(element) }
        return elements
    }
}
