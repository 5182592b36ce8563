import Foundation
import SQLSchema
import Strata
import Testing

/// The index of the words in a table's texts, through writes and migrations.
@Suite struct SearchIndexTests {
    /// A migration of the table `note`.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The lines of the old table.
        var old = SearchIndexTests.note
        /// The lines of the new table.
        let new: [String]
        var newName = "note"
        /// The text of the change; empty if there is none.
        var change = ""
        var code: (@Sendable (CustomStep) throws -> Void)?
        /// Whether the index is filled again.
        let isFilled: Bool
        /// The words that are searched after the migration, and the number of rows that contain them.
        var found = ["swift": 3, "b": 2]
    }

    static let note = [
        "id integer key", "title text", "body text?", "stars integer?", "search (title, body) unicode61",
    ]
    static let keyed = ["id text key", "title text", "body text?", "stars integer?", "search (title, body) unicode61"]

    @Test(arguments: changes)
    func `the index has the words of all rows after a migration`(_ change: Change) throws {
        let other = Table("other", ["id integer key"])
        let (old, new) = ([Table("note", change.old), other], [Table(change.newName, change.new), other])
        let changes = try SchemaText.changes(change.change)
        let statements = StepStatements(from: old, to: new, changes: changes, keepsOldTables: change.code != nil)
        #expect(statements.finish.contains { $0.contains("'rebuild'") } == change.isFilled)
        // Gaps between the row numbers would show that the numbers were changed.
        let rows = """
            INSERT INTO note (id, title, body) VALUES ('1', 'Swift 1', 'a b'), ('2', 'Two', NULL), ('3', 'Three', 'c'),
            ('4', 'Swift 4', 'a'), ('7', 'Seven', 'c'), ('9', 'Swift 9', 'b');
            DELETE FROM note WHERE id IN ('2', '3', '7');
            """
        try withStore(old, new: new, rows: rows, changes: changes, code: change.code) { url in
            let connection = try Connection(path: url.path, mode: .readWrite)
            let table = new[0]
            let objects = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'strata_search_%'"
            guard let index = SearchIndex(of: table) else {
                #expect(try connection.integer(objects) == 0)
                return
            }
            let search = "SELECT count(*) FROM \(SQL.quoted(index.name)) WHERE \(SQL.quoted(index.name)) MATCH "
            for (word, count) in change.found {
                #expect(try connection.integer(search + SQL.literal(word)) == count, "\(word)")
            }
            try connection.execute(index.check)
            // The new triggers keep the index up to date.
            let (name, title) = (SQL.quoted(table.name), SQL.quoted(table.search?.columns[0] ?? ""))
            let key = SQL.quoted(table.primaryKey[0])
            try connection.execute("UPDATE \(name) SET \(title) = 'Snow' WHERE \(key) = '1'")
            try connection.execute("UPDATE \(name) SET \(key) = '20' WHERE \(key) = '4'")
            try connection.execute("DELETE FROM \(name) WHERE \(key) = '9'")
            #expect(try connection.integer(search + "'snow'") == (change.found["swift"] == 0 ? 0 : 1))
            try connection.execute(index.check)
        }
    }

    static let changes = [
        Change(testDescription: "nothing changes", new: note, isFilled: false),
        Change(
            testDescription: "a column is added", new: note + ["likes integer?"], change: "map note", isFilled: false),
        Change(
            testDescription: "a column is dropped",
            new: ["id integer key", "title text", "body text?", "search (title, body) unicode61"], change: "map note",
            isFilled: false),
        Change(
            testDescription: "the type of another column changes",
            new: ["id integer key", "title text", "body text?", "stars text?", "search (title, body) unicode61"],
            change: "map note\n  stars = int_to_string(stars)", isFilled: false),
        Change(
            testDescription: "the type of another column changes, with a text as key", old: keyed,
            new: ["id text key", "title text", "body text?", "stars text?", "search (title, body) unicode61"],
            change: "map note\n  stars = int_to_string(stars)", isFilled: false),
        Change(
            testDescription: "the key is renamed",
            new: [
                "key_id integer key", "title text", "body text?", "stars integer?", "search (title, body) unicode61",
            ],
            change: "map note\n  key_id = id", isFilled: false),
        Change(
            testDescription: "the type of the key changes",
            new: ["id text key", "title text", "body text?", "stars integer?", "search (title, body) unicode61"],
            change: "map note\n  id = int_to_string(id)", isFilled: true),
        Change(
            testDescription: "a searched column is renamed",
            new: ["id integer key", "name text", "body text?", "stars integer?", "search (name, body) unicode61"],
            change: "map note\n  name = title", isFilled: true),
        Change(
            testDescription: "a searched column gets other values",
            new: ["id integer key", "title text", "body text", "stars integer?", "search (title, body) unicode61"],
            change: "map note\n  body = coalesce(body, 'b')", isFilled: true),
        Change(
            testDescription: "two searched columns swap their names",
            new: ["id integer key", "title text?", "body text", "stars integer?", "search (title, body) unicode61"],
            change: "map note\n  title = body\n  body = title", isFilled: true),
        Change(
            testDescription: "another column is searched too",
            old: ["id integer key", "title text", "body text?", "search (title) unicode61"],
            new: ["id integer key", "title text", "body text?", "search (title, body) unicode61"], isFilled: true),
        Change(
            testDescription: "the tokenizer changes",
            new: Array(note.dropLast()) + ["search (title, body) trigram"], isFilled: true, found: ["wif": 3]),
        Change(
            testDescription: "a table is searched for the first time", old: Array(note.dropLast()), new: note,
            isFilled: true),
        Change(
            testDescription: "a table is no longer searched", new: Array(note.dropLast()), isFilled: false),
        Change(
            testDescription: "the table is renamed", new: note, newName: "memo", change: "map note -> memo",
            isFilled: true),
        Change(
            testDescription: "rows are left out",
            new: ["id integer key", "title text", "body text", "stars integer?", "search (title, body) unicode61"],
            change: "map note where body\n  body = body", isFilled: true),
        Change(
            testDescription: "a custom migration writes the rows", new: note, change: "custom note",
            code: { try $0.migrate(Note.self) { note, _ in Outcome<Note>.keep(note) } }, isFilled: true),
        Change(
            testDescription: "a custom migration changes a copied row",
            new: ["id integer key", "title text", "body text?", "stars integer", "search (title, body) unicode61"],
            change: "map note\n  stars = coalesce(stars, 0)\ncustom other",
            code: { try $0.context.update(Note(1, "Rust", stars: 0)) }, isFilled: true, found: ["swift": 2, "rust": 1]),
        Change(
            testDescription: "the table is replaced", new: note, newName: "memo", change: "drop note\ncreate memo",
            isFilled: true, found: ["swift": 0]),
    ]

    @Test func `an index has as many columns as FTS5 allows`() throws {
        try withFile { (url: URL) throws in
            let columns = (1...SQLiteLimits.searchedColumns).map { "c\($0)" }
            let table = Table(
                "wide",
                ["id integer key"] + columns.map { "\($0) text?" } + [
                    "search (\(columns.joined(separator: ", "))) unicode61"
                ])
            let index = try #require(SearchIndex(of: table))
            let connection = try Connection(path: url.path, mode: .create)
            for statement in SQLite.create(table) { try connection.execute(statement) }
            try connection.execute(
                "INSERT INTO wide (id) VALUES (1); UPDATE wide SET c1 = 'tea'; UPDATE wide SET c1990 = 'milk'")
            try connection.execute(index.check)
            #expect(try connection.integer("SELECT count(*) FROM strata_search_wide('tea milk')") == 1)
        }
    }

    @Test func `names in an index may have any characters`() throws {
        try withFile { (url: URL) throws in
            let name = "it's \"a\" [table]; ünï, %_"
            let columns = ["b\"c", "d'e", "f, g", "content", "or"].map { Table.Column($0, .text, isNullable: true) }
            var table = Table(name, columns: [Table.Column("rowid", .text)] + columns, primaryKey: ["rowid"])
            table.search = TextSearch(columns.map(\.name), .porter)
            let index = try #require(SearchIndex(of: table))
            let connection = try Connection(path: url.path, mode: .create)
            for statement in SQLite.create(table) { try connection.execute(statement) }
            try connection.execute(
                "INSERT INTO \(SQL.quoted(name)) VALUES ('x', 'a', 'b', 'c', 'd', 'swimming'); "
                    + "UPDATE \(SQL.quoted(name)) SET \"b\"\"c\" = 'walked'")
            try connection.execute(index.check)
            let found = "SELECT count(*) FROM \(SQL.quoted(index.name)) WHERE \(SQL.quoted(index.name)) MATCH "
            #expect(try connection.integer(found + "'walks swim'") == 1)
            #expect(try connection.integer(found + "'a'") == 0)
            for statement in index.removal { try connection.execute(statement) }
            #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE type <> 'index'") == 1)
        }
    }

    /// VACUUM may give other numbers to the rows of a table without an integer as primary key.
    @Test func `the index of a table without row numbers is filled again after vacuum and in a copy`() throws {
        let tables = [Table("note", Self.keyed), Table("memo", Self.note)]
        try withFile { (url: URL) throws in
            let copy = url.appendingPathExtension("copy")
            try makeHandMade(at: url, tables, rows: "")
            let connection = try Connection(path: url.path, mode: .readWrite)
            func empty() throws {
                for table in ["note", "memo"] {
                    try connection.execute(
                        "INSERT INTO strata_search_\(table)(strata_search_\(table)) VALUES ('delete-all')")
                }
            }
            func found(_ url: URL) throws -> [Int?] {
                let connection = try Connection(path: url.path, mode: .readOnly)
                return try ["note", "memo"].map {
                    try connection.integer(
                        "SELECT count(*) FROM strata_search_\($0) WHERE strata_search_\($0) MATCH 'swift'")
                }
            }
            try connection.execute(
                "INSERT INTO note (id, title) VALUES ('a', 'swift'), ('b', 'swift'); INSERT INTO memo (title) VALUES ('swift')"
            )
            #expect(try found(url) == [2, 1])
            try HandMade.$old.withValue(tables) {
                try empty()
                try Store.migrate(from: url, to: copy, schema: OldHandMade.self)
                #expect(try found(copy) == [2, 0])
                #expect(try found(url) == [0, 0])
                let store = try Store(at: url, schema: OldHandMade.self)
                try store.vacuum()
                #expect(try found(url) == [2, 0])
            }
        }
    }

    @Test func `a search index follows every write`() throws {
        try withFile { (url: URL) throws in
            let table = Table("note", Self.keyed)
            let index = try #require(SearchIndex(of: table))
            let connection = try Connection(path: url.path, mode: .create)
            for statement in SQLite.create(table) { try connection.execute(statement) }
            func found(_ word: String) throws -> [String] {
                try connection.execute(index.check)
                return try connection.texts(
                    """
                    SELECT id FROM note JOIN strata_search_note AS s ON s.rowid = note.rowid
                    WHERE s.strata_search_note MATCH '\(word)' ORDER BY id
                    """)
            }
            try connection.execute("INSERT INTO note (id, title) VALUES ('a', 'Größe'), ('b', 'grosse'), ('c', 'Groß')")
            #expect(try found("GRÖSSE") == ["b"])
            #expect(try found("größe") == ["a"])
            #expect(try found("große") == ["a"])
            let changes = "SELECT hex(group_concat(block)) FROM strata_search_note_data"
            let before = try connection.texts(changes)
            try connection.execute("UPDATE note SET title = title, stars = 5")
            #expect(try connection.texts(changes) == before)
            try connection.execute("UPDATE note SET body = 'Größe' WHERE id = 'b'")
            #expect(try found("größe") == ["a", "b"])
            try connection.execute(
                "INSERT INTO note (id, title) VALUES ('b', 'x') ON CONFLICT (id) DO UPDATE SET body = NULL")
            #expect(try found("größe") == ["a"])
            try connection.execute("DELETE FROM note")
            #expect(try found("groß") == [])
        }
    }
}

/// A row of the table `note`.
struct Note: StoredEntity {
    struct ID: RawEntityID, ExpressibleByIntegerLiteral { var rawValue: Int }
    typealias Columns = PropertyColumns<Note>
    static let table = EntityTable(
        Self.self, "note", key: ["id"],
        columns: ["id": \.id, "title": \.title, "body": \.body, "stars": \.stars])
    var id: ID
    var title: String
    var body: String?
    var stars: Int?

    static func id(of entity: Self) -> ID { entity.id }

    init(_ id: Int, _ title: String, _ body: String? = nil, stars: Int? = nil) {
        (self.id, self.title, self.body, self.stars) = (ID(rawValue: id), title, body, stars)
    }

    init(row: Row) throws {
        id = try row.id(0)
        title = try row.string(1)
        body = try row.optionalString(2)
        stars = try row.optionalInt(3)
    }

    func bind(to statement: Statement) throws {
        try statement.bind(id, at: 1)
        try statement.bind(title, at: 2)
        try statement.bind(body, at: 3)
        try statement.bind(stars, at: 4)
    }
}
