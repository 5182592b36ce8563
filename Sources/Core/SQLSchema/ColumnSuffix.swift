/// The ends of the names of columns that a relationship has.
package enum ColumnSuffix: String {
    /// A column with the primary key of the related row.
    case reference = "_id"
    /// A column with the position of the row among those of an ordered relationship.
    case position = "_position"

    /// Returns the name of the column of a relationship.
    package func added(to name: String) -> String { name + rawValue }

    /// Returns the name without the suffix; nil if it does not end with it.
    package func removed(from column: String) -> String? {
        column.hasSuffix(rawValue) ? String(column.dropLast(rawValue.count)) : nil
    }
}
