import Foundation
import SQLSchema
import Strata
import Testing

@testable import StrataTesting

/// Versions that are called compatible and are not. The check of compatible versions has to find each of them.
@Suite struct CompatibilityFaultTests {
    private enum Faulty: Schema {
        @TaskLocal static var newer = ""
        static let name = "FaultySchema"
        static let fingerprint: UInt64 = 2
        static var versions: [SchemaVersion] { history.versions }
        static let steps: [MigrationStep] = []
        private static var history: VersionHistory {
            var history = VersionHistory()
            history.version(
                "1.0", fingerprint: 1,
                """
                table author
                  id integer key
                  name text
                table note
                  id integer key
                  text text
                  kind text?
                  author_id integer? -> author(id) nullify
                """)
            history.version("1.1", fingerprint: 2, compatibleSince: "1.0", newer)
            return history
        }
    }

    private struct Author: StoredEntity, Identifiable {
        struct ID: RawEntityID { var rawValue: Int }
        static let table = EntityTable("author", key: ["id"], columns: ["id", "name"])
        var id: ID
        var name: String

        init(row: Row) throws { (id, name) = (try row.id(0), try row.string(1)) }

        func bind(to statement: Statement) throws {
            try statement.bind(id, at: 1)
            try statement.bind(name, at: 2)
        }
    }

    private enum Kind: String, StoredEnum { case small, large }

    private struct Note: StoredEntity, Identifiable {
        struct ID: RawEntityID { var rawValue: Int }
        static let table = EntityTable("note", key: ["id"], columns: ["id", "text", "kind", "author_id"])
        var id: ID
        var text: String
        var kind: Kind?
        var authorID: Author.ID?

        init(row: Row) throws {
            (id, text, kind, authorID) = (
                try row.id(0), try row.string(1), try row.optionalValue(2), try row.optionalID(3)
            )
        }

        func bind(to statement: Statement) throws {
            try statement.bind(id, at: 1)
            try statement.bind(text, at: 2)
            try statement.bind(kind, at: 3)
            try statement.bind(authorID, at: 4)
        }
    }

    private static let author = FixtureTable("author", columns: [.key("id", .int), .value("name", .string)])

    private static func note(
        _ text: FixtureColumn = .value("text", .string),
        kind: FixtureColumn? = .value("kind", .texts(["small", "large"]), nullable: true),
        author: FixtureColumn = .reference("author", ["author_id"], to: "author", nullable: true),
        adding more: [FixtureColumn] = []
    ) -> FixtureTable {
        FixtureTable(
            "note", columns: [.key("id", .int), text] + (kind.map { [$0] } ?? []) + [author.named("author_id")] + more)
    }

    /// Returns the failures of the check for a version 1.1 with these tables.
    private func failures(_ newer: String, _ tables: [FixtureTable], removing: [String] = []) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("faulty-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try Faulty.$newer.withValue(newer) {
            var fixtures = Fixtures(of: Faulty.self, in: folder)
            fixtures.add(Self.author)
            fixtures.add(Self.note())
            fixtures.check(Author.self)
            fixtures.check(Note.self)
            fixtures.version("1.0", sealed: true) { _ in }
            for name in removing { fixtures.remove(name) }
            for table in tables { fixtures.add(table) }
            fixtures.version("1.1", sealed: false) { _ in }
            let version = try #require(fixtures.compatibleVersions.first)
            return try fixtures.checkCompatibility(of: version).map(\.description)
        }
    }

    @Test func `a compatible version has no failures`() throws {
        let newer = """
            change note
              + stars integer = 3
              + other_id integer? -> note(id) nullify
              + index note_text_idx (text)
            table tag
              id integer key
              note_id integer -> note(id) cascade
            """
        let tag = FixtureTable(
            "tag", columns: [.key("id", .int), .reference("note", ["note_id"], to: "note", onDelete: .cascade)])
        let note = Self.note(adding: [
            .value("stars", .int), .reference("other", ["other_id"], to: "note", nullable: true),
        ])
        #expect(try failures(newer, [note, tag]) == [])
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let newer: String
        let tables: [FixtureTable]
        var removing: [String] = []
        let text: String
        var testDescription: String { name }
    }

    private static func tag(_ rule: DeleteRule) -> [FixtureTable] {
        [FixtureTable("tag", columns: [.key("id", .int), .reference("note", ["note_id"], to: "note", onDelete: rule)])]
    }

    private static let faults: [Fault] = [
        Fault(
            name: "a renamed column", newer: "change note\n  + body text after id\n  - text",
            tables: [note(.value("body", .string))], text: "no such column: text"),
        Fault(
            name: "a removed column", newer: "change note\n  - kind", tables: [note(kind: nil)],
            text: "no such column: kind"),
        Fault(
            name: "a removed table", newer: "change note\n  - author_id\n  + author_id integer?\ndrop author",
            tables: [note(author: .value("author_id", .int, nullable: true))], removing: ["author"],
            text: "no such table: newer.author"),
        Fault(
            name: "a new required column", newer: "change note\n  + stars integer",
            tables: [note(adding: [.value("stars", .int)])], text: "NOT NULL constraint failed: note.stars"),
        Fault(
            name: "a column that becomes required", newer: "change note\n  - kind\n  + kind text after text",
            tables: [note(kind: .value("kind", .texts(["small", "large"])))],
            text: "NOT NULL constraint failed: note.kind"),
        Fault(
            name: "a column of another type", newer: "change author\n  - name\n  + name integer",
            tables: [FixtureTable("author", columns: [.key("id", .int), .value("name", .int)])],
            text: "the rows of author cannot be read"),
        Fault(
            name: "a unique column", newer: "change note\n  + unique note_kind_key (kind)",
            tables: [
                FixtureTable(
                    "note",
                    columns: [
                        .key("id", .int), .value("text", .string),
                        .value("kind", .texts(["small", "large"]), nullable: true, unique: true),
                        .reference("author", ["author_id"], to: "author", nullable: true).named("author_id"),
                    ], indexes: [FixtureIndex(["kind"], unique: true)])
            ], text: "UNIQUE constraint failed: note.kind"),
        Fault(
            name: "a new unique column with a default value",
            newer: "change note\n  + rank integer = 1\n  + unique note_rank_key (rank)",
            tables: [note(adding: [.value("rank", .int, unique: true)])], text: "UNIQUE constraint failed: note.rank"),
        Fault(
            name: "a check", newer: "change note\n  + check note_text_check 'length(text) > 0'",
            tables: [
                FixtureTable(
                    "note",
                    columns: [
                        .key("id", .int), .value("text", .limited(.string, [.minLength(1)])),
                        .value("kind", .texts(["small", "large"]), nullable: true),
                        .reference("author", ["author_id"], to: "author", nullable: true).named("author_id"),
                    ])
            ], text: "CHECK constraint failed: note_text_check"),
        Fault(
            name: "a new case", newer: "change note\n  + stars integer?",
            tables: [
                note(
                    kind: .value("kind", .texts(["small", "large", "huge"]), nullable: true),
                    adding: [.value("stars", .int, nullable: true)])
            ], text: "the rows of note cannot be read"),
        Fault(
            name: "a new case in a table that stays the same", newer: "",
            tables: [note(kind: .value("kind", .texts(["small", "large", "huge"]), nullable: true))],
            text: "the rows of note cannot be read"),
        Fault(
            name: "a table that keeps rows from being deleted",
            newer: "table tag\n  id integer key\n  note_id integer -> note(id) deny", tables: tag(.deny),
            text: "a deletion from note fails: SQLite error 1811: FOREIGN KEY constraint failed"),
        Fault(
            name: "a table whose references would dangle",
            newer: "table tag\n  id integer key\n  note_id integer -> note(id) no_action", tables: tag(.noAction),
            text: "a deletion from note fails: SQLite error 787: FOREIGN KEY constraint failed"),
        Fault(
            name: "another delete rule",
            newer: "change note\n  - author_id\n  + author_id integer? -> author(id) cascade",
            tables: [
                note(author: .reference("author", ["author_id"], to: "author", onDelete: .cascade, nullable: true))
            ],
            text: "after a deletion from author, the rows of note are not those of a store of 1.0"),
        Fault(
            name: "a reference that deletes known rows",
            newer: "change note\n  + other_id integer? -> note(id) cascade",
            tables: [note(adding: [.reference("other", ["other_id"], to: "note", onDelete: .cascade, nullable: true)])],
            text: "after a deletion from note, the rows of note are not those of a store of 1.0"),
    ]

    @Test(arguments: faults) func `a change that is wrongly called compatible is found`(fault: Fault) throws {
        let failures = try failures(fault.newer, fault.tables, removing: fault.removing)
        // SQLite 3.53 quotes the names of missing columns.
        #expect(failures.contains { $0.replacing("\"", with: "").contains(fault.text) }, "\(failures)")
        #expect(failures.allSatisfy { $0.hasPrefix("stores of 1.1 of FaultySchema, used by apps of 1.0: ") })
    }

    private enum Long: Schema {
        static let name = "LongSchema"
        static let fingerprint: UInt64 = 12
        static var versions: [SchemaVersion] { history.versions }
        static let steps: [MigrationStep] = []
        private static var history: VersionHistory {
            var history = VersionHistory()
            for number in 1...12 {
                // Stores of 4 and 5 open in apps of 4, and stores of 8 to 12 in apps of 6.
                let oldest = number < 4 ? 1 : number < 6 ? 4 : number < 8 ? number : 6
                history.version(
                    "\(number)", fingerprint: UInt64(number), compatibleSince: oldest == number ? nil : "\(oldest)",
                    number == 1 ? "table author\n  id integer key\n  name text" : "change author\n  + c\(number) text?")
            }
            return history
        }
    }

    @Test func `in a long history, apps use only the newest stores that they can use`() throws {
        var fixtures = Fixtures(of: Long.self, in: FileManager.default.temporaryDirectory)
        for number in 1...12 {
            let more = (2...12).filter { $0 <= number }.map { FixtureColumn.value("c\($0)", .string, nullable: true) }
            fixtures.add(FixtureTable("author", columns: [.key("id", .int), .value("name", .string)] + more))
            if number == 1 { fixtures.check(Author.self) }
            fixtures.version("\(number)", sealed: true) { _ in }
        }
        #expect(fixtures.compatibleVersions.map(\.name) == ["3", "5", "12"])
        for version in fixtures.compatibleVersions { #expect(try fixtures.checkCompatibility(of: version) == []) }
    }
}
