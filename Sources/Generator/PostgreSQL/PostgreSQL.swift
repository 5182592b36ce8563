import SQLSchema

/// Renders the SQL that a PostgreSQL server runs.
package enum PostgreSQL {
    // MARK: Names

    /// Returns a name in double quotes. PostgreSQL would cut a name of more than 63 bytes off; here it ends with a hash of the
    /// complete name.
    package static func quoted(_ name: String) -> String { SQL.quoted(shortened(name)) }

    /// Returns a name of at most 63 bytes.
    package static func shortened(_ name: String) -> String {
        guard name.utf8.count > 63 else { return name }
        var start = name
        while start.utf8.count > 54 { start.removeLast() }
        let hash = hexadecimal((0..<4).map { UInt8(truncatingIfNeeded: FNV1a(name.utf8).value >> (8 * $0)) })
        return start + "_" + hash.lowercased()
    }

    static func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }

    // MARK: Tables

    /// Returns the statement that creates a table, with its primary key and checks, and without foreign keys.
    static func createTable(_ table: ServerTable) throws(ServerExpression.Unsupported) -> String {
        var elements: [String] = []
        for column in table.table.columns { elements.append(definition(of: column, in: table)) }
        for column in table.table.computed { elements.append(try definition(of: column, in: table)) }
        if !table.table.primaryKey.isEmpty {
            elements.append(
                "CONSTRAINT \(quoted(table.primaryKeyName)) PRIMARY KEY (\(list(table.table.primaryKey)))")
        }
        for check in table.table.checks { elements.append(try constraint(check, in: table)) }
        return "CREATE TABLE IF NOT EXISTS \(quoted(table.name)) (\n    \(elements.joined(separator: ",\n    "))\n)"
    }

    /// Returns the statements that let Citus place the rows of tables. Reference tables come first.
    static func distribute(_ tables: [ServerTable]) -> [String] {
        guard !tables.isEmpty else { return [] }
        let references = tables.filter { $0.distribution == .reference }
        let others = tables.filter { $0.distribution != .reference }
        let statements = (references + others).map { table in
            let kind =
                switch table.distribution {
                case .column(let name): "'column', \(SQL.literal(shortened(name)))"
                case .reference: "'reference', NULL"
                case nil: "'local', NULL"
                }
            return "SELECT strata_distribute(\(SQL.literal(quoted(table.name))), \(kind))"
        }
        return [ServerHistory.distribute] + statements
    }

    /// Returns the definition of a stored column.
    ///
    /// - Parameters:
    ///   - isNullable: Whether it may contain NULL; nil for what the version says.
    ///   - defaultValue: A default value in SQL that takes the place of the version's.
    static func definition(
        of column: Table.Column, in table: ServerTable, named name: String? = nil, isNullable: Bool? = nil,
        defaultValue: String? = nil
    ) -> String {
        let type = table.type(of: column.name)
        var text = "\(quoted(name ?? column.name)) \(type.rawValue)"
        if let collation = column.collation, type == .text, create(collation) != nil {
            text += " COLLATE \(quoted(Self.name(of: collation)))"
        }
        if !(isNullable ?? column.isNullable) { text += " NOT NULL" }
        if let value = defaultValue ?? column.defaultValue.map({ literal($0, type) }) { text += " DEFAULT \(value)" }
        return text
    }

    static func definition(
        of column: ComputedColumn, in table: ServerTable
    ) throws(ServerExpression.Unsupported) -> String {
        let type = table.type(of: column.name)
        let value = try table.expressions().sql(column.value, as: type)
        return "\(quoted(column.name)) \(type.rawValue) GENERATED ALWAYS AS (\(value)) STORED"
    }

    static func constraint(
        _ check: Table.Check, in table: ServerTable, named name: String? = nil,
        _ column: @escaping (String) -> String = { $0 }
    ) throws(ServerExpression.Unsupported) -> String {
        let condition = try table.expressions { quoted(column($0)) }.truth(check.condition)
        return "CONSTRAINT \(quoted(name ?? check.name)) CHECK (\(condition))"
    }

    static func constraint(
        _ key: Table.ForeignKey, in table: ServerTable, named name: String? = nil,
        _ column: (String) -> String = { $0 }
    ) -> String {
        "CONSTRAINT \(quoted(name ?? table.name(of: key))) FOREIGN KEY (\(list(key.columns.map(column)))) "
            + "REFERENCES \(quoted(key.target)) (\(list(key.targetColumns))) ON DELETE \(SQLite.action(key.deleteRule)) "
            + "DEFERRABLE INITIALLY DEFERRED"
    }

    /// Returns the statement that creates an index.
    ///
    /// - Parameters:
    ///   - name: The name in the statement; nil for the index's own name.
    ///   - isConcurrent: Whether others can write to the table meanwhile. The statement then cannot be a part of a transaction.
    ///   - column: Returns the present name of a column.
    static func createIndex(
        _ index: Table.Index, on table: ServerTable, named name: String? = nil, concurrently isConcurrent: Bool,
        _ column: @escaping (String) -> String = { $0 }
    ) throws(ServerExpression.Unsupported) -> String {
        let columns = index.columns.map {
            quoted(column($0)) + (index.shape.descending.contains($0) ? " DESC" : "")
        }
        var text = "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(isConcurrent ? "CONCURRENTLY " : "")IF NOT EXISTS "
        text += "\(quoted(name ?? index.name)) ON \(quoted(table.name)) (\(columns.joined(separator: ", ")))"
        if let condition = index.shape.condition {
            text += " WHERE \(try table.expressions { quoted(column($0)) }.truth(condition))"
        }
        return text
    }

    // MARK: Collations

    private static func name(of collation: Collation) -> String { "strata_" + collation.rawValue }

    /// Returns the statement that creates a collation; nil if PostgreSQL has none like it.
    ///
    /// The collation of ICU makes all letters of Unicode equal in either case. SQLite's does so for ASCII only.
    static func create(_ collation: Collation) -> String? {
        switch collation {
        case .nocase:
            "CREATE COLLATION IF NOT EXISTS \(quoted(name(of: collation))) "
                + "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
        // ICU can only ignore all spaces and punctuation.
        case .rtrim: nil
        }
    }
}
