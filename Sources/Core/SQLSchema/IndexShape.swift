/// The columns of an index, and the rows that it contains.
package struct IndexShape<Column: Hashable & Sendable>: Hashable, Sendable {
    /// The indexed columns, most significant first.
    package var columns: [Column]
    /// The columns in descending order.
    package var descending: Set<Column>
    /// Whether no two rows of the index may have the same values in all the columns.
    package var isUnique: Bool
    /// The condition of the rows that the index contains; nil if it contains all rows.
    package var condition: RowExpression<Column>?

    /// Creates the shape of an index.
    package init(
        _ columns: [Column], descending: Set<Column> = [], unique isUnique: Bool = false,
        where condition: RowExpression<Column>? = nil
    ) {
        self.columns = columns
        self.descending = descending
        self.isUnique = isUnique
        self.condition = condition
    }

    /// The columns of the index and of its condition.
    package var allColumns: [Column] { columns + (condition?.columns ?? []) }

    /// Returns the shape with each column replaced by one or several other columns. Only the first one is used in the
    /// condition.
    package func mapColumns<New>(_ change: (Column) -> [New]) -> IndexShape<New> {
        IndexShape<New>(
            columns.flatMap(change), descending: Set(descending.flatMap(change)), unique: isUnique,
            where: condition?.replacingColumns { change($0).first.map { .column($0) } ?? .null })
    }
}
