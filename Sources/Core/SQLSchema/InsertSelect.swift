/// The statement that copies the rows of an old table to a new one, which still has its temporary name.
package struct InsertSelect: Sendable {
    /// The old table.
    package let source: Table
    /// The new table.
    package let target: Table
    /// The columns of the new table and the SQL for their values, over the columns of the old one.
    private let values: [(column: String, sql: String)]
    /// The SQL for a condition on the rows of the old table.
    private let condition: String?
    /// Whether every column of the old table is copied unchanged.
    package let keepsAllColumns: Bool

    /// Creates the statement that copies rows.
    ///
    /// - Parameters:
    ///   - source: The old table.
    ///   - target: The new table.
    ///   - values: The values of the new table's columns.
    ///   - requiring: Values that must not be NULL. Rows in which one of them is NULL are not copied.
    init(from source: Table, to target: Table, values: [String: ValueExpression], requiring: [ValueExpression]) {
        self.source = source
        self.target = target
        self.values = target.columnNames.compactMap { name in
            guard let value = values[name], value != target.defaultValue(of: name) else { return nil }
            return (name, SQLite.expression(value))
        }
        condition =
            requiring.isEmpty ? nil : requiring.map { SQLite.isNotNull($0) }.joined(separator: " AND ")
        keepsAllColumns =
            requiring.isEmpty && Set(source.columnNames).isSubset(of: values.values.compactMap(\.columnName))
    }

    /// Creates the statement that copies the rows for which `condition` is true.
    ///
    /// - Parameters:
    ///   - source: The old table.
    ///   - target: The new table.
    ///   - values: The values of the new table's columns.
    ///   - sql: SQL for values of columns. It takes precedence over `values`.
    ///   - condition: SQL for the condition.
    package init(
        from source: Table, to target: Table, values: [String: ValueExpression], sql: [String: String],
        condition: String
    ) {
        self.source = source
        self.target = target
        self.values = target.columnNames.compactMap { name in
            (sql[name] ?? values[name].map(SQLite.expression)).map { (name, $0) }
        }
        self.condition = condition
        keepsAllColumns = false
    }

    /// Returns the statement.
    ///
    /// - Parameter isPart: Whether to copy only a range of row numbers. The first parameter of the statement is the
    ///   lowest row number, and the second one is the highest.
    package func statement(isPart: Bool = false) -> String {
        statement(where: isPart ? source.rowNumber.map { "\($0) BETWEEN ?1 AND ?2" } : nil)
    }

    /// Returns the statement for a limited number of rows, in the order of their row numbers.
    ///
    /// The first parameter of the statement is the lowest row number, and the second one is the limit.
    package func limitedStatement() -> String {
        // An index that contains all columns has another order than the row numbers. If SQLite used it, it would have
        // to read and sort all rows before it applies the limit (https://sqlite.org/lang_indexedby.html).
        let number = source.rowNumber ?? ""
        return statement(from: " NOT INDEXED", where: "\(number) >= ?1") + " ORDER BY \(number) LIMIT ?2"
    }

    private func statement(from hint: String = "", where part: String?) -> String {
        var columns = values.map { SQL.quoted($0.column) }
        var expressions = values.map(\.sql)
        if condition == nil, let from = source.hiddenRowID, let to = target.hiddenRowID {
            columns.insert(to, at: 0)
            expressions.insert(from, at: 0)
        }
        var statement = "INSERT INTO \(SQL.quoted("strata_new_" + target.name)) (\(columns.joined(separator: ", ")))\n"
        statement += "SELECT \(expressions.joined(separator: ", ")) FROM \(SQL.quoted(source.name))\(hint)"
        let conditions = [part, condition].compactMap(\.self)
        if !conditions.isEmpty { statement += " WHERE " + conditions.joined(separator: " AND ") }
        return statement
    }
}
