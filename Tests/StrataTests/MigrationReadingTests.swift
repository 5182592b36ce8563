import Foundation
import SQLSchema
import Strata
import Testing

/// What a custom migration reads: old rows and new ones, by keys, conditions, relationships and SQL.
@Suite struct MigrationReadingTests {
    /// A row of `tag`, which no step changes.
    private struct Tag: StoredEntity {
        struct ID: RawEntityID { var rawValue: Int }
        typealias Columns = PropertyColumns<Tag>
        struct Relationships: EntityRelationships {
            var owner: ToOne<Tag, S> { .init(column: ["s_id"]) }
        }
        static let table = EntityTable(
            Self.self, "tag", key: ["id"], columns: ["id": \.id, "word": \.word, "s_id": \.ownerID])
        var id: ID
        var word: String
        var ownerID: S.ID?
        static func id(of entity: Tag) -> ID { entity.id }
        init(id: Int, word: String, owner: Int?) {
            (self.id, self.word, ownerID) = (ID(rawValue: id), word, owner.map { S.ID(rawValue: $0) })
        }
        init(row: Row) throws {
            id = try row.id(0)
            word = try row.string(1)
            ownerID = try row.optionalID(2)
        }
        func bind(to statement: Statement) throws {
            try statement.bind(id, at: 1)
            try statement.bind(word, at: 2)
            try statement.bind(ownerID, at: 3)
        }
    }

    private typealias S = ValuedRow<Int>

    private static let tables = [
        Table("s", ["id integer key", "v text"]),
        Table(
            "tag",
            [
                "id integer key", "word text", "s_id integer? -> s(id) nullify", "index tag_s_id_idx (s_id)",
                "computed label text 'word || id'", "search (word) unicode61",
            ]),
        // It has duplicates.
        Table(
            "s_tags",
            [
                "source_id integer -> s(id) cascade", "target_id integer -> tag(id) cascade", "position integer",
                "key (source_id, target_id, position)", "index s_tags_target_id_idx (target_id)",
            ], isJoinTable: true),
    ]

    /// Runs `code` in a custom migration of `s`, in one transaction and in batches.
    private func migrate(
        _ code: @escaping @Sendable (CustomStep) throws -> Void,
        didMigrate: (@Sendable (MigrationContext) throws -> Void)? = nil, check: (URL) throws -> Void = { _ in }
    ) throws {
        for migration in [StoreOptions.MigrationMode.oneTransaction, .resumable] {
            var options = StoreOptions()
            options.migration = migration
            options.backup = .automatic(keep: 1)
            try MigrationBatches.$duration.withValue(.zero) {
                try HandMade.$didMigrate.withValue(didMigrate) {
                    try withStore(
                        Self.tables,
                        rows: """
                            INSERT INTO s VALUES (1, 'a'), (2, 'b'), (3, 'c');
                            INSERT INTO tag VALUES (1, 'x', 1), (2, 'y', 1), (3, 'z', NULL);
                            INSERT INTO s_tags VALUES (1, 3, 0), (1, 2, 1), (3, 1, 0);
                            """,
                        rowCode: code, options: options, check: check)
                }
            }
        }
    }

    @Test func `old rows are found by keys, conditions and SQL, without the rows that the step inserts`() throws {
        try migrate { step in
            let context = step.context
            try step.once("insert") { _ in try context.insert(Tag(id: 4, word: "added", owner: 1)) }
            try step.migrate(S.self) { (old: S, _) -> Outcome<S> in
                #expect(try context.old.find(Tag.self, id: .init(rawValue: 2))?.word == "y")
                #expect(try context.old.find(Tag.self, id: .init(rawValue: 4)) == nil)
                let tags = try context.old.fetch(Tag.all.where { $0.ownerID == old.id }.orderBy { $0.word.descending })
                #expect(tags.map(\.word) == (old.id.rawValue == 1 ? ["y", "x"] : []))
                #expect(try context.old.fetch(Tag.self).map(\.id.rawValue) == [1, 2, 3])
                #expect(try context.old.fetch(Tag.self) { $0.word > "x" }.count == 2)
                #expect(try context.old.first(Tag.all.orderBy { $0.word.descending })?.word == "z")
                #expect(try context.old.count(Tag.self) == 3)
                #expect(try context.old.count(Tag.all.where { $0.word == "added" }) == 0)
                #expect(try context.old.cursor(Tag.self).next()?.word == "x")
                #expect(try context.old.cursor(Tag.all.where { $0.word == "y" }).next()?.id.rawValue == 2)
                let (tag, pairs) = (context.old.tableName(of: Tag.self), context.old.tableName("s_tags"))
                let sql = "SELECT word FROM \(tag) JOIN \(pairs) ON target_id = id WHERE source_id = ? ORDER BY word"
                let words = try context.old.rows(sql, [old.id]) { try $0.value("word", as: String.self) }
                #expect(words == [1: ["y", "z"], 3: ["x"]][old.id.rawValue, default: []])
                #expect(try context.new.find(Tag.self, id: .init(rawValue: 4))?.word == "added")
                return .keep(S(id: old.id, v: old.v + words.joined()))
            }
            try step.followKeys()
        } check: { (url: URL) throws in
            #expect(try rows(url, "SELECT v FROM s ORDER BY id") == [[.text("ayz")], [.text("b")], [.text("cx")]])
        }
    }

    @Test func `old rows stay as they were when references follow merged rows, and when code changes new rows`() throws
    {
        @Sendable func checkOld(_ context: MigrationContext) throws {
            let owners = try context.old.fetch(Tag.all.orderBy { $0.id.ascending }).map(\.ownerID?.rawValue)
            #expect(owners == [1, 1, nil])
            let words = try context.old.rows("SELECT word FROM \(context.old.tableName(of: Tag.self)) ORDER BY id") {
                try $0.value("word", as: String.self)
            }
            #expect(words == ["x", "y", "z"])
            let sql = "SELECT source_id AS s FROM \(context.old.tableName("s_tags")) ORDER BY target_id"
            #expect(try context.old.rows(sql) { try $0.value("s", as: Int.self) } == [3, 1, 1])
        }
        for reads in [true, false] {
            try migrate { step in
                let context = step.context
                try step.migrate(S.self) { (old: S, _) -> Outcome<S> in
                    if reads { try checkOld(context) }
                    return old.id.rawValue == 1 ? .merge(into: S.ID(rawValue: 2)) : .keep(old)
                }
            } didMigrate: { context in
                try checkOld(context)
                #expect(try context.new.find(Tag.self, id: .init(rawValue: 1))?.ownerID?.rawValue == 2)
                try context.update(Tag(id: 3, word: "changed", owner: 3))
                try context.execute("DELETE FROM \(context.new.tableName("s_tags")) WHERE target_id = 2")
                try checkOld(context)
            } check: { (url: URL) throws in
                let tags = try rows(url, "SELECT id, word, s_id FROM tag ORDER BY id")
                #expect(
                    tags == [
                        [.integer(1), .text("x"), .integer(2)], [.integer(2), .text("y"), .integer(2)],
                        [.integer(3), .text("changed"), .integer(3)],
                    ])
                #expect(
                    try rows(url, "SELECT source_id, target_id FROM s_tags ORDER BY target_id")
                        == [[.integer(3), .integer(1)], [.integer(2), .integer(3)]])
                let found = "SELECT rowid FROM strata_search_tag WHERE strata_search_tag MATCH 'changed OR z'"
                #expect(try rows(url, found) == [[.integer(3)]])
                #expect(try rows(url, "SELECT label FROM tag WHERE id = 3") == [[.text("changed3")]])
                let backups = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
                #expect(backups.contains { $0.contains("backup") })
            }
        }
    }

    @Test func `a request that follows relationships is refused, because they are the newest ones`() throws {
        try migrate { step in
            let first = S.ID(rawValue: 1)
            let request: Request<Tag> = Tag.all.where { $0.owner.id == first }
            let reads: [() throws -> Int] = [
                { try step.context.old.fetch(request).count }, { try step.context.new.count(request) },
                { try step.context.old.first(Tag.all.orderBy { $0.owner.id.ascending }) == nil ? 0 : 1 },
            ]
            for read in reads {
                #expect { _ = try read() } throws: { "\($0)".contains("those of the newest version") }
            }
            #expect(throws: (any Error).self) {
                try step.context.old.rows("DELETE FROM \(step.context.old.tableName(of: Tag.self))") { _ in 0 }
            }
            try step.migrate(S.self) { (old: S, _) -> Outcome<S> in .keep(old) }
        }
    }

    @Test func `rows that the step has inserted can be deleted, and no others`() throws {
        try migrate { step in
            let context = step.context
            try step.migrate(S.self) { (old: S, _) -> Outcome<S> in .keep(old) }
            try step.followKeys()
            try step.once("delete") { _ in
                let (first, second) = (Tag(id: 8, word: "8", owner: 2), Tag(id: 9, word: "9", owner: nil))
                try context.insert(first)
                try context.insert(second)
                try context.insert(S(id: .init(rawValue: 7), v: "inserted"))
                try context.delete(first)
                try context.delete(S(id: .init(rawValue: 7), v: ""))
                for key in [1, 8, 77] {
                    #expect(throws: MigrationError.notInserted(table: "tag", key: "\(Tag.ID(rawValue: key))")) {
                        try context.delete(Tag(id: key, word: "", owner: nil))
                    }
                }
                #expect(throws: MigrationError.notInserted(table: "s", key: "\(S.ID(rawValue: 1))")) {
                    try context.delete(S(id: .init(rawValue: 1), v: ""))
                }
            }
        } check: { (url: URL) throws in
            #expect(try rows(url, "SELECT id FROM tag ORDER BY id") == [1, 2, 3, 9].map { [.integer($0)] })
            #expect(try rows(url, "SELECT id FROM s ORDER BY id") == [1, 2, 3].map { [.integer($0)] })
        }
    }
}
