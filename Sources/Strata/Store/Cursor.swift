/// The rows of a query, read one at a time.
public final class Cursor<Element> {
    private let statement: Statement
    private let decode: (Row) throws -> Element

    init(_ statement: Statement, _ decode: @escaping (Row) throws -> Element) {
        self.statement = statement
        self.decode = decode
    }

    /// The next element; nil after the last one.
    public func next() throws -> Element? {
        try statement.step() ? decode(statement.row) : nil
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
