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

    /// The columns of the old table whose JSON changes.
    package var jsonColumns: [String] {
        source.columnNames.filter { name in
            values.contains { $0.sql.contains("json_") && $0.sql.contains(SQL.quoted(name)) }
        }
    }

    /// Whether each new row has the number of its old one, and no row is left out.
    package var keepsRowNumbers: Bool {
        guard condition == nil else { return false }
        guard let key = target.integerKey else { return source.hiddenRowID != nil && target.hiddenRowID != nil }
        return source.integerKey.map { old in
            values.contains { $0.column == key && $0.sql == SQL.quoted(old) }
        } ?? false
    }

    /// Returns the statement.
    ///
    /// - Parameters:
    ///   - isPart: Whether to copy only a range of row numbers. The first parameter of the statement is the lowest row
    ///     number, and the second one is the highest.
    ///   - from: The present name of the old table; nil for its own name.
    ///   - into: The present name of the new table; nil for the temporary name within one transaction.
    package func statement(isPart: Bool = false, from: String? = nil, into: String? = nil) -> String {
        statement(from, into, where: isPart ? source.rowNumber.map { "\($0) BETWEEN ?1 AND ?2" } : nil)
    }

    /// Returns the statement for a limited number of rows, in the order of their row numbers.
    ///
    /// The first parameter of the statement is the lowest row number, and the second one is the limit.
    package func limitedStatement(from: String? = nil, into: String? = nil) -> String {
        // An index that contains all columns has another order than the row numbers. If SQLite used it, it would have
        // to read and sort all rows before it applies the limit (https://sqlite.org/lang_indexedby.html).
        let number = source.rowNumber ?? ""
        return statement(from, into, hint: " NOT INDEXED", where: "\(number) >= ?1") + " ORDER BY \(number) LIMIT ?2"
    }

    private func statement(_ from: String?, _ into: String?, hint: String = "", where part: String?) -> String {
        var columns = values.map { SQL.quoted($0.column) }
        var expressions = values.map(\.sql)
        if condition == nil, let number = source.hiddenRowID, let copy = target.hiddenRowID {
            columns.insert(copy, at: 0)
            expressions.insert(number, at: 0)
        }
        let (from, into) = (from ?? source.name, into ?? StepStatements.temporaryName(of: target.name))
        var statement = "INSERT INTO \(SQL.quoted(into)) (\(columns.joined(separator: ", ")))\n"
        statement += "SELECT \(expressions.joined(separator: ", ")) FROM \(SQL.quoted(from))\(hint)"
        let conditions = [part, condition].compactMap(\.self)
        if !conditions.isEmpty { statement += " WHERE " + conditions.joined(separator: " AND ") }
        return statement
    }
}
