import Commands
import Foundation
import PostgreSQL
import StoreCommands
import Strata
import Testing

@testable import ServerCommands

/// Copies of rows between stores and a real server.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .serialized) struct CopyTests {
    private let server: PostgreSQLServer

    init() throws { server = try #require(PostgreSQLServer.shared) }

    private static let files = [
        "Place.json": """
        { "name": "place", "properties": [{ "name": "name", "property_type": "string" },
          { "name": "size", "property_type": "double" }], "added_at_version": "1.0" }
        """,
        "Note.json": """
        { "name": "note", "identifier": { "type": "int" }, "added_at_version": "1.0", "properties": [
          { "name": "title", "property_type": "string", "collation": "nocase", "unique": true, "nullable": true },
          { "name": "price", "property_type": "decimal", "nullable": true },
          { "name": "place", "property_type": "place", "nullable": true },
          { "name": "size", "property_type": "double", "nullable": true },
          { "name": "done", "property_type": "bool", "nullable": true },
          { "name": "table", "property_type": "string", "nullable": true, "persisted_name": "parent" },
          { "name": "upper", "property_type": { "entity_name": "note", "association": "to_one" }, "nullable": true }] }
        """,
    ]

    /// Runs a body with a store, the URL of a database with its tables, and the folder of the model.
    private func withStore(_ body: (Strata.Connection, URL, String, String) throws -> Void) throws {
        try withModel(Self.files) { model in
            let loaded = try loadedModel(model.path)
            let file = model.appendingPathComponent("../store.sqlite")
            try Store(at: file, definition: SchemaDefinition(loaded)).close()
            try server.withDatabase { url in
                try server.run([try loaded.serverSchema().versions[0].file], at: url)
                let store = try Strata.Connection(path: file.path, mode: .readWrite)
                try store.execute("PRAGMA foreign_keys = OFF")
                try body(store, file, url, model.path)
            }
        }
    }

    @Test func `values come back as they were, and JSON is a part of the checksum`() throws {
        try withStore { store, file, url, model in
            let json = [
                #"{"size":1.50,"name":"a\u00e9\"\\\/\b\f\n\r\t\u0001é😀"}"#, #"{ "name" : "", "size" : -1.5E+3 }"#,
                #"{"name":"x","size":1e-7,"bb":[],"a":{},"c":[1,2.0,null,true,false,"z"],"é":-0,"long":-0.0}"#,
                #"{"name":"x","size":123456789012345678901234567890.123456789e2}"#, "null",
            ]
            for (place, text) in json.enumerated() {
                try store.execute(
                    "INSERT INTO note (id, price, place) VALUES (\(place), '1.50e1', '\(text.replacing("'", with: "''"))')"
                )
            }
            try store.execute(
                "INSERT INTO note (id, price) VALUES (99, '-.5'), (100, '1234567890123456789012345678901234567890.5')")
            let copied = strata("copy", file.path, "--to", url, "--model", model)
            #expect(copied.code == .success, "\(copied.text)")
            let connection = try ServerConnection(to: url)
            #expect(try connection.value("SELECT count(*) FROM note WHERE place ->> 'name' = 'x'") == "2")
            let back = file.deletingLastPathComponent().appendingPathComponent("back.sqlite")
            #expect(strata("copy", back.path, "--from", url, "--model", model).code == .success)
            // A difference in JSON alone is found.
            let table = try #require(try loadedModel(model).history.newest.serverTables.first { $0.name == "note" })
            #expect(try RowChecksum(of: table, on: connection) == RowChecksum(of: table, in: store))
            try connection.execute("UPDATE note SET place = jsonb_set(place, '{size}', '2') WHERE id = 0")
            #expect(try RowChecksum(of: table, on: connection) != RowChecksum(of: table, in: store))
        }
    }

    /// Values that PostgreSQL refuses or would change, each with the end of its message.
    static let refused: [(statement: String, message: String)] = [
        ("INSERT INTO note (id, title) VALUES (7, CAST(X'61ff' AS TEXT))", "note, row 7: title: the text is not UTF-8"),
        (
            "INSERT INTO note (id, title) VALUES (7, 'a' || char(0))",
            "note, row 7: title: PostgreSQL has no texts with U+0000"
        ),
        (
            "INSERT INTO note (id, place) VALUES (7, '{\"a\":1,\"a\":2}')",
            "note, row 7: place: the text is not JSON that PostgreSQL can keep: the key \"a\" occurs twice"
        ),
        (
            "INSERT INTO note (id, place) VALUES (7, '{\"a\":\"\\u0000\"}')",
            "note, row 7: place: PostgreSQL has no texts with U+0000"
        ),
        (
            "INSERT INTO note (id, place) VALUES (7, '{')",
            "note, row 7: place: the text is not JSON that PostgreSQL can keep: byte 2 is wrong"
        ),
        (
            "INSERT INTO note (id, price) VALUES (7, '1e200000')",
            "note, row 7: price: \"1e200000\" is not a number of at most 131072 digits before the point and 16383 after it"
        ),
        (
            "INSERT INTO note (id, price) VALUES (7, 'NaN')",
            "note, row 7: price: \"NaN\" is not a number of at most 131072 digits before the point and 16383 after it"
        ),
        ("INSERT INTO note (id, done) VALUES (7, 2)", "note, row 7: done: 2 is not a value of type boolean"),
        // SQLite's NOCASE compares only letters of ASCII without their case.
        (
            "INSERT INTO note (id, title) VALUES (7, 'É'), (8, 'é')",
            "note, row 8: duplicate key value violates unique constraint \"note_title_key\" (Key (title)=(é) already exists.)"
        ),
        (
            "INSERT INTO note (id, upper_id) VALUES (7, 5)",
            "note, row 7: it refers to a row of note that does not exist"
        ),
    ]

    @Test(arguments: refused) func `a refused value is named with its table and key, and nothing is copied`(
        statement: String, message: String
    ) throws {
        try withStore { store, file, url, model in
            try store.execute("INSERT INTO note (id) VALUES (1), (2)")
            try store.execute(statement)
            let before = try server.dump(url)
            let result = strata("copy", file.path, "--to", url, "--model", model)
            #expect(result.code == .diagnostics)
            #expect(
                result.text
                    == "\(file.path): error: PostgreSQL cannot hold these values, so nothing is copied; change them, and copy "
                    + "again:\n  \(message)")
            #expect(try server.dump(url) == before)
            #expect(try ServerConnection(to: url).value("SELECT count(*) FROM note") == "0")
        }
    }

    @Test(arguments: [
        ("size", "'NaN'", "SQLite has no NaN"),
        ("price", "'NaN'", "\"NaN\" is not a number of at most 131072 digits before the point and 16383 after it"),
    ])
    func `a value of the server that a store cannot hold is named with its table and key`(
        column: String, value: String, message: String
    ) throws {
        try withStore { store, file, url, model in
            let connection = try ServerConnection(to: url)
            try connection.execute(
                "INSERT INTO note (id) VALUES (1); INSERT INTO note (id, \(column)) VALUES (7, \(value))")
            let back = file.deletingLastPathComponent().appendingPathComponent("back.sqlite")
            let result = strata("copy", back.path, "--from", url, "--model", model)
            #expect(
                result.text
                    == "error: a store cannot hold a value of the server, so nothing is written: note, row 7: \(column): \(message)"
            )
            #expect(!FileManager.default.fileExists(atPath: back.path))
        }
    }

    @Test func `rows that a policy hides are not left out`() throws {
        try withStore { store, file, url, model in
            let connection = try ServerConnection(to: url)
            try connection.execute("INSERT INTO note (id) VALUES (1), (2)")
            try connection.execute(
                """
                CREATE ROLE strata_copier LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO strata_copier;
                ALTER TABLE note ENABLE ROW LEVEL SECURITY; CREATE POLICY first ON note USING (id = 1)
                """)
            defer { try? connection.execute("DROP OWNED BY strata_copier; DROP ROLE strata_copier") }
            let back = file.deletingLastPathComponent().appendingPathComponent("back.sqlite")
            let address = url.replacing("postgres@", with: "strata_copier@")
            #expect(
                strata("copy", back.path, "--from", address, "--model", model).text
                    == #"error: query would be affected by row-level security policy for table "note""#)
            #expect(!FileManager.default.fileExists(atPath: back.path))
        }
    }

    @Test func `an interrupted copy says how to go on, and goes on`() throws {
        try withStore { store, file, url, model in
            try store.execute("INSERT INTO note (id) VALUES (1), (2)")
            let connection = try ServerConnection(to: url)
            // Something else fails: not a value.
            try connection.execute(
                """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN RAISE EXCEPTION ''disk full'' USING ERRCODE = ''53100''; END';
                CREATE TRIGGER fail BEFORE INSERT ON note EXECUTE FUNCTION fail()
                """)
            let failed = strata("copy", file.path, "--to", url, "--model", model)
            #expect(failed.code == .diagnostics)
            #expect(
                failed.text
                    == "error: disk full\nThe target has a part of the rows and no foreign keys. Run the same command again to go "
                    + "on, or add --restart to begin again")
            #expect(
                strata("copy", file.path + "2", "--from", url, "--model", model).text
                    == "error: a copy to this database was interrupted, so rows are missing; go on with it first")
            try connection.execute("DROP TRIGGER fail ON note")
            #expect(strata("copy", file.path, "--to", url, "--model", model).code == .success)
            #expect(try connection.value("SELECT count(*) FROM note") == "2")
            #expect(try connection.value("SELECT to_regclass('strata_copy')") == nil)
            // A second copy does not delete rows of others.
            #expect(
                strata("copy", file.path, "--to", url, "--model", model).text
                    == "error: the table note of the server has rows, but must be empty")
        }
    }

    @Test func `restarting a copy deletes only the rows that it has copied`() throws {
        try withStore { store, file, url, model in
            try store.execute("INSERT INTO note (id) VALUES (1), (2)")
            let connection = try ServerConnection(to: url)
            try connection.execute(
                "CREATE TABLE strata_copy (store text, table_name text PRIMARY KEY, row_number bigint, rows bigint)"
            )
            try connection.execute(
                "INSERT INTO strata_copy VALUES ('another', 'note', 1, 1); INSERT INTO note (id) VALUES (1)")
            #expect(
                strata("copy", file.path, "--to", url, "--model", model).text.contains("--restart deletes its rows"))
            try connection.execute("INSERT INTO note (id) VALUES (9)")
            let refused = strata("copy", file.path, "--to", url, "--model", model, "--restart")
            #expect(
                refused.text
                    == "error: the table note of the server has 2 rows, but 1 were copied: delete the rows of all tables yourself"
            )
            try connection.execute("DELETE FROM note WHERE id = 9")
            #expect(strata("copy", file.path, "--to", url, "--model", model, "--restart").code == .success)
        }
    }

    @Test(arguments: [
        "postgresql://u:s3cret@127.0.0.1:1/x", "postgresql://127.0.0.1:1/x?user=u&password=s3cret",
        "postgresql://u:s3%63ret@127.0.0.1:1/x", "host=127.0.0.1 port=1 password=s3cret",
        "postgresql://u:s3cret@s3cret@127.0.0.1/x",
        "postgresql://u:a/s3cret@127.0.0.1/x", "postgresql://u:s3cret%zz@127.0.0.1/x", "postgresql://s3cret:1/x",
        "postgresql://127.0.0.1:1/x?passwrd=s3cret", "postgresql://u@127.0.0.1:1/x?sslpassword=s3cret&port=s3cret",
        "mysql://u:s3cret@127.0.0.1/x", "s3cret",
    ])
    func `a password appears in no error`(address: String) throws {
        try withModel(Self.files) { model in
            let store = model.appendingPathComponent("none.sqlite").path
            for arguments in [
                ["copy", store, "--from", address, "--model", model.path],
                ["copy", store, "--from=" + address, "--model", model.path],
            ] {
                let result = strata(arguments)
                #expect(result.code != .success)
                let isHost = address == "postgresql://s3cret:1/x"
                #expect(isHost || !result.text.contains("s3"), "\(result.text)")
            }
        }
    }
}
