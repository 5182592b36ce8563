import Foundation
import SQLSchema
import Testing

@testable import Strata

/// Stores of drafts that have changed since.
@Suite struct DraftTests {
    private static let note = Table(
        "note",
        [
            "id integer key", "title text", "stars integer?", "folder_id integer? -> folder(id) nullify",
            "index note_title_idx (title)",
        ])
    private static let folder = Table("folder", ["id integer key", "name text"])

    /// Returns a schema whose draft has `tables`.
    private func schema(
        _ tables: [Table], fingerprint: UInt64, version: String = "1.1", later: [SchemaVersion] = [],
        steps: [MigrationStep] = []
    ) -> KnownSchema {
        let first = SchemaVersion("1.0", fingerprint: 1, tables: [Self.folder])
        let draft = SchemaVersion(version, fingerprint: fingerprint, tables: tables)
        let step = MigrationStep(from: "1.0", to: version, changes: [.create("note")])
        return KnownSchema("NoteSchema", versions: [first, draft] + later, steps: [step] + steps)
    }

    private func open(_ url: URL, _ schema: KnownSchema, recreates: Bool = false) throws -> StoreConnections {
        var options = StoreOptions()
        options.recreatesChangedDrafts = recreates
        return try StoreConnections(at: url, schema, options)
    }

    /// Creates a store of the first draft with two notes.
    private func create(at url: URL) throws {
        let store = try open(url, schema([Self.folder, Self.note], fingerprint: 2))
        try store.connection.execute(
            """
            INSERT INTO folder VALUES (1, 'home'), (2, 'work');
            INSERT INTO note VALUES (1, 'tea', 3, 1), (2, 'milk', NULL, NULL);
            """)
    }

    private func contents(_ url: URL, _ sql: String) throws -> [[SQLiteValue]] { try rows(url, sql) }

    @Test func `a store keeps its rows when tables, columns and indexes are added and removed`() throws {
        try withFile { (url: URL) throws in
            try create(at: url)
            let changed = Table(
                "note",
                [
                    "id integer key", "title text", "text text?", "rank real = 1.5",
                    "folder_id integer? -> folder(id) nullify", "code text?", "index note_rank_idx (rank)",
                    "unique note_code_key (code)",
                ])
            let tag = Table("tag", ["name text key"])
            let store = try open(url, schema([Self.folder, changed, tag], fingerprint: 3))
            #expect(store.report?.from == "1.1")
            #expect(store.report?.to == "1.1")
            #expect(
                try contents(url, "SELECT id, title, text, rank, folder_id, code FROM note ORDER BY id") == [
                    [.integer(1), .text("tea"), .null, .real(1.5), .integer(1), .null],
                    [.integer(2), .text("milk"), .null, .real(1.5), .null, .null],
                ])
            #expect(try contents(url, "SELECT count(*) FROM tag") == [[.integer(0)]])
            // The store is now one of the changed draft.
            #expect(try open(url, schema([Self.folder, changed, tag], fingerprint: 3)).report == nil)
            let back = try open(url, schema([Self.folder, Self.note], fingerprint: 2))
            #expect(back.report?.rows == 2)
            #expect(
                try contents(url, "SELECT title, stars FROM note") == [[.text("tea"), .null], [.text("milk"), .null]])
        }
    }

    @Test func `the later steps follow`() throws {
        try withFile { (url: URL) throws in
            try create(at: url)
            let released = Table("note", ["id integer key", "title text", "folder_id integer? -> folder(id) nullify"])
            let newest = Table("note", ["id integer key", "name text", "folder_id integer? -> folder(id) nullify"])
            let store = try open(
                url,
                schema(
                    [Self.folder, released], fingerprint: 3,
                    later: [SchemaVersion("1.2", fingerprint: 4, tables: [Self.folder, newest])],
                    steps: [
                        MigrationStep(
                            from: "1.1", to: "1.2",
                            changes: [.map(from: "note", to: "note", columns: ["name": .column("title")])])
                    ]))
            #expect(store.report?.to == "1.2")
            #expect(try contents(url, "SELECT name FROM note ORDER BY id") == [[.text("tea")], [.text("milk")]])
        }
    }

    @Test func `a store of a draft that became a beta keeps its rows`() throws {
        try withFile { (url: URL) throws in
            try create(at: url)
            let store = try open(url, schema([Self.folder, Self.note], fingerprint: 5, version: "1.1-beta.1"))
            #expect(store.report?.from == "1.1")
            #expect(store.report?.to == "1.1-beta.1")
            #expect(try contents(url, "SELECT count(*) FROM note") == [[.integer(2)]])
        }
    }

    @Test(arguments: [
        (
            "note.title is new", ["id integer key", "heading text", "title2 text"],
            "note.heading is new and has neither NULL nor a default value"
        ),
        ("type", ["id integer key", "title integer"], "note.title has another type or collation, or requires a value"),
        (
            "collation", ["id integer key", "title text nocase"],
            "note.title has another type or collation, or requires a value"
        ),
        (
            "required", ["id integer key", "title text", "stars integer"],
            "note.stars has another type or collation, or requires a value"
        ),
        ("key", ["id integer", "title text key"], "note has another primary key"),
        ("foreign key", ["id integer key", "title text", "folder_id integer?"], "note has other foreign keys"),
        (
            "delete rule", ["id integer key", "title text", "folder_id integer? -> folder(id) cascade"],
            "note has other foreign keys"
        ),
        (
            "unique",
            [
                "id integer key", "title text", "folder_id integer? -> folder(id) nullify",
                "unique note_title_key (title)",
            ], "note has a new unique index on title"
        ),
        ("same", [], "the tables are the same, but something else is different"),
    ])
    func `another difference is refused with its reason, and the file is unchanged`(
        title: String, columns: [String], reason: String
    ) throws {
        try withFile { (url: URL) throws in
            try create(at: url)
            let before = try Data(contentsOf: url)
            let table = columns.isEmpty ? Self.note : Table("note", columns)
            let changed = schema([Self.folder, table], fingerprint: 3)
            #expect(throws: StoreError.draftChanged(version: "1.1", reason: reason)) { _ = try open(url, changed) }
            #expect(try Data(contentsOf: url) == before)
            let recreated = try open(url, changed, recreates: true)
            #expect(recreated.report == nil)
            #expect(try contents(url, "SELECT count(*) FROM note") == [[.integer(0)]])
        }
    }

    @Test func `a looser column is accepted`() throws {
        try withFile { (url: URL) throws in
            try create(at: url)
            let looser = Table(
                "note",
                ["id integer key", "title text?", "stars integer?", "folder_id integer? -> folder(id) nullify"])
            #expect(try open(url, schema([Self.folder, looser], fingerprint: 3)).report?.rows == 2)
        }
    }

    @Test func `a store without its draft's tables is refused`() throws {
        try withFile { (url: URL) throws in
            try create(at: url)
            try Connection(path: url.path, mode: .readWrite).execute(
                "DELETE FROM strata_metadata WHERE \"key\" = 'tables'")
            #expect(throws: StoreError.draftChanged(version: "1.1", reason: nil)) {
                _ = try open(url, schema([Self.folder], fingerprint: 3))
            }
        }
    }

    @Test func `a release build does not keep the tables of the version before`() throws {
        try withFile { (url: URL) throws in
            try create(at: url)
            let newest = SchemaVersion("1.2", fingerprint: 9, tables: [Self.folder, Self.note])
            let connection = try Connection(path: url.path, mode: .readWrite)
            try StoreMetadata.write(newest, schema: "NoteSchema", keepingTables: false, to: connection)
            #expect(try contents(url, "SELECT * FROM strata_metadata WHERE \"key\" = 'tables'") == [])
        }
    }

    @Test(arguments: ["1.0", "1.1-beta.1", "1.1-beta.2", "1.1-beta.10"])
    func `the store of each beta reaches the release`(name: String) throws {
        let names = ["1.0", "1.1-beta.1", "1.1-beta.2", "1.1-beta.10", "1.1"]
        let versions = names.enumerated().map { place, name in
            SchemaVersion(
                name, fingerprint: UInt64(place + 1),
                tables: [Table("note", ["id integer key", "title text"] + (0..<place).map { "extra\($0) integer?" })])
        }
        let steps = zip(names, names.dropFirst()).map {
            MigrationStep(from: $0, to: $1, changes: [.map(from: "note", to: "note")])
        }
        try withFile { (url: URL) throws in
            let place = try #require(names.firstIndex(of: name))
            let old = KnownSchema("NoteSchema", versions: Array(versions[...place]), steps: Array(steps[..<place]))
            try open(url, old).connection.execute("INSERT INTO note (id, title) VALUES (1, 'tea')")
            let store = try open(url, KnownSchema("NoteSchema", versions: versions, steps: steps))
            #expect(store.report?.from == name)
            #expect(store.report?.to == "1.1")
            #expect(
                try contents(url, "SELECT * FROM note")
                    == [[.integer(1), .text("tea")] + Array(repeating: .null, count: 4)])
            #expect(throws: StoreError.newer(found: "1.1", newest: name)) { _ = try open(url, old) }
        }
    }
}
