import Foundation
import SQLSchema
import Strata
import Testing

/// Tables, indexes, views, triggers and virtual tables that the app created in its store.
@Suite struct UserObjectTests {
    private static let note = Table(
        "note",
        [
            "id integer key", "title text", "body text?", "stars integer?",
            "draft integer?", "index note_title_idx (title)",
        ])
    private static let tag = Table("tag", ["id integer key", "name text"])
    private static let content = """
        INSERT INTO note VALUES (1, 'one', 'first body', 5, 0), (2, 'two', 'second body', NULL, 1); INSERT INTO tag VALUES (1, 'a');
        """

    private func schema(_ url: URL, _ type: String) throws -> [String] {
        try rows(
            url,
            """
            SELECT name FROM sqlite_schema WHERE type = '\(type)' AND sql IS NOT NULL AND name NOT LIKE 'strata\\_%' ESCAPE '\\' \
            ORDER BY 1
            """
        ).map { row in if case .text(let name) = row[0] { name } else { "" } }
    }

    /// The table `note` after the migration, with a new name, a renamed column, a changed type and a dropped column.
    private static let page = Table(
        "page",
        [
            "id integer key", "heading text", "body text?", "stars real?", "index page_title_idx (heading)",
        ])
    private static let rebuild = [
        TableChange.map(
            from: "note", to: "page",
            columns: ["heading": .column("title"), "stars": .changed(.column("stars"), .scalar(.int, .double))])
    ]

    @Test func `user-created indexes survive a table rebuild and follow renamed columns`() throws {
        let sql = """
            CREATE INDEX plain ON note (title DESC, body COLLATE NOCASE);
            CREATE UNIQUE INDEX once ON "note" ([title]) ; CREATE INDEX part ON note (stars) WHERE title <> 'title' AND stars > 1;
            CREATE INDEX computed ON note (lower(title)); CREATE INDEX again ON note (title);
            CREATE INDEX removed ON note (draft, title); CREATE INDEX elsewhere ON tag (name);
            """
        var report: MigrationReport?
        try withStore(
            [Self.note, Self.tag], new: [Self.page, Self.tag], rows: Self.content + sql, changes: Self.rebuild,
            check: { (url: URL) throws in
                #expect(
                    try schema(url, "index") == [
                        "again", "computed", "elsewhere", "once", "page_title_idx", "part", "plain",
                    ])
                #expect(
                    try rows(url, "SELECT sql FROM sqlite_schema WHERE name = 'plain'") == [
                        [.text("CREATE INDEX \"plain\" ON \"page\" (\"heading\" DESC, body COLLATE NOCASE)")]
                    ])
                #expect(
                    try rows(url, "SELECT sql FROM sqlite_schema WHERE name = 'part'") == [
                        [.text("CREATE INDEX \"part\" ON \"page\" (stars) WHERE \"heading\" <> 'title' AND stars > 1")]
                    ])
                #expect(throws: SQLiteError.self) {
                    try Connection(path: url.path, mode: .readWrite).execute(
                        "INSERT INTO page VALUES (9, 'one', NULL, NULL)")
                }
                #expect(try rows(url, "PRAGMA integrity_check") == [[.text("ok")]])
            }, opened: { report = $0.migrationReport })
        // The column `draft` of this index is dropped.
        #expect(report?.droppedObjects.map(\.name) == ["removed"])
    }

    @Test func `user-created tables are kept, whatever their foreign keys reference`() throws {
        let sql = """
            CREATE TABLE cache (id INTEGER PRIMARY KEY, note INTEGER REFERENCES note (id), text, UNIQUE (text));
            CREATE TABLE wrong (a REFERENCES note (title), b REFERENCES missing (id));
            INSERT INTO cache VALUES (1, 1, 'x'), (2, 99, 'y'); INSERT INTO wrong VALUES ('one', 7);
            CREATE VIEW v AS SELECT text FROM cache; CREATE TRIGGER t AFTER INSERT ON cache BEGIN DELETE FROM wrong; END;
            """
        for changes in [Self.rebuild, [.drop("note"), .create("page")]] {
            try withStore(
                [Self.note, Self.tag], new: [Self.page, Self.tag],
                rows: "PRAGMA foreign_keys = OFF;" + Self.content + sql, changes: changes,
                check: { (url: URL) throws in
                    #expect(
                        try rows(url, "SELECT id, note, text FROM cache") == [
                            [.integer(1), .integer(1), .text("x")], [.integer(2), .integer(99), .text("y")],
                        ])
                    #expect(try rows(url, "SELECT * FROM wrong") == [[.text("one"), .integer(7)]])
                    #expect(try rows(url, "SELECT count(*) FROM v") == [[.integer(2)]])
                    #expect(try schema(url, "trigger") == ["t"])
                })
        }
    }

    @Test func `a table rebuild keeps a full-text table and its triggers`() throws {
        let sql = """
            CREATE VIRTUAL TABLE search USING fts5 (body, content='note', content_rowid='id');
            INSERT INTO search (search) VALUES ('rebuild');
            CREATE TRIGGER note_search AFTER INSERT ON note BEGIN INSERT INTO search (rowid, body) VALUES (new.id, new.body); END;
            """
        var wider = Self.note
        wider.columns[wider.columns.count - 1].type = .real
        try withStore(
            [Self.note], new: [wider], rows: Self.content.replacing("INSERT INTO tag VALUES (1, 'a');", with: "") + sql,
            changes: [
                .map(from: "note", to: "note", columns: ["draft": .changed(.column("draft"), .scalar(.int, .double))])
            ],
            check: { (url: URL) throws in
                let connection = try Connection(path: url.path, mode: .readWrite)
                try connection.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
                try connection.execute("INSERT INTO note VALUES (3, 'three', 'third body', 1, 0)")
                #expect(
                    try rows(url, "SELECT rowid FROM search WHERE search MATCH 'first OR third' ORDER BY 1") == [
                        [.integer(1)], [.integer(3)],
                    ])
            })
    }

    @Test func `a user-created table or index is renamed if the schema needs its name`() throws {
        let sql = """
            CREATE TABLE Page (mine TEXT); INSERT INTO Page VALUES ('kept'); CREATE TABLE page_user (a);
            CREATE INDEX page_title_idx ON Page (mine); CREATE TABLE other (id INTEGER PRIMARY KEY);
            """
        var report: MigrationReport?
        try withStore(
            [Self.note, Self.tag], new: [Self.page, Self.tag], rows: Self.content + sql, changes: Self.rebuild,
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT mine FROM Page_user2") == [[.text("kept")]])
                #expect(try rows(url, "SELECT heading FROM page ORDER BY 1") == [[.text("one")], [.text("two")]])
                #expect(try schema(url, "index") == ["page_title_idx", "page_title_idx_user"])
                #expect(
                    try rows(url, "SELECT tbl_name FROM sqlite_schema WHERE name = 'page_title_idx_user'") == [
                        [.text("Page_user2")]
                    ])
            }, opened: { report = $0.migrationReport })
        #expect(report?.renamedTables == ["Page": "Page_user2"])
        #expect(report?.droppedObjects == [])
    }

    @Test func `a user-created index is kept beside a schema index on the same column`() throws {
        let indexed = Self.tag.named(nil, ["index tag_name_idx (name)"])
        try withStore(
            [Self.note, Self.tag], new: [Self.page, indexed],
            rows: Self.content + "CREATE INDEX mine ON tag (name); CREATE INDEX theirs ON note (title)",
            changes: Self.rebuild + [.map(from: "tag", to: "tag")],
            check: { (url: URL) throws in
                #expect(try schema(url, "index") == ["mine", "page_title_idx", "tag_name_idx", "theirs"])
                #expect(try rows(url, "PRAGMA quick_check") == [[.text("ok")]])
            })
    }

    @Test func `a unique index that the migrated rows violate is dropped and reported`() throws {
        var report: MigrationReport?
        try withStore(
            [Self.note, Self.tag], new: [Self.page, Self.tag],
            rows: Self.content + "CREATE UNIQUE INDEX once ON note (body)",
            changes: [
                .map(
                    from: "note", to: "page",
                    columns: [
                        "heading": .column("title"), "stars": .changed(.column("stars"), .scalar(.int, .double)),
                        "body": .literal(.text("same")),
                    ])
            ],
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT count(*) FROM page") == [[.integer(2)]])
                #expect(
                    try rows(url, "SELECT version, type, name, sql FROM strata_dropped") == [
                        ["2", "index", "once", "CREATE UNIQUE INDEX once ON note (body)"].map(SQLiteValue.text)
                    ])
            }, opened: { report = $0.migrationReport })
        #expect(report?.droppedObjects.map(\.type) == ["index"])
    }

    @Test func `a view that was already broken does not block a migration`() throws {
        let sql = """
            CREATE VIEW broken AS SELECT a FROM missing;
            CREATE TRIGGER instead INSTEAD OF UPDATE ON broken BEGIN SELECT 1; END;
            CREATE TABLE Page (mine TEXT); CREATE INDEX lowered ON Page (lower(mine));
            """
        try withStore(
            [Self.note, Self.tag], new: [Self.page, Self.tag], rows: Self.content + sql, changes: Self.rebuild,
            check: { (url: URL) throws in
                #expect(try schema(url, "view") == ["broken"])
                #expect(try schema(url, "trigger") == ["instead"])
                #expect(
                    try rows(url, "SELECT tbl_name FROM sqlite_schema WHERE name = 'lowered'") == [[.text("Page_user")]]
                )
                #expect(try rows(url, "SELECT count(*) FROM Page_user") == [[.integer(0)]])
            })
    }

    @Test func `only the trigger that no longer fits the schema is dropped`() throws {
        let sql = """
            CREATE TABLE log (a); CREATE TRIGGER first AFTER INSERT ON tag BEGIN INSERT INTO log VALUES (1); END;
            CREATE TRIGGER second AFTER DELETE ON tag BEGIN INSERT INTO log VALUES (2); END;
            CREATE TRIGGER bad AFTER INSERT ON tag BEGIN UPDATE note SET title = 'x'; END;
            CREATE TRIGGER last AFTER INSERT ON tag BEGIN INSERT INTO log VALUES (3); END;
            """
        var report: MigrationReport?
        try withStore(
            [Self.note, Self.tag], new: [Self.page, Self.tag], rows: Self.content + sql, changes: Self.rebuild,
            check: { (url: URL) throws in #expect(try schema(url, "trigger") == ["first", "last", "second"]) },
            opened: { report = $0.migrationReport })
        #expect(report?.droppedObjects.map(\.name) == ["bad"])
    }

    @Test func `triggers and views follow a user-created table that is renamed`() throws {
        let sql = """
            CREATE TABLE page (heading TEXT, gone INTEGER); INSERT INTO page VALUES ('mine', 0);
            CREATE TRIGGER sweep AFTER INSERT ON page BEGIN DELETE FROM page WHERE gone = 1; END;
            CREATE VIEW mine AS SELECT heading FROM page;
            """
        try withStore(
            [Self.note, Self.tag], new: [Self.page, Self.tag], rows: Self.content + sql, changes: Self.rebuild,
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT * FROM mine") == [[.text("mine")]])
                #expect(
                    try rows(url, "SELECT tbl_name FROM sqlite_schema WHERE name = 'sweep'") == [[.text("page_user")]])
            })
    }

    @Test func `an index stays on a copied column and follows columns that swap their names`() throws {
        let old = Table("t", ["id integer key", "a text?", "b text?"])
        let new = old.named(nil, ["c text?"])
        try withStore(
            [old], new: [new], rows: "CREATE INDEX one ON t (a); CREATE INDEX odd ON t (a) WHERE b = 'text'",
            changes: [.map(from: "t", to: "t", columns: ["c": .column("a")])],
            check: { (url: URL) throws in
                #expect(
                    try rows(url, "SELECT sql FROM sqlite_schema WHERE name = 'one'") == [
                        [.text("CREATE INDEX \"one\" ON \"t\" (a)")]
                    ])
                #expect(try schema(url, "index") == ["odd", "one"])
            })
        try withStore(
            [old], rows: "CREATE INDEX one ON t (a)",
            changes: [.map(from: "t", to: "t", columns: ["a": .column("b"), "b": .column("a")])],
            check: { (url: URL) throws in
                #expect(
                    try rows(url, "SELECT sql FROM sqlite_schema WHERE name = 'one'") == [
                        [.text("CREATE INDEX \"one\" ON \"t\" (\"b\")")]
                    ])
            })
    }

    /// The SQL of a view that says something else, with PLACE for the path of a file.
    private static let hostileSQL = [
        "CREATE VIEW hostile AS SELECT 1; ATTACH 'PLACE' AS a; CREATE TABLE a.t (x)",
        "CREATE VIEW hostile AS SELECT 1; DROP TABLE tag", "CREATE VIEW hostile AS SELECT 1; COMMIT; DELETE FROM tag",
        "CREATE VIEW hostile AS SELECT 1; CREATE TABLE more (x)",
        "CREATE VIEW hostile AS SELECT 1; PRAGMA user_version = 7",
    ]

    @Test(arguments: hostileSQL) func `a migration runs no SQL of the file but that of its objects`(sql: String) throws
    {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let text = sql.replacingOccurrences(of: "PLACE", with: place.path)
        let hostile = """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema VALUES ('view', 'hostile', 'hostile', 0, \(SQL.literal(text)));
            INSERT INTO sqlite_schema VALUES ('trigger', 'rung', 'tag', 0,
              \(SQL.literal("CREATE TRIGGER rung AFTER DELETE ON tag BEGIN SELECT 1; END; DELETE FROM tag")));
            """
        var report: MigrationReport?
        try withStore(
            [Self.note, Self.tag], new: [Self.page, Self.tag], rows: Self.content + hostile, changes: Self.rebuild,
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT name FROM tag") == [[.text("a")]])
                #expect(try schema(url, "view").isEmpty && schema(url, "trigger").isEmpty)
                #expect(try !schema(url, "table").contains("more"))
                let logged = try rows(url, "SELECT sql FROM strata_dropped WHERE name = 'hostile'")
                #expect(logged == [[.text(text)]])
            }, opened: { report = $0.migrationReport })
        #expect(report?.droppedObjects.map(\.name).sorted() == ["hostile", "rung"])
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    @Test func `an object whose SQL is not UTF-8 does not keep a store from opening`() throws {
        let sql = """
            CREATE VIEW latin AS SELECT 'x' AS x; PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = CAST(x'4352454154452056494557206c6174696e2041532053454c4543542027ff272041532078' AS TEXT)
            WHERE name = 'latin';
            """
        var report: MigrationReport?
        try withStore(
            [Self.note, Self.tag], new: [Self.page, Self.tag], rows: Self.content + sql, changes: Self.rebuild,
            check: { (url: URL) throws in #expect(try schema(url, "table").contains("page")) },
            opened: { report = $0.migrationReport })
        #expect(report?.droppedObjects.map(\.name) == ["latin"])
    }
}
