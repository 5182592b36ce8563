import Commands
import Foundation
import SchemaModel
import SQLSchema
import Strata
import Testing

/// Writes schemas for other libraries, and reads them back.
@Suite struct SchemaExportTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL

    static let models = [
        "Entities/Movies", "Entities/Laundry", "Tests/Consumers/Everything/Sources/Everything/Model",
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
    func `an exported schema describes the tables of the newest version`(model: String, format: String) throws {
        let history = try Self.loaded(model).history
        let workspace = try Workspace()
        let path = Self.package.appendingPathComponent(model).path
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

    @Test(arguments: models) func `an exported script creates the tables of a new store`(model: String) throws {
        let workspace = try Workspace()
        let path = Self.package.appendingPathComponent(model).path
        #expect(workspace.run("export-schema", "sql", path, "--to", workspace.path("out")).code == .success)
        try workspace.makeDatabase("new.sqlite", try workspace.text("out/schema.sql"))
        let connection = try Connection(path: workspace.path("new.sqlite"), mode: .readOnly)
        for table in try Self.loaded(model).history.newest.tables {
            let sql = try connection.text("SELECT sql FROM sqlite_schema WHERE name = \(SQL.literal(table.name))")
            #expect(sql == SQLite.createTable(table))
        }
        #expect(
            workspace.run("export-schema", "sql", path, "--to", workspace.path("out")).said[0].contains("is up to date")
        )
        #expect(workspace.run("export-schema", "realm", path, "--to", workspace.path("out")).code == .usage)
    }
}
