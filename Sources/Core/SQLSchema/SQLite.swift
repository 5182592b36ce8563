/// Renders the SQL that Strata runs.
package enum SQLite {
    // MARK: Tables

    /// Returns the `CREATE TABLE` statement of a table.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - name: The name in the statement; nil for the table's own name.
    package static func createTable(_ table: Table, named name: String? = nil) -> String {
        "CREATE TABLE \(SQL.quoted(name ?? table.name)) (\n  " + elements(of: table).joined(separator: ",\n  ")
            + "\n) STRICT"
    }

    /// Returns the statements that create a table, its indexes, and what searches its texts.
    package static func create(_ table: Table) -> [String] {
        [createTable(table)] + createIndexes(of: table) + (SearchIndex(of: table)?.creation ?? [])
    }

    /// Returns a `CREATE INDEX` statement for each index of a table.
    package static func createIndexes(of table: Table) -> [String] {
        table.indexes.map { createIndex($0, on: table.name) }
    }

    /// Returns the `CREATE INDEX` statement of an index.
    package static func createIndex(_ index: Table.Index, on table: String) -> String {
        let columns = index.columns.map {
            SQL.quoted($0) + (index.shape.descending.contains($0) ? " DESC" : "")
        }
        return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(SQL.quoted(index.name)) "
            + "ON \(SQL.quoted(table)) (\(columns.joined(separator: ", ")))"
            + (index.shape.condition.map { " WHERE " + expression($0) } ?? "")
    }

    /// Returns SQL for an expression over the columns of a row.
    package static func expression(_ value: RowExpression<String>) -> String { value.sql(SQL.quoted) }

    /// Returns the text between the parentheses of `CREATE TABLE`: first the definitions of columns, then the
    /// constraints.
    package static func elements(of table: Table) -> [String] {
        var elements = table.columns.map { definition(of: $0, in: table) } + table.computed.map(\.definition)
        if table.primaryKey.count > 1 { elements.append("PRIMARY KEY (\(SQL.list(table.primaryKey)))") }
        for key in table.foreignKeys where key.columns.count > 1 {
            elements.append("FOREIGN KEY (\(SQL.list(key.columns))) " + references(key))
        }
        elements += table.checks.filter { $0.column == nil }.map(check)
        return elements
    }

    /// Returns the definition of a column, with the constraints on this column alone.
    package static func definition(of column: Table.Column, in table: Table) -> String {
        var text = SQL.quoted(column.name) + " " + column.type.rawValue.uppercased()
        // A row number is never NULL.
        if !column.isNullable, table.integerKey != column.name { text += " NOT NULL" }
        if let value = column.defaultValue { text += " DEFAULT " + literal(value) }
        text += collate(column.collation)
        if table.primaryKey == [column.name] { text += " PRIMARY KEY" }
        for key in table.foreignKeys where key.columns == [column.name] { text += " " + references(key) }
        for check in table.checks where check.column == column.name { text += " " + self.check(check) }
        return text
    }

    private static func check(_ check: Table.Check) -> String {
        "CONSTRAINT \(SQL.quoted(check.name)) CHECK (\(expression(check.condition)))"
    }

    /// Returns ` COLLATE …`; empty for the default collation.
    package static func collate(_ collation: Collation?) -> String {
        collation.map { " COLLATE " + $0.rawValue.uppercased() } ?? ""
    }

    /// Returns the `REFERENCES` clause of a foreign key.
    ///
    /// A foreign key is checked when the transaction commits. `RESTRICT` is the exception: it is checked immediately
    /// (https://sqlite.org/foreignkeys.html#fk_actions).
    private static func references(_ key: Table.ForeignKey) -> String {
        "REFERENCES \(SQL.quoted(key.target)) (\(SQL.list(key.targetColumns))) "
            + "ON DELETE \(action(key.deleteRule)) DEFERRABLE INITIALLY DEFERRED"
    }

    /// Returns the foreign key action of a delete rule, as written in `ON DELETE` and reported by
    /// `pragma_foreign_key_list`.
    package static func action(_ rule: Table.DeleteRule) -> String {
        switch rule {
        case .nullify: "SET NULL"
        case .cascade: "CASCADE"
        case .deny: "RESTRICT"
        case .noAction: "NO ACTION"
        }
    }

    /// Returns the delete rule of a foreign key action; nil for `SET DEFAULT`, which Strata does not use.
    package static func deleteRule(_ action: String) -> Table.DeleteRule? {
        Table.DeleteRule.allCases.first { Self.action($0) == action }
    }

    /// Returns a name by which statements can refer to the row number; nil if the table has columns with all these
    /// names ("ROWIDs and the INTEGER PRIMARY KEY", https://sqlite.org/lang_createtable.html#rowid).
    ///
    /// - Parameter columns: The names of the table's columns.
    package static func rowID(besides columns: [String]) -> String? {
        let names = Set(columns.map { $0.lowercased() })
        return ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
    }

    // MARK: Values

    /// Returns SQL for a fixed value.
    package static func literal(_ value: Literal) -> String {
        switch value {
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): SQL.literal(value)
        case .blob(let bytes): "X'" + hexadecimal(bytes) + "'"
        }
    }

    /// Returns SQL for an expression over the columns of the old table.
    package static func expression(_ value: ValueExpression) -> String {
        switch value {
        case .column(let name): SQL.quoted(name)
        case .literal(let value): literal(value)
        case .null: "NULL"
        case .coalesce(let first, let second): "coalesce(\(expression(first)), \(expression(second)))"
        case .replaced(let value, let condition, let other):
            "CASE WHEN NOT (\(condition.sql { _ in operand(value) })) THEN \(expression(other)) ELSE \(expression(value)) END"
        case .changed(let value, let change): changed(operand(value), change)
        }
    }

    /// Returns SQL for an expression, in parentheses unless it is a column.
    private static func operand(_ value: ValueExpression) -> String {
        value.columnName == nil ? "(\(expression(value)))" : expression(value)
    }

    /// Returns SQL for the condition that a value is not NULL.
    package static func isNotNull(_ value: ValueExpression) -> String {
        operand(value) + " IS NOT NULL"
    }

    /// Returns SQL for a changed value.
    ///
    /// - Parameters:
    ///   - value: SQL for the old value.
    ///   - change: The change.
    ///   - depth: The number of lists around the value.
    static func changed(_ value: String, _ change: ValueChange, depth: Int = 0) -> String {
        if change.isIdentity { return value }
        switch change {
        case .scalar(let from, let to): return changed(value, from: from, to: to)
        case .caseToString: return value
        case .cases(let values, _):
            let cases = values.sorted { $0.key < $1.key }.map {
                "WHEN \(SQL.literal($0.key)) THEN \(SQL.literal($0.value))"
            }
            return "CASE \(value) \(cases.joined(separator: " ")) ELSE \(value) END"
        case .options(let cleared): return "\(value) & ~\(cleared)"
        case .members(let changes): return MemberEdits(changes).sql(value, depth: depth)
        case .elements(let change, let isJSON):
            return each(of: value, change, isJSON, depth, aggregate: "json_group_array(", columns: "value")
        case .values(let change, let isJSON):
            return each(
                of: value, change, isJSON, depth, aggregate: "json_group_object(each\(depth).key, ",
                columns: "key, value")
        }
    }

    /// Returns SQL that changes each element of a list, or each value of a dictionary.
    private static func each(
        of value: String, _ change: ValueChange, _ isJSON: Bool, _ depth: Int, aggregate: String, columns: String
    ) -> String {
        let each = "each\(depth)"
        let new = changed("\(each).value", change, depth: depth + 1)
        let names = columns.split(separator: ", ").map { "\(each).\($0)" }.joined(separator: ", ")
        // A separate subquery provides the list. Beside `json_each`, names in the SQL of the list could refer to
        // the columns of `json_each` instead of the table's columns.
        return "CASE WHEN \(value) IS NOT NULL THEN (SELECT \(aggregate)\(isJSON ? "json(\(new))" : new)) "
            + "FROM (SELECT \(names) FROM (SELECT \(value) AS list) AS list\(depth), "
            + "json_each(list\(depth).list) AS \(each) ORDER BY \(each).key) AS \(each)) END"
    }

    private static func changed(_ value: String, from: ScalarType, to: ScalarType) -> String {
        switch (from, to) {
        case (.bool, .string):
            return "CASE \(value) WHEN 0 THEN 'false' WHEN 1 THEN 'true' END"
        case (.int, .string), (.int, .decimal):
            return "CAST(\(value) AS TEXT)"
        case (.int, .double):
            return "CAST(\(value) AS REAL)"
        case (.uuid, .string):
            let hex = "hex(\(value))"
            let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { "substr(\(hex), \($0), \($1))" }
            // `hex(NULL)` is the empty text, so NULL needs a separate case.
            return "CASE WHEN \(value) IS NOT NULL THEN " + parts.joined(separator: " || '-' || ") + " END"
        default:
            return value
        }
    }

    /// The path of a member in SQLite's JSON functions.
    package static func jsonPath(_ name: String) -> String {
        SQL.literal("$.\"\(name)\"")
    }
}

/// Returns the bytes as uppercase hexadecimal digits.
package func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}

extension Table {
    /// The name of the hidden row number; nil if the primary key is the row number, or if columns hide all names of the
    /// row number.
    package var hiddenRowID: String? {
        integerKey == nil ? SQLite.rowID(besides: allColumnNames) : nil
    }

    /// SQL for the row number: the primary key if it is the row number, or else a hidden name; nil if columns hide all
    /// hidden names.
    package var rowNumber: String? {
        integerKey.map(SQL.quoted) ?? hiddenRowID
    }
}
