/// An error in setting a relationship or updating a row.
public enum RelationshipError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The table has no row with the primary key.
    case noSuchRow(table: String)

    /// The problem, and the way to solve it.
    public var description: String {
        switch self {
        case .noSuchRow(let table): "the table \(table) has no row with that key: insert it first"
        }
    }
}
