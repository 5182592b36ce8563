import Foundation
import Importing
import SchemaModel
import StoreConversion
import Strata
import Testing

/// Histories of SQL that move data, in the shapes of public projects: each step is right, or it is custom.
@Suite struct DataMovementTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        let name: String
        let files: [String]
        /// Whether each step is custom.
        let isCustom: [Bool]
        /// The rows of a database of the first version, and a query over the newest version with its rows, for steps that are
        /// all inferred.
        var rows = ""
        var query = ""
        var expected: [String] = []

        var testDescription: String { name }
    }

    private static let item =
        "CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT NOT NULL, note TEXT, flag INTEGER NOT NULL DEFAULT 0);"
    private static let items = "INSERT INTO item VALUES (1, 'a', NULL, 0), (2, 'b', 'x', 1), (5, 'c', '', 1);"

    static let shapes: [Shape] = [
        Shape(
            name: "a flag becomes a table",
            files: [
                item,
                """
                CREATE TABLE favorite (item_id INTEGER PRIMARY KEY REFERENCES item (id), since TEXT);
                INSERT INTO favorite (item_id) SELECT id FROM item WHERE flag = 1;
                ALTER TABLE item DROP COLUMN flag;
                """,
            ], isCustom: [true]),
        Shape(
            name: "a column moves to a table, and is dropped one file later",
            files: [
                item,
                "CREATE TABLE detail (id INTEGER PRIMARY KEY, note TEXT); INSERT INTO detail SELECT id, note FROM item;",
                "ALTER TABLE item DROP COLUMN note;",
            ], isCustom: [false, false], rows: items, query: "SELECT id || ifnull(note, '-') FROM detail ORDER BY id",
            expected: ["1-", "2x", "5"]),
        Shape(
            name: "a column moves to a table that refers to the rows, without the rows that have no value",
            files: [
                item,
                """
                CREATE TABLE detail (
                    item_id INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE, text TEXT NOT NULL, more TEXT, title TEXT
                );
                INSERT INTO detail (item_id, text, title) SELECT i.id, i.note, i.title FROM item AS i WHERE i.note IS NOT NULL;
                CREATE INDEX detail_text ON detail (text);
                ALTER TABLE item DROP COLUMN note;
                """,
                "ALTER TABLE detail RENAME COLUMN text TO body; ALTER TABLE detail RENAME TO details;",
            ], isCustom: [false, false], rows: items,
            query: "SELECT item_id || body || ifnull(more, '-') || title FROM details ORDER BY item_id",
            expected: ["2x-b", "5-c"]),
        Shape(
            name: "a column moves to a table with new numbers",
            files: [
                item,
                """
                CREATE TABLE detail (id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES item (id), note TEXT);
                INSERT INTO detail (item_id, note) SELECT id, note FROM item;
                """,
            ], isCustom: [true]),
        Shape(
            name: "a moved column may not be unique",
            files: [
                item,
                """
                CREATE TABLE detail (id INTEGER PRIMARY KEY, note TEXT UNIQUE);
                INSERT OR IGNORE INTO detail SELECT id, note FROM item;
                """,
            ], isCustom: [true]),
        Shape(
            name: "a moved column is the key of the new table",
            files: [
                item,
                "CREATE TABLE title (title TEXT PRIMARY KEY NOT NULL); INSERT OR IGNORE INTO title SELECT title FROM item;",
            ], isCustom: [true]),
        Shape(
            name: "a copy whose column does not get the values of the one with its name",
            files: [
                item,
                """
                CREATE TABLE detail (id INTEGER PRIMARY KEY, title TEXT, note TEXT);
                INSERT INTO detail (id, title) SELECT id, title FROM item;
                """,
            ], isCustom: [true]),
        Shape(
            name: "a copy that a later statement changes",
            files: [
                item,
                """
                CREATE TABLE detail (id INTEGER PRIMARY KEY, note TEXT);
                INSERT INTO detail SELECT id, note FROM item;
                UPDATE detail SET note = note || '!';
                """,
            ], isCustom: [true]),
        Shape(
            name: "a table is copied without rows that lack a value, and replaced",
            files: [
                item,
                """
                CREATE TABLE item_new (id INTEGER PRIMARY KEY, note TEXT NOT NULL);
                INSERT INTO item_new SELECT id, note FROM item WHERE note IS NOT NULL;
                DROP TABLE item; ALTER TABLE item_new RENAME TO item;
                """,
            ], isCustom: [true]),
        Shape(
            name: "a copy is dropped two files later",
            files: [
                item,
                """
                ALTER TABLE item RENAME TO item_old;
                CREATE TABLE item (uid INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT NOT NULL, flag INTEGER NOT NULL);
                INSERT INTO item SELECT id, title, coalesce(note, '-'), flag FROM item_old;
                """,
                "CREATE TABLE tag (id INTEGER PRIMARY KEY, label TEXT);", "DROP TABLE item_old;",
            ], isCustom: [false, false, false], rows: items, query: "SELECT uid || name || note || flag FROM item",
            expected: ["1a-0", "2bx1", "5c1"]),
        Shape(
            name: "a table is rebuilt through a temporary copy",
            files: [
                item,
                """
                CREATE TEMPORARY TABLE backup AS SELECT id, title, flag FROM item;
                DROP TABLE item;
                CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT NOT NULL, flag INTEGER NOT NULL DEFAULT 0);
                INSERT INTO item SELECT id, title, flag FROM backup;
                DROP TABLE backup;
                """,
            ], isCustom: [false], rows: items, query: "SELECT id || title || flag FROM item",
            expected: ["1a0", "2b1", "5c1"]
        ),
        Shape(
            name: "constants and own columns",
            files: [
                item,
                """
                ALTER TABLE item ADD COLUMN state TEXT;
                ALTER TABLE item ADD COLUMN label TEXT;
                UPDATE item SET state = 'new', label = title, flag = 1;
                """,
            ], isCustom: [false], rows: items, query: "SELECT id || state || label || flag FROM item",
            expected: ["1newa1", "2newb1", "5newc1"]),
        Shape(
            name: "a UUID becomes a text, whose letters stay as they are",
            files: [
                "CREATE TABLE t (id INTEGER PRIMARY KEY, u UUID);",
                """
                CREATE TABLE t_new (id INTEGER PRIMARY KEY, u TEXT);
                INSERT INTO t_new SELECT id, u FROM t; DROP TABLE t; ALTER TABLE t_new RENAME TO t;
                """,
            ], isCustom: [true]),
        Shape(
            name: "keys and foreign keys that are UUIDs as text",
            files: [
                """
                CREATE TABLE p (id UUID PRIMARY KEY NOT NULL, a TEXT);
                CREATE TABLE t (id UUID PRIMARY KEY NOT NULL, p_id UUID REFERENCES p (id));
                """,
                """
                CREATE TABLE p_new (id UUID PRIMARY KEY NOT NULL, a TEXT, b TEXT);
                INSERT INTO p_new (id, a) SELECT id, a FROM p; DROP TABLE p; ALTER TABLE p_new RENAME TO p;
                """,
            ], isCustom: [false],
            rows: """
                INSERT INTO p VALUES ('6ba7b810-9dad-11d1-80b4-000000000001', 'x'), ('6BA7B810-9DAD-11D1-80B4-000000000002', 'y');
                INSERT INTO t VALUES ('6ba7b810-9dad-11d1-80b4-000000000003', '6ba7b810-9dad-11d1-80b4-000000000001');
                """,
            query: "SELECT a || iif(t.id IS NULL, '-', hex(t.id)) FROM p LEFT JOIN t ON p_id = p.id ORDER BY a",
            expected: ["x6BA7B8109DAD11D180B4000000000003", "y-"]),
        Shape(
            name: "a text gets the value of a UUID",
            files: [
                "CREATE TABLE t (id INTEGER PRIMARY KEY, u UUID);",
                "ALTER TABLE t ADD COLUMN text TEXT; UPDATE t SET text = u;",
            ], isCustom: [true]),
        Shape(
            name: "a key merges letters of both cases",
            files: [
                "CREATE TABLE tag (name TEXT PRIMARY KEY NOT NULL, n INTEGER);",
                """
                CREATE TABLE tag2 (name TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, n INTEGER);
                INSERT OR IGNORE INTO tag2 SELECT name, n FROM tag; DROP TABLE tag; ALTER TABLE tag2 RENAME TO tag;
                """,
            ], isCustom: [true]),
        Shape(
            name: "a key merges spaces at the end",
            files: [
                "CREATE TABLE tag (name TEXT PRIMARY KEY NOT NULL, n INTEGER);",
                """
                CREATE TABLE tag2 (name TEXT PRIMARY KEY NOT NULL COLLATE RTRIM, n INTEGER);
                INSERT OR REPLACE INTO tag2 SELECT name, n FROM tag; DROP TABLE tag; ALTER TABLE tag2 RENAME TO tag;
                """,
            ], isCustom: [true]),
        Shape(
            name: "a key of the new table replaces rows on a conflict",
            files: [
                "CREATE TABLE tag (name TEXT PRIMARY KEY NOT NULL, n INTEGER);",
                """
                CREATE TABLE tag2 (name TEXT NOT NULL COLLATE NOCASE PRIMARY KEY ON CONFLICT REPLACE, n INTEGER);
                INSERT INTO tag2 SELECT name, n FROM tag; DROP TABLE tag; ALTER TABLE tag2 RENAME TO tag;
                """,
            ], isCustom: [true]),
        Shape(
            name: "a trigger leaves out rows without an error",
            files: [
                "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);",
                """
                CREATE TABLE t_new (id INTEGER PRIMARY KEY, a TEXT);
                CREATE TRIGGER long BEFORE INSERT ON t_new WHEN length(new.a) > 200 BEGIN SELECT RAISE ( IGNORE ); END;
                INSERT INTO t_new SELECT * FROM t; DROP TABLE t; ALTER TABLE t_new RENAME TO t;
                """,
            ], isCustom: [true]),
        Shape(
            name: "a trigger of an older file leaves out rows that an update changes",
            files: [
                """
                CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, n INTEGER);
                CREATE TRIGGER locked BEFORE UPDATE ON t WHEN old.a = old.id || '-locked' BEGIN SELECT RAISE(IGNORE); END;
                """,
                "UPDATE t SET n = 1;",
            ], isCustom: [true]),
        Shape(
            name: "a trigger that refuses rows",
            files: [
                """
                CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, n INTEGER);
                CREATE TRIGGER locked BEFORE UPDATE ON t WHEN old.a = 'never' BEGIN SELECT RAISE(ABORT, 'no IGNORE'); END;
                """,
                "ALTER TABLE t ADD COLUMN m INTEGER; UPDATE t SET m = 1;",
            ], isCustom: [false], rows: "INSERT INTO t VALUES (1, 'a', 2);", query: "SELECT id || a || n || m FROM t",
            expected: ["1a21"]),
        Shape(
            name: "a column gets the primary key",
            files: [
                "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);",
                "ALTER TABLE t ADD COLUMN sort INTEGER; UPDATE t SET sort = id;",
            ], isCustom: [true]),
        Shape(
            name: "a column gets a foreign key",
            files: [
                "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (id INTEGER PRIMARY KEY, p_id INTEGER REFERENCES p);",
                "ALTER TABLE t ADD COLUMN old_p INTEGER; UPDATE t SET old_p = p_id;",
            ], isCustom: [true]),
        Shape(
            name: "a dump with SQLite's own table",
            files: [
                """
                CREATE TABLE sqlite_sequence(name,seq);
                CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT);
                """,
                "ALTER TABLE t ADD COLUMN b TEXT;",
            ], isCustom: [false]),
        Shape(
            name: "two columns are swapped",
            files: [
                "CREATE TABLE pair (id INTEGER PRIMARY KEY, a TEXT, b TEXT);", "UPDATE pair SET a = b, b = a;",
            ], isCustom: [false], rows: "INSERT INTO pair VALUES (1, 'x', 'y'), (2, NULL, 'z');",
            query: "SELECT id || a || ifnull(b, '-') FROM pair", expected: ["1yx", "2z-"]),
        Shape(
            name: "values are computed",
            files: [item, "UPDATE item SET title = upper(title);", "UPDATE item SET flag = 1 - flag;"],
            isCustom: [true, true]),
        Shape(
            name: "two tables become one with a kind",
            files: [
                "CREATE TABLE cat (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE dog (id INTEGER PRIMARY KEY, name TEXT);",
                """
                CREATE TABLE pet (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, name TEXT);
                INSERT INTO pet (kind, name) SELECT 'cat', name FROM cat;
                INSERT INTO pet (kind, name) SELECT 'dog', name FROM dog;
                DROP TABLE cat;
                DROP TABLE dog;
                """,
            ], isCustom: [true]),
        Shape(
            name: "duplicates are removed before a unique index",
            files: [
                item,
                "DELETE FROM item WHERE id NOT IN (SELECT min(id) FROM item GROUP BY title); CREATE UNIQUE INDEX item_title ON item (title);",
            ], isCustom: [true]),
        Shape(
            name: "rows get new keys",
            files: [
                "CREATE TABLE word (word TEXT NOT NULL PRIMARY KEY, count INTEGER);",
                """
                CREATE TABLE new_word (id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT NOT NULL, count INTEGER);
                INSERT INTO new_word (word, count) SELECT word, count FROM word;
                DROP TABLE word;
                ALTER TABLE new_word RENAME TO word;
                """,
            ], isCustom: [true]),
        Shape(
            name: "numbered keys are counted again",
            files: [
                item,
                """
                CREATE TABLE new_item (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, note TEXT, flag INTEGER NOT NULL);
                INSERT INTO new_item (title, note, flag) SELECT title, note, flag FROM item;
                DROP TABLE item;
                ALTER TABLE new_item RENAME TO item;
                """,
            ], isCustom: [true]),
        Shape(
            name: "a value comes from another table",
            files: [
                item + "CREATE TABLE part (id INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES item (id));",
                "ALTER TABLE part ADD COLUMN title TEXT; UPDATE part SET title = (SELECT title FROM item WHERE item.id = part.item);",
            ], isCustom: [true]),
        Shape(
            name: "a count is kept, and a trigger keeps it up to date",
            files: [
                item + "CREATE TABLE part (id INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES item (id));",
                """
                ALTER TABLE item ADD COLUMN parts INTEGER NOT NULL DEFAULT 0;
                CREATE TRIGGER part_added AFTER INSERT ON part BEGIN UPDATE item SET parts = parts + 1 WHERE id = new.item; END;
                UPDATE item SET parts = (SELECT count(*) FROM part WHERE part.item = item.id);
                """,
            ], isCustom: [true]),
        Shape(
            name: "settings become rows",
            files: [
                "CREATE TABLE settings (id INTEGER PRIMARY KEY, theme TEXT, size INTEGER);",
                """
                CREATE TABLE preference (name TEXT NOT NULL PRIMARY KEY, value TEXT);
                INSERT INTO preference SELECT 'theme', theme FROM settings UNION ALL SELECT 'size', size FROM settings;
                DROP TABLE settings;
                """,
            ], isCustom: [true]),
        Shape(
            name: "rows are added",
            files: [item, "INSERT INTO item (title) VALUES ('Welcome');"], isCustom: [true]),
        Shape(
            name: "rows that refer to nothing are deleted",
            files: [
                item + "CREATE TABLE part (id INTEGER PRIMARY KEY, item INTEGER);",
                """
                CREATE TABLE new_part (id INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE);
                INSERT INTO new_part SELECT id, item FROM part WHERE item IN (SELECT id FROM item);
                DROP TABLE part;
                ALTER TABLE new_part RENAME TO part;
                """,
            ], isCustom: [true]),
        Shape(
            name: "a cache begins again",
            files: [
                item + "CREATE TABLE cache (id INTEGER PRIMARY KEY, page TEXT);",
                "DROP TABLE cache; CREATE TABLE cache (id INTEGER PRIMARY KEY, page TEXT);",
            ], isCustom: [false], rows: items + "INSERT INTO cache VALUES (1, 'old');",
            query: "SELECT count(*) || (SELECT count(*) FROM item) FROM cache", expected: ["03"]),
        Shape(
            name: "a statement with words in its names",
            files: [
                #"CREATE TABLE "from" (id INTEGER PRIMARY KEY, "select, all" TEXT);"#,
                """
                CREATE TABLE "where (new)" (id INTEGER PRIMARY KEY, "group" TEXT);
                INSERT INTO main."where (new)" ("id", "group") SELECT /* FROM */ f.id, f."select, all" FROM "from" AS f; -- WHERE
                DROP TABLE "from";
                """,
            ], isCustom: [false], rows: #"INSERT INTO "from" VALUES (1, 'x');"#,
            query: #"SELECT id || "group" FROM "where (new)""#, expected: ["1x"]),
    ]

    @Test(arguments: shapes) func `each step is right, or custom`(shape: Shape) throws {
        let workspace = try Workspace()
        for (place, text) in shape.files.enumerated() { try workspace.write(text, to: "migrations/\(place + 1).sql") }
        let result = workspace.run(
            "import", "sql", workspace.path("migrations"), "--into", workspace.path("out"))
        #expect(result.code == .success, "\(result.complaints)")
        let history = try workspace.history("out")
        #expect(history.steps.map(\.isCustom) == shape.isCustom)
        if shape.query.isEmpty { return }
        try workspace.makeDatabase("app.sqlite", shape.files[0] + shape.rows)
        let definition = SchemaDefinition(history)
        let file = workspace.url.appendingPathComponent("app.strata")
        var options = ConversionOptions()
        options.version = "1.0"
        _ = try Store.convert(
            workspace.url.appendingPathComponent("app.sqlite"), to: file, definition: definition, conversion: options)
        _ = try Store(at: file, definition: definition)
        let rows = try Connection(path: file.path, mode: .readOnly).texts(shape.query)
        #expect(rows == shape.expected)
    }
}
