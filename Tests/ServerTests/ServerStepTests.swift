import Commands
import Foundation
import PostgreSQL
import Testing

@testable import ServerCommands

/// Writes the files of a model for both dialects, and runs a body with its folder.
func withModel(_ files: [String: String], _ body: (URL) throws -> Void) throws {
    try withFolder { folder in
        let model = folder.appendingPathComponent("Sources/Things/Model")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(#"{ "dialects": ["sqlite", "postgresql"] }"#.utf8).write(
            to: model.appendingPathComponent("strata.json"))
        for (name, text) in files { try Data(text.utf8).write(to: model.appendingPathComponent(name)) }
        try body(model)
    }
}

/// The files of single steps, run by a real server.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .serialized) struct ServerStepTests {
    private let server: PostgreSQLServer

    init() throws { server = try #require(PostgreSQLServer.shared) }

    /// Runs a body with a database of the first version of a model, and the files of its first step.
    private func withDatabase(
        _ files: [String: String], _ body: (ServerConnection, [String: ServerFile], String) throws -> Void
    ) throws {
        try withModel(files) { model in
            let schema = try loadedModel(model.path).serverSchema()
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                try connection.execute(schema.versions[0].file.text)
                let files = schema.steps.first?.files ?? []
                try body(connection, Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0) }), url)
            }
        }
    }

    /// Runs a file that fails, and returns the message.
    private func message(_ connection: ServerConnection, _ file: ServerFile?) throws -> String {
        let text = try #require(file).text
        let error = #expect(throws: ServerError.self) { try connection.execute(text) }
        try connection.execute("ROLLBACK")
        return error?.message ?? ""
    }

    /// In 2.0, `a` and `b` exchange their names, as do the properties `x` and `y` of both; `old` is removed, and another
    /// property gets its name.
    @Test func `tables and columns exchange their names, and removed ones make way`() throws {
        func entity(_ name: String, _ former: String) -> String {
            """
            { "name": "\(name)", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" },
              { "version": "2.0", "previous_name": "\(former)" }], "properties": [
              { "name": "x", "property_type": "int", "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous_name": "y" }] },
              { "name": "y", "property_type": "int", "indexed": true, "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous_name": "x" }] },
              { "name": "old", "property_type": "string", "removed_at_version": "2.0", "discard": true },
              { "name": "old", "property_type": "int", "default_value": 7, "added_at_version": "2.0" },
              { "name": "next", "property_type": { "entity_name": "\(name)", "association": "to_one" }, "nullable": true }
            ] }
            """
        }
        try withDatabase(["A.json": entity("a", "b"), "B.json": entity("b", "a")]) { connection, files, url in
            try connection.execute(
                """
                INSERT INTO a (id, x, y, old, next_id) VALUES (1, 10, 20, 'a', NULL), (2, 11, 21, 'a', 1);
                INSERT INTO b (id, x, y, old, next_id) VALUES (1, 30, 40, 'b', 1)
                """)
            try connection.execute(try #require(files["2-offline.sql"]).text)
            let query = "SELECT id, x, y, old, next_id FROM "
            #expect(try connection.rows(query + "a ORDER BY id") == [["1", "40", "30", "7", "1"]])
            #expect(
                try connection.rows(query + "b ORDER BY id")
                    == [["1", "20", "10", "7", nil], ["2", "21", "11", "7", "1"]])
        }
    }

    /// In 2.0, `detail` is new and has copies of the things, which lose `note` and are called `item`.
    @Test func `a new table gets copies of the rows of another one`() throws {
        let files = [
            "Thing.json": """
            { "name": "item", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" },
              { "version": "2.0", "previous_name": "thing" }], "properties": [
              { "name": "note", "property_type": "string", "nullable": true, "removed_at_version": "2.0", "discard": true },
              { "name": "size", "property_type": "int" }
            ] }
            """,
            "Detail.json": """
            { "name": "detail", "identifier": { "type": "int" }, "version_history": [{ "version": "2.0", "fill_from": "thing" }],
              "properties": [
              { "name": "text", "property_type": "string", "version_history": [{ "version": "2.0", "fill_from": "note" }] },
              { "name": "size", "property_type": "string" },
              { "name": "count", "property_type": "int", "default_value": 3 },
              { "name": "item", "property_type": { "entity_name": "item", "association": "to_one" }, "on_delete": "cascade" }
            ] }
            """,
        ]
        try withDatabase(files) { connection, files, _ in
            try connection.execute("INSERT INTO thing VALUES (1, 'a', 10), (2, NULL, 20), (5, '', 30)")
            for name in files.keys.sorted() { try connection.execute(try #require(files[name]).text) }
            #expect(
                try connection.rows("SELECT id, text, size, count, item_id FROM detail ORDER BY id")
                    == [["1", "a", "10", "3", "1"], ["5", "", "30", "3", "5"]])
            #expect(
                try connection.rows("SELECT id, size FROM item ORDER BY id") == [
                    ["1", "10"], ["2", "20"], ["5", "30"],
                ])
            #expect(throws: ServerError.self) {
                try connection.execute("INSERT INTO detail VALUES (9, 'x', 'y', 1, 9)")
            }
        }
    }

    /// In 2.0, `kind` has one more case, and may be less strict in `size`.
    @Test func `a check is replaced by a wider one only after all rows satisfy it`() throws {
        let files = [
            "Kind.json": """
            { "name": "kind", "cases": [{ "name": "red" },
              { "name": "blue", "added_at_version": "2.0" }] }
            """,
            "Thing.json": """
            { "name": "thing", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" }], "properties": [
              { "name": "kind", "property_type": "kind", "version_history": [{ "version": "1.0" }] },
              { "name": "size", "property_type": "int", "minimum": 0, "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous": { "minimum": 5 } }] }
            ] }
            """,
        ]
        try withDatabase(files) { connection, files, url in
            let online = try #require(files["1-online.sql"])
            let checks = "SELECT conname FROM pg_constraint WHERE contype = 'c' ORDER BY 1"
            let before = try connection.rows(checks)
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sql")
            try Data(online.text.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            // While a reader is open, psql goes on after each error, as it does without ON_ERROR_STOP.
            let reader = try ServerConnection(to: url)
            try reader.execute("BEGIN; SELECT * FROM thing")
            #expect(try server.psql([file], at: url, stops: false).output.contains("lock timeout"))
            #expect(try connection.rows(checks) == before)
            #expect(throws: ServerError.self) { try connection.execute("INSERT INTO thing VALUES (1, 'green', 9)") }
            try reader.execute("COMMIT")
            for _ in 0..<2 { try connection.execute(online.text) }
            try connection.execute("INSERT INTO thing VALUES (1, 'blue', 0)")
            #expect(throws: ServerError.self) { try connection.execute("INSERT INTO thing VALUES (2, 'green', 9)") }
            #expect(throws: ServerError.self) { try connection.execute("INSERT INTO thing VALUES (2, 'red', -1)") }
            try connection.execute(try #require(files["2-offline.sql"]).text)
            #expect(try connection.rows(checks) == before)
        }
    }

    @Test func `the offline file fails if the online files have not run, or if an index is not valid`() throws {
        let files = [
            "Thing.json": """
            { "name": "thing", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" }], "properties": [
              { "name": "size", "property_type": "int", "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous": { "indexed": false } }], "indexed": true },
              { "name": "note", "property_type": "string", "nullable": true, "added_at_version": "2.0" }
            ] }
            """
        ]
        try withDatabase(files) { connection, files, url in
            let offline = files["2-offline.sql"]
            #expect(
                try message(connection, offline)
                    == #"strata: run 1-online.sql first: these columns are missing, or have another type: "thing".note text"#
            )
            try connection.execute("ALTER TABLE thing ADD COLUMN note int")
            #expect(try message(connection, files["1-online.sql"]).contains(#""thing".note text"#))
            try connection.execute("ALTER TABLE thing DROP COLUMN note")
            try connection.execute(try #require(files["1-online.sql"]).text)
            let missing =
                "strata: run the file of each index, after you have dropped an invalid one: "
                + #"DROP INDEX CONCURRENTLY IF EXISTS "thing_size_idx";"#
            #expect(try message(connection, offline) == missing)
            try connection.execute(try #require(files["2-index-thing_size_idx.sql"]).text)
            try connection.execute(
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'thing_size_idx'::regclass")
            #expect(try message(connection, offline) == missing)
            try connection.execute(#"DROP INDEX CONCURRENTLY IF EXISTS "thing_size_idx";"#)
            try connection.execute(try #require(files["2-index-thing_size_idx.sql"]).text)
            try connection.execute(try #require(offline).text)
        }
    }

    @Test func `a file for another version, or for another state of a version, changes nothing`() throws {
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            let files = schema.steps[0].files
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                for file in files where !file.name.hasPrefix("2-index") {
                    #expect(try message(connection, file) == #"relation "strata_schema" does not exist"#)
                }
                try connection.execute(schema.versions[0].file.text)
                let dump = try server.dump(url)
                for change in ["version = '3.0'", "version = '1.0', fingerprint = 'other'"] {
                    try connection.execute("UPDATE strata_schema SET \(change)")
                    for file in files where !file.name.hasPrefix("2-index") {
                        #expect(try message(connection, file).hasPrefix("strata: this file needs version 1.0 ("))
                    }
                }
                #expect(try server.dump(url) == dump)
            }
        }
    }

    /// In 2.0, the computed column `label` is computed in another way, `size` becomes a text, and `gone` is removed.
    private static let computed = [
        "Thing.json": """
        { "name": "thing", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" }], "properties": [
          { "name": "name", "property_type": "string" },
          { "name": "size", "property_type": "string", "version_history": [{ "version": "1.0" },
            { "version": "2.0", "previous": { "property_type": "int" } }] },
          { "name": "label", "property_type": "string", "computed": "name || '!'", "version_history": [
            { "version": "1.0" }, { "version": "2.0", "previous": { "computed": "name || '?'" } }] },
          { "name": "gone", "property_type": "int", "removed_at_version": "2.0", "discard": true }
        ] }
        """
    ]

    @Test func `what depends on a dropped or replaced column makes the file fail with its name`() throws {
        try withDatabase(Self.computed) { connection, files, url in
            let offline = files["2-offline.sql"]
            try connection.execute("INSERT INTO thing (id, name, size, gone) VALUES (1, 'a', 5, 6)")
            try connection.execute("CREATE VIEW report AS SELECT gone FROM thing")
            let error = #expect(throws: ServerError.self) { try connection.execute(offline?.text ?? "") }
            #expect(error?.detail?.contains("view report depends on column gone") == true)
            try connection.execute("ROLLBACK; DROP VIEW report; CREATE VIEW report AS SELECT size FROM thing")
            #expect(try message(connection, offline).contains("used by a view"))
            try connection.execute(
                """
                DROP VIEW report; DO $$ BEGIN CREATE ROLE strata_app; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
                GRANT SELECT (label, size) ON thing TO strata_app
                """)
            #expect(
                try message(connection, offline)
                    == "strata: a new column replaces thing.label, which has privileges: revoke them, "
                    + "and grant them again afterwards")
            try connection.execute("REVOKE SELECT (label) ON thing FROM strata_app")
            try connection.execute(try #require(offline).text)
            // The column that got another type is still the same column.
            #expect(
                try connection.value("SELECT has_column_privilege('strata_app', 'thing', 'size', 'SELECT')") == "t")
            #expect(try connection.rows("SELECT id, name, size, label FROM thing") == [["1", "a", "5", "a!"]])
            try connection.execute("DROP OWNED BY strata_app")
        }
    }

    @Test func `an update that row-level security would cut short fails`() throws {
        try withDatabase(Self.computed) { connection, files, url in
            try connection.execute(
                """
                INSERT INTO thing (id, name, size, gone) VALUES (1, 'a', 5, 6), (2, 'b', 5, 6);
                CREATE ROLE strata_owner LOGIN; GRANT ALL ON SCHEMA public TO strata_owner;
                ALTER TABLE thing OWNER TO strata_owner; ALTER TABLE strata_schema OWNER TO strata_owner;
                ALTER TABLE thing ENABLE ROW LEVEL SECURITY; ALTER TABLE thing FORCE ROW LEVEL SECURITY;
                CREATE POLICY first ON thing USING (id = 1); SET ROLE strata_owner; SET row_security = on
                """)
            defer { try? connection.execute("RESET ROLE; DROP OWNED BY strata_owner; DROP ROLE strata_owner") }
            #expect(try connection.value("SELECT count(*) FROM thing") == "1")
            // A change of type reads all rows without a policy. An UPDATE does not.
            try connection.execute(try #require(files["2-offline.sql"]).text)
            #expect(try connection.rows("RESET ROLE") == [])
            #expect(try connection.rows("SELECT size FROM thing ORDER BY id") == [["5"], ["5"]])
        }
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                try connection.execute(schema.versions[0].file.text)
                try connection.execute("INSERT INTO book (id, title) VALUES (1, 'a'), (2, 'b')")
                try connection.execute(
                    """
                    CREATE ROLE strata_owner LOGIN; GRANT ALL ON SCHEMA public TO strata_owner;
                    ALTER TABLE book OWNER TO strata_owner; ALTER TABLE shelf OWNER TO strata_owner;
                    ALTER TABLE strata_schema OWNER TO strata_owner;
                    ALTER TABLE book ENABLE ROW LEVEL SECURITY; ALTER TABLE book FORCE ROW LEVEL SECURITY;
                    CREATE POLICY first ON book USING (id = 1); SET ROLE strata_owner; SET row_security = on
                    """)
                defer { try? connection.execute("RESET ROLE; DROP OWNED BY strata_owner; DROP ROLE strata_owner") }
                for file in schema.steps[0].files.dropLast() { try connection.execute(file.text) }
                #expect(
                    try message(connection, schema.steps[0].files.last)
                        == #"query would be affected by row-level security policy for table "book""#)
                try connection.execute("RESET ROLE")
                #expect(try connection.value("SELECT count(*) FROM book WHERE price IS NULL") == "2")
            }
        }
    }

    @Test func `the offline file migrates the rows of all apps of the old version`() throws {
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                try connection.execute(schema.versions[0].file.text)
                try connection.execute("INSERT INTO shelf VALUES (1, 'left')")
                try connection.execute("INSERT INTO book (id, title, shelf_id) VALUES (1, 'A', 1)")
                let files = schema.steps[0].files
                for file in files.dropLast() { try connection.execute(file.text) }
                // An app of 1.0 goes on.
                try connection.execute("INSERT INTO book (id, title, price, note) VALUES (2, 'B', 3, 'x')")
                try connection.execute(try #require(files.last).text)
                let rows = try connection.rows("SELECT id, name, price, pages, rack_id FROM book ORDER BY id")
                #expect(rows == [["1", "A", "7", "1", "1"], ["2", "B", "3", "1", nil]])
                #expect(throws: ServerError.self) {
                    try connection.execute("INSERT INTO book (id, name) VALUES (3, 'C')")
                }
            }
        }
    }

    /// In 2.0, the cases of the unique `kind` exchange their names, `other` has a minimum, and `size` gets another type and, where
    /// it was NULL, the former value of `other`.
    @Test func `new values are computed from the old row, and may exchange unique values`() throws {
        let files = [
            "Kind.json": """
            { "name": "kind", "cases": [
              { "name": "red", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "blue" }] },
              { "name": "blue", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "red" }] }] }
            """,
            "Thing.json": """
            { "name": "thing", "identifier": { "type": "int" }, "added_at_version": "1.0", "properties": [
              { "name": "kind", "property_type": "kind", "unique": true },
              { "name": "other", "property_type": "int", "minimum": 5, "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous": { "minimum": null }, "fill": 9 }] },
              { "name": "size", "property_type": "decimal", "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous": { "property_type": "int", "nullable": true }, "fill_from": "other" }] }
            ] }
            """,
        ]
        try withDatabase(files) { connection, files, url in
            try connection.execute("INSERT INTO thing VALUES (1, 'red', 1, NULL), (2, 'blue', 7, 8)")
            try connection.execute(try #require(files["2-offline.sql"]).text)
            #expect(
                try connection.rows("SELECT id, kind, other, size FROM thing ORDER BY id")
                    == [["1", "blue", "9", "1"], ["2", "red", "7", "8"]])
        }
    }

    @Test func `a table of the same name in another schema does not change`() throws {
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                try connection.execute(schema.versions[0].file.text)
                try connection.execute("INSERT INTO book (id, title) VALUES (1, 'A')")
                try connection.execute(
                    """
                    CREATE SCHEMA postgres; CREATE TABLE postgres.book (mine text); CREATE TABLE postgres.shelf (mine text);
                    INSERT INTO postgres.book VALUES ('mine')
                    """)
                #expect(try connection.value("SELECT current_schema()") == "postgres")
                for file in schema.steps[0].files { try connection.execute(file.text) }
                #expect(try connection.rows("SELECT * FROM postgres.book") == [["mine"]])
                #expect(try connection.value("SELECT to_regclass('postgres.rack')") == nil)
                #expect(try connection.value("SELECT name FROM public.book") == "A")
                #expect(try connection.value("SHOW search_path") == #""$user", public"#)
            }
        }
    }

    @Test func `only the owner of the tables can run a file`() throws {
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                try connection.execute(schema.versions[0].file.text)
                try connection.execute(
                    "CREATE ROLE strata_other; GRANT ALL ON ALL TABLES IN SCHEMA public TO strata_other; SET ROLE strata_other"
                )
                defer { try? connection.execute("RESET ROLE; DROP OWNED BY strata_other; DROP ROLE strata_other") }
                for file in schema.steps[0].files where !file.name.hasPrefix("2-index") {
                    #expect(
                        try message(connection, file)
                            == "strata: only the owner of the tables, postgres, can run this file")
                }
            }
        }
    }

    // MARK: Custom migrations

    /// In 2.0, `person` has a greeting, and the rows of `robot` become persons.
    private static let people = [
        "Person.json": """
        { "name": "person", "identifier": { "type": "int" }, "version_history": [
          { "version": "1.0" }, { "version": "2.0", "migration": "custom" }], "properties": [
          { "name": "first", "property_type": "string", "removed_at_version": "2.0" },
          { "name": "friends", "property_type": { "entity_name": "person", "association": "to_many" } },
          { "name": "greeting", "property_type": "string", "unique": true, "added_at_version": "2.0" }] }
        """,
        "Robot.json": """
        { "name": "robot", "identifier": { "type": "int" }, "added_at_version": "1.0", "removed_at_version": "2.0",
          "merged_into": "person", "properties": [{ "name": "serial", "property_type": "string" }] }
        """,
    ]

    @Test func `a custom migration fails until it is written, and then reads everything that is dropped`() throws {
        try withModel(Self.people) { model in
            let file = model.appendingPathComponent("Migrations/postgresql/1.0-2.0.sql")
            #expect(strata("release", model.path, "--target", "Things", "--version", "1.0").code == .success)
            let stub = try String(contentsOf: file, encoding: .utf8)
            #expect(stub.contains(#"--   "person"."greeting""#))
            #expect(stub.contains(#"--   "person"."first""#))
            #expect(stub.contains(#"--   the table "robot""#))
            #expect(stub.contains("--   `robot` is merged into `person`"))
            func run(_ connection: ServerConnection) throws {
                for file in try loadedModel(model.path).serverSchema().steps[0].files {
                    try connection.execute(file.text)
                }
            }
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                try connection.execute(try loadedModel(model.path).serverSchema().versions[0].file.text)
                try connection.execute(
                    """
                    INSERT INTO person (id, first) VALUES (1, 'Ada'), (2, 'Bob'); INSERT INTO robot VALUES (7, 'R7');
                    INSERT INTO person_friends VALUES (1, 2, 0)
                    """)
                let error = #expect(throws: ServerError.self) { try run(connection) }
                #expect(error?.message == "the custom migration from 1.0 to 2.0 is not written yet")
                try connection.execute("ROLLBACK")
                let harmless = """
                    DO $$ BEGIN PERFORM 1; END; $$; /* ; END /* ; COMMIT; */ ; ABORT */
                    SELECT 'a;COMMIT;', E'\\'; COMMIT; --', "END;" FROM t; -- ; END
                    """
                #expect(ServerMigration.ownTransaction(in: harmless) == nil)
                for (text, code) in [
                    ("COMMIT;", "COMMIT"), ("select 1;\n  start  transaction ;", "START"), ("SELECT 1; End", "END"),
                    ("/* a */ ABORT WORK", "ABORT"), ("SELECT '\\'; COMMIT; --'", "COMMIT"),
                    ("PREPARE TRANSACTION 'x'", "PREPARE"), ("rollback to a;", "ROLLBACK"),
                    ("-- a\r\nCOMMIT;\r\n", "COMMIT"),
                ] {
                    try Data(text.utf8).write(to: file)
                    let result = strata("generate", model.path, "--target", "Things")
                    #expect(result.code == .diagnostics)
                    #expect(result.text.contains("1.0-2.0.sql: error: \(code.split(separator: " ")[0])"))
                }
                // A function can end the transaction too, which the file notices before it drops anything.
                try Data("SELECT set_config('strata.transaction', '0', true)".utf8).write(to: file)
                let ended = #expect(throws: ServerError.self) { try run(connection) }
                #expect(ended?.message == "strata: the custom migration has ended the transaction")
                try connection.execute("ROLLBACK")
                let sql = """
                    -- The last line is a comment without a line break.
                    UPDATE person SET greeting = 'Hello ' || first;
                    INSERT INTO person (id, greeting) SELECT id, 'Beep ' || serial FROM robot -- done;
                    """
                try Data(sql.utf8).write(to: file)
                let check = strata("check", model.path, "--target", "Things")
                #expect(check.text.contains("2-offline.sql") || check.text.contains("stale"), "\(check.text)")
                try run(connection)
                #expect(
                    try connection.rows("SELECT id, greeting FROM person ORDER BY id")
                        == [["1", "Hello Ada"], ["2", "Hello Bob"], ["7", "Beep R7"]])
                #expect(try connection.rows("SELECT source_id, target_id FROM person_friends") == [["1", "2"]])
            }
        }
    }

    /// In 2.0, the key of `tag` becomes a text, so only SQL that you write can provide the pairs.
    @Test func `a join table whose keys change is replaced, and must not have policies`() throws {
        let files = [
            "Tag.json": """
            { "name": "tag", "identifier": { "type": "string" }, "version_history": [{ "version": "1.0" },
              { "version": "2.0", "previous": { "identifier": { "type": "int" } } }], "properties": [] }
            """,
            "Note.json": """
            { "name": "note", "identifier": { "type": "int" }, "added_at_version": "1.0", "properties": [
              { "name": "tags", "property_type": { "entity_name": "tag", "association": "to_many" } }] }
            """,
        ]
        try withModel(files) { model in
            let file = model.appendingPathComponent("Migrations/postgresql/1.0-2.0.sql")
            #expect(strata("release", model.path, "--target", "Things", "--version", "1.0").code == .success)
            #expect(try String(contentsOf: file, encoding: .utf8).contains(#"the rows of "note_tags""#))
            let sql = """
                UPDATE tag SET id = 'tag ' || strata_old_id;
                INSERT INTO note_tags SELECT source_id, 'tag ' || target_id, position FROM strata_old_note_tags;
                """
            try Data(sql.utf8).write(to: file)
            let schema = try loadedModel(model.path).serverSchema()
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                try connection.execute(schema.versions[0].file.text)
                try connection.execute(
                    """
                    INSERT INTO tag VALUES (1), (2); INSERT INTO note VALUES (5); INSERT INTO note_tags VALUES (5, 2, 0);
                    CREATE POLICY mine ON note_tags USING (true)
                    """)
                let offline = schema.steps[0].files.last
                #expect(offline?.text.contains("-- The table note_tags is dropped and created again.") == true)
                #expect(
                    try message(connection, offline)
                        == "strata: a new table replaces note_tags, which has privileges or policies: "
                        + "remove them, and create them again afterwards")
                try connection.execute("DROP POLICY mine ON note_tags")
                try connection.execute(try #require(offline).text)
                #expect(try connection.rows("SELECT * FROM note_tags") == [["5", "tag 2", "0"]])
                #expect(try connection.rows("SELECT id FROM tag ORDER BY id") == [["tag 1"], ["tag 2"]])
            }
        }
    }

    @Test func `the rows of a cache are deleted, and the table keeps its privileges`() throws {
        let files = [
            "Entry.json": """
            { "name": "entry", "identifier": { "type": "string" }, "version_history": [{ "version": "1.0" },
              { "version": "2.0", "previous": { "identifier": { "type": "int" } }, "rows": "discard" }], "properties": [
              { "name": "size", "property_type": "double", "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous": { "name": "bytes", "property_type": "string" } }] },
              { "name": "kind", "property_type": "string", "added_at_version": "2.0" }] }
            """
        ]
        try withDatabase(files) { connection, files, url in
            try connection.execute(
                """
                INSERT INTO entry VALUES (1, 'x'); DO $$ BEGIN CREATE ROLE strata_app; EXCEPTION WHEN duplicate_object
                THEN NULL; END $$; GRANT SELECT ON entry TO strata_app
                """)
            try connection.execute(try #require(files["2-offline.sql"]).text)
            #expect(try connection.value("SELECT has_table_privilege('strata_app', 'entry', 'SELECT')") == "t")
            #expect(try connection.value("SELECT count(*) FROM entry") == "0")
            try connection.execute(
                "INSERT INTO entry (id, size, kind) VALUES ('a', 1.5, 'k'); DROP OWNED BY strata_app")
        }
    }

    /// In 2.0, the rows of `entry` are deleted, and `page` and `note` refer to them in other ways. No old delete rule applies.
    @Test func `the deletion of a cache's rows deletes no other rows`() throws {
        let files = [
            "Entry.json": """
            { "name": "entry", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" },
              { "version": "2.0", "rows": "discard" }], "properties": [] }
            """,
            "Page.json": """
            { "name": "page", "identifier": { "type": "int" }, "added_at_version": "1.0", "properties": [
              { "name": "entries", "property_type": { "entity_name": "entry", "association": "to_many" }, "version_history": [
                { "version": "1.0" },
                { "version": "2.0", "previous": { "association": "to_one", "nullable": true, "on_delete": "cascade" } }] }] }
            """,
            "Note.json": """
            { "name": "note", "identifier": { "type": "int" }, "added_at_version": "1.0", "properties": [
              { "name": "entry", "property_type": { "entity_name": "entry", "association": "to_one" }, "nullable": true,
                "on_delete": "nullify", "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous": { "on_delete": "cascade" } }] }] }
            """,
        ]
        try withDatabase(files) { connection, files, url in
            try connection.execute(
                "INSERT INTO entry VALUES (1); INSERT INTO page VALUES (2, 1); INSERT INTO note VALUES (3, 1)")
            try connection.execute(
                """
                DO $$ BEGIN CREATE ROLE strata_app; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
                GRANT SELECT (entry_id) ON note TO strata_app
                """)
            for name in files.keys.sorted() { try connection.execute(try #require(files[name]).text) }
            #expect(try connection.rows("SELECT * FROM entry") == [])
            #expect(try connection.rows("SELECT * FROM page") == [["2"]])
            #expect(try connection.rows("SELECT * FROM note") == [["3", nil]])
            #expect(
                try connection.value("SELECT has_column_privilege('strata_app', 'note', 'entry_id', 'SELECT')") == "t")
            try connection.execute("DROP OWNED BY strata_app")
        }
    }

    // MARK: Citus

    /// In 2.0, `tenant` is called `owner`, `team` is new, and `note` becomes a reference table.
    ///
    /// Stand-ins record the calls of Citus' functions, because the test has no Citus.
    @Test func `tables are distributed where Citus is installed, and each only once`() throws {
        let files = [
            "Owner.json": """
            { "name": "owner", "identifier": { "type": "int" }, "distribution": "id", "version_history": [
              { "version": "1.0" }, { "version": "2.0", "previous_name": "tenant" }], "properties": [
              { "name": "teams", "added_at_version": "2.0",
                "property_type": { "entity_name": "team", "association": "to_many" } }] }
            """,
            "Team.json": """
            { "name": "team", "identifier": { "type": "int" }, "distribution": "reference", "added_at_version": "2.0",
              "properties": [] }
            """,
            "Note.json": """
            { "name": "note", "identifier": { "type": "int" }, "distribution": "reference", "version_history": [
              { "version": "1.0" }, { "version": "2.0", "previous": { "distribution": "id" } }], "properties": [] }
            """,
        ]
        try withModel(files) { model in
            let schema = try loadedModel(model.path).serverSchema()
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                try connection.execute(
                    """
                    CREATE SCHEMA citus;
                    CREATE TABLE citus.pg_dist_partition (logicalrelid regclass, partkey text, repmodel text);
                    CREATE FUNCTION citus.create_distributed_table(regclass, text) RETURNS void LANGUAGE sql
                        AS 'INSERT INTO citus.pg_dist_partition VALUES ($1, $2, ''s'')';
                    CREATE FUNCTION citus.create_reference_table(regclass) RETURNS void LANGUAGE sql
                        AS 'INSERT INTO citus.pg_dist_partition VALUES ($1, NULL, ''t'')';
                    CREATE FUNCTION citus.undistribute_table(regclass) RETURNS void LANGUAGE sql
                        AS 'DELETE FROM citus.pg_dist_partition WHERE logicalrelid = $1';
                    SET search_path = public, citus;
                    """)
                func tables() throws -> [[String?]] {
                    try connection.rows(
                        "SELECT logicalrelid::regclass::text, partkey, repmodel FROM citus.pg_dist_partition ORDER BY 1"
                    )
                }
                try connection.execute(schema.versions[0].file.text)
                #expect(try tables() == [["note", "id", "s"], ["tenant", "id", "s"]])
                let files = schema.steps[0].files
                for file in files.dropLast() { for _ in 0..<2 { try connection.execute(file.text) } }
                try connection.execute(try #require(files.last).text)
                let expected = [
                    ["note", nil, "t"], ["owner", "id", "s"], ["owner_teams", "source_id", "s"], ["team", nil, "t"],
                ]
                #expect(try tables() == expected)
            }
        }
    }
}
