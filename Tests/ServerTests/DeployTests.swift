import Commands
import Foundation
import PostgreSQL
import SchemaModel
import StoreCommands
import Testing

@testable import ServerCommands

/// Deployments to a real server.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .serialized) struct DeployTests {
    private let server: PostgreSQLServer

    init() throws { server = try #require(PostgreSQLServer.shared) }

    /// In 2.0, `item` is called `thing`, its `name` is called `title`, `number` is called `count` and may be less, and `copy` is
    /// filled from `name`. `label` stays.
    @Test func `apps of both versions keep their own rules, and no write is lost`() throws {
        try withFolder { folder in
            let model = folder.appendingPathComponent("Sources/Things/Model")
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            try Data(#"{ "dialects": ["sqlite", "postgresql"] }"#.utf8).write(
                to: model.appendingPathComponent("strata.json"))
            let description = """
                { "name": "thing", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" },
                  { "version": "2.0", "previous_name": "item" }], "properties": [
                  { "name": "title", "property_type": "string", "collation": "nocase", "version_history": [
                    { "version": "1.0" }, { "version": "2.0", "previous_name": "name" }] },
                  { "name": "count", "property_type": "int", "minimum": 1, "version_history": [{ "version": "1.0" },
                    { "version": "2.0", "previous": { "name": "number", "minimum": 5 } }] },
                  { "name": "label", "property_type": "string", "nullable": true, "max_length": 5 },
                  { "name": "copy", "property_type": "string", "nullable": true, "version_history": [
                    { "version": "2.0", "fill_from": "name" }] }
                ] }
                """
            try Data(description.utf8).write(to: model.appendingPathComponent("Thing.json"))
            let path = model.path
            let schema = try loadedModel(path).serverSchema()
            try server.withDatabase { url in
                try ServerSchemaTests.run([schema.versions[0].script], at: url)
                let connection = try ServerConnection(to: url)
                try connection.execute("DROP ROLE IF EXISTS app; CREATE ROLE app; GRANT ALL ON item TO app")
                defer { try? connection.execute("RESET ROLE; DROP OWNED BY app; DROP ROLE app") }
                try connection.execute("INSERT INTO item (id, name, number, label) VALUES (1, 'bob', 5, 'a')")
                try ServerSchemaTests.run(schema.steps[0].scripts.filter { $0.phase == .expand }, at: url)
                // An app of 1.0 meets the same rules as before, under the old name of the table.
                try connection.execute("SET ROLE app")
                try connection.execute("INSERT INTO item (id, name, number) VALUES (2, 'eve', 6)")
                #expect(throws: ServerError.self) { try connection.execute("UPDATE item SET number = 4") }
                #expect(throws: ServerError.self) { try connection.execute("UPDATE item SET label = 'too long'") }
                try connection.execute("RESET ROLE; UPDATE item SET id = -1 WHERE id = 1")
                #expect(strata("deploy", path, "--to", url).code == .success)
                try connection.execute("UPDATE item SET name = 'Bob' WHERE id = -1")
                try connection.execute("INSERT INTO thing (id, title, count, copy) VALUES (3, 'new', 2, 'own')")
                try connection.execute("UPDATE thing SET title = 'New' WHERE id = 3")
                let rows = try connection.rows("SELECT id, title, name, count, copy FROM thing ORDER BY id")
                #expect(
                    rows == [
                        ["-1", "Bob", "Bob", "5", "Bob"], ["2", "eve", "eve", "6", "eve"],
                        ["3", "New", "New", "2", "own"],
                    ])
                let refused = strata("copy", folder.path + "/none.sqlite", "--from", url, "--model", path)
                #expect(refused.text.contains("the phase contract has not run"))
                #expect(strata("deploy", path, "--to", url, "--oldest-client", "2.0").code == .success)
                #expect(strata("deploy", path, "--to", url, "--check").code == .success)
                #expect(throws: ServerError.self) { try connection.execute("UPDATE thing SET count = 0") }
            }
        }
    }

    @Test func `a file whose statements failed is not finished, although psql goes on`() throws {
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            try server.withDatabase { url in
                try ServerSchemaTests.run([schema.versions[0].script], at: url)
                let connection = try ServerConnection(to: url)
                try connection.execute("INSERT INTO book (id, title, price) VALUES (1, 'A', 2)")
                let blocker = try ServerConnection(to: url)
                let scripts = schema.steps[0].scripts
                let place = try #require(scripts.firstIndex { $0.phase == .backfill })
                try ServerSchemaTests.run(Array(scripts[..<place]), at: url)
                try blocker.execute("BEGIN; SELECT * FROM book FOR UPDATE")
                // As psql does without ON_ERROR_STOP.
                for script in scripts[place...] {
                    for statement in script.settings + script.statements { try? connection.execute(statement) }
                    try? connection.execute("ROLLBACK")
                }
                try blocker.execute("COMMIT")
                #expect(try ServerState(reading: connection).current?.version == "1.0")
                #expect(strata("deploy", path, "--to", url).code == .success)
                #expect(try connection.value("SELECT name FROM book") == "A")
            }
        }
    }

    @Test func `a row that the backfill has not reached follows every write`() throws {
        try withBooks { path in
            let scripts = try loadedModel(path).serverSchema().steps[0].scripts
            try server.withDatabase { url in
                try ServerSchemaTests.run([try loadedModel(path).serverSchema().versions[0].script], at: url)
                let connection = try ServerConnection(to: url)
                try connection.execute(
                    """
                    INSERT INTO shelf VALUES (1, 'left');
                    INSERT INTO book (id, title, price, shelf_id) SELECT n, 'T' || n, n, 1 FROM generate_series(1, 4) AS n
                    """)
                try ServerSchemaTests.run(scripts.filter { $0.phase == .expand }, at: url)
                // The backfill may have passed the new key already.
                try connection.execute("UPDATE book SET id = -1 WHERE id = 1")
                // Another column: the row gets the values that the new version requires.
                try connection.execute("UPDATE book SET note = 'y' WHERE id = 2")
                // A write that sets both columns: the new one counts.
                try connection.execute("UPDATE book SET title = 'old', name = 'new' WHERE id = 3")
                let rows = try connection.rows("SELECT id, title, name, rack_id FROM book ORDER BY id")
                #expect(
                    rows == [
                        ["-1", "T1", "T1", "1"], ["2", "T2", "T2", nil], ["3", "new", "new", nil],
                        ["4", "T4", nil, nil],
                    ])
            }
        }
    }

    @Test func `a backfill keeps its finished batches, and a finished one changes nothing`() throws {
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            let scripts = schema.steps[0].scripts
            let place = try #require(scripts.firstIndex { $0.backfilledTable == "book" })
            try server.withDatabase { url in
                try ServerSchemaTests.run([schema.versions[0].script], at: url)
                let connection = try ServerConnection(to: url)
                try connection.execute(
                    "INSERT INTO book (id, title, price) SELECT n, 'T' || n, n FROM generate_series(1, 25000) AS n")
                try ServerSchemaTests.run(Array(scripts[..<place]), at: url)
                let blocker = try ServerConnection(to: url)
                try blocker.execute("BEGIN; SELECT * FROM book WHERE id = 15000 FOR UPDATE")
                #expect(throws: ServerError.self) { try ServerSchemaTests.run([scripts[place]], at: url) }
                try blocker.execute("COMMIT")
                let done = "SELECT position, rows_done, finished IS NOT NULL FROM strata_history WHERE file = $1"
                #expect(try connection.rows(done, [scripts[place].name]) == [[#"["10000"]"#, "10000", "f"]])
                // Rows before the position do not change again.
                let silently = "SET session_replication_role = replica; UPDATE book SET name = 'mine' WHERE id IN "
                try connection.execute(silently + "(5, 15001)")
                try ServerSchemaTests.run([scripts[place]], at: url)
                try connection.execute(silently + "(24000)")
                let call = try #require(scripts[place].statements.first { $0.hasPrefix("CALL strata_backfill") })
                try connection.execute("SET session_replication_role = origin")
                try connection.execute(call)
                #expect(
                    try connection.rows("SELECT id, name FROM book WHERE id IN (5, 15001, 24000, 25000) ORDER BY id")
                        == [["5", "mine"], ["15001", "T15001"], ["24000", "mine"], ["25000", "T25000"]])
            }
        }
    }

    @Test func `the function of a custom migration does not change what an app of the new version has set`() throws {
        try withFolder { folder in
            let model = folder.appendingPathComponent("Sources/People/Model")
            let migrations = model.appendingPathComponent("Migrations/postgresql/1.0-2.0")
            try FileManager.default.createDirectory(at: migrations, withIntermediateDirectories: true)
            let description = """
                { "name": "person", "identifier": { "type": "int" }, "version_history": [
                  { "version": "1.0" }, { "version": "2.0", "migration": "custom" }], "properties": [
                  { "name": "first", "property_type": "string" },
                  { "name": "greeting", "property_type": "string", "added_at_version": "2.0" }] }
                """
            let function = """
                CREATE OR REPLACE FUNCTION "strata_migrate_person_1.0_to_2.0"("row" person) RETURNS person
                LANGUAGE plpgsql AS $strata$
                BEGIN
                    "row".greeting := 'Hello ' || "row".first;
                    RETURN "row";
                END
                $strata$;
                """
            try Data(#"{ "dialects": ["sqlite", "postgresql"] }"#.utf8).write(
                to: model.appendingPathComponent("strata.json"))
            try Data(description.utf8).write(to: model.appendingPathComponent("Person.json"))
            try server.withDatabase { url in
                let stub = strata("deploy", model.path, "--to", url)
                #expect(stub.code == .success, "\(stub.text)")
            }
            try server.withDatabase { url in
                let first = try loadedModel(model.path).serverSchema().versions[0].script
                try ServerSchemaTests.run([first], at: url)
                let connection = try ServerConnection(to: url)
                try connection.execute("INSERT INTO person VALUES (1, 'Ada')")
                #expect(
                    strata("deploy", model.path, "--to", url).text.contains("person.sql: error: this migration is not"))
                try Data(function.utf8).write(to: migrations.appendingPathComponent("person.sql"))
                #expect(strata("deploy", model.path, "--to", url).code == .success)
                try connection.execute("INSERT INTO person (id, first) VALUES (2, 'Bob'), (3, 'Cid')")
                try connection.execute("UPDATE person SET first = 'Ben' WHERE id = 2")
                try connection.execute("UPDATE person SET first = 'Cyd', greeting = 'Hi' WHERE id = 3")
                #expect(
                    try connection.rows("SELECT first, greeting FROM person ORDER BY id")
                        == [["Ada", "Hello Ada"], ["Ben", "Hello Ben"], ["Cyd", "Hi"]])
            }
        }
    }

    /// In 2.0, `tenant` is called `owner`, `team` is new, and `note` becomes a reference table.
    ///
    /// Stand-ins record the calls of Citus' functions, because the test has no Citus.
    @Test func `tables are distributed where Citus is installed, and each only once`() throws {
        try withFolder { folder in
            let model = folder.appendingPathComponent("Sources/Notes/Model")
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            let files = [
                "strata.json": #"{ "dialects": ["sqlite", "postgresql"] }"#,
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
                  { "version": "1.0" }, { "version": "2.0", "previous": { "distribution": "local" } }], "properties": [] }
                """,
            ]
            for (name, text) in files { try Data(text.utf8).write(to: model.appendingPathComponent(name)) }
            let schema = try loadedModel(model.path).serverSchema()
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                try connection.execute(
                    """
                    CREATE SCHEMA citus;
                    CREATE TABLE citus.pg_dist_partition (logicalrelid regclass, partkey text, repmodel text);
                    CREATE FUNCTION citus.column_to_column_name(regclass, text) RETURNS text LANGUAGE sql AS 'SELECT $2';
                    CREATE FUNCTION citus.create_distributed_table(regclass, text) RETURNS void LANGUAGE sql
                        AS 'INSERT INTO citus.pg_dist_partition VALUES ($1, $2, ''s'')';
                    CREATE FUNCTION citus.create_reference_table(regclass) RETURNS void LANGUAGE sql
                        AS 'INSERT INTO citus.pg_dist_partition VALUES ($1, NULL, ''t'')';
                    CREATE FUNCTION citus.undistribute_table(regclass) RETURNS void LANGUAGE sql
                        AS 'DELETE FROM citus.pg_dist_partition WHERE logicalrelid = $1';
                    SET search_path = public, citus;
                    """)
                func run(_ scripts: [ServerScript]) throws {
                    for script in scripts { for statement in script.statements { try connection.execute(statement) } }
                }
                func tables() throws -> [[String?]] {
                    try connection.rows(
                        "SELECT logicalrelid::regclass::text, partkey, repmodel FROM citus.pg_dist_partition ORDER BY 1"
                    )
                }
                try run([schema.versions[0].script])
                #expect(try tables() == [["tenant", "id", "s"]])
                try run(schema.steps[0].scripts)
                let expected = [
                    ["note", nil, "t"], ["owner", "id", "s"], ["owner_teams", "source_id", "s"], ["team", nil, "t"],
                ]
                #expect(try tables() == expected)
                // Each statement can be run again.
                try connection.execute(
                    "SELECT strata_distribute('note', 'reference', NULL), strata_distribute('owner', 'column', 'id')")
                #expect(try tables() == expected)
                try connection.execute("SELECT strata_distribute('note', 'column', 'id')")
                try connection.execute("SELECT strata_distribute('team', 'local', NULL)")
                #expect(
                    try tables() == [["note", "id", "s"], ["owner", "id", "s"], ["owner_teams", "source_id", "s"]])
            }
            // Without Citus, the same files create the same tables.
            try server.withDatabase { url in
                try ServerSchemaTests.run([schema.versions[1].script], at: url)
                #expect(strata("deploy", model.path, "--to", url, "--check").code == .success)
            }
        }
    }

    @Test func `deploy creates, migrates, and removes the old parts only when it may`() throws {
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            try server.withDatabase { url in
                #expect(strata("deploy", path, "--to", url, "--dry-run").text.contains("create 2.0.sql"))
                try ServerSchemaTests.run([schema.versions[0].script], at: url)
                let connection = try ServerConnection(to: url)
                try connection.execute(
                    """
                    INSERT INTO shelf VALUES (1, 'left');
                    INSERT INTO book (id, title, price, note, shelf_id) VALUES (1, 'A', NULL, 'x', 1), (2, 'B', 3, NULL, NULL)
                    """)
                let deployed = strata("deploy", path, "--to", url)
                #expect(deployed.code == .success, "\(deployed.text)")
                #expect(deployed.text.contains("the database has version 2.0"))
                #expect(deployed.text.contains("deploy --oldest-client 2.0"))
                // Apps of both versions write.
                try connection.execute(
                    """
                    INSERT INTO shelf VALUES (2, 'right');
                    INSERT INTO book (id, title, shelf_id) VALUES (3, 'C', 2);
                    UPDATE book SET title = 'AA' WHERE id = 1;
                    INSERT INTO book (id, name, price, pages, rack_id) VALUES (4, 'D', 1, 9, 2);
                    UPDATE book SET name = 'BB' WHERE id = 2;
                    """)
                let both = try connection.rows(
                    "SELECT id, title, name, price, pages, shelf_id, rack_id FROM book ORDER BY id")
                #expect(
                    both == [
                        ["1", "AA", "AA", "7", "1", "1", "1"], ["2", "BB", "BB", "3", "1", nil, nil],
                        ["3", "C", "C", "7", "1", "2", "2"], ["4", "D", "D", "1", "9", "2", "2"],
                    ])
                #expect(strata("deploy", path, "--to", url).text.contains("nothing is left to do"))
                #expect(strata("deploy", path, "--to", url, "--check").code == .success)
                #expect(strata("deploy", path, "--to", url, "--phase", "contract").code == .usage)
                let contracted = strata("deploy", path, "--to", url, "--oldest-client", "2.0")
                #expect(contracted.code == .success, "\(contracted.text)")
                #expect(strata("deploy", path, "--to", url, "--check").text.contains("matches version 2.0"))
                let rows = try connection.rows("SELECT name, price, rack_id FROM book ORDER BY id")
                #expect(rows == [["AA", "7", "1"], ["BB", "3", nil], ["C", "7", "2"], ["D", "1", "2"]])
                #expect(throws: ServerError.self) { try connection.execute("SELECT title FROM book") }
                try connection.execute("ALTER TABLE book DROP COLUMN pages; CREATE TABLE mine (a int)")
                let drift = strata("deploy", path, "--to", url, "--check")
                #expect(drift.code == .diagnostics && drift.text.contains("missing: column book.pages bigint NOT NULL"))
                #expect(drift.text.contains("unexpected: column mine.a integer"))
            }
        }
    }

    @Test func `deploy refuses a wrong address, foreign tables, and versions that it does not know`() throws {
        try withBooks { path in
            #expect(strata("deploy", path, "--to", "nowhere").text.contains("is not an address like"))
            let wrong = strata("deploy", path, "--to", "postgresql://postgres:secret@127.0.0.1:1/none")
            #expect(wrong.code == .diagnostics && wrong.text.contains("cannot be reached"))
            #expect(!wrong.text.contains("secret"))
            try server.withDatabase { url in
                let connection = try ServerConnection(to: url)
                try connection.execute("CREATE TABLE mine (a int)")
                #expect(strata("deploy", path, "--to", url).text.contains("tables that Strata did not create: mine"))
                #expect(try connection.value("SELECT to_regclass('strata_history')") == nil)
            }
            try server.withDatabase { url in
                #expect(strata("deploy", path, "--to", url).code == .success)
                let connection = try ServerConnection(to: url)
                try connection.execute("UPDATE strata_history SET fingerprint = 'other'")
                #expect(strata("deploy", path, "--to", url).text.contains("differs from version 2.0 here"))
                try connection.execute("UPDATE strata_history SET to_version = '3.0'")
                #expect(strata("deploy", path, "--to", url).text.contains("3.0, which is newer than 2.0"))
            }
        }
    }

    @Test func `a second deployment waits, and one that waits for a lock goes on`() throws {
        try withBooks { path in
            let schema = try loadedModel(path).serverSchema()
            try server.withDatabase { url in
                try ServerSchemaTests.run([schema.versions[0].script], at: url)
                let blocker = try ServerConnection(to: url)
                try blocker.execute("BEGIN; LOCK TABLE book IN ACCESS EXCLUSIVE MODE")
                let isOver = DispatchSemaphore(value: 0)
                let results = Results()
                for _ in 0..<2 {
                    Thread.detachNewThread {
                        results.add(strata("deploy", path, "--to", url).code == .success)
                        isOver.signal()
                    }
                }
                Thread.sleep(forTimeInterval: 1.5)
                #expect(results.all.isEmpty)
                try blocker.execute("COMMIT")
                isOver.wait()
                isOver.wait()
                #expect(results.all == [true, true])
                #expect(strata("deploy", path, "--to", url, "--oldest-client", "2.0").code == .success)
                #expect(strata("deploy", path, "--to", url, "--check").code == .success)
            }
        }
    }
}

/// Results of several threads.
private final class Results: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Bool] = []

    func add(_ result: Bool) { lock.withLock { results.append(result) } }
    var all: [Bool] { lock.withLock { results } }
}
