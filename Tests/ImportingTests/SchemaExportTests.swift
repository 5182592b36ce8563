import Commands
import Foundation
import SchemaModel
import SQLSchema
import Strata
import Testing

/// Writes schemas and rows for other libraries, and reads them back.
@Suite struct SchemaExportTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL

    /// Models, each with a database of a version.
    static let models = [
        ("Entities/Movies", "Tests/MoviesTests/Fixtures/MoviesSchema/1.0.sqlite"),
        ("Entities/Laundry", "Tests/LaundryTests/Fixtures/LaundrySchema/1.0.sqlite"),
        (
            "Tests/Consumers/Everything/Sources/Everything/Model",
            "Tests/Consumers/Everything/Tests/EverythingTests/Fixtures/EverythingSchema/1.0.sqlite"
        ),
    ]

    private static func loaded(_ path: String) throws -> LoadedModel {
        try #require(ModelFolder.all(below: package.appendingPathComponent(path).path).first).loaded()
    }

    /// The columns, foreign keys and indexes of all tables, as SQLite reports them.
    private static func facts(_ connection: Connection) throws -> [String] {
        try connection.texts(
            """
            SELECT coalesce(t.name, '') || '|' || coalesce(c.name, '') || '|' || coalesce(upper(c.type), '') || '|' || coalesce(c."notnull", '') || '|' || coalesce(c.dflt_value, '') || '|' || coalesce(c.pk, '') || '|' || coalesce(c.hidden, '')
              FROM pragma_table_list AS t JOIN pragma_table_xinfo(t.name) AS c
              WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%'
            UNION ALL SELECT coalesce(t.name, '') || '|' || coalesce(f."table", '') || '|' || coalesce(f."from", '') || '|' || coalesce(f."to", '') || '|' || coalesce(f.on_delete, '')
              FROM pragma_table_list AS t JOIN pragma_foreign_key_list(t.name) AS f WHERE t.schema = 'main'
            UNION ALL SELECT coalesce(t.name, '') || '|' || coalesce(i.name, '') || '|' || coalesce(i."unique", '') || '|' || coalesce(i.partial, '') || '|' || coalesce(x.name, '') || '|' || coalesce(x.desc, '') || '|' || coalesce(x.coll, '')
              FROM pragma_table_list AS t JOIN pragma_index_list(t.name) AS i JOIN pragma_index_xinfo(i.name) AS x
              WHERE t.schema = 'main' AND x.key ORDER BY 1
            """)
    }

    /// Returns the statements of a file that Room or drift_dev would have exported.
    private static func statements(_ text: String, of format: String) throws -> [String] {
        let root = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        if format == "room" {
            let database = try #require(root["database"] as? [String: Any])
            let entities = try #require(database["entities"] as? [[String: Any]])
            return entities.flatMap { entity in
                let all = [entity] + (entity["indices"] as? [[String: Any]] ?? [])
                return all.compactMap { $0["createSql"] as? String }.map {
                    $0.replacing("${TABLE_NAME}", with: entity["tableName"] as? String ?? "")
                }
            }
        }
        let types = ["int": "INTEGER", "double": "REAL", "string": "TEXT", "blob": "BLOB"]
        return try #require(root["entities"] as? [[String: Any]]).compactMap { entity in
            guard let data = entity["data"] as? [String: Any], let name = data["name"] as? String else { return nil }
            guard let columns = data["columns"] as? [[String: Any]], entity["type"] as? String == "table" else {
                return data["sql"] as? String
            }
            let elements = columns.map { column in
                "\(SQL.quoted(column["name"] as? String ?? "")) \(types[column["moor_type"] as? String ?? ""] ?? "ANY") \(column["customConstraints"] ?? "")"
            }
            let own = data["constraints"] as? [String] ?? []
            return "CREATE TABLE \(SQL.quoted(name)) (\((elements + own).joined(separator: ", ")))"
        }
    }

    /// The members of a schema of Room beside its SQL: Room itself reads these.
    private static func roomFacts(_ text: String) throws -> [String] {
        let root = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let database = try #require(root["database"] as? [String: Any])
        func list(_ value: Any?) -> String { (value as? [String] ?? []).joined(separator: ",") }
        return try #require(database["entities"] as? [[String: Any]]).flatMap { entity -> [String] in
            let table = entity["tableName"] as? String ?? ""
            let fields = (entity["fields"] as? [[String: Any]] ?? []).map { field in
                "\(table).\(field["columnName"] ?? "") \(field["affinity"] ?? "") \(field["notNull"] as? Bool ?? false) "
                    + "\(field["defaultValue"] ?? "")"
            }
            let key = list((entity["primaryKey"] as? [String: Any])?["columnNames"])
            let keys = (entity["foreignKeys"] as? [[String: Any]] ?? []).map { key in
                "\(table): \(list(key["columns"])) to \(key["table"] ?? "") \(list(key["referencedColumns"])) \(key["onDelete"] ?? "")"
            }
            let indexes = (entity["indices"] as? [[String: Any]] ?? []).map { index in
                "\(index["name"] ?? "") \(index["unique"] as? Bool ?? false) \(list(index["columnNames"])) \(list(index["orders"]))"
            }
            return ["\(table) key \(key)"] + fields + keys + indexes
        }
    }

    private static func roomFacts(of tables: [Table]) -> [String] {
        tables.flatMap { table -> [String] in
            let fields = table.columns.map { column in
                "\(table.name).\(column.name) \(column.type.rawValue.uppercased()) \(!column.isNullable) "
                    + (column.defaultValue.map(SQLite.literal) ?? "")
            }
            let keys = table.foreignKeys.map { key in
                "\(table.name): \(key.columns.joined(separator: ",")) to \(key.target) "
                    + "\(key.targetColumns.joined(separator: ",")) \(SQLite.action(key.deleteRule))"
            }
            let indexes = table.indexes.map { index in
                let orders = index.columns.map { index.shape.descending.contains($0) ? "DESC" : "ASC" }
                return
                    "\(index.name) \(index.isUnique) \(index.columns.joined(separator: ",")) \(orders.joined(separator: ","))"
            }
            return ["\(table.name) key \(table.primaryKey.joined(separator: ","))"] + fields + keys + indexes
        }
    }

    @Test(arguments: models, ["room", "drift"])
    func `an exported schema describes the tables of the newest version`(model: (String, String), format: String) throws
    {
        let history = try Self.loaded(model.0).history
        let workspace = try Workspace()
        let path = Self.package.appendingPathComponent(model.0).path
        let exported = workspace.run("export-schema", format, path, "--to", workspace.path("schemas"))
        let number = history.versions.count
        let name = format == "room" ? "schemas/\(number).json" : "schemas/drift_schema_v\(number).json"
        #expect(exported.code == .success && exported.said[0] == "wrote \(name)", "\(exported)")
        let (found, expected) = (
            try Connection(path: ":memory:", mode: .readWrite), try Connection(path: ":memory:", mode: .readWrite)
        )
        for statement in try Self.statements(workspace.text(name), of: format) { try found.execute(statement) }
        for table in history.newest.tables {
            try expected.execute(SQLite.createTable(table))
            for statement in SQLite.createIndexes(of: table) { try expected.execute(statement) }
        }
        if format == "room" {
            #expect(try Self.roomFacts(workspace.text(name)) == Self.roomFacts(of: history.newest.tables))
        }
        let facts = try Self.facts(expected)
        #expect(facts.count > 20)
        #expect(try Self.facts(found) == facts)
        // The importers read the files.
        let imported = workspace.run("import", format, workspace.path("schemas"), "--into", workspace.path("out"))
        #expect(imported.code == .success, "\(imported.complaints)")
    }

    @Test(arguments: models) func `an exported script creates the tables of a new store`(model: (String, String)) throws
    {
        let workspace = try Workspace()
        let path = Self.package.appendingPathComponent(model.0).path
        #expect(workspace.run("export-schema", "sql", path, "--to", workspace.path("out")).code == .success)
        try workspace.makeDatabase("new.sqlite", try workspace.text("out/schema.sql"))
        let connection = try Connection(path: workspace.path("new.sqlite"), mode: .readOnly)
        for table in try Self.loaded(model.0).history.newest.tables {
            let sql = try connection.text("SELECT sql FROM sqlite_schema WHERE name = \(SQL.literal(table.name))")
            #expect(sql == SQLite.createTable(table))
        }
        #expect(
            workspace.run("export-schema", "sql", path, "--to", workspace.path("out")).said[0].contains("is up to date")
        )
        #expect(workspace.run("export-schema", "realm", path, "--to", workspace.path("out")).code == .usage)
    }

    @Test(arguments: models) func `a dumped store has the same rows when the script runs`(model: (String, String))
        throws
    {
        let workspace = try Workspace()
        let store = workspace.path("store.sqlite")
        try FileManager.default.copyItem(
            at: Self.package.appendingPathComponent(model.1), to: URL(fileURLWithPath: store))
        let dumped = workspace.run("dump", store, "--to", workspace.path("dump.sql"))
        #expect(dumped.code == .success && dumped.said[0] == "wrote dump.sql", "\(dumped)")
        try workspace.makeDatabase("copy.sqlite", try workspace.text("dump.sql"))
        let copy = try Connection(path: workspace.path("copy.sqlite"), mode: .readWrite)
        try copy.execute("ATTACH '\(store)' AS s")
        let tables = try copy.texts(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'")
        var count = 0
        for table in tables {
            let columns = try copy.texts("SELECT name FROM pragma_table_xinfo(\(SQL.literal(table)))").map {
                "typeof(\(SQL.quoted($0))) || CAST(\(SQL.quoted($0)) AS BLOB)"
            }.joined(separator: ", ")
            let query = "SELECT \(columns) FROM"
            let name = SQL.quoted(table)
            for (one, other) in [("main", "s"), ("s", "main")] {
                let difference = "SELECT count(*) FROM (\(query) \(one).\(name) EXCEPT \(query) \(other).\(name))"
                #expect(try copy.integer(difference) == 0, "\(table)")
            }
            count += try copy.count(table)
        }
        #expect(count > 10)
        let objects =
            "SELECT type || name || tbl_name || sql FROM main.sqlite_schema WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'strata%'"
        let missing = try copy.texts(
            objects.replacingOccurrences(of: "main.", with: "s.") + " EXCEPT \(objects)")
        #expect(missing == [])
        #expect(
            workspace.run("dump", store, "--to", workspace.path("dump.sql")).complaints[0].contains("it exists already")
        )
    }

    @Test func `a CSV file keeps NULL, empty texts, quotes, line ends and blobs apart`() throws {
        let workspace = try Workspace()
        try workspace.makeDatabase(
            "store.sqlite",
            """
            CREATE TABLE "a/b" (id INTEGER PRIMARY KEY, "t,1" TEXT, x REAL, d BLOB);
            INSERT INTO "a/b" VALUES (1, '', 0.1, X'00FF'), (2, NULL, 1e300, NULL), (3, 'say "hi", é' || char(13, 10) || 'x', -0.5, X'');
            CREATE TABLE strata_metadata (key TEXT);
            """)
        let result = workspace.run(
            "dump", workspace.path("store.sqlite"), "--to", workspace.path("csv"), "--format", "csv")
        #expect(result.said == ["wrote csv", "  a/b: 3 rows"])
        #expect(
            try workspace.text("csv/a_b.csv")
                == "\"id\",\"t,1\",\"x\",\"d\"\r\n1,\"\",0.1,00ff\r\n2,,1e+300,\r\n3,\"say \"\"hi\"\", é\r\nx\",-0.5,\r\n"
        )
        #expect(
            workspace.run("dump", workspace.path("store.sqlite"), "--to", workspace.path("x"), "--format", "xml").code
                == .usage)
        try workspace.makeDatabase(
            "bad.sqlite",
            "CREATE TABLE t (s TEXT); INSERT INTO t VALUES (CAST(X'FF00' AS TEXT)), ('a' || char(0) || 'b');")
        let refused = workspace.run(
            "dump", workspace.path("bad.sqlite"), "--to", workspace.path("bad"), "--format", "csv")
        #expect(refused.complaints[0].contains("t.s has a text that is not UTF-8"))
        #expect(workspace.run("dump", workspace.path("bad.sqlite"), "--to", workspace.path("bad.sql")).code == .success)
        try workspace.makeDatabase("again.sqlite", try workspace.text("bad.sql"))
        let again = try Connection(path: workspace.path("again.sqlite"), mode: .readOnly)
        #expect(try again.texts("SELECT typeof(s) || hex(s) FROM t") == ["textFF00", "text610062"])
    }
}
