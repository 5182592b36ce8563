/// An error in your own SQL.
public enum QueryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rows have no column with this name.
    case noSuchColumn(name: String, sql: String)
    /// The rows have several columns with this name.
    case ambiguousColumn(name: String, sql: String)
    /// The number of values differs from the number of parameters.
    case arguments(expected: Int, given: Int, sql: String)
    /// A row was read outside of the closure that received it.
    case rowEnded(sql: String)
    /// The SQL does something that Strata does not allow.
    case refused(reason: String, sql: String)

    /// The problem, and the SQL.
    public var description: String {
        switch self {
        case .noSuchColumn(let name, let sql): "there is no column \(name)\nin \(sql)"
        case .ambiguousColumn(let name, let sql):
            "the column name \(name) is ambiguous; give the duplicates aliases\nin \(sql)"
        case .arguments(let expected, let given, let sql): "\(given) values for \(expected) parameters\nin \(sql)"
        case .rowEnded(let sql): "a row was read outside of its closure: return its values instead\nin \(sql)"
        case .refused(let reason, let sql): "\(reason)\nin \(sql)"
        }
    }
}
