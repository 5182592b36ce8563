import Foundation
import Importing
import SchemaModel
import SQLSchema
import Strata
import Testing

/// Imports folders of SQL migrations and of databases.
@Suite struct ReplayTests {
    private static let people = "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born DATETIME);"

    private func workspace(_ files: [String: String]) throws -> Workspace {
        let workspace = try Workspace()
        for (name, text) in files { try workspace.write(text, to: "migrations/\(name)") }
        return workspace
    }

    private func importing(
        _ workspace: Workspace, _ arguments: String...
    ) -> (code: Int32, said: [String], complaints: [String]) {
        let result = workspace.run(
            all: ["import", "sql", workspace.path("migrations"), "--into", workspace.path("out")] + arguments)
        return (result.code.rawValue, result.said, result.complaints)
    }

    @Test func `renames are followed, also where a table is copied, and changes of rows are reported`() throws {
        let workspace = try workspace([
            "0.sqm": Self.people,
            "1.sqm": """
            ALTER TABLE person RENAME COLUMN name TO full_name;
            ALTER TABLE person RENAME TO human;
            """,
            "2.sqm": """
            PRAGMA foreign_keys = OFF;
            CREATE TABLE human_new (id INTEGER PRIMARY KEY, label TEXT NOT NULL, born DATETIME, age INTEGER);
            INSERT INTO human_new (id, label, born) SELECT id, "full_name", human.born FROM human;
            DROP TABLE human;
            ALTER TABLE human_new RENAME TO human;
            """,
            "3.sqm": """
            ALTER TABLE human RENAME TO human_old;
            CREATE TABLE human (id INTEGER PRIMARY KEY, label TEXT NOT NULL, birth DATETIME, years INTEGER);
            INSERT INTO human SELECT * FROM human_old;
            DROP TABLE human_old;

            UPDATE human SET years = 1;
            """,
            "4.sqm": """
            -- Values are computed, so the copy is reported, and the column is not the same.
            CREATE TABLE copy (id INTEGER PRIMARY KEY, tag TEXT);
            INSERT INTO copy SELECT id, upper(label) FROM human;
            DROP TABLE human;
            CREATE TABLE extra AS SELECT * FROM copy;
            CREATE TABLE other (id INTEGER PRIMARY KEY, label TEXT);
            INSERT INTO other (id, label) SELECT id, tag FROM copy;
            """,
        ])
        let result = importing(workspace)
        #expect(result.code == 0, "\(result.complaints)")
        let history = try workspace.history("out")
        #expect(history.versions.map(\.version.text) == ["1.0", "2.0", "3.0", "4.0", "5.0"])
        #expect(history.steps.prefix(3).allSatisfy { $0.customReasons.isEmpty })
        #expect(
            try workspace.lines("out", "4.0") == ["human | key id: int | birth: date? | label: string | years: int?"])
        let text = try workspace.text("out/Copy.json")
        for name in ["person", "human", "name", "full_name", "born"] {
            #expect(text.contains("\"previous_name\": \"\(name)\""), "\(name)")
        }
        // The values of the new column replace those of the old one.
        #expect(text.contains("\"name\": \"years\"") && text.contains("\"fill\": 1"))
        let report = try workspace.text("out/IMPORT.md").split(separator: "\n").map(String.init)
        let marked = report.filter { $0.contains(".sqm:") }
        #expect(
            marked == [
                "| 5.0 | copy | 4.sqm:3 changes its rows (INSERT) |",
                "| 5.0 | extra | 4.sqm:5 changes its rows (CREATE TABLE … AS) |",
                "| 5.0 | other | 4.sqm:7 changes its rows (INSERT) |",
            ])
        #expect(
            report.contains {
                $0.hasPrefix(
                    "| 1.0 to 4.0 | person.born, human.born, human.birth | its declared type is DATETIME, but nothing shows"
                )
            })
    }

    @Test func `a copy that computes some values keeps the table and the other columns`() throws {
        let workspace = try workspace([
            "0.sqm": "CREATE TABLE person (id INTEGER PRIMARY KEY, first TEXT, last TEXT, mail TEXT, born INTEGER);",
            "1.sqm": """
            CREATE TABLE human (id INTEGER PRIMARY KEY, name TEXT, address TEXT, born TEXT, "a, b" TEXT);
            INSERT INTO human (id, name, address, born, "a, b")
              SELECT p.id, p.first || p.last, "mail" AS address, CAST(born / 2 AS TEXT), replace(p.mail, ',', '(')
              FROM person AS p;
            DROP TABLE person;
            """,
        ])
        #expect(importing(workspace).code == 0)
        let text = try workspace.text("out/Human.json")
        #expect(text.contains("\"previous_name\": \"person\""))
        #expect(text.contains("\"previous_name\": \"mail\""))
        #expect(!text.contains("\"previous_name\": \"last\""))
        #expect(try workspace.text("out/IMPORT.md").contains("| 2.0 | human | 1.sqm:2 changes its rows (INSERT) |"))
    }

    /// Copies of rows that a description cannot express, and whether each new row comes from one old row.
    static let copies: [(select: String, isRowByRow: Bool)] = [
        ("SELECT DISTINCT id, x FROM a", true), ("SELECT id, count(*) FROM a", false),
        ("SELECT id, x FROM a UNION SELECT id, x FROM b", false), ("SELECT id, (SELECT x FROM b) FROM a", true),
        ("SELECT id, x FROM a WHERE id > 1", true), ("SELECT id, x FROM a LIMIT 1", true),
        ("SELECT id, group_concat(x) FROM a", false), ("SELECT a.id, b.x FROM a JOIN b ON a.id = b.id", false),
        ("SELECT a.id, b.x FROM a, b", false), ("VALUES (1, 'a')", false),
    ]

    @Test(arguments: copies)
    func `a copy that may lose rows is a custom migration`(select: String, isRowByRow: Bool) throws {
        let table = "(id INTEGER PRIMARY KEY, x TEXT);"
        let workspace = try workspace([
            "1.sql": "CREATE TABLE a \(table) CREATE TABLE b \(table)",
            "2.sql": "CREATE TABLE c \(table) INSERT INTO c \(select); DROP TABLE a;",
        ])
        #expect(importing(workspace).code == 0)
        let text = try workspace.text("out/C.json")
        #expect(text.contains("previous_name") == isRowByRow)
        #expect(text.contains("\"migration\": \"custom\""))
        let step = try #require(try workspace.history("out").steps.first)
        #expect(step.removals.map(\.entity.name) == (isRowByRow || select.hasPrefix("VALUES") ? [] : ["a"]))
        #expect(try workspace.text("out/strata.json").contains("INSERT INTO c \(select)"))
    }

    @Test func `a copy that loses, joins or splits rows is reported, also where its source is dropped`() throws {
        let workspace = try workspace([
            "1.sql":
                "CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT); CREATE TABLE b (id INTEGER PRIMARY KEY, x TEXT); CREATE TABLE c (id INTEGER PRIMARY KEY, x TEXT); CREATE TABLE d (id INTEGER PRIMARY KEY, x TEXT);",
            "2.sql": """
            UPDATE a SET x = 'changed';
            CREATE TABLE new_a (id INTEGER PRIMARY KEY, y TEXT);
            INSERT INTO new_a (id, y) SELECT id, x FROM a;
            DROP TABLE a;
            ALTER TABLE new_a RENAME TO a;
            """,
            "3.sql": """
            CREATE TABLE new_a (id INTEGER PRIMARY KEY, y TEXT UNIQUE);
            INSERT OR IGNORE INTO new_a SELECT * FROM a;
            DROP TABLE a;
            ALTER TABLE new_a RENAME TO a;
            """,
            "4.sql": """
            CREATE TABLE both (id INTEGER PRIMARY KEY, x TEXT);
            INSERT INTO both SELECT * FROM b;
            INSERT INTO both SELECT * FROM c;
            INSERT INTO both SELECT * FROM d;
            DROP TABLE b;
            DROP TABLE c;
            DROP TABLE d;
            """,
            "5.sql": """
            CREATE TABLE one (id INTEGER PRIMARY KEY);
            CREATE TABLE two (id INTEGER PRIMARY KEY, x TEXT);
            INSERT INTO one SELECT id FROM both;
            INSERT INTO two SELECT id, x FROM both;
            DROP TABLE both;
            CREATE TABLE three AS VALUES (1), (2);
            """,
        ])
        #expect(importing(workspace).code == 0)
        let report = try workspace.text("out/IMPORT.md").split(separator: "\n").map(String.init)
        #expect(
            report.filter { $0.contains("sql:") } == [
                "| 3.0 | a | 3.sql:2 changes its rows (INSERT) |",
                "| 4.0 | both | 4.sql:3 changes its rows (INSERT) |",
                "| 4.0 | both | 4.sql:4 changes its rows (INSERT) |",
                "| 5.0 | three | 5.sql:6 changes its rows (CREATE TABLE … AS) |",
            ])
        #expect(try workspace.text("out/A.json").contains("\"fill\": \"changed\""))
        #expect(try workspace.text("out/Two.json").contains("\"previous_name\": \"both\""))
        #expect(try workspace.text("out/One.json").contains("\"fill_from\": \"both\""))
    }

    @Test func `what an import discards or cannot carry over is listed for a decision, equal notes once`() throws {
        let workspace = try workspace([
            "1.sql": """
            CREATE TABLE person (id INTEGER PRIMARY KEY, mail TEXT UNIQUE ON CONFLICT REPLACE, born DATETIME, fax TEXT);
            CREATE TABLE word (word TEXT NOT NULL COLLATE NOCASE PRIMARY KEY, seen DATETIME);
            CREATE TABLE cache (id INTEGER PRIMARY KEY, page BLOB);
            CREATE VIEW words AS SELECT word FROM word;
            """,
            "2.sql":
                "ALTER TABLE person DROP COLUMN fax; DROP TABLE cache; ALTER TABLE person ADD COLUMN seen DATETIME;",
        ])
        #expect(importing(workspace).code == 0)
        let report = try workspace.text("out/IMPORT.md")
        let decisions = try #require(report.components(separatedBy: "## To decide").last)
        for line in [
            "| 2.0 | cache, person.fax |", "| 1.0 to 2.0 | words | it is a view |",
            "| 1.0 to 2.0 | person | ON CONFLICT REPLACE: a row that breaks the constraint is an error |",
            "| 1.0 to 2.0 | word.word | it is the primary key, which compares byte by byte, and not with NOCASE |",
        ] {
            #expect(decisions.contains(line), "\(line)")
        }
        #expect(report.contains("| 1.0 to 2.0 | person.born, word.seen, person.seen | its declared type is DATETIME"))
        #expect(report.components(separatedBy: "DATETIME").count == 2)
    }

    /// The names of the files of two versions, and of files that belong to neither.
    static let layouts: [([String], [String])] = [
        (["V1__people.sql", "V1.10__notes.sql"], ["U1.10__notes.sql"]),
        (["V1_2__people.sql", "V1_10__notes.sql"], []),
        (["000009_people.up.sql", "000010_notes.up.sql"], ["000009_people.down.sql", "README.md"]),
        (["20251231235959_people/migration.sql", "20260102030405_notes/migration.sql"], ["migration_lock.toml"]),
        (["2025-12-31-235959_people/up.sql", "2026-01-02-030405_notes/up.sql"], ["2026-01-02-030405_notes/down.sql"]),
        (["0000_people.sql", "0001_2fa_notes.sql"], ["meta/_journal.json"]),
        (["0.sqm", "1.sqm"], []),
    ]

    @Test(arguments: layouts) func `the files of each tool are read in their order`(files: [String], others: [String])
        throws
    {
        var texts = [files[0]: Self.people, files[1]: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);"]
        for name in others { texts[name] = "DROP TABLE note;" }
        let workspace = try workspace(texts)
        let result = importing(workspace)
        #expect(result.code == 0, "\(result.complaints)")
        let history = try workspace.history("out")
        #expect(history.versions.map { $0.entities.map(\.name).sorted() } == [["person"], ["note", "person"]])
    }

    @Test func `the part of a file that undoes it is not run`() throws {
        let workspace = try workspace([
            "1_people.sql": "-- +goose Up\n\(Self.people)\n-- +goose Down\nDROP TABLE person;\n",
            "2_notes.sql":
                "-- migrate:up\nCREATE TABLE note (id INTEGER PRIMARY KEY);\n\n-- migrate:down\nDROP TABLE note;\n",
        ])
        #expect(importing(workspace).code == 0)
        #expect(try workspace.history("out").versions[1].entities.count == 2)
    }

    @Test func `complete schemas are the same as the files that lead to them`() throws {
        let first = "CREATE TABLE IF NOT EXISTS \"schema_migrations\" (version TEXT);\n" + Self.people
        let second =
            first + "\nCREATE INDEX person_name ON person (name);\nCREATE VIEW names AS SELECT name FROM person;"
        let whole = try workspace(["v1.0.sql": first, "structure-1.2.sql": second])
        let refused = importing(whole)
        #expect(
            refused.complaints == [
                "migrations/structure-1.2.sql:2: error: SQLite refuses this statement: table person already exists; "
                    + "if each file creates a complete schema, add --complete"
            ])
        #expect(importing(whole, "--complete").code == 0)
        let grown = try workspace([
            "1.0.sql": first,
            "1.2.sql": "CREATE INDEX person_name ON person (name);\nCREATE VIEW names AS SELECT name FROM person;",
        ])
        #expect(importing(grown).code == 0)
        #expect(try whole.text("out/Person.json") == grown.text("out/Person.json"))
        #expect(try whole.history("out").versions.map(\.version.text) == ["1.0", "1.2"])
        #expect(try whole.text("out/IMPORT.md").contains("| 1.2 | names | it is a view |"))
    }

    @Test func `SQLDelight's syntax is read, and its Booleans are Booleans`() throws {
        let workspace = try workspace([
            "0.sqm": """
            import com.example.Kind;
            import kotlin.Boolean;

            CREATE TABLE item (
              _id INTEGER NOT NULL PRIMARY KEY, done INTEGER AS Boolean NOT NULL DEFAULT 0, kind TEXT AS Kind,
              tags TEXT AS kotlin.collections.List<String?> NOT NULL DEFAULT '', day INTEGER AS @Name("d") @Day java.time.Day,
              other TEXT AS Kind, twice INTEGER GENERATED ALWAYS AS (_id * 2)
            );
            """,
            "1.sqm": "ALTER TABLE item ADD COLUMN starred INTEGER AS Boolean DEFAULT 1;",
        ])
        let result = importing(workspace)
        #expect(result.code == 0, "\(result.complaints)")
        #expect(
            try workspace.lines("out", "2.0") == [
                "item | key _id: int | day: int? | done: bool = 0 | kind: string? | other: string? | starred: bool? = 1 | tags: string = \"\""
            ])
        let report = try workspace.text("out/IMPORT.md")
        #expect(report.contains("| 1.0 to 2.0 | item.kind, item.other | its type in the app is Kind:"))
        #expect(report.contains("| item.day | its type in the app is java.time.Day:"))
        #expect(try workspace.text("out/strata.json").contains(#""user_versions": { "1.0": 1, "2.0": 2 }"#))
    }

    @Test func `the declarations of SQLDelight give the first version, if the migrations lead from it to them`() throws
    {
        let item = """
            import kotlin.Boolean;
            CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, done INTEGER AS Boolean NOT NULL DEFAULT 0);
            CREATE INDEX item_name ON item(name);

            all:
            SELECT * FROM item WHERE name = ?;

            upsert {
              UPDATE item SET name = :name WHERE id = :id;
              INSERT OR IGNORE INTO item(id, name) VALUES (:id, :name);
            }

            insert:
            INSERT INTO item VALUES ?;
            """
        let workspace = try workspace([
            "com/example/Item.sq": item,
            "com/example/Tag.sq":
                "CREATE TABLE tag (id INTEGER PRIMARY KEY, item INTEGER REFERENCES item(id), label TEXT);",
            "migrations/1.sqm": "ALTER TABLE item ADD COLUMN done INTEGER AS Boolean NOT NULL DEFAULT 0;",
            "migrations/2.sqm": """
            CREATE TABLE tag (id INTEGER PRIMARY KEY, item INTEGER REFERENCES item(id), text TEXT);
            CREATE INDEX IF NOT EXISTS item_name ON item(name);
            UPDATE item SET name = upper(name);
            """,
            "migrations/3.sqm": "ALTER TABLE tag RENAME COLUMN text TO label;",
        ])
        let result = importing(workspace)
        #expect(result.code == 0, "\(result.complaints)")
        #expect(try workspace.lines("out", "1.0") == ["item | key id: int | name: string"])
        #expect(
            try workspace.lines("out", "4.0") == [
                "item | key id: int | done: bool = 0 | name: string indexed",
                "tag | key id: int | item: to_one item? on_delete no_action persisted item | label: string?",
            ])
        #expect(try workspace.history("out").steps.map(\.isCustom) == [false, true, false])
        // These do not lead to the declarations.
        try workspace.write("ALTER TABLE item ADD COLUMN more TEXT;", to: "migrations/migrations/1.sqm")
        #expect(
            importing(workspace).complaints == [
                "migrations/migrations/1.sqm:1: error: SQLite refuses this statement: no such table: item; the first file must "
                    + "create the first version: write its tables to 0.sqm"
            ])
        // Only declarations.
        let single = try self.workspace(["Item.sq": item])
        #expect(importing(single).code == 0)
        #expect(try single.lines("out", "1.0") == ["item | key id: int | done: bool = 0 | name: string indexed"])
    }

    @Test func `drizzle's files may begin with COMMIT, and a structure of Rails may be alone`() throws {
        let workspace = try workspace([
            "0000_a.sql":
                "CREATE TABLE a (id integer PRIMARY KEY, x text);--> statement-breakpoint\nCREATE TABLE b (id integer PRIMARY KEY);",
            "0001_b.sql": """
            COMMIT;--> statement-breakpoint
            PRAGMA foreign_keys=OFF;--> statement-breakpoint
            BEGIN TRANSACTION;--> statement-breakpoint
            CREATE TABLE `__new_a` (`id` integer PRIMARY KEY NOT NULL, `y` text);
            --> statement-breakpoint
            INSERT INTO `__new_a`("id", "y") SELECT "id", "x" FROM `a`;--> statement-breakpoint
            DROP TABLE `a`;--> statement-breakpoint
            ALTER TABLE `__new_a` RENAME TO `a`;
            """,
        ])
        #expect(importing(workspace).code == 0)
        #expect(try workspace.text("out/A.json").contains(#""previous_name": "x""#))
        let rails = try self.workspace([
            "structure.sql": """
            CREATE TABLE IF NOT EXISTS "schema_migrations" ("version" varchar NOT NULL PRIMARY KEY);
            CREATE TABLE a (id INTEGER PRIMARY KEY, name varchar);
            INSERT INTO "schema_migrations" (version) VALUES ('20240102030405'), ('20230102030405');
            """,
            "migrate/20240102030405_a.rb": "", "seeds/1.sql": "",
        ])
        #expect(importing(rails).code == 0)
        #expect(try rails.text("out/strata.json").contains(#""was": "20240102030405""#))
        #expect(try !rails.text("out/IMPORT.md").contains("schema_migrations"))
        let ruby = try self.workspace(["20240102030405_a.rb": ""])
        #expect(
            importing(ruby).complaints == [
                "migrations: error: its migrations are code, which SQLite cannot run: import the structure.sql of each release, with --complete"
            ])
    }

    @Test func `Flyway's placeholders get values, and those without one are named`() throws {
        let workspace = try workspace([
            "V1__a.sql":
                "-- ${comment}\nCREATE TABLE ${prefix}_a (id INTEGER PRIMARY KEY, x TEXT DEFAULT '${flyway:user}');",
            "V2__b.sql": "CREATE TABLE ${prefix}_b (id INTEGER PRIMARY KEY);",
        ])
        #expect(
            importing(workspace, "--placeholder", "flyway:user=me").complaints == [
                "migrations: error: these placeholders have no value: prefix; add --placeholder prefix=VALUE"
            ])
        let result = importing(workspace, "--placeholder", "prefix=app", "--placeholder", "flyway:user=a=b")
        #expect(result.code == 0, "\(result.complaints)")
        #expect(
            try workspace.lines("out", "2.0") == ["app_a | key id: int | x: string? = \"a=b\"", "app_b | key id: int"])
        #expect(
            importing(workspace, "--placeholder", "prefix").complaints.first
                == "error: --placeholder needs a name and a value, as in --placeholder schema=main")
    }

    @Test func `a default of another type than its column is converted, and takes no rows with it`() throws {
        let first =
            "CREATE TABLE item (id INTEGER PRIMARY KEY); CREATE TABLE part (id INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES item(id));"
        let second = """
            ALTER TABLE item ADD COLUMN data BLOB DEFAULT '{}';
            ALTER TABLE item ADD COLUMN n INTEGER DEFAULT '';
            ALTER TABLE item ADD COLUMN r REAL NOT NULL DEFAULT 'none';
            ALTER TABLE item ADD COLUMN ok BOOLEAN DEFAULT 'false';
            ALTER TABLE item ADD COLUMN t TEXT DEFAULT 5;
            """
        let workspace = try workspace(["1.sql": first, "2.sql": second])
        #expect(importing(workspace).code == 0)
        // The proof has compared the values of the ALTER with those of the inferred migration.
        #expect(try workspace.history("out").steps.map(\.isCustom) == [false])
        try workspace.makeDatabase(
            "app.sqlite",
            """
            \(first) INSERT INTO item VALUES (1), (2); INSERT INTO part VALUES (1, 1), (2, 2); \(second)
            INSERT INTO item VALUES (3, X'00FF', 7, 1.5, 1, 'x'), (4, '12x', '12x', '-1.5e1x', 'true', NULL);
            """)
        let converted = workspace.run(
            "convert", workspace.path("app.sqlite"), "--model", workspace.path("out"), "--to",
            workspace.path("app.strata"))
        #expect(converted.said.prefix(2) == ["item: 4 rows", "part: 2 rows"], "\(converted)")
        let rows = try workspace.rows(
            "app.strata", "SELECT printf('%d %s %d %.1f %d %s', id, hex(data), n, r, ok, t) FROM item ORDER BY id")
        #expect(
            rows.map { $0.replacingOccurrences(of: "\"", with: "") } == [
                "1 7B7D 0 0.0 0 5", "2 7B7D 0 0.0 0 5", "3 00FF 7 1.5 1 x", "4 313278 12 -15.0 1 ",
            ])
    }

    @Test func `the user_version that files set decides the version, and a contradiction is refused`() throws {
        let workspace = try workspace([
            "1.sql": "CREATE TABLE score (id INTEGER PRIMARY KEY, points REAL NOT NULL); PRAGMA user_version = 3;",
            "2.sql": "UPDATE score SET points = points * 2; PRAGMA user_version = 5;",
            "3.sql": "ALTER TABLE score ADD COLUMN name TEXT; PRAGMA user_version = 6;",
        ])
        #expect(importing(workspace).code == 0)
        #expect(try workspace.text("out/strata.json").contains(#""user_versions": { "1.0": 3, "2.0": 5, "3.0": 6 }"#))
        func convert(_ version: Int, _ more: String = "") throws -> [String] {
            try workspace.makeDatabase(
                "app\(version)\(more.count).sqlite",
                "CREATE TABLE score (id INTEGER PRIMARY KEY, points REAL NOT NULL\(more)); INSERT INTO score (points) VALUES (1.5); PRAGMA user_version = \(version);"
            )
            let result = workspace.run(
                "convert", workspace.path("app\(version)\(more.count).sqlite"), "--model", workspace.path("out"),
                "--to",
                workspace.path("app\(version)\(more.count).strata"))
            return result.said.suffix(1) + result.complaints
        }
        #expect(try convert(3) == ["wrote app30.strata, a store of 1.0"])
        #expect(try convert(5) == ["wrote app50.strata, a store of 2.0"])
        #expect(
            try convert(6).last
                == "app60.sqlite: error: the user_version of the database is 6, as in 3.0, but its tables are those of 1.0 and 2.0: "
                + "find out which is right, and name the version with ConversionOptions.version or --version")
        #expect(
            try convert(3, ", name TEXT").last?.hasPrefix(
                "app311.sqlite: error: the user_version of the database is 3, as in 1.0, but its tables are those of 3.0:"
            )
                == true)
        #expect(try convert(4).last == "app40.sqlite: error: unknown version 4")
        // Without a number, the tables decide, and they are those of two versions.
        #expect(try convert(0).last?.contains("the database has the tables of 1.0 and 2.0") == true)
    }

    @Test func `plural tables can become singular entities`() throws {
        let workspace = try workspace([
            "1.sql": """
            CREATE TABLE blog_entries (id INTEGER PRIMARY KEY); CREATE TABLE boxes (id INTEGER PRIMARY KEY);
            CREATE TABLE status (id INTEGER PRIMARY KEY); CREATE TABLE Users (id INTEGER PRIMARY KEY);
            CREATE TABLE item (id INTEGER PRIMARY KEY); CREATE TABLE items (id INTEGER PRIMARY KEY);
            CREATE TABLE people (id INTEGER PRIMARY KEY);
            """
        ])
        #expect(importing(workspace, "--singular").code == 0)
        let entities = try workspace.history("out").newest.entities
        #expect(
            entities.map { "\($0.name) \($0.tableName)" }.sorted() == [
                "Users Users", "blog_entry blog_entries", "box boxes", "item item", "items items", "person people",
                "status status",
            ])
    }

    @Test func `the stub of a custom migration shows the statements that it replaces`() throws {
        let inserts = (1...40).map { "INSERT INTO score VALUES (\($0), 0.5);" }.joined(separator: "\n")
        let workspace = try workspace([
            "1.sql": "CREATE TABLE score (id INTEGER PRIMARY KEY, points REAL NOT NULL);",
            "2.sql": "UPDATE score\n  SET points = points * 2;",
            "3.sql": inserts,
        ])
        #expect(importing(workspace).code == 0)
        let generated = workspace.run("generate", workspace.path("out"))
        #expect(generated.code == .success, "\(generated.complaints)")
        let stub = try workspace.text("out/Migrations/Migration_1_0_to_2_0.swift")
        #expect(stub.contains("///     UPDATE score\n///       SET points = points * 2;\n"))
        let second = try workspace.text("out/Migrations/Migration_2_0_to_3_0.swift")
        #expect(second.contains("VALUES (30, 0.5);\n///     -- and 10 more statements\n"))
    }

    @Test func `truth values that only Kotlin knows do not end the proof`() throws {
        let workspace = try workspace([
            "0.sqm": "CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, a TEXT, done INTEGER AS Boolean NOT NULL);",
            "1.sqm": "UPDATE t SET a = 'x';", "2.sqm": "UPDATE t SET a = 'y' WHERE done = 1;",
        ])
        #expect(importing(workspace).code == 0)
        let report = try workspace.text("out/IMPORT.md")
        #expect(report.contains("| 2.0 | 2 | 1 | inferred |") && report.contains("| 3.0 | 3 | 1 | custom |"))
        #expect(!report.contains("nothing proves"))
    }

    @Test func `a stub shows the statements in the order of the file, with those of temporary and dropped tables`()
        throws
    {
        let statements = [
            "CREATE TEMP TABLE keep AS SELECT k, max(v) AS v FROM m GROUP BY k HAVING count(*) > 1;",
            "INSERT INTO archive SELECT id, k FROM orders WHERE k = 'DEM';", "DELETE FROM orders WHERE k = 'DEM';",
            "UPDATE m SET v = v * 2;", "DELETE FROM m;", "INSERT INTO m SELECT rowid, k, v FROM keep;",
            "INSERT INTO orders_new SELECT id, upper(k) FROM orders;",
        ]
        let workspace = try workspace([
            "1.sql": """
            CREATE TABLE m (id INTEGER PRIMARY KEY, k TEXT, v INTEGER); CREATE TABLE orders (id INTEGER PRIMARY KEY, k TEXT);
            CREATE TABLE archive (id INTEGER PRIMARY KEY, k TEXT);
            """,
            "2.sql": """
            CREATE TABLE orders_new (id INTEGER PRIMARY KEY, k TEXT);
            \(statements.joined(separator: "\n"))
            DROP TABLE orders; ALTER TABLE orders_new RENAME TO orders;
            """,
        ])
        #expect(importing(workspace).code == 0)
        #expect(workspace.run("generate", workspace.path("out")).code == .success)
        let stub = try workspace.text("out/Migrations/Migration_1_0_to_2_0.swift")
        let shown = stub.split(separator: "\n").compactMap { $0.hasPrefix("///     ") ? String($0.dropFirst(8)) : nil }
        #expect(shown.filter { !$0.hasPrefix(" ") } == statements)
    }

    @Test func `the stub of a column that gets a primary key shows the statement`() throws {
        let workspace = try workspace([
            "1.sql": "CREATE TABLE t (id INTEGER PRIMARY KEY);",
            "2.sql": "ALTER TABLE t ADD COLUMN sort INTEGER;\nUPDATE t SET sort = id;",
        ])
        #expect(importing(workspace).code == 0)
        #expect(workspace.run("generate", workspace.path("out")).code == .success)
        #expect(try workspace.text("out/Migrations/Migration_1_0_to_2_0.swift").contains("UPDATE t SET sort = id;"))
    }

    /// Wrong files, and the message about them.
    static let wrong: [([String: String], String)] = [
        (
            ["1.sql": "\n-- one\nCREATE TABLE a (id INTEGER);\nCREATE TABLE b (\n  id INTEGER,,\n  x INTEGER);"],
            "migrations/1.sql:5: error: SQLite refuses this statement: near \",\": syntax error"
        ),
        (
            ["1.sql": "CREATE TABLE a (id INTEGER NOT NULL);\n\nINSERT INTO a VALUES (NULL);"],
            "migrations/1.sql:3: error: SQLite refuses this statement: NOT NULL constraint failed: a.id"
        ),
        (
            ["1.sqm": "ALTER TABLE a ADD COLUMN b;"],
            "migrations/1.sqm:1: error: SQLite refuses this statement: no such table: a; the first file must create "
                + "the first version: write its tables to 0.sqm"
        ),
        (
            [
                "1.sql":
                    "CREATE TABLE a (b);\nWITH RECURSIVE n AS (SELECT 1 UNION ALL SELECT 1 FROM n) INSERT INTO a SELECT count(*) FROM n;"
            ],
            "migrations/1.sql:2: error: SQLite refuses this statement: it does not end"
        ),
        (
            ["1.sql": "ATTACH 'other.sqlite' AS other;"],
            "migrations/1.sql:1: error: SQLite refuses this statement: not authorized"
        ),
        (["1.sql": "CREATE TABLE a (b);\n\0"], "migrations/1.sql:2: error: it contains a NUL byte"),
        (
            ["a.sql": ""],
            "migrations/a.sql: error: its name lacks a number, which would give its place in the history"
        ),
        (
            ["1_a.sql": "", "01_b.sql": ""],
            "migrations/1_a.sql: error: migrations/01_b.sql has the same number, 1"
        ),
        (
            ["1.sqm": "", "2.sql": ""],
            "migrations/2.sql: error: the folder also has files of SQLDelight, which count differently"
        ),
        (
            ["more/1.sql": "", "1.sql": ""],
            "migrations/more/1.sql: error: only files directly in migrations are read, and folders with migration.sql or up.sql"
        ),
        (["notes.txt": ""], "migrations: error: there are no SQL files in it"),
        (
            ["1.sql": "-- nothing\n"],
            "migrations: error: no version has an entity with rows, so there is nothing to describe"
        ),
    ]

    @Test(arguments: wrong) func `a file that cannot be read is named, with its line`(
        files: [String: String], message: String
    ) throws {
        let workspace = try workspace(files)
        let result = importing(workspace)
        #expect(result.code == 1)
        #expect(result.complaints == [message])
        #expect(!FileManager.default.fileExists(atPath: workspace.path("out")))
    }

    @Test func `a replay writes no file, and reports what belongs to no version`() throws {
        let workspace = try workspace([:])
        let file = workspace.path("written.sqlite")
        try workspace.write("\u{FEFF}\(Self.people)\nVACUUM;\nVACUUM INTO '\(file)';\n", to: "migrations/V1__a.sql")
        try workspace.write("CREATE VIEW v AS SELECT 1;", to: "migrations/R__views.sql")
        #expect(importing(workspace).code == 0)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(
            try workspace.text("out/IMPORT.md").contains(
                "| 1.0 | R__views.sql | it belongs to no version, because Flyway runs it again whenever it changes |"))
        try Data([0xff, 0x0a]).write(to: workspace.url.appendingPathComponent("migrations/V2__b.sql"))
        #expect(importing(workspace).complaints == ["migrations/V2__b.sql: error: it is not UTF-8"])
    }

    @Test func `a database that ran the files is converted, and a later import adds versions`() throws {
        let workspace = try workspace(["1.sql": Self.people])
        #expect(importing(workspace).code == 0)
        try workspace.write("ALTER TABLE person RENAME COLUMN name TO label;", to: "migrations/2.sql")
        let again = importing(workspace)
        #expect(again.code == 0 && again.said.contains("added 2.0"), "\(again)")
        #expect(try workspace.history("out").steps[0].customReasons.isEmpty)
        try workspace.makeDatabase(
            "app.sqlite",
            """
            \(Self.people)
            CREATE TABLE flyway_schema_history (installed_rank INTEGER);
            INSERT INTO person VALUES (7, 'Ada', '1815-12-10 00:00:00');
            PRAGMA user_version = 9;
            """)
        let converted = workspace.run(
            "convert", workspace.path("app.sqlite"), "--model", workspace.path("out"), "--to",
            workspace.path("app.strata"))
        #expect(converted.code == .success, "\(converted.complaints)")
        let store = try Connection(path: workspace.path("app.strata"), mode: .readOnly)
        #expect(try store.text("SELECT id || name || born FROM person") == "7Ada-5840035200.0")
    }

    @Test func `a terminal answers which elements were renamed, and a dry run writes nothing`() throws {
        let workspace = try Workspace()
        let first = """
            CREATE TABLE user (id INTEGER PRIMARY KEY, mail TEXT, fax TEXT, years INTEGER);
            CREATE TABLE log (id INTEGER PRIMARY KEY, line TEXT);
            """
        let second = """
            CREATE TABLE account (id INTEGER PRIMARY KEY, mail TEXT, fax TEXT, years INTEGER);
            CREATE TABLE note (id INTEGER PRIMARY KEY, line TEXT);
            """
        let third = """
            CREATE TABLE account (id INTEGER PRIMARY KEY, age INTEGER, e_mail TEXT, phone TEXT);
            CREATE TABLE note (id INTEGER PRIMARY KEY, line TEXT);
            """
        for (place, sql) in [first, second, third].enumerated() {
            try workspace.makeDatabase("snapshots-\(place + 1).sqlite", sql)
        }
        try FileManager.default.createDirectory(atPath: workspace.path("all"), withIntermediateDirectories: true)
        for place in 1...3 {
            try FileManager.default.moveItem(
                atPath: workspace.path("snapshots-\(place).sqlite"), toPath: workspace.path("all/\(place).sqlite"))
        }
        let command = ["import", "sqlite", workspace.path("all"), "--into", workspace.path("out")]
        let dry = workspace.run(all: command + ["--dry-run"])
        #expect(dry.code == .success && dry.said.contains("would write out/Account.json"))
        #expect(dry.said.contains("note: 2.0: user: it was removed, and account, note added"))
        #expect(dry.said.contains("note: 3.0: account.mail: it was removed, and `e_mail`, `phone`, `age` added"))
        #expect(!FileManager.default.fileExists(atPath: workspace.path("out")))
        let answers = ["--interactive", "--renames", workspace.path("answers.json")]
        #expect(workspace.run(all: command + answers).complaints[0].contains("standard input is not a terminal"))
        // user is account; log is note; mail is e_mail; fax was removed; a wrong answer; years is age.
        let result = workspace.run(all: command + answers, answers: ["1", "1", "1", "r", "7", "1"])
        #expect(result.code == .success, "\(result.complaints)")
        #expect(result.said.contains("3: account.mail (string) is removed. Is it one of these?"))
        #expect(result.said.contains { $0 == "  1  e_mail (string), similar by 85 %" })
        #expect(result.said.contains("write a number, r or s"))
        #expect(
            try workspace.text("answers.json").split(whereSeparator: \.isWhitespace).joined(separator: " ")
                == #"{ "2": { "log": "note", "user": "account" }, "3": { "account.fax": null, "account.mail": "e_mail", "account.years": "age" } }"#
        )
        #expect(try workspace.history("out").steps.allSatisfy { $0.customReasons.isEmpty })
        // The answers are kept, so nothing is asked again.
        let again = workspace.run(all: command + ["--interactive"], answers: [])
        #expect(again.said == ["out has all versions of all already"])
    }

    @Test func `a column whose values have no type of their own is reported`() throws {
        let workspace = try Workspace()
        let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, v, n AMOUNT, w, x NUMERIC)"
        try workspace.write(table, to: "migrations/1.sql")
        let result = workspace.run("import", "sql", workspace.path("migrations"), "--into", workspace.path("empty"))
        #expect(result.code == .success, "\(result.complaints)")
        let rest = "nothing shows the type of its values: change the property's type, if it is not double |"
        let report = try workspace.text("empty/IMPORT.md")
        #expect(report.contains("| 1.0 | t.v, t.w | it has no declared type, and \(rest)"))
        #expect(report.contains("| 1.0 | t.n | its declared type is AMOUNT, but \(rest)"))
        #expect(!report.contains("t.x"))
        try workspace.makeDatabase(
            "app.sqlite", table + "; INSERT INTO t VALUES (1, 'a', 1, 'a', 1.5), (2, X'00', 2.5, 'b', 2);")
        let other = workspace.run("import", "sqlite", workspace.path("app.sqlite"), "--into", workspace.path("filled"))
        #expect(other.code == .success, "\(other.complaints)")
        #expect(
            try workspace.lines("filled", "1.0") == [
                "t | key id: int | n: double? | v: data? | w: string? | x: decimal?"
            ])
        let findings = try workspace.text("filled/IMPORT.md").split(separator: "\n").filter { $0.contains("| t.") }
        #expect(
            findings == [
                "| 1.0 | t.v | it has no declared type, and it has values of other types, which will not fit |"
            ])
    }

    @Test func `a folder of databases has a version for each, whose columns are read alike`() throws {
        let workspace = try Workspace()
        try workspace.write("", to: "snapshots/notes.txt")
        try workspace.makeDatabase(
            "snapshots/App 2.sqlite", "CREATE TABLE t (id INTEGER PRIMARY KEY, day DATE, n NUMERIC);")
        try workspace.makeDatabase(
            "snapshots/App 10.sqlite",
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, day DATE, n NUMERIC, code UUID);
            INSERT INTO t VALUES (1, 700000000, 1.5, 'A1B2C3D4-0000-0000-0000-000000000000');
            CREATE TABLE grdb_migrations (identifier TEXT);
            """)
        let result = workspace.run("import", "sqlite", workspace.path("snapshots"), "--into", workspace.path("out"))
        #expect(result.code == .success, "\(result.complaints)")
        #expect(try workspace.lines("out", "2.0") == ["t | key id: int | day: int? | n: decimal?"])
        #expect(try workspace.lines("out", "10.0") == ["t | key id: int | code: uuid? | day: int? | n: decimal?"])
        #expect(try workspace.history("out").steps[0].customReasons.isEmpty)
        let single = workspace.run(
            "import", "sqlite", workspace.path("snapshots/App 2.sqlite"), "--into", workspace.path("one"), "--oldest",
            "1")
        #expect(single.complaints == ["error: import sqlite has no option --oldest for a single database"])
        let empty = workspace.run("import", "sqlite", workspace.path("out"), "--into", workspace.path("none"))
        #expect(empty.complaints == ["out: error: there are no databases in it"])
    }
}
