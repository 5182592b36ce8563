import Foundation
import SQLSchema
import Strata
import Testing

/// A store of a newer version, used by an older app.
@Suite struct CompatibleVersionTests {
    /// 1.1 adds a column, a table and an index. 1.2 adds a column. 2.0 renames one.
    private static let history: VersionHistory = {
        var history = VersionHistory()
        history.version(
            "1.0", fingerprint: 0xf000_0000_0000_0001,
            """
            table note
              id integer key
              text text
            """)
        history.version(
            "1.1", fingerprint: 2, compatibleSince: "1.0",
            """
            change note
              + stars integer = 3
              + index note_text_idx (text)
            table tag
              id integer key
              note_id integer? -> note(id) cascade
            """)
        history.version(
            "1.2", fingerprint: 3, compatibleSince: "1.0",
            """
            change note
              + remark text?
            """)
        history.version(
            "2.0", fingerprint: 4,
            """
            change note
              + title text after id
              - text
              - index note_text_idx
            """)
        history.version(
            "2.1", fingerprint: 5, compatibleSince: "2.0",
            """
            change note
              + color text?
            """)
        history.step(from: "1.0", to: "1.1", "map note\ncreate tag")
        history.step(from: "1.1", to: "1.2", "map note")
        history.step(from: "1.2", to: "2.0", "map note\n  title = text")
        history.step(from: "2.0", to: "2.1", "map note")
        return history
    }()

    /// The schema as an app of a version knows it.
    private func schema(_ newest: String) -> SchemaDefinition {
        let last = Self.history.versions.firstIndex { $0.name == newest } ?? 0
        return SchemaDefinition(
            "NoteSchema", versions: Array(Self.history.versions[...last]),
            steps: Array(Self.history.steps.prefix(last)))
    }

    private func open(
        _ url: URL, as version: String, _ options: StoreOptions = StoreOptions()
    ) throws -> Store {
        try Store(at: url, definition: schema(version), options: options)
    }

    /// A note as an app of 1.0 knows it.
    private struct Note: StoredEntity, Identifiable {
        struct ID: RawEntityID, ExpressibleByIntegerLiteral { var rawValue: Int }
        typealias Columns = PropertyColumns<Note>
        static let table = EntityTable(Self.self, "note", key: ["id"], columns: ["id": \.id, "text": \.text])
        var id: ID
        var text: String

        init(_ id: ID, _ text: String) { (self.id, self.text) = (id, text) }

        init(row: Row) throws { (id, text) = (try row.id(0), try row.string(1)) }

        func bind(to statement: Statement) throws {
            try statement.bind(id, at: 1)
            try statement.bind(text, at: 2)
        }
    }

    private func rows(_ url: URL, _ sql: String) throws -> [String] {
        var rows: [String] = []
        try Connection(path: url.path, mode: .readOnly).query(sql) { row in
            rows.append((0..<row.columnCount).map { "\(row.value($0))" }.joined(separator: " "))
        }
        return rows
    }

    @Test(arguments: [StoreOptions.Journal.wal, .delete])
    func `an older app reads and writes a store of a compatible version, and leaves its schema alone`(
        journal: StoreOptions.Journal
    ) throws {
        try withFile { url in
            var options = StoreOptions()
            options.journal = journal
            try open(url, as: "1.2", options).write {
                try $0.execute("INSERT INTO note VALUES (1, 'a', 5, 'new'), (2, 'b', 4, NULL)")
                try $0.execute("INSERT INTO tag VALUES (7, 1), (8, 2)")
            }
            let tables = "SELECT * FROM sqlite_schema"
            let metadata = "SELECT * FROM strata_metadata"
            let before = try (rows(url, tables), rows(url, metadata))
            do {
                let store = try open(url, as: "1.0", options)
                #expect(store.isNewer)
                #expect(store.migrationReport == nil)
                try store.write { transaction in
                    #expect(try transaction.fetch(Note.self) == [Note(1, "a"), Note(2, "b")])
                    try transaction.update(Note(1, "changed"))
                    try transaction.delete(Note.self, id: 2)
                    try transaction.insert(Note(3, "c"))
                    try transaction.upsert(Note(1, "again"))
                }
                #expect(try store.read { try $0.fetch(Note.all.where { $0.text == "c" }) } == [Note(3, "c")])
            }
            #expect(try (rows(url, tables), rows(url, metadata)) == before)
            #expect(
                try rows(url, "SELECT * FROM note ORDER BY id") == [
                    "1 \"again\" 5 \"new\"", "3 \"c\" 3 NULL",
                ])
            #expect(try rows(url, "SELECT * FROM tag") == ["7 1"])
            let newest = try open(url, as: "1.2", options)
            #expect(!newest.isNewer && newest.migrationReport == nil)
        }
    }

    @Test func `a store whose version is not compatible is refused`() throws {
        try withFile { url in
            _ = try open(url, as: "2.1")
            for version in ["1.0", "1.1", "1.2"] {
                #expect(throws: StoreError.newer(found: "2.1", newest: version)) { try open(url, as: version) }
            }
            #expect(try open(url, as: "2.0").isNewer)
        }
    }

    @Test func `a compatible store is not set aside`() throws {
        try withFile { url in
            _ = try open(url, as: "1.2")
            var options = StoreOptions()
            options.recreatesOnMismatch = true
            let store = try open(url, as: "1.1", options)
            #expect(store.isNewer && store.setAside == nil)
            options.isReadOnly = true
            #expect(try open(url, as: "1.0", options).isNewer)
        }
    }

    @Test(arguments: [StoreOptions.Journal.wal, .delete])
    func `an open store goes on after another process has migrated it to a compatible version, and no further`(
        journal: StoreOptions.Journal
    ) throws {
        try withFile { url in
            var options = StoreOptions()
            options.journal = journal
            let old = try open(url, as: "1.0", options)
            try old.write { try $0.insert(Note(1, "a")) }
            #expect(try old.read { try $0.count(Note.self) } == 1)
            #expect(try open(url, as: "1.2").migrationReport?.to == "1.2")
            #expect(!old.isNewer)
            #expect(try old.read { try $0.fetch(Note.self) } == [Note(1, "a")])
            #expect(old.isNewer)
            try old.write { try $0.update(Note(1, "b")) }
            #expect(try rows(url, "SELECT * FROM note") == ["1 \"b\" 3 NULL"])
            #expect(try open(url, as: "2.0").migrationReport?.to == "2.0")
            #expect(throws: StoreError.newer(found: "2.0", newest: "1.0")) {
                try old.read { try $0.count(Note.self) }
            }
            #expect(throws: StoreError.newer(found: "2.0", newest: "1.0")) {
                try old.write { try $0.insert(Note(2, "c")) }
            }
        }
    }

    @Test func `a migrated store names the versions that its own version is compatible with`() throws {
        try withFile { url in
            _ = try open(url, as: "1.0")
            #expect(try StoreInspection(of: url).compatibleSince == "1.0")
            _ = try open(url, as: "1.1")
            #expect(try StoreInspection(of: url).compatibleSince == "1.0")
            #expect(try StoreInspection(of: url).description.contains("compatible since 1.0"))
            _ = try open(url, as: "2.0")
            #expect(try StoreInspection(of: url).compatibleSince == "2.0")
            #expect(try rows(url, "SELECT key FROM strata_metadata WHERE key LIKE 'compatible%'") == [])
            _ = try open(url, as: "2.1")
            #expect(try StoreInspection(of: url).compatibleSince == "2.0")
        }
    }

    @Test func `the plan for a newer store migrates nothing`() throws {
        try withFile { url in
            _ = try open(url, as: "1.2")
            let plan = try MigrationPlan(from: url, definition: schema("1.0"))
            #expect(plan.isNewer && plan.isEmpty && plan.isPossible)
            #expect(
                plan.description
                    == "NoteSchema: version 1.2, which is newer than 1.0; apps of 1.0 can use it as it is")
        }
    }
}
