import Foundation
import SQLSchema
import Strata
import Testing

/// A schema whose step has a custom migration, which each test provides.
private enum Coded: Schema {
    @TaskLocal static var code: @Sendable (CustomStep) throws -> Void = { _ in }

    static let name = Shop.name
    static let fingerprint: UInt64 = 12
    static let versions = [
        SchemaVersion("1.0", fingerprint: 11, tables: [Shop.second, other]),
        SchemaVersion("2.0", fingerprint: 12, tables: [Shop.third, other]),
    ]
    static let steps = [
        MigrationStep(from: "1.0", to: "2.0", changes: [.custom(from: "store", to: "store")]) { try code($0) }
    ]
    static let other = Table("other", ["id integer key", "a text?"])
}

private enum Uncoded: Schema {
    static let name = Shop.name
    static let fingerprint: UInt64 = 11
    static let versions = Array(Coded.versions.prefix(1))
    static let steps: [MigrationStep] = []
}

/// An old row of `store`.
private struct OldItem: StoredEntity {
    typealias ID = Item.ID
    struct Relationships: EntityRelationships {}
    static let table = EntityTable("store", key: ["id"], columns: ["id", "title", "stars"])
    var id: ID
    var title: String?
    var stars: Int?
    static func id(of entity: OldItem) -> ID { entity.id }
    init(row: Row) throws {
        id = try row.id(0)
        title = try row.optionalString(1)
        stars = try row.optionalInt(2)
    }
    func bind(to statement: Statement) throws {}
}

/// The table `other`, which no step changes.
private enum Others: HandMadeTable {
    static let name = "other"
    static let columns = ["id", "a"]
}

private typealias Other = HandMadeRow<Others, Int, String?>

@Suite struct CustomStepTests {
    private func withOldStore(_ body: (URL) throws -> Void) throws {
        try withFile { url in
            _ = try Store(at: url, schema: Uncoded.self)
            try Connection(path: url.path, mode: .readWrite).execute(
                "INSERT INTO store VALUES (1, 'a', NULL), (2, 'b', 2); INSERT INTO other VALUES (1, 'x'), (2, 'y'), (3, 'z')"
            )
            try body(url)
        }
    }

    @Test func `a custom migration migrates rows, inserts rows, and finds old and new rows`() throws {
        try withOldStore { url in
            try Coded.$code.withValue({ step in
                try step.migrate(OldItem.self) { (old: OldItem, _) -> Outcome<Item> in
                    .keep(Item(id: old.id, title: old.title.map { $0 + "!" }, stars: old.stars ?? 0))
                }
                try step.context.insert(Item(id: 9, title: "new", stars: 9))
                #expect(try step.context.find(Item.self, id: 2)?.title == "b!")
                #expect(try step.context.old(OldItem.self).next()?.title == "a")
            }) {
                _ = try Store(at: url, schema: Coded.self)
            }
            #expect(
                try rows(url, "SELECT id, title, stars FROM store ORDER BY id") == [
                    [.integer(1), .text("a!"), .integer(0)], [.integer(2), .text("b!"), .integer(2)],
                    [.integer(9), .text("new"), .integer(9)],
                ])
            #expect(try rows(url, "PRAGMA temp.table_list").allSatisfy { !"\($0[1])".contains("strata") })
        }
    }

    @Test(arguments: [StoreOptions.MigrationMode.oneTransaction, .resumable])
    func `code that uses new rows sees all rows before`(mode: StoreOptions.MigrationMode) throws {
        try withOldStore { url in
            try Connection(path: url.path, mode: .readWrite).execute(
                """
                WITH n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                INSERT INTO store SELECT i, 'n' || i, i FROM n
                """)
            var options = StoreOptions()
            options.migration = mode
            // The first rows are written in groups; from row 700 on, each row is written at once.
            try Coded.$code.withValue({ step in
                try step.migrate(OldItem.self) { (old: OldItem, _) -> Outcome<Item> in
                    let id = old.id.rawValue
                    if id >= 700 {
                        #expect(try step.context.find(Item.self, id: .init(rawValue: id - 1))?.stars == id - 1)
                        #expect(try step.context.find(Item.self, id: old.id) == nil)
                    }
                    if id == 1_500 {
                        #expect(try step.context.new.count(Item.self) == 1_499)
                        try step.context.insert(Item(id: 9_000, title: "new", stars: 0))
                    }
                    return .keep(Item(id: old.id, title: old.title, stars: id))
                }
            }) {
                _ = try Store(at: url, schema: Coded.self, options: options)
            }
            #expect(
                try rows(url, "SELECT count(*), sum(id), sum(stars) FROM store")
                    == [[.integer(2_001), .integer(2_001_000 + 9_000), .integer(2_001_000)]])
        }
    }

    @Test func `a row that cannot be written is the error of the migration`() throws {
        try withOldStore { (url: URL) throws in
            #expect(throws: SQLiteError.self) {
                try Coded.$code.withValue({ step in
                    try step.migrate(OldItem.self) { (old: OldItem, _) -> Outcome<Item> in
                        if old.id == 2 { _ = try? step.context.find(Item.self, id: 1) }
                        return .keep(Item(id: 7, title: old.title, stars: 0))
                    }
                }) {
                    _ = try Store(at: url, schema: Coded.self)
                }
            }
            #expect(try rows(url, "SELECT count(*) FROM store") == [[.integer(2)]])
        }
    }

    @Test func `rows that are inserted into an unchanged table are not old rows`() throws {
        try withOldStore { url in
            try Coded.$code.withValue({ step in
                try step.migrate(OldItem.self) { old, _ in .keep(Item(id: old.id, title: nil, stars: 0)) }
                try step.context.old(Other.self).forEach { other in
                    try step.context.insert(Other(id: .init(rawValue: other.id.rawValue + 10), v: other.v))
                }
                var count = 0
                try step.context.old(Other.self).forEach { _ in count += 1 }
                #expect(count == 3)
            }) {
                _ = try Store(at: url, schema: Coded.self)
            }
            #expect(try rows(url, "SELECT count(*) FROM other") == [[.integer(6)]])
        }
    }

    @Test func `a custom migration drops rows, merges rows and changes primary keys`() throws {
        try withOldStore { url in
            try Connection(path: url.path, mode: .readWrite).execute(
                "INSERT INTO store VALUES (3, 'c', 3), (4, 'd', 4)")
            try Coded.$code.withValue({ step in
                try step.migrate(OldItem.self) { (old: OldItem, _) -> Outcome<Item> in
                    switch old.id.rawValue {
                    case 1: .drop
                    case 2: .merge(into: 3)
                    case 3: .merge(into: 40)
                    default: .keep(Item(id: 40, title: old.title, stars: 0))
                    }
                }
                try step.followKeys()
                #expect(try step.context.find(Item.self, id: 4)?.title == "d")
                #expect(try step.context.find(Item.self, id: 2)?.title == "d")
                #expect(try step.context.newKey(of: Item.self, for: Item.ID(rawValue: 3)) == 40)
                #expect(try step.context.newKey(of: Item.self, for: Item.ID?(1)) == nil)
                #expect(try step.context.newKey(of: Item.self, for: Item.ID?.none) == nil)
                #expect(throws: MigrationError.noNewRow(table: "store", key: "ID(rawValue: 1)")) {
                    _ = try step.context.newKey(of: Item.self, for: Item.ID(rawValue: 1)) as Item.ID
                }
                // A row that keeps its primary key, and one that never existed.
                #expect(try step.context.newKey(of: Other.self, for: Other.ID(rawValue: 1)) == 1)
                #expect(try step.context.newKey(of: Item.self, for: Item.ID(rawValue: 77)) == 77)
                // The key of another entity.
                #expect(throws: MigrationError.notMigratedYet(table: "store", key: "4")) {
                    _ = try step.context.newKey(of: Item.self, for: PrimaryKey<Item, String>?("4"))
                }
            }) {
                _ = try Store(at: url, schema: Coded.self)
            }
            #expect(try rows(url, "SELECT id, title FROM store") == [[.integer(40), .text("d")]])
        }
    }

    @Test func `merging rows into missing rows or in a cycle fails and leaves the store unchanged`() throws {
        let outcomes: [@Sendable (OldItem) -> Outcome<Item>] = [
            { _ in .merge(into: 99) }, { .merge(into: $0.id) },
            { .merge(into: Item.ID(rawValue: 3 - $0.id.rawValue)) },
        ]
        for outcome in outcomes {
            try withOldStore { url in
                let before = try Data(contentsOf: url)
                Coded.$code.withValue({ step in
                    try step.migrate(OldItem.self) { (old: OldItem, _) -> Outcome<Item> in outcome(old) }
                    try step.followKeys()
                }) {
                    #expect(throws: MigrationError.mergedIntoNothing(table: "store", rows: 2)) {
                        _ = try Store(at: url, schema: Coded.self)
                    }
                }
                #expect(try Data(contentsOf: url) == before)
            }
        }
    }

    @Test func `newID returns unused primary keys, and uuid always returns the same UUID for a name`() throws {
        try withOldStore { url in
            try Coded.$code.withValue({ step in
                try step.migrate(OldItem.self) { (old: OldItem, _) -> Outcome<Item> in
                    .keep(Item(id: try step.context.newID(of: Item.self), title: old.title, stars: 0))
                }
                #expect(step.context.uuid(for: "a").uuidString == "02C0BDBF-4814-80F8-9582-412F6E474B8F")
                #expect(step.context.uuid(for: "a") != step.context.uuid(for: "b"))
            }) {
                _ = try Store(at: url, schema: Coded.self)
            }
            #expect(try rows(url, "SELECT id FROM store ORDER BY id") == [[.integer(3)], [.integer(4)]])
        }
    }

    @Test func `a custom migration can be cancelled between two rows`() throws {
        try withOldStore { url in
            let before = try Data(contentsOf: url)
            var options = StoreOptions()
            options.isMigrationCancelled = { true }
            Coded.$code.withValue({ step in
                try step.migrate(OldItem.self) { (old: OldItem, _) -> Outcome<Item> in
                    #expect(old.id == 1)
                    return .keep(Item(id: old.id, title: old.title, stars: 0))
                }
            }) {
                #expect(throws: CancellationError.self) {
                    _ = try Store(at: url, schema: Coded.self, options: options)
                }
            }
            #expect(try Data(contentsOf: url) == before)
        }
    }

    @Test func `an error in a custom migration reaches the caller unchanged`() throws {
        try withOldStore { url in
            let thrown = SQLiteErrorLike()
            Coded.$code.withValue({ _ in throw thrown }) {
                #expect(throws: thrown) { _ = try Store(at: url, schema: Coded.self) }
            }
            Coded.$code.withValue({ try $0.context.insert(Other(id: 1, v: nil)) }) {
                #expect(throws: SQLiteError.self) { _ = try Store(at: url, schema: Coded.self) }
            }
        }
    }

    @Test func `user-created views and triggers are kept, and triggers do not fire in a migration`() throws {
        try withOldStore { url in
            try Connection(path: url.path, mode: .readWrite).execute(
                """
                CREATE VIEW theirs AS SELECT title FROM store;
                CREATE VIEW more AS SELECT count(*) AS n FROM theirs;
                CREATE TRIGGER note AFTER INSERT ON store BEGIN UPDATE other SET a = new.title WHERE id = 1; END;
                """)
            try Coded.$code.withValue({ step in
                try step.migrate(OldItem.self) { (old: OldItem, _) -> Outcome<Item> in
                    .keep(Item(id: old.id, title: old.title, stars: 0))
                }
            }) {
                _ = try Store(at: url, schema: Coded.self)
            }
            #expect(try rows(url, "SELECT n FROM more") == [[.integer(2)]])
            // The trigger did not fire for the rows that the migration wrote.
            #expect(try rows(url, "SELECT a FROM other WHERE id = 1") == [[.text("x")]])
            try Connection(path: url.path, mode: .readWrite).execute("INSERT INTO store VALUES (9, 'z', 0)")
            #expect(try rows(url, "SELECT a FROM other WHERE id = 1") == [[.text("z")]])
        }
    }

    @Test(arguments: [
        "CREATE VIEW theirs AS SELECT name FROM shop",
        "CREATE TRIGGER theirs AFTER UPDATE ON shop BEGIN DELETE FROM shop WHERE name = 'x'; END",
    ])
    func `views and triggers that no longer fit the schema are dropped and reported`(sql: String) throws {
        try withFile { url in
            try makeOldShop(at: url)
            try Connection(path: url.path, mode: .readWrite).execute(sql)
            let report = try #require(try Store(at: url, schema: Shop.self).migrationReport)
            #expect(report.droppedObjects.map(\.name) == ["theirs"] && report.droppedObjects.map(\.sql) == [sql])
            #expect(
                try rows(url, "SELECT name, sql FROM strata_dropped") == [[.text("theirs"), .text(sql)]])
            #expect(try rows(url, "SELECT count(*) FROM sqlite_schema WHERE name = 'theirs'") == [[.integer(0)]])
        }
    }

    @Test(arguments: [
        "CREATE VIEW v AS SELECT a FROM other; CREATE TRIGGER theirs INSTEAD OF INSERT ON v BEGIN DELETE FROM other; END",
        "CREATE VIEW theirs AS SELECT gone FROM other",
        "CREATE TRIGGER theirs AFTER UPDATE ON other BEGIN DELETE FROM gone; END",
    ])
    func `views with INSTEAD OF triggers and objects that were already broken are kept`(sql: String) throws {
        try withOldStore { url in
            try Connection(path: url.path, mode: .readWrite).execute(sql)
            try Coded.$code.withValue({ step in
                try step.migrate(OldItem.self) { (old: OldItem, _) -> Outcome<Item> in
                    .keep(Item(id: old.id, title: old.title, stars: 0))
                }
            }) {
                _ = try Store(at: url, schema: Coded.self)
            }
            #expect(try rows(url, "SELECT count(*) FROM sqlite_schema WHERE name = 'theirs'") == [[.integer(1)]])
        }
    }

    @Test func `a migration whose result differs from the schema is rolled back`() throws {
        try withOldStore { (url: URL) throws in
            Coded.$code.withValue({ (step: CustomStep) throws in
                try step.migrate(OldItem.self) { (old: OldItem, _) -> Outcome<Item> in
                    .keep(Item(id: old.id, title: nil, stars: 0))
                }
                try step.context.execute("ALTER TABLE other ADD COLUMN more TEXT")
            }) {
                #expect(throws: MigrationError.schemaDiffers(objects: ["other"])) {
                    _ = try Store(at: url, schema: Coded.self)
                }
            }
            #expect(try rows(url, "SELECT count(*) FROM store WHERE title IS NOT NULL") == [[.integer(2)]])
        }
    }
}

private struct SQLiteErrorLike: Error, Equatable {}
