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
        return start + "_" + hash(name)
    }

    /// Returns a name as a part of the name of a file.
    static func fileName(_ name: String) -> String {
        let text = String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
        return shortened(text == name ? name : text + "_" + hash(name))
    }

    private static func hash(_ name: String) -> String {
        hexadecimal((0..<4).map { UInt8(truncatingIfNeeded: FNV1a(name.utf8).value >> (8 * $0)) }).lowercased()
    }

    /// Returns a line of a comment.
    static func comment(_ text: String) -> String {
        "-- " + text.split(whereSeparator: \.isNewline).joined(separator: " ") + "\n"
    }

    /// Returns the statement that runs code in PL/pgSQL.
    ///
    /// - Parameter code: The code. A name in it may contain the delimiter, which is a longer one then.
    static func block(_ code: String) -> String {
        var tag = "strata"
        while code.contains("$\(tag)$") { tag += "_" }
        return "DO $\(tag)$\n\(code)\n$\(tag)$"
    }

    package static func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }

    // MARK: Tables

    /// Returns the statement that creates a table, with its primary key and checks, and without foreign keys.
    ///
    /// - Parameter ifNeeded: Whether the statement does nothing if the table exists.
    static func createTable(
        _ table: ServerTable, ifNeeded: Bool = false
    ) throws(ServerExpression.Unsupported) -> String {
        var elements: [String] = []
        for column in table.table.columns { elements.append(definition(of: column, in: table)) }
        for column in table.table.computed { elements.append(try definition(of: column, in: table)) }
        if !table.table.primaryKey.isEmpty { elements.append(primaryKey(of: table)) }
        for check in table.table.checks { elements.append(try constraint(check, in: table)) }
        return "CREATE TABLE \(ifNeeded ? "IF NOT EXISTS " : "")\(quoted(table.name)) (\n    "
            + elements.joined(separator: ",\n    ") + "\n)"
    }

    static func primaryKey(of table: ServerTable) -> String {
        "CONSTRAINT \(quoted(table.primaryKeyName)) PRIMARY KEY (\(list(table.table.primaryKey)))"
    }

    /// Returns the statements that let Citus place the rows of tables. They do nothing on a server without Citus, so the same
    /// files create databases for development and tests. Reference tables come first.
    ///
    /// - Parameter wasDistributed: Whether Citus has placed the rows in another way.
    static func distribute(_ tables: [ServerTable], wasDistributed: Bool = false) -> [String] {
        let references = tables.filter { $0.distribution == .reference }
        return (references + tables.filter { $0.distribution != .reference }).map { table in
            let name = SQL.literal(quoted(table.name))
            let create: String? =
                switch table.distribution {
                case .column(let column): "create_distributed_table(\(name), \(SQL.literal(shortened(column))))"
                case .reference: "create_reference_table(\(name))"
                case nil: nil
                }
            let isPlaced = "EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = \(name)::regclass)"
            var lines: [String] = []
            if wasDistributed { lines.append("IF \(isPlaced) THEN PERFORM undistribute_table(\(name)); END IF;") }
            if let create { lines.append("IF NOT \(isPlaced) THEN PERFORM \(create); END IF;") }
            return block(
                "BEGIN\n    IF to_regclass('pg_dist_partition') IS NOT NULL THEN\n        "
                    + lines.joined(separator: "\n        ") + "\n    END IF;\nEND")
        }
    }

    /// Returns the type of a stored column, with its collation.
    static func type(of column: Table.Column, in table: ServerTable) -> String {
        let type = table.type(of: column.name)
        guard let collation = column.collation, type == .text, create(collation) != nil else { return type.rawValue }
        return "\(type.rawValue) COLLATE \(quoted(name(of: collation)))"
    }

    /// Returns the definition of a stored column.
    ///
    /// - Parameters:
    ///   - isNullable: Whether it may contain NULL; nil for what the version says.
    ///   - defaultValue: A default value in SQL that replaces the version's, or nil for none.
    static func definition(
        of column: Table.Column, in table: ServerTable, isNullable: Bool? = nil, defaultValue: String?? = nil
    ) -> String {
        var text = "\(quoted(column.name)) \(type(of: column, in: table))"
        if !(isNullable ?? column.isNullable) { text += " NOT NULL" }
        let own = column.defaultValue.map { literal($0, table.type(of: column.name)) }
        if let value = defaultValue ?? own { text += " DEFAULT \(value)" }
        return text
    }

    static func definition(
        of column: ComputedColumn, in table: ServerTable
    ) throws(ServerExpression.Unsupported) -> String {
        let type = table.type(of: column.name)
        let value = try table.expressions().sql(column.value, as: type)
        return "\(quoted(column.name)) \(type.rawValue) GENERATED ALWAYS AS (\(value)) STORED"
    }

    /// Returns the definition of a check.
    ///
    /// - Parameter column: Returns the present name of a column.
    static func constraint(
        _ check: Table.Check, in table: ServerTable, named name: String? = nil,
        _ column: @escaping (String) -> String = { $0 }
    ) throws(ServerExpression.Unsupported) -> String {
        let condition = try table.expressions { quoted(column($0)) }.truth(check.condition)
        return "CONSTRAINT \(quoted(name ?? check.name)) CHECK (\(condition))"
    }

    /// Returns the definition of a foreign key.
    ///
    /// - Parameters:
    ///   - target: The present names of the target and its columns.
    ///   - columns: The present names of the columns.
    static func constraint(
        _ key: Table.ForeignKey, in table: ServerTable, to target: (table: String, columns: [String])? = nil,
        _ columns: [String]? = nil
    ) -> String {
        let target = target ?? (key.target, key.targetColumns)
        return "CONSTRAINT \(quoted(table.name(of: key))) FOREIGN KEY (\(list(columns ?? key.columns))) "
            + "REFERENCES \(quoted(target.table)) (\(list(target.columns))) ON DELETE \(SQLite.action(key.deleteRule)) "
            + "DEFERRABLE INITIALLY DEFERRED"
    }

    /// Returns the statement that creates an index.
    ///
    /// - Parameters:
    ///   - currentName: The present name of the table.
    ///   - ifNeeded: Whether the statement does nothing if the index exists.
    ///   - isConcurrent: Whether others can write to the table meanwhile. The statement then cannot be a part of a transaction.
    ///   - column: Returns the present name of a column.
    static func createIndex(
        _ index: Table.Index, on table: ServerTable, at currentName: String? = nil, ifNeeded: Bool = false,
        concurrently isConcurrent: Bool = false, _ column: @escaping (String) -> String = { $0 }
    ) throws(ServerExpression.Unsupported) -> String {
        let columns = index.columns.map {
            quoted(column($0)) + (index.shape.descending.contains($0) ? " DESC" : "")
        }
        var text = "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(isConcurrent ? "CONCURRENTLY " : "")"
        text += "\(ifNeeded || isConcurrent ? "IF NOT EXISTS " : "")\(quoted(index.name)) "
        text += "ON \(quoted(currentName ?? table.name)) (\(columns.joined(separator: ", ")))"
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

    /// Returns the statement that drops a collation; nil if PostgreSQL has none like it.
    static func drop(_ collation: Collation) -> String? {
        create(collation).map { _ in "DROP COLLATION \(quoted(name(of: collation)))" }
    }
}
