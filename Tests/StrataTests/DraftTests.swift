import Foundation
import SQLSchema
import Testing

@testable import Strata

/// Stores of drafts that have changed since. Release builds do not migrate them.
@Suite(.enabled(if: isDebugBuild)) struct DraftTests {
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
        steps: [MigrationStep] = [], types: String = ""
    ) -> SchemaDefinition {
        let first = SchemaVersion("1.0", fingerprint: 1, tables: [Self.folder])
        let draft = SchemaVersion(version, fingerprint: fingerprint, tables: tables)
        let step = MigrationStep(from: "1.0", to: version, changes: [.create("note")])
        return SchemaDefinition(
            "NoteSchema", versions: [first, draft] + later, steps: [step] + steps, valueTypes: types)
    }

    private func open(_ url: URL, _ schema: SchemaDefinition, recreates: Bool = false) throws -> StoreConnections {
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

    @Test func `a draft that is searched in other columns, or no longer, keeps its rows`() throws {
        try withFile { (url: URL) throws in
            try create(at: url)
            let count = "SELECT count(*) FROM strata_search_note WHERE strata_search_note MATCH 'tea'"
            let searches = ["search (title) unicode61", "search (title) trigram", nil]
            for (place, search) in searches.enumerated() {
                var note = Self.note
                note.search = try search.flatMap { try SchemaText.tables("table t\n  title text\n  \($0)")[0].search }
                let store = try open(url, schema([Self.folder, note], fingerprint: UInt64(3 + place)))
                #expect(try store.connection.integer("SELECT count(*) FROM note") == 2)
                if search != nil { #expect(try store.connection.integer(count) == 1) }
            }
            #expect(try contents(url, "SELECT 1 FROM sqlite_schema WHERE name LIKE 'strata_search%'").isEmpty)
        }
    }

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

    @Test func `a store of a draft that was released meanwhile is refused if there is a newer version`() throws {
        try withFile { (url: URL) throws in
            try create(at: url)
            let newer = schema(
                [Self.folder], fingerprint: 3,
                later: [SchemaVersion("1.2", fingerprint: 4, tables: [Self.folder])],
                steps: [MigrationStep(from: "1.1", to: "1.2")])
            #expect(throws: StoreError.draftChanged(version: "1.1", reason: nil)) {
                _ = try open(url, newer)
            }
        }
    }

    @Test(arguments: [
        ("status | enum | case done: \"d\"", "status | enum | case done: \"e\"", "the type status has changed"),
        ("note.stars bool", "note.stars status", "the type of note.stars has changed"),
        ("", "note.stars bool", "the type of note.stars has changed"),
        ("note.stars bool", "", "the type of note.stars has changed"),
    ])
    func `a changed type is found beside an added column`(old: String, new: String, reason: String) throws {
        try withFile { (url: URL) throws in
            _ = try open(url, schema([Self.folder, Self.note], fingerprint: 2, types: old))
            var changed = Self.note
            changed.columns.append(Table.Column("extra", .text, isNullable: true))
            #expect(throws: StoreError.draftChanged(version: "1.1", reason: reason)) {
                _ = try open(url, schema([Self.folder, changed], fingerprint: 3, types: new))
            }
            let added =
                old.replacing("done: \"d\"", with: "done: \"d\" | case lost: \"l\"")
                + "\nnote.extra uuid\nnew | enum | case a: \"a\""
            #expect(try open(url, schema([Self.folder, changed], fingerprint: 3, types: added)).report?.to == "1.1")
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
        try withFile { (url: URL) throws in
            try create(at: url)
            let reason = "the draft has become 1.1-beta.1, whose tables differ"
            #expect(throws: StoreError.draftChanged(version: "1.1-beta.1", reason: reason)) {
                _ = try open(url, schema([Self.folder], fingerprint: 5, version: "1.1-beta.1"))
            }
        }
    }

    @Test(arguments: [
        (
            "note.title is new", ["id integer key", "heading text", "title2 text"],
            "note.heading is new, required, and has no default value"
        ),
        (
            "type", ["id integer key", "title integer"],
            "the type or collation of note.title has changed, or it is required now"
        ),
        (
            "collation", ["id integer key", "title text nocase"],
            "the type or collation of note.title has changed, or it is required now"
        ),
        (
            "required", ["id integer key", "title text", "stars integer"],
            "the type or collation of note.stars has changed, or it is required now"
        ),
        ("key", ["id integer", "title text key"], "the primary key of note has changed"),
        (
            "foreign key", ["id integer key", "title text", "folder_id integer?"],
            "the foreign keys of note have changed"
        ),
        (
            "delete rule", ["id integer key", "title text", "folder_id integer? -> folder(id) cascade"],
            "the foreign keys of note have changed"
        ),
        (
            "unique",
            [
                "id integer key", "title text", "folder_id integer? -> folder(id) nullify",
                "unique note_title_key (title)",
            ], "note has a new unique index on title"
        ),
        (
            "check",
            [
                "id integer key", "title text", "folder_id integer? -> folder(id) nullify",
                "check note_title 'title > 1'",
            ],
            "note has a new or stricter check note_title"
        ),
        ("same", [], "the tables are equal, but something else in the descriptions differs"),
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

    @Test func `a wider check is accepted, and a stricter one is refused`() throws {
        func tables(_ check: String) -> [Table] { [Self.folder, Self.note.named(nil, ["check stars '\(check)'"])] }
        try withFile { (url: URL) throws in
            #expect(try open(url, schema(tables("stars > 2"), fingerprint: 2)).report == nil)
            let wider = schema(tables("stars >= 1"), fingerprint: 3)
            #expect(try open(url, wider).report != nil)
            let reason = "note has a new or stricter check stars"
            #expect(throws: StoreError.draftChanged(version: "1.1", reason: reason)) {
                _ = try open(url, schema(tables("stars > 1"), fingerprint: 4))
            }
        }
    }

    @Test func `a store without its draft's tables is refused`() throws {
        try withFile { (url: URL) throws in
            try create(at: url)
            try Connection(path: url.path, mode: .readWrite).execute(
                "DELETE FROM strata_metadata WHERE \"key\" IN ('draft_tables', 'draft_types')")
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
            try StoreMetadata.write(newest, schema: "NoteSchema", draft: nil, to: connection)
            #expect(
                try contents(url, "SELECT * FROM strata_metadata WHERE \"key\" IN ('draft_tables', 'draft_types')")
                    == [])
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
            let old = SchemaDefinition("NoteSchema", versions: Array(versions[...place]), steps: Array(steps[..<place]))
            try open(url, old).connection.execute("INSERT INTO note (id, title) VALUES (1, 'tea')")
            let store = try open(url, SchemaDefinition("NoteSchema", versions: versions, steps: steps))
            #expect(store.report?.from == name)
            #expect(store.report?.to == "1.1")
            #expect(
                try contents(url, "SELECT * FROM note")
                    == [[.integer(1), .text("tea")] + Array(repeating: .null, count: 4)])
            #expect(throws: StoreError.self) { _ = try open(url, old) }
        }
    }
}

private let isDebugBuild = {
    #if DEBUG
        true
    #else
        false
    #endif
}()
