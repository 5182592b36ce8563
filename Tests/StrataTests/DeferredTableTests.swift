import Foundation
import SQLSchema
import Strata
import Testing

private struct Number<Entity>: RawEntityID { var rawValue: Int }

/// The rows of `s`, which a custom migration receives.
private typealias Song = ValuedRow<Int>

/// The rows of `book` in one version, which no custom migration receives.
private protocol Book: StoredEntity where ID == Number<Bool>, Relationships == NoRelationships {
    var texts: [String?] { get set }
    init(texts: [String?])
}

private struct NoRelationships: EntityRelationships {}

extension Book {
    static func id(of entity: Self) -> ID { ID(rawValue: Int(entity.texts[0] ?? "") ?? 0) }
    init(row: Row) throws {
        self.init(
            texts: row.values.map { value in
                switch value {
                case .integer(let number): String(number)
                case .text(let text): text
                case .null, .real, .blob: nil
                }
            })
    }
    func bind(to statement: Statement) throws {
        try statement.bind(Self.id(of: self), at: 1)
        for (place, text) in texts.enumerated().dropFirst() { try statement.bind(text, at: place + 1) }
    }
}

private struct Book1: Book {
    typealias Relationships = NoRelationships
    static let table = EntityTable("book", key: ["id"], columns: ["id", "name", "year"])
    var texts: [String?]
}

private struct Book2: Book {
    typealias Relationships = NoRelationships
    static let table = EntityTable("book", key: ["id"], columns: ["id", "title", "year", "place"])
    var texts: [String?]
}

private struct Book3: Book {
    typealias Relationships = NoRelationships
    static let table = EntityTable("book", key: ["id"], columns: ["id", "title", "place"])
    var texts: [String?]
}

/// What a custom migration does besides.
private typealias Extra = @Sendable (MigrationContext) throws -> Void

/// Tables that no custom migration receives are changed once, at the end.
@Suite struct DeferredTableTests {
    @TaskLocal private static var extras: [String: Extra] = [:]

    private struct Rewriting: CustomMigration {
        init() {}
        mutating func migrate(_ old: Song, _ context: Context) throws -> Outcome<Song> {
            var new = old
            new.v += "!"
            return .keep(new)
        }
    }

    private static func version(_ number: Int, _ book: [String]) -> SchemaVersion {
        SchemaVersion(
            "\(number)", fingerprint: UInt64(number),
            tables: [
                Table("s", ["id integer key", "v text"]), Table("book", book),
                Table("review", ["id integer key", "book_id integer? -> book(id) cascade"]),
            ])
    }

    /// In steps 1 and 3, a custom migration receives the rows of `s`. The table `book` changes in each step.
    private static let schema = SchemaDefinition(
        "Deferred",
        versions: [
            version(1, ["id integer key", "name text", "year text?", "search (name) unicode61"]),
            version(2, ["id integer key", "title text", "year text?", "place text = 'Rome'"]),
            version(3, ["id integer key", "title text", "place text = 'Rome'", "index book_title_idx (title)"]),
            version(
                4,
                ["id integer key", "title text", "place text = 'Rome'", "pages integer?", "search (title) unicode61"]),
        ],
        steps: [
            step(1, [.map(from: "book", to: "book", columns: ["title": .column("name")])], isCustom: true),
            step(2, [.map(from: "book", to: "book")], isCustom: false),
            step(3, [.map(from: "book", to: "book")], isCustom: true),
        ])

    private static func step(_ number: Int, _ changes: [TableChange], isCustom: Bool) -> MigrationStep {
        if !isCustom { return MigrationStep(from: "\(number)", to: "\(number + 1)", changes: changes) }
        return MigrationStep(
            from: "\(number)", to: "\(number + 1)", changes: changes + [.custom(from: "s", to: "s")],
            code: Rewriting.self
        ) { step, migration in
            try step.migrate(Song.self) { try migration.value.migrate($0, .init($1)) }
            try step.once("extra") { try extras["\(number)"]?(.init($0)) }
        }
    }

    private func withOldStore(_ body: (URL) throws -> Void) throws {
        try withFile { (url: URL) throws in
            let old = SchemaDefinition("Deferred", versions: [Self.schema.versions[0]], steps: [])
            _ = try Store(at: url, definition: old)
            try Connection(path: url.path, mode: .readWrite).execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6)
                INSERT INTO s SELECT i, 'song ' || i FROM n;
                INSERT INTO book SELECT id, 'book ' || id, nullif(1990 + id, 1996) FROM s;
                INSERT INTO review SELECT id, id FROM s;
                """)
            try body(url)
        }
    }

    private func pages(_ url: URL) throws -> [[SQLiteValue]] {
        try rows(url, "SELECT rootpage FROM sqlite_schema WHERE name = 'book'")
    }

    private func content(_ url: URL) throws -> [[SQLiteValue]] {
        let tables = ["s", "review", "(SELECT id, title, place, pages FROM book)"]
        return try tables.flatMap { try rows(url, "SELECT * FROM \($0) ORDER BY id") }
            + rows(url, "SELECT rowid FROM strata_search_book WHERE strata_search_book MATCH 'book' ORDER BY rowid")
            + rows(
                url, "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' AND tbl_name = 'book' ORDER BY name")
    }

    /// Migrates copies of a store in all ways, and compares them with the one that was migrated step by step.
    ///
    /// - Parameter isAltered: Whether the table is altered and not copied.
    private func check(_ extras: [String: Extra], isAltered: Bool) throws {
        try Self.$extras.withValue(extras) {
            var expected: [[SQLiteValue]] = []
            try withOldStore { (url: URL) throws in
                var options = StoreOptions()
                options.migrationStrategy = .stepwise
                _ = try Store(at: url, definition: Self.schema, options: options)
                expected = try content(url)
            }
            for mode in [StoreOptions.MigrationMode.oneTransaction, .resumable] {
                try withOldStore { (url: URL) throws in
                    let before = try pages(url)
                    var options = StoreOptions()
                    options.migration = mode
                    let store =
                        mode == .resumable
                        ? try openInterrupted(at: url, Self.schema, options).store
                        : try Store(at: url, definition: Self.schema, options: options)
                    #expect(try content(url) == expected, "\(mode)")
                    let isSame = try pages(url) == before
                    #expect(isSame == isAltered, "\(mode)")
                    let left = try store.write { (t: WriteTransaction) throws in
                        try t.rows("SELECT name FROM temp.sqlite_schema") { try $0.value("name", as: String.self) }
                    }
                    #expect(left == [])
                }
            }
        }
    }

    @Test func `a table that custom migrations do not touch is altered once`() throws {
        try withOldStore { (url: URL) throws in
            let plan = try MigrationPlan(from: url, definition: Self.schema)
            #expect(plan.tables.map { $0.first { $0.name == "book" }?.action } == [.keep, .keep, .alter])
        }
        try check([:], isAltered: true)
    }

    @Test func `a plan names the rows that violate a constraint of a later version`() throws {
        let unique = Self.version(3, ["id integer key", "name text", "year text?", "unique book_year_key (year)"])
        let schema = SchemaDefinition(
            "Deferred",
            versions: [
                Self.schema.versions[0], Self.version(2, ["id integer key", "name text", "year text?"]), unique,
            ],
            steps: [Self.step(1, [], isCustom: true), Self.step(2, [.map(from: "book", to: "book")], isCustom: false)])
        try withOldStore { (url: URL) throws in
            try Connection(path: url.path, mode: .readWrite).execute("UPDATE book SET year = '1991' WHERE id < 4")
            let plan = try MigrationPlan(from: url, definition: schema)
            #expect(plan.violations.map { "\($0.rows) \($0.table) \($0.constraint)" } == ["2 book UNIQUE year"])
            #expect(!plan.isPossible)
        }
    }

    @Test func `custom migrations see the table as it is before and after their steps`() throws {
        try check(
            [
                "1": { (context: MigrationContext) throws in
                    let old = try context.old(Book1.self).next()
                    #expect(old?.texts == ["1", "book 1", "1991"])
                    #expect(
                        try context.find(Book2.self, id: Number(rawValue: 6))?.texts == ["6", "book 6", nil, "Rome"])
                },
                "3": { (context: MigrationContext) throws in
                    #expect(try context.old(Book3.self).next()?.texts == ["1", "book 1", "Rome"])
                    #expect(try context.find(Book3.self, id: Number(rawValue: 2))?.texts == ["2", "book 2", "Rome"])
                },
            ], isAltered: true)
    }

    @Test(arguments: ["1", "3"])
    func `a table that a custom migration writes to is copied`(step: String) throws {
        try check([step: { try $0.insert(Book3(texts: ["50", "new book", "Oslo"])) }], isAltered: false)
        try check(
            [
                step: { context in
                    try context.execute("UPDATE \(context.tableName(of: Book3.self)) SET place = 'Bern' WHERE id < 4")
                }
            ], isAltered: false)
        // An error that the code catches does not hide the write.
        try check(
            [
                step: { context in
                    try? context.execute("DELETE FROM \(context.tableName(of: Book3.self)) WHERE id < 4")
                    try context.execute("DELETE FROM review WHERE book_id < 4")
                }
            ], isAltered: false)
    }

    @Test func `SQL of a custom migration that names the table reads it in the version of its step`() throws {
        try check(
            [
                "3": { (context: MigrationContext) throws in
                    try context.execute(
                        "UPDATE \(context.tableName(of: Song.self)) SET v = (SELECT title || place FROM book WHERE id = 3)"
                    )
                }
            ], isAltered: false)
        // Before the first step, it has this version.
        try check(
            [
                "1": { (context: MigrationContext) throws in
                    try context.execute(
                        "UPDATE \(context.tableName(of: Song.self)) SET v = (SELECT name FROM book WHERE id = 3)")
                }
            ], isAltered: true)
    }
}
