import Foundation
import SQLSchema
import Strata
import Testing

/// Stores that are damaged, busy, full, or changed by the app's own SQL while they are open.
@Suite struct UseOfDamagedStoreTests {
    private func withNotes(_ body: (Store, URL) throws -> Void) throws {
        try withFile { (url: URL) throws in
            let store = try Store(at: url, schema: Notes.self)
            try store.write { transaction in
                for id in 1...300 {
                    try transaction.insert(Note(id, "title \(id)", "body of \(id)", stars: 1))
                }
            }
            try body(store, url)
        }
    }

    @Test func `damage that shows after the opening is an error of the store`() throws {
        try withNotes { (store: Store, url: URL) throws in
            try store.checkpoint()
            let connection = try Connection(path: url.path, mode: .readWrite)
            let page = try #require(
                try connection.integer("SELECT max(pageno) FROM dbstat WHERE name = 'note' AND pagetype = 'leaf'"))
            let file = try FileHandle(forUpdating: url)
            try file.seek(toOffset: UInt64((page - 1) * 4096))
            try file.write(contentsOf: Data(repeating: 7, count: 4096))
            try file.close()
            let other = try Store(at: url, schema: Notes.self)
            let error = #expect(throws: StoreError.self) { try other.read { try $0.fetch(Note.self) } }
            #expect(error.map { if case .corrupt = $0 { true } else { false } } == true, "\(String(describing: error))")
        }
    }

    @Test func `a lock that another connection holds is an error of the store`() throws {
        try withFile { (url: URL) throws in
            var options = StoreOptions()
            options.busyTimeout = 0
            let store = try Store(at: url, schema: Notes.self, options: options)
            let other = try Connection(path: url.path, mode: .readWrite)
            try other.execute("BEGIN IMMEDIATE")
            #expect(throws: StoreError.busy) { try store.write { try $0.insert(Note(1, "a", nil, stars: 1)) } }
            try other.execute("COMMIT")
            try store.write { try $0.insert(Note(1, "a", nil, stars: 1)) }
        }
    }

    @Test func `a full disk is an error of the store`() throws {
        try withNotes { (_: Store, url: URL) throws in
            // SQLite reports a file that may not grow like a full disk.
            var options = StoreOptions()
            options.setUp = { try $0.execute("PRAGMA max_page_count = 100") }
            let store = try Store(at: url, schema: Notes.self, options: options)
            #expect(throws: StoreError.diskFull) {
                try store.write { transaction in
                    for id in 1_000...9_000 {
                        try transaction.insert(Note(id, String(repeating: "title ", count: 100), nil, stars: 1))
                    }
                }
            }
            #expect(try store.read { try $0.count(Note.self) } == 300)
        }
    }

    @Test func `a damaged index of a search is filled again`() throws {
        for isRead in [true, false] {
            try withNotes { (store: Store, url: URL) throws in
                try damageSearch(url)
                let request = Note.all.matching(.allWords("title"))
                #expect(throws: StoreError.corrupt(reason: "database disk image is malformed")) {
                    _ = isRead ? try store.read { try $0.fetch(request) } : try store.write { try $0.fetch(request) }
                }
                // The next write waits until the index is filled.
                try store.write { try $0.execute("UPDATE note SET stars = 2") }
                #expect(try store.read { try $0.fetch(Note.all.matching(.allWords("title"))) }.count == 300)
                try store.write { try $0.execute("DELETE FROM note WHERE id < 200") }
                #expect(try store.read { try $0.fetch(Note.all.matching(.allWords("title"))) }.count == 101)
            }
        }
    }

    @Test func `a damaged index of a search does not keep a store from its migration`() throws {
        let note = Table("note", SearchIndexTests.note)
        let other = Table("s", ["id integer key", "v text"])
        try withFile { (url: URL) throws in
            let rows =
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO note SELECT i, 'title ' || i, 'b', i FROM n"
            try makeHandMade(at: url, [note, other], rows: rows)
            try damageSearch(url)
            let search = "SELECT count(*) FROM strata_search_note WHERE strata_search_note MATCH 'title'"
            try HandMade.$old.withValue([note, other]) {
                try HandMade.$new.withValue([note, other]) {
                    try HandMade.$code.withValue({ step in
                        try step.context.execute("UPDATE note SET stars = (\(search)) WHERE id = 1")
                        try step.context.execute("DELETE FROM note WHERE id > 100")
                    }) {
                        try HandMade.$changes.withValue([.custom(from: "s", to: "s")]) {
                            _ = try Store(at: url, schema: HandMade.self)
                        }
                    }
                }
            }
            let connection = try Connection(path: url.path, mode: .readWrite)
            #expect(try connection.integer(search) == 100)
            #expect(try connection.integer("SELECT stars FROM note WHERE id = 1") == 300)
        }
    }

    @Test func `an index with a collation that only the app has is no obstacle to reading about a store`() throws {
        let old = [Table("s", ["id integer key", "v text"])]
        let new = [Table("s", ["id integer key", "v text", "w text?"])]
        let rows = """
            INSERT INTO s VALUES (1, 'a'), (2, 'b');
            CREATE INDEX german ON s (v COLLATE NOCASE);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'german') WHERE name = 'german'
            """
        try withFile { (url: URL) throws in
            try makeHandMade(at: url, old, rows: rows)
            try HandMade.$old.withValue(old) {
                try HandMade.$new.withValue(new) {
                    try HandMade.$changes.withValue([.map(from: "s", to: "s")]) {
                        let inspection = try StoreInspection(of: url, comparedWith: HandMade.self)
                        #expect(inspection.unchecked == "no such collation sequence: german")
                        #expect(inspection.tables.map(\.rows) == [2])
                        #expect(inspection.userObjects == ["german"], "\(inspection)")
                        let plan = try MigrationPlan(from: url, to: HandMade.self)
                        #expect(plan.steps.map(\.to) == ["2"])
                    }
                }
            }
        }
    }

    @Test(arguments: [StoreOptions.MigrationMode.oneTransaction, .resumable])
    func `a value that is no JSON is named by its column`(mode: StoreOptions.MigrationMode) throws {
        let change = ValueChange.members([.removed("x")])
        var options = StoreOptions()
        options.migration = mode
        try withFile { (url: URL) throws in
            let old = [Table("s", ["id integer key", "good text", "bad text"])]
            let new = [Table("s", ["id integer key", "good text", "bad text", "more text"])]
            try makeHandMade(at: url, old, rows: #"INSERT INTO s VALUES (1, '{"x": 1}', '{}'), (2, '{}', '{"x": ')"#)
            let before = try rows(url, "SELECT * FROM s")
            let columns: [String: ValueExpression] = [
                "good": .changed(.column("good"), change), "bad": .changed(.column("bad"), change),
                "more": .column("good"),
            ]
            try HandMade.$old.withValue(old) {
                try HandMade.$new.withValue(new) {
                    try HandMade.$changes.withValue([.map(from: "s", to: "s", columns: columns)]) {
                        let error = #expect(throws: MalformedValue.self) {
                            try Store(at: url, schema: HandMade.self, options: options)
                        }
                        #expect(error?.table == "s" && error?.column == "bad", "\(String(describing: error))")
                    }
                }
            }
            #expect(try rows(url, "SELECT * FROM s") == before)
        }
    }

    private func damageSearch(_ url: URL) throws {
        try Connection(path: url.path, mode: .readWrite).execute(
            "DELETE FROM strata_search_note_data WHERE id > 10")
    }

    // MARK: The app's own SQL

    @Test func `a search forgets the texts of rows that own SQL replaces`() throws {
        try withNotes { (store: Store, _: URL) throws in
            try store.write { transaction in
                try transaction.execute("INSERT OR REPLACE INTO note VALUES (1, 'new', NULL, 1)")
                try transaction.execute("REPLACE INTO note VALUES (?, 'newer', NULL, 1)", [2])
                _ = try transaction.rows("INSERT OR REPLACE INTO note VALUES (3, 'newest', NULL, 1) RETURNING id") {
                    _ in 0
                }
                try transaction.execute("UPDATE OR REPLACE note SET id = 5 WHERE id = 4")
            }
            #expect(try store.read { try $0.fetch(Note.all.matching(.allWords("title"))) }.count == 296)
            for word in ["1", "2", "3", "5"] {
                #expect(try store.read { try $0.fetch(Note.all.matching(.phrase("title \(word)"))) }.isEmpty)
            }
            try store.write {
                try $0.execute("INSERT INTO strata_search_note (strata_search_note) VALUES ('integrity-check')")
            }
            // A trigger of the app does not recurse, and a function with this name replaces no row.
            try store.write { transaction in
                try transaction.execute(
                    "CREATE TRIGGER touch AFTER UPDATE ON note BEGIN UPDATE note SET stars = stars + 1 WHERE id = new.id; END"
                )
                try transaction.execute("UPDATE note SET title = replace(title, 'title', 'text') WHERE id > 200")
                try transaction.execute("UPDATE OR REPLACE note SET stars = 3 WHERE id = 7")
            }
            #expect(try store.read { try $0.fetch(Note.all.matching(.allWords("text"))) }.count == 100)
            #expect(
                try store.read {
                    try $0.rows("SELECT * FROM pragma_recursive_triggers") {
                        try $0.value("recursive_triggers", as: Int.self)
                    }
                } == [0])
        }
    }

    @Test func `an observation follows a view that is created again`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try Store(at: folder.appendingPathComponent("store.sqlite"), schema: Things.self)
        try await store.write { try $0.execute("CREATE VIEW seen AS SELECT count(*) AS n FROM thing") }
        @Sendable func count(_ transaction: ReadTransaction) throws -> [Int] {
            try transaction.rows("SELECT n FROM seen") { try $0.value("n", as: Int.self) }
        }
        // A change that is missed must not wait for ever.
        let end = Task {
            try await Task.sleep(for: .seconds(600))
            try? store.close()
        }
        defer { end.cancel() }
        var counts = store.observe(count).makeAsyncIterator()
        #expect(try await counts.next() == [0])
        try await store.write { transaction in
            try transaction.execute("DROP VIEW seen")
            try transaction.execute("CREATE VIEW seen AS SELECT count(*) + 10 AS n FROM place")
        }
        #expect(try await counts.next() == [10])
        try await store.write { try $0.insert(Place("a", 1)) }
        #expect(try await counts.next() == [11])
        // SQLite may use the memory of the name of a table that was not created.
        for number in 0..<20 {
            try? await store.write { transaction in
                try transaction.execute("CREATE TABLE passing\(number) (x)")
                try transaction.execute("INSERT INTO passing\(number) VALUES (1)")
                throw StoreError.empty
            }
            try await store.write { try $0.insert(Place("b", number)) }
            #expect(try await counts.next() == [12 + number])
        }
    }
}
