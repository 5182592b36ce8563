/// A copy of the rows of an old table into a new one, which has its temporary name still.
package struct RowCopy: Sendable {
    /// The old table.
    package let source: Table
    /// The new table.
    package let target: Table
    /// The value of each column of the new table, as an expression over those of the old one.
    let values: [String: String]
    /// A condition on the rows of the old table.
    let filter: String?

    /// What tells how far a copy is: the old table's row numbers, quoted. Nil where its columns hide them.
    package var rowID: String? {
        if let key = source.elements.first(where: { $0.hasSuffix("INTEGER PRIMARY KEY") }) {
            return SQL.leadingIdentifier(key).map(SQL.quoted)
        }
        return source.hiddenRowID
    }

    /// The statement.
    ///
    /// - `isPart`: whether only the rows are meant whose numbers are from the first parameter to the second.
    package func statement(isPart: Bool = false) -> String {
        var columns = target.columns.filter { values[$0] != target.defaultValue(of: $0) }
        var expressions = columns.compactMap { values[$0] }
        columns = columns.map(SQL.quoted)
        if filter == nil, let from = source.hiddenRowID, let to = target.hiddenRowID {
            columns.insert(to, at: 0)
            expressions.insert(from, at: 0)
        }
        var statement = "INSERT INTO \(SQL.quoted("strata_new_" + target.name)) (\(columns.joined(separator: ", ")))\n"
        statement += "SELECT \(expressions.joined(separator: ", ")) FROM \(SQL.quoted(source.name))"
        var conditions = filter.map { [isPart ? "(\($0))" : $0] } ?? []
        if isPart, let rowID { conditions.append("\(rowID) BETWEEN ?1 AND ?2") }
        if !conditions.isEmpty { statement += " WHERE " + conditions.joined(separator: " AND ") }
        return statement
    }
}
