/// An error in setting a relationship or updating a row.
public enum RelationshipError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The table has no row with the primary key.
    case noSuchRow(table: String)
    /// The related rows have no row at the index.
    case noSuchIndex(Int, count: Int)
    /// The related rows have no order. The table is the one that stores the relationship.
    case notOrdered(table: String)

    /// The problem, and the way to solve it.
    public var description: String {
        switch self {
        case .noSuchRow(let table): "the table \(table) has no row with that key: insert it first"
        case .noSuchIndex(let index, let count): "there is no related row at index \(index): there are \(count)"
        case .notOrdered(let table):
            """
            the relationship in \(table) has no order, so its rows have no indices: write "ordered": true in its description, \
            or use add and remove
            """
        }
    }
}
