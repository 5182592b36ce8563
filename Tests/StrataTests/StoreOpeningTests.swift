import Foundation
import SQLSchema
import Strata
import Testing

/// A schema of three versions, written by hand as Strata would generate it.
enum Shop: Schema {
    static let name = "ShopSchema"
    static let fingerprint: UInt64 = 3
    static let versions = [
        SchemaVersion("1.0", fingerprint: 1, tables: [first]),
        SchemaVersion("2.0", fingerprint: 2, tables: [second]),
        SchemaVersion("10.0", fingerprint: 3, tables: [third]),
    ]
    static let steps = [
        MigrationStep(
            from: "1.0", to: "2.0", changes: [.map(from: "shop", to: "store", columns: ["title": .column("name")])]),
        MigrationStep(
            from: "2.0", to: "10.0",
            changes: [
                .map(from: "store", to: "store", columns: ["stars": .coalesce(.column("stars"), .literal(.integer(3)))])
            ]),
    ]
    static let first = Table("shop", ["id integer key", "name text?", "stars integer?"])
    static let second = Table("store", ["id integer key", "title text?", "stars integer?"])
    static let third = Table(
        "store", ["id integer key", "title text?", "stars integer", "index store_title_idx (title)"])
}

/// `Shop` as an older app knows it.
private enum OldShop: Schema {
    static let name = Shop.name
    static let fingerprint: UInt64 = 2
    static let versions = Array(Shop.versions.prefix(2))
    static let steps = Array(Shop.steps.prefix(1))
}

/// A schema with another name.
enum OtherShop: Schema {
    static let name = "OtherSchema"
    static let fingerprint: UInt64 = 99
    static let versions = [SchemaVersion("1.0", fingerprint: 99, tables: [Shop.first])]
    static let steps: [MigrationStep] = []
}

/// `Shop` after a change of its draft.
private enum ChangedShop: Schema {
    static let name = Shop.name
    static let fingerprint: UInt64 = 4
    static let versions = Array(Shop.versions.prefix(2)) + [SchemaVersion("10.0", fingerprint: 4, tables: [Shop.third])]
    static let steps = Shop.steps
}

/// `Shop` with its first version only.
enum FirstShop: Schema {
    static let name = Shop.name
    static let fingerprint: UInt64 = 1
    static let versions = Array(Shop.versions.prefix(1))
    static let steps: [MigrationStep] = []
}

/// Runs `body` with the URL of a file in a new temporary folder.
func withFile(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appendingPathComponent("store.sqlite"))
}

/// All rows of a query on the database at `url`.
func rows(_ url: URL, _ sql: String) throws -> [[SQLiteValue]] {
    var rows: [[SQLiteValue]] = []
    try Connection(path: url.path, mode: .readWrite).query(sql) { rows.append($0.values) }
    return rows
}

/// Creates a store of the first version of `Shop`, with three rows.
func makeOldShop(at url: URL, journal: StoreOptions.Journal = .delete) throws {
    var options = StoreOptions()
    options.journal = journal
    _ = try Store(at: url, schema: FirstShop.self, options: options)
    let connection = try Connection(path: url.path, mode: .readWrite)
    try connection.execute("INSERT INTO shop VALUES (1, 'a', 5), (2, NULL, NULL), (9223372036854775807, '', -1)")
}

@Suite struct StoreOpeningTests {

    @Test func `a store whose constraints have other names opens`() throws {
        func schema(_ check: String) -> SchemaDefinition {
            let table = Table(
                "note", ["id integer key", "state text", #"check \#(check) 'state IN (\'CONSTRAINT "a"\', \'b\')'"#])
            var second = table
            second.columns.append(Table.Column("title", .text, isNullable: true))
            return SchemaDefinition(
                "NamedSchema",
                versions: [
                    SchemaVersion("1", fingerprint: 1, tables: [table]),
                    SchemaVersion("2", fingerprint: 2, tables: [second]),
                ], steps: [MigrationStep(from: "1", to: "2", changes: [.map(from: "note", to: "note")])])
        }
        try withFile { (url: URL) throws in
            try makeStore(at: url, schema(#""it\"s""#), rows: "INSERT INTO note VALUES (1, 'b')")
            let store = try Store(at: url, definition: schema("note_state_one_of"))
            #expect(store.migrationReport?.to == "2")
        }
    }

    @Test func `a new store has the newest version, its fingerprint and Strata's application ID`() throws {
        try withFile { url in
            _ = try Store(at: url, schema: Shop.self)
            #expect(try rows(url, "PRAGMA user_version") == [[.integer(3)]])
            #expect(try rows(url, "PRAGMA application_id") == [[.integer(0x5354_5241)]])
            #expect(try rows(url, "PRAGMA journal_mode") == [[.text("wal")]])
            // Debug builds also keep the tables.
            #expect(
                try rows(url, "SELECT key, value FROM strata_metadata WHERE key NOT LIKE 'draft%' ORDER BY key") == [
                    [.text("fingerprint"), .integer(3)], [.text("format"), .integer(1)],
                    [.text("schema"), .text("ShopSchema")], [.text("version"), .text("10.0")],
                ])
            #expect(try rows(url, "SELECT count(*) FROM strata_migrations") == [[.integer(0)]])
        }
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `an old store is migrated through all versions to the newest`(journal: StoreOptions.Journal) throws {
        try withFile { url in
            try makeOldShop(at: url, journal: journal)
            _ = try Store(at: url, schema: Shop.self)
            #expect(
                try rows(url, "SELECT id, title, stars FROM store ORDER BY id") == [
                    [.integer(1), .text("a"), .integer(5)], [.integer(2), .null, .integer(3)],
                    [.integer(.max), .text(""), .integer(-1)],
                ])
            #expect(
                try rows(url, "SELECT from_version, to_version, rows FROM strata_migrations") == [
                    // Each row is copied once for both steps.
                    [.text("1.0"), .text("10.0"), .integer(3)]
                ])
            #expect(try rows(url, "PRAGMA journal_mode") == [[.text(journal.rawValue)]])
            #expect(try rows(url, "PRAGMA integrity_check") == [[.text("ok")]])
        }
    }

    @Test func `the write-ahead log shrinks after a migration and after a large transaction`() throws {
        try withFile { (url: URL) throws in
            try makeOldShop(at: url, journal: .wal)
            let old = try Connection(path: url.path, mode: .readWrite)
            let many = """
                WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
                INSERT INTO shop SELECT i, hex(randomblob(50)), 1 FROM n
                """
            try old.execute(many)
            func logSize() throws -> Int {
                try FileManager.default.attributesOfItem(atPath: url.path + "-wal")[.size] as? Int ?? -1
            }
            let store = try Store(at: url, schema: Shop.self)
            #expect(try logSize() == 0)

            // Later transactions leave at most 4 MB, as soon as SQLite writes the log from its start again.
            try store.write { (t: WriteTransaction) throws in
                try t.execute("UPDATE store SET title = hex(randomblob(100))")
            }
            #expect(try logSize() > 8_000_000)
            for id in 1...2 { try store.write { try $0.insert(Item(id: .init(rawValue: -id), title: nil, stars: 1)) } }
            #expect(try logSize() <= 4 << 20)
        }
    }

    @Test func `a migration succeeds while another connection reads the write-ahead log`() throws {
        try withFile { (url: URL) throws in
            try makeOldShop(at: url, journal: .wal)
            let reader = try Connection(path: url.path, mode: .readOnly)
            try reader.execute("BEGIN; SELECT count(*) FROM shop")
            let store = try Store(at: url, schema: Shop.self)
            #expect(try store.read { try $0.count(Item.self) } == 3)
            try reader.execute("COMMIT")
        }
    }

    @Test func `a store of the newest version is opened without a write`() throws {
        try withFile { url in
            try makeOldShop(at: url)
            _ = try Store(at: url, schema: Shop.self)
            let before = try Data(contentsOf: url)
            let store = try Store(at: url, schema: Shop.self)
            #expect(try store.read { try $0.count(Item.self) } == 3)
            #expect(try Data(contentsOf: url) == before)
        }
    }

    private func expectRefusal(_ error: StoreError, _ schema: any Schema.Type, at url: URL) throws {
        let before = try Data(contentsOf: url)
        #expect(throws: error) { _ = try Store(at: url, schema: schema) }
        #expect(try Data(contentsOf: url) == before)
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `a store that another connection migrated is neither read nor written`(journal: StoreOptions.Journal) throws {
        let old = Table("t", ["id integer key", "a text?", "b text?"])
        let swap = [TableChange.map(from: "t", to: "t", columns: ["a": .column("b"), "b": .column("a")])]
        try withFile { (url: URL) throws in
            var options = StoreOptions()
            options.journal = journal
            try HandMade.$old.withValue([old]) {
                let first = try Store(at: url, schema: OldHandMade.self, options: options)
                try first.write { _ = try $0.execute("INSERT INTO t VALUES (1, 'x', 'y')") }
                let values = { (transaction: ReadTransaction) throws in
                    try transaction.rows("SELECT a FROM t") { try $0.value("a", as: String.self) }
                }
                #expect(try first.read(values) == ["x"])
                try HandMade.$new.withValue([old]) {
                    try HandMade.$changes.withValue(swap) {
                        let second = try Store(at: url, schema: HandMade.self, options: options)
                        #expect(try second.read(values) == ["y"])
                    }
                }
                let error = StoreError.newer(found: "2", newest: "1")
                #expect(throws: error) { try first.read(values) }
                #expect(throws: error) {
                    try first.write { _ = try $0.execute("UPDATE t SET a = 'wrong'") }
                }
            }
            #expect(try rows(url, "SELECT a, b FROM t") == [[.text("y"), .text("x")]])
        }
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `a refused store stays unchanged byte for byte`(journal: StoreOptions.Journal) throws {
        try withFile { url in
            var options = StoreOptions()
            options.journal = journal
            let store = try Store(at: url, schema: Shop.self, options: options)
            try store.write { try $0.insert(Item(id: 1, title: "kept in the log", stars: 1)) }
            // The store is still open, so its write-ahead log contains the row.
            try expectRefusal(.newer(found: "10.0", newest: "2.0"), OldShop.self, at: url)
            try expectRefusal(.otherSchema(found: "ShopSchema", expected: "OtherSchema"), OtherShop.self, at: url)
            let reason = "the tables are equal, but something else in the descriptions differs"
            try expectRefusal(.draftChanged(version: "10.0", reason: reason), ChangedShop.self, at: url)
            #expect(try store.read { try $0.count(Item.self) } == 1)
        }
    }

    @Test func `recreatesChangedDrafts recreates a store of a changed draft, and refuses a newer store`()
        throws
    {
        try withFile { url in
            try Store(at: url, schema: Shop.self).write { try $0.insert(Item(id: 1, title: "a draft's", stars: 1)) }
            var options = StoreOptions()
            options.recreatesChangedDrafts = true
            let store = try Store(at: url, schema: ChangedShop.self, options: options)
            #expect(try store.read { try $0.count(Item.self) } == 0)
            #expect(throws: StoreError.self) { _ = try Store(at: url, schema: OldShop.self, options: options) }
        }
    }

    @Test func `each in-memory store is separate`() throws {
        let store = try Store(inMemory: Shop.self)
        try store.write { try $0.insert(Item(id: 1, title: "a", stars: 1)) }
        #expect(try store.read { (store: ReadTransaction) throws in try store.count(Item.self) } == 1)
        #expect(
            try Store(inMemory: Shop.self).read { (store: ReadTransaction) throws in try store.count(Item.self) } == 0)
    }

    @Test func `a lazy store opens at its first use, and retries after a failure`() throws {
        try withFile { url in
            let store = Store(lazilyAt: url, schema: Shop.self)
            #expect(!FileManager.default.fileExists(atPath: url.path))
            try Data(
                "no database, but long enough to be looked at as one, which takes a hundred bytes or so, at least".utf8
            )
            .write(to: url)
            #expect(throws: StoreError.notADatabase) { try store.read { _ in } }
            try FileManager.default.removeItem(at: url)
            try makeOldShop(at: url)
            #expect(try store.read { (store: ReadTransaction) throws in try store.count(Item.self) } == 3)
        }
    }

    @Test func `a store is opened and migrated asynchronously`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("store.sqlite")
        try makeOldShop(at: url)
        let store = try await Store.open(at: url, schema: Shop.self)
        #expect(try await store.read { (store: ReadTransaction) throws in try store.count(Item.self) } == 3)
        await #expect(throws: StoreError.self) { _ = try await Store.open(at: url, schema: OldShop.self) }
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `a read-only store is neither created, migrated nor written`(journal: StoreOptions.Journal) throws {
        var options = StoreOptions()
        options.isReadOnly = true
        try withFile { url in
            #expect(throws: StoreError.self) { _ = try Store(at: url, schema: Shop.self, options: options) }
            #expect(!FileManager.default.fileExists(atPath: url.path))
            try makeOldShop(at: url, journal: journal)
            let before = try Data(contentsOf: url)
            #expect(throws: StoreError.needsMigration(found: "1.0", newest: "10.0")) {
                _ = try Store(at: url, schema: Shop.self, options: options)
            }
            #expect(try Data(contentsOf: url) == before)
            _ = try Store(at: url, schema: Shop.self)
            let store = try Store(at: url, schema: Shop.self, options: options)
            #expect(try store.read { (store: ReadTransaction) throws in try store.count(Item.self) } == 3)
            #expect(throws: StoreError.readOnly) { try store.write { _ in } }
        }
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `recreatesOnMismatch sets a store of another schema or a newer version aside`(
        journal: StoreOptions.Journal
    ) throws {
        var options = StoreOptions()
        options.recreatesOnMismatch = true
        try withFile { url in
            try makeOldShop(at: url, journal: journal)
            _ = try Store(at: url, schema: Shop.self)
            // The rows of the newer version are kept in a file with another name.
            for number in 1...2 {
                let store = try Store(at: url, schema: number == 1 ? OldShop.self : OtherShop.self, options: options)
                let aside = try #require(store.setAside)
                #expect(aside.lastPathComponent == "store.aside-\(number).sqlite")
                #expect(try rows(aside, "SELECT count(*) FROM store") == [[.integer(number == 1 ? 3 : 0)]])
            }
            #expect(try Store(at: url, schema: OtherShop.self, options: options).setAside == nil)
            try Data(repeating: 7, count: 4096).write(to: url)
            #expect(throws: StoreError.notADatabase) { _ = try Store(at: url, schema: Shop.self, options: options) }
            #expect(try Data(contentsOf: url) == Data(repeating: 7, count: 4096))
        }
    }

    @Test func `an error in a migration does not set the store aside`() throws {
        enum Throwing: Schema {
            static let name = Shop.name
            static let fingerprint = Shop.fingerprint
            static let versions = Shop.versions
            static let steps = [
                MigrationStep(from: "1.0", to: "10.0", changes: []) { _ in
                    throw StoreError.otherSchema(found: "a", expected: "b")
                }
            ]
        }
        var options = StoreOptions()
        options.recreatesOnMismatch = true
        try withFile { url in
            try makeOldShop(at: url)
            #expect(throws: StoreError.otherSchema(found: "a", expected: "b")) {
                _ = try Store(at: url, schema: Throwing.self, options: options)
            }
            #expect(try rows(url, "SELECT count(*) FROM shop") == [[.integer(3)]])
        }
    }

    @Test func `a refusal keeps a write-ahead log that was not checkpointed`() throws {
        try withFile { url in
            _ = try Store(at: url, schema: Shop.self)
            let copy = url.deletingLastPathComponent().appendingPathComponent("copy.sqlite")
            do {
                let writer = try Connection(path: url.path, mode: .readWrite)
                try writer.execute("INSERT INTO store VALUES (1, 'in the log', 1)")
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
                }
            }
            try expectRefusal(.newer(found: "10.0", newest: "2.0"), OldShop.self, at: copy)
            #expect(try rows(copy, "SELECT title FROM store") == [[.text("in the log")]])
        }
    }

    @Test func `a file that is not a store is refused and stays unchanged byte for byte`() throws {
        try withFile { url in
            try Data(
                "this is a letter, not a database, and it is longer than a header of one hundred bytes, is it not? yes!"
                    .utf8
            )
            .write(to: url)
            try expectRefusal(.notADatabase, Shop.self, at: url)
        }
        try withFile { url in
            try Connection(path: url.path, mode: .create).execute(
                "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
            try expectRefusal(.notAStore, Shop.self, at: url)
        }
        try withFile { url in
            // The database of another application, which happens to have the newest fingerprint.
            try Connection(path: url.path, mode: .create).execute("CREATE TABLE theirs (a); PRAGMA user_version = 3")
            try expectRefusal(.notAStore, Shop.self, at: url)
        }
        try withFile { url in
            try makeOldShop(at: url)
            var bytes = try Data(contentsOf: url)
            // SQLite finds every table through this page.
            for index in 100..<200 { bytes[index] = 0xff }
            try bytes.write(to: url)
            let before = try Data(contentsOf: url)
            #expect { _ = try Store(at: url, schema: Shop.self) } throws: { error in
                if case .corrupt = error as? StoreError { true } else { false }
            }
            #expect(try Data(contentsOf: url) == before)
        }
    }

    @Test func `a URL that is not a readable file is refused with its reason`() throws {
        try withFile { url in
            #expect { _ = try Store(at: url.deletingLastPathComponent(), schema: Shop.self) } throws: { error in
                if case .unreadable = error as? StoreError { true } else { false }
            }
            let missing = url.deletingLastPathComponent().appendingPathComponent("no/such/folder/store.sqlite")
            #expect { _ = try Store(at: missing, schema: Shop.self) } throws: { error in
                if case .unreadable = error as? StoreError { true } else { false }
            }
        }
        #expect(throws: StoreError.notAFile) {
            _ = try Store(at: URL(string: "https://example.com/a") ?? URL(fileURLWithPath: "/"), schema: Shop.self)
        }
    }

    /// Runs `body` while another connection has locked a store, with a short timeout.
    private func withLockedStore(_ body: (URL, StoreOptions, Connection) throws -> Void) throws {
        try withFile { url in
            try makeOldShop(at: url)
            let other = try Connection(path: url.path, mode: .readWrite)
            try other.execute("BEGIN EXCLUSIVE")
            var options = StoreOptions()
            options.busyTimeout = 0.05
            try body(url, options, other)
        }
    }

    @Test func `a locked store is refused after the busy timeout`() throws {
        try withLockedStore { url, options, other in
            #expect(throws: StoreError.busy) { _ = try Store(at: url, schema: Shop.self, options: options) }
            try other.execute("ROLLBACK")
            _ = try Store(at: url, schema: Shop.self, options: options)
        }
    }

    @Test func `an inspection and a plan of a locked store are refused after the busy timeout`() throws {
        try withLockedStore { url, options, _ in
            #expect(throws: StoreError.busy) { _ = try StoreInspection(of: url, options: options) }
            #expect(throws: StoreError.busy) { _ = try MigrationPlan(from: url, to: Shop.self, options: options) }
        }
    }

    @Test func `an inspection and a plan wait for a lock of another connection`() throws {
        for read in [
            { (url: URL) throws -> Void in _ = try StoreInspection(of: url) },
            { (url: URL) throws -> Void in _ = try MigrationPlan(from: url, to: Shop.self) },
        ] {
            try withFile { url in
                try makeOldShop(at: url)
                let isLocked = DispatchSemaphore(value: 0)
                Thread {
                    let other = try? Connection(path: url.path, mode: .readWrite)
                    try? other?.transaction("BEGIN EXCLUSIVE") {
                        isLocked.signal()
                        usleep(200_000)
                    }
                }.start()
                isLocked.wait()
                try read(url)
            }
        }
    }

    @Test func `metadata that is damaged or of a newer format is refused`() throws {
        try withFile { url in
            try makeOldShop(at: url)
            try Connection(path: url.path, mode: .readWrite).execute(
                "UPDATE strata_metadata SET value = 2 WHERE key = 'format'")
            try expectRefusal(.newerFormat(found: 2), Shop.self, at: url)
        }
        try withFile { url in
            try makeOldShop(at: url)
            try Connection(path: url.path, mode: .readWrite).execute(
                "DELETE FROM strata_metadata WHERE key = 'version'")
            try expectRefusal(.corrupt(reason: "strata_metadata is incomplete"), Shop.self, at: url)
        }
        try withFile { url in
            try makeOldShop(at: url)
            try Connection(path: url.path, mode: .readWrite).execute(
                "UPDATE strata_metadata SET value = '1.5' WHERE key = 'version'")
            try expectRefusal(.unknownVersion(found: "1.5", newest: "10.0"), Shop.self, at: url)
        }
    }
}

/// A row of the newest version of `Shop`.
struct Item: StoredEntity, Identifiable {
    struct ID: RawEntityID, ExpressibleByIntegerLiteral { var rawValue: Int }
    typealias Columns = PropertyColumns<Item>
    struct Relationships: EntityRelationships {}
    static let table = EntityTable(
        Self.self, "store", key: ["id"], columns: ["id": \.id, "title": \.title, "stars": \.stars])
    var id: ID
    var title: String?
    var stars: Int

    init(id: ID, title: String?, stars: Int) {
        self.id = id
        self.title = title
        self.stars = stars
    }

    static func id(of entity: Item) -> ID { entity.id }

    init(row: Row) throws {
        id = try row.id(0)
        title = try row.optionalString(1)
        stars = try row.int(2)
    }

    func bind(to statement: Statement) throws {
        try statement.bind(id, at: 1)
        try statement.bind(title, at: 2)
        try statement.bind(stars, at: 3)
    }
}
