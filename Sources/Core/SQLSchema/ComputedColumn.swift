/// A column whose values SQLite computes from other columns of the row whenever they are read
/// (https://sqlite.org/gencol.html).
package struct ComputedColumn: Hashable, Sendable {
    /// The name.
    package var name: String
    /// The type to which the values are converted.
    package var type: StorageType
    /// The value, over the stored columns of the table.
    package var value: RowExpression<String>

    /// Creates a column.
    package init(_ name: String, _ type: StorageType, _ value: RowExpression<String>) {
        self.name = name
        self.type = type
        self.value = value
    }

    /// The definition in `CREATE TABLE` and `ADD COLUMN`.
    ///
    /// SQLite does not check the types of such values. `CAST` makes sure that they have the column's type: the sum of two
    /// integers may be a REAL, because it may be too large for an INTEGER.
    package var definition: String {
        let type = type.rawValue.uppercased()
        return "\(SQL.quoted(name)) \(type) GENERATED ALWAYS AS (CAST(\(SQLite.expression(value)) AS \(type))) VIRTUAL"
    }
}
