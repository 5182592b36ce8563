/// What one step does to one table. A table that no change names stays as it is.
public enum TableChange: Hashable, Sendable {
    /// The table is new and begins empty.
    case create(String)
    /// The table goes, with its rows.
    case drop(String)
    /// Rows of the table `from` become rows of the table `to`.
    ///
    /// - `columns`: SQL expressions over the columns of `from`, by the column of `to` that takes the value. A column
    ///   that is not named takes that of its own name, or its default where there was none.
    /// - `filter`: a condition on the rows of `from`; nil takes all.
    case map(from: String, to: String, columns: [String: String] = [:], filter: String? = nil)
    /// A person's code turns rows of the table `from` into rows of the table `to`.
    ///
    /// - `columns`: as of `map`, for the columns whose values the code does not have to give.
    /// - `references`: the foreign key columns of `to` that hold what those of `from` held, unless the code says
    ///   otherwise, by their names in `to`.
    case custom(from: String, to: String, columns: [String: String] = [:], references: [String: String] = [:])

    /// The table of the new version that this change makes, if any.
    public var result: String? {
        switch self {
        case .create(let name), .map(_, let name, _, _), .custom(_, let name, _, _): name
        case .drop: nil
        }
    }
}
