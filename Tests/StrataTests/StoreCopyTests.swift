import Foundation
import SQLSchema
import Strata
import Testing

/// Copies of stores with all kinds of tables, and of stores that are read or written meanwhile.
@Suite struct StoreCopyTests {
    private static let tables = [
        Table(
            "note",
            [
                "id integer key", "title text", "stars integer?", "computed size integer 'length(title)'",
                "check note_stars 'stars > 0'", "search (title) unicode61",
            ]),
        Table(
            "memo",
            [
                "id text key", "title text", "note_id integer? -> note(id) cascade",
                "computed both text 'id || title'", "check memo_title 'length(title) < 100'",
                "unique memo_both_key (title, id)",
                "search (title) unicode61",
            ]),
    ]

    private static let content = """
        INSERT INTO note (id, title, stars) VALUES (1, 'abc', 5), (2, 'x', NULL), (9, 'swift', 1);
        INSERT INTO memo (id, title, note_id) VALUES ('a', 'swift', 1), ('b', 'b', NULL), ('c', 'swift', 9);
        DELETE FROM memo WHERE id = 'a';
        """

    /// Creates a store with free pages, and runs `body` with its file and the options for opening it.
    private func withStore(_ journal: StoreOptions.Journal, _ body: (URL, StoreOptions) throws -> Void) throws {
        try withFile { url in
            var options = StoreOptions()
            options.journal = journal
            try makeHandMade(at: url, Self.tables, rows: Self.content)
            let connection = try Connection(path: url.path, mode: .readWrite)
            try connection.execute("PRAGMA journal_mode = \(journal.rawValue)")
            try connection.execute(
                """
                INSERT INTO note (id, title) WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
                SELECT i, printf('%0500d', i) FROM n; DELETE FROM note WHERE id > 1000
                """)
            try HandMade.$old.withValue(Self.tables) {
                try HandMade.$new.withValue(Self.tables) { try body(url, options) }
            }
        }
    }

    private func check(_ copy: URL, isCompact: Bool) throws {
        // Reading a store with a write-ahead log may create one.
        let connection = try Connection(path: copy.path, mode: .readWrite)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        #expect(try connection.texts("SELECT title || size FROM note WHERE id < 10") == ["abc3", "x1", "swift5"])
        #expect(try connection.texts("SELECT both FROM memo") == ["bb", "cswift"])
        for table in Self.tables {
            try connection.execute(try #require(SearchIndex(of: table)).check)
        }
        #expect(try (connection.integer("PRAGMA freelist_count") ?? 0 < 10) == isCompact)
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `tables with computed columns, checks and searches are copied`(journal: StoreOptions.Journal) throws {
        try withStore(journal) { url, options in
            func file(_ name: String) -> URL { url.appendingPathExtension(name) }
            var copying = options
            copying.backup = .automatic(keep: 1)
            try Store.migrate(from: url, to: file("tool"), schema: HandMade.self, options: copying)
            let files = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
            #expect(files.filter { $0.contains("backup") || $0.contains(".strata-") } == [])
            try check(file("tool"), isCompact: true)
            try Store(at: url, schema: OldHandMade.self, options: options).backup(to: file("online"))
            try check(file("online"), isCompact: false)
            for (backup, isAutomatic) in [
                (StoreOptions.Backup.file(file("before")), false), (.automatic(keep: 2), true),
            ] {
                let copy = file("copy-\(isAutomatic)")
                try FileManager.default.copyItem(at: file("online"), to: copy)
                var options = options
                options.backup = backup
                _ = try Store(at: copy, schema: HandMade.self, options: options)
                try check(
                    isAutomatic ? #require(try Store.backups(of: copy).first).url : file("before"), isCompact: false)
            }
            try Store.restoreBackup(from: file("before"), to: file("restored"), schema: OldHandMade.self)
            try check(file("restored"), isCompact: false)
        }
    }

    @Test(arguments: [0o600, 0o640, 0o444])
    func `copies have the permissions of the store, and its owner may write them`(mode: Int) throws {
        func permissions(_ url: URL) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            return try #require(attributes[.posixPermissions] as? Int)
        }
        try withStore(.delete) { url, options in
            func file(_ name: String) -> URL { url.appendingPathExtension(name) }
            let store = try Store(at: url, schema: OldHandMade.self, options: options)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
            try store.backup(to: file("online"))
            try store.close()
            try Store.migrate(from: url, to: file("tool"), schema: HandMade.self)
            try Store.restoreBackup(from: file("online"), to: file("restored"), schema: OldHandMade.self)
            var options = options
            options.backup = .file(file("before"))
            _ = try Store(at: file("online"), schema: HandMade.self, options: options)
            for name in ["online", "tool", "restored", "before"] {
                #expect(try permissions(file(name)) == mode | 0o600, "\(name)")
            }
        }
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `a backup of an earlier attempt stays if it is equal, and is replaced otherwise`(
        journal: StoreOptions.Journal
    ) throws {
        try withStore(journal) { url, options in
            func number(_ url: URL) throws -> UInt64? {
                try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? UInt64
            }
            for isAutomatic in [false, true] {
                let file = url.appendingPathExtension("before")
                var options = options
                options.backup = isAutomatic ? .automatic(keep: 3) : .file(file)
                /// Begins a migration that fails, and returns the backup.
                func backUp() throws -> URL {
                    HandMade.$code.withValue({ _ in throw CocoaError(.featureUnsupported) }) {
                        #expect(throws: (any Error).self) {
                            _ = try Store(at: url, schema: HandMade.self, options: options)
                        }
                    }
                    return isAutomatic ? try #require(try Store.backups(of: url).first).url : file
                }
                let first = try backUp()
                let inode = try number(first)
                #expect(try backUp() == first)
                #expect(try number(first) == inode)
                // An older app writes before the next attempt, and the clock does not show it.
                let date = try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate]
                let writer = try Connection(path: url.path, mode: .readWrite)
                try writer.execute("UPDATE note SET title = 'new' WHERE id = 2")
                try FileManager.default.setAttributes([.modificationDate: #require(date)], ofItemAtPath: url.path)
                let second = try backUp()
                #expect(try number(second) != inode)
                #expect(try rows(second, "SELECT title FROM note WHERE id = 2") == [[.text("new")]])
                try writer.execute("UPDATE note SET title = 'x' WHERE id = 2")
            }
        }
    }

    @Test func `a copy has the state when it was begun, while another process writes`() throws {
        try withStore(.wal) { url, options in
            let copy = url.appendingPathExtension("copy")
            let count = Locked(0)
            var options = options
            options.isMigrationCancelled = {
                count.withLock { $0 += 1 }
                _ = try? Connection(path: url.path, mode: .readWrite).execute("DELETE FROM note WHERE id < 10")
                return false
            }
            try Store.migrate(from: url, to: copy, schema: HandMade.self, options: options)
            #expect(count.withLock { $0 } > 0)
            #expect(try rows(url, "SELECT count(*) FROM note WHERE id < 10") == [[.integer(0)]])
            try check(copy, isCompact: true)
        }
    }
}
