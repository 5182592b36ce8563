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

    /// Whether every column of the old table is copied as it is.
    package var keepsAllColumns: Bool {
        filter == nil && Set(source.columns).isSubset(of: values.values.compactMap(SQL.column))
    }

    /// The statement.
    ///
    /// - `isPart`: whether only the rows are meant whose numbers are from the first parameter to the second.
    package func statement(isPart: Bool = false) -> String {
        statement(where: isPart ? source.rowNumber.map { "\($0) BETWEEN ?1 AND ?2" } : nil)
    }

    /// The statement for up to so many rows that the filter keeps (the second parameter), from a number on (the first).
    package func limitedStatement() -> String {
        // An index that has all columns would stand in another order, and all rows would be filtered before they are
        // sorted (https://sqlite.org/lang_indexedby.html).
        let number = source.rowNumber ?? ""
        return statement(from: " NOT INDEXED", where: "\(number) >= ?1") + " ORDER BY \(number) LIMIT ?2"
    }

    private func statement(from hint: String = "", where condition: String?) -> String {
        var columns = target.columns.filter { values[$0] != target.defaultValue(of: $0) }
        var expressions = columns.compactMap { values[$0] }
        columns = columns.map(SQL.quoted)
        if filter == nil, let from = source.hiddenRowID, let to = target.hiddenRowID {
            columns.insert(to, at: 0)
            expressions.insert(from, at: 0)
        }
        var statement = "INSERT INTO \(SQL.quoted("strata_new_" + target.name)) (\(columns.joined(separator: ", ")))\n"
        statement += "SELECT \(expressions.joined(separator: ", ")) FROM \(SQL.quoted(source.name))\(hint)"
        switch (condition, filter) {
        case (nil, nil): break
        case (nil, let filter?): statement += " WHERE \(filter)"
        case (let condition?, nil): statement += " WHERE \(condition)"
        case (let condition?, let filter?): statement += " WHERE \(condition) AND (\(filter))"
        }
        return statement
    }
}
