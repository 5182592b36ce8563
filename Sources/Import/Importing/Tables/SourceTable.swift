import SchemaModel
import SQLSchema
import Strata

/// A table of a database, as SQLite describes it.
struct SourceTable: Sendable {
    struct Column: Hashable, Sendable {
        var name: String
        var declaredType: String
        var isNotNull: Bool
        /// The default value as SQL; nil if there is none.
        var defaultSQL: String?
        var collation: String?
        /// The SQL of the value, if SQLite computes it; nil if rows store the value.
        var generated: String?
        var isGenerated: Bool { generated != nil }

        /// The type of the values by SQLite's affinity rules
        /// (https://sqlite.org/datatype3.html#determination_of_column_affinity); nil if the column accepts values of
        /// any type, or any kind of number.
        var affinity: ScalarType? {
            let type = declaredType.uppercased()
            if type.contains("INT") { return .int }
            if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return .string }
            if type.contains("BLOB") { return .data }
            if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) { return .double }
            return nil
        }
    }

    struct ForeignKey: Hashable, Sendable {
        var table: String
        var columns: [String]
        /// The referenced columns; empty if the foreign key references the primary key.
        var references: [String]
        var onUpdate: String
        var onDelete: String
    }

    struct Index: Hashable, Sendable {
        /// The indexed columns; nil for an expression.
        var columns: [String?]
        var collations: [String]
        /// The columns in descending order.
        var descending: Set<String>
        var isUnique: Bool
        /// The condition of the rows in the index, as SQL; nil if it contains all rows.
        var condition: String?
    }

    var name: String
    var columns: [Column]
    /// The columns of the primary key, most significant first.
    var key: [String]
    var foreignKeys: [ForeignKey]
    var indexes: [Index]
    /// The CHECK constraints.
    var checks: [TableDeclaration.Check]
    /// Whether the primary key of a deleted row is never reused.
    var isAutoincrement: Bool
    /// The actions of its constraints on a row that breaks them, other than to refuse it.
    var conflictClauses: [String]

    /// Returns the tables of the database, in the order of their creation.
    static func all(in connection: Connection) throws -> [SourceTable] {
        var names: [(name: String, sql: String)] = []
        // The name of a shadow table begins with the name of its virtual table.
        let virtual = try connection.texts(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'")
        try connection.query("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY rowid") { row in
            let name = try row.string(0)
            guard !name.lowercased().hasPrefix("sqlite_"),
                !virtual.contains(where: { isPart(name, of: $0) })
            else { return }
            names.append((name, try row.string(1)))
        }
        return try names.map { try SourceTable($0.name, sql: $0.sql, in: connection) }
    }

    /// Returns whether `name` is the virtual table `virtual` or one of its shadow tables (https://sqlite.org/fts5.html,
    /// https://sqlite.org/fts3.html, https://sqlite.org/rtree.html).
    static func isPart(_ name: String, of virtual: String) -> Bool {
        let endings = [
            "data", "idx", "content", "docsize", "config", "segments", "segdir", "stat", "node", "parent", "rowid",
        ]
        return name == virtual || endings.contains { name == virtual + "_" + $0 }
    }

    private init(_ name: String, sql: String, in connection: Connection) throws {
        let quoted = SQL.literal(name)
        let words = sql.uppercased()
        var columns: [Column] = []
        var key: [(number: Int, name: String)] = []
        try connection.query(
            "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(\(quoted))"
        ) { row in
            let column = Column(
                name: try row.string(0), declaredType: try row.string(1), isNotNull: try row.int(2) != 0,
                defaultSQL: try row.optionalString(3), generated: try row.int(5) > 1 ? "" : nil)
            columns.append(column)
            let number = try row.int(4)
            if number > 0 { key.append((number, column.name)) }
        }
        if words.contains("COLLATE") {
            for columnIndex in columns.indices {
                columns[columnIndex].collation = try Self.collation(of: columns[columnIndex].name, in: name, connection)
            }
        }
        let declaration = TableDeclaration(sql)
        let generated = columns.indices.filter { columns[$0].isGenerated }
        if generated.count == declaration.generated.count {
            for (columnIndex, expression) in zip(generated, declaration.generated) {
                columns[columnIndex].generated = expression
            }
        }
        self.name = name
        self.columns = columns
        self.key = key.sorted { $0.number < $1.number }.map(\.name)
        foreignKeys = try Self.foreignKeys(quoted, connection)
        indexes = try Self.indexes(quoted, connection)
        checks = declaration.checks
        isAutoincrement = declaration.isAutoincrement
        conflictClauses = declaration.conflictClauses
    }

    /// Returns the collation of a column. Pragmas report it only for the columns of an index.
    private static func collation(of column: String, in table: String, _ connection: Connection) throws -> String? {
        try connection.execute("CREATE INDEX strata_probe ON \(SQL.quoted(table)) (\(SQL.quoted(column)))")
        defer { try? connection.execute("DROP INDEX strata_probe") }
        let name = try connection.text("SELECT coll FROM pragma_index_xinfo('strata_probe') WHERE key = 1")
        return name == "BINARY" ? nil : name
    }

    private static func foreignKeys(_ table: String, _ connection: Connection) throws -> [ForeignKey] {
        var keys: [(id: Int, key: ForeignKey)] = []
        try connection.query(
            """
            SELECT id, "table", "from", "to", on_update, on_delete FROM pragma_foreign_key_list(\(table)) ORDER BY id, seq
            """
        ) { row in
            let id = try row.int(0)
            if keys.last?.id != id {
                keys.append(
                    (
                        id,
                        ForeignKey(
                            table: try row.string(1), columns: [], references: [], onUpdate: try row.string(4),
                            onDelete: try row.string(5))
                    ))
            }
            keys[keys.count - 1].key.columns.append(try row.string(2))
            if let column = try row.optionalString(3) { keys[keys.count - 1].key.references.append(column) }
        }
        // SQLite lists the foreign keys in reverse order.
        return keys.reversed().map(\.key)
    }

    private static func indexes(_ table: String, _ connection: Connection) throws -> [Index] {
        var found: [(name: String, isUnique: Bool, isPartial: Bool)] = []
        try connection.query(
            "SELECT name, \"unique\", partial FROM pragma_index_list(\(table)) WHERE origin <> 'pk' ORDER BY seq DESC"
        ) { row in
            found.append((try row.string(0), try row.int(1) != 0, try row.int(2) != 0))
        }
        return try found.map { index in
            var columns: [String?] = []
            var collations: [String] = []
            var descending: Set<String> = []
            let name = SQL.literal(index.name)
            try connection.query(
                "SELECT name, coll, \"desc\" FROM pragma_index_xinfo(\(name)) WHERE key = 1 ORDER BY seqno"
            ) { row in
                columns.append(try row.optionalString(0))
                collations.append(try row.string(1))
                if try row.int(2) != 0, let column = try row.optionalString(0) { descending.insert(column) }
            }
            var condition: String?
            if index.isPartial {
                condition = try connection.text("SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = \(name)")
                    .map { SQLText.condition(ofIndex: $0) ?? "" }
            }
            return Index(
                columns: columns, collations: collations, descending: descending, isUnique: index.isUnique,
                condition: condition)
        }
    }
}
