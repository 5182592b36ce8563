/// The rows of a query, read one at a time. It can be read while the transaction lasts in which it was made.
public final class Cursor<Element> {
    private let statement: Statement
    private let transaction: ReadTransaction
    private let decode: (Row) throws -> Element
    private var isDone = false

    /// A cursor over `statement`, which nothing else uses while the cursor does.
    init(_ statement: Statement, of transaction: ReadTransaction, _ decode: @escaping (Row) throws -> Element) {
        self.statement = statement
        self.transaction = transaction
        self.decode = decode
    }

    /// The next element; nil after the last one.
    public func next() throws -> Element? {
        _ = try transaction.open()
        // A statement that is stepped after its end would begin again.
        if isDone { return nil }
        if try statement.step() { return try decode(statement.row) }
        isDone = true
        return nil
    }

    /// Runs `body` with every element that is left.
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() { try body(element) }
    }

    /// All elements that are left.
    func all() throws -> [Element] {
        var elements: [Element] = []
        while let element = try next() { elements.append(element) }
        return elements
    }
}
