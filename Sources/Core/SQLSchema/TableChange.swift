/// The change of a table in one step. A table without a change keeps its rows.
package enum TableChange: Hashable, Sendable {
    /// The table is new and begins empty.
    case create(String)
    /// The table is removed, with its rows.
    case drop(String)
    /// Rows of the table `from` become rows of the table `to`.
    ///
    /// - Parameters:
    ///   - from: The name of the old table.
    ///   - to: The name of the new table.
    ///   - columns: The values of columns of `to`, computed from the columns of `from`. A column that is not in this
    ///     dictionary gets the value of the old column with the same name, or its default value if there is no such
    ///     column.
    ///   - requiring: Values that must not be NULL. Rows in which one of them is NULL are not copied.
    case map(from: String, to: String, columns: [String: ValueExpression] = [:], requiring: [ValueExpression] = [])
    /// A custom migration converts rows of the table `from` to rows of the table `to`.
    ///
    /// - Parameters:
    ///   - from: The name of the old table.
    ///   - to: The name of the new table.
    ///   - columns: The values of columns, as in `map`. The custom migration need not provide them.
    ///   - references: The foreign key columns of `to` that keep the values of columns of `from`, unless the custom
    ///     migration sets them. The keys are column names in `to`, and the values are column names in `from`.
    case custom(
        from: String, to: String, columns: [String: ValueExpression] = [:], references: [String: String] = [:])

    /// The name of the new table; nil if the table is dropped.
    package var result: String? {
        switch self {
        case .create(let name), .map(_, let name, _, _), .custom(_, let name, _, _): name
        case .drop: nil
        }
    }
}
