/// The change of a table in one step. A table without a change stays as it is.
package enum TableChange: Hashable, Sendable {
    /// The table is new and begins empty.
    case create(String)
    /// The table is removed, with its rows.
    case drop(String)
    /// Rows of the table `from` become rows of the table `to`.
    ///
    /// - `columns`: The values of columns of `to`, over the columns of `from`. A column that is not named takes the value
    ///   of the column with the same name, or its default value if there is none.
    /// - `requiring`: Only the rows of `from` become rows in which all these values are not NULL.
    case map(from: String, to: String, columns: [String: ValueExpression] = [:], requiring: [ValueExpression] = [])
    /// A custom migration turns rows of the table `from` into rows of the table `to`.
    ///
    /// - `columns`: As in `map`, for the columns whose values the custom migration need not give.
    /// - `references`: The columns of foreign keys in `to` that contain what those of `from` contained, unless the custom
    ///   migration says otherwise. The keys are their names in `to`.
    case custom(
        from: String, to: String, columns: [String: ValueExpression] = [:], references: [String: String] = [:])

    /// The table of the new version that has the change; nil for a removed one.
    package var result: String? {
        switch self {
        case .create(let name), .map(_, let name, _, _), .custom(_, let name, _, _): name
        case .drop: nil
        }
    }
}
