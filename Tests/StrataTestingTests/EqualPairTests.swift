import Foundation
import SQLSchema
import Strata
import Testing

@testable import StrataTesting

/// A join table that may contain equal pairs, beside a custom migration of one of its ends.
@Suite struct EqualPairTests {
    private enum Songs: Schema {
        /// The song that is merged into song 1; nil for none.
        @TaskLocal static var merged: Int?
        /// The playlist that is deleted; nil for none.
        @TaskLocal static var dropped: Int?
        static let name = "SongsSchema"
        static let fingerprint: UInt64 = 2
        static var versions: [SchemaVersion] { history.versions }
        static var steps: [MigrationStep] {
            [
                MigrationStep(
                    from: "1.0", to: "2.0",
                    changes: [.custom(from: "song", to: "song"), .custom(from: "list", to: "list")]
                ) { step in
                    let (merged, dropped) = (Songs.merged, Songs.dropped)
                    try step.migrate(Named<SongName>.self) { (old: Named<SongName>, _) -> Outcome<Named<SongName>> in
                        old.id.rawValue == merged ? .merge(into: .init(rawValue: 1)) : .keep(old)
                    }
                    try step.migrate(Named<ListName>.self) { (old: Named<ListName>, _) -> Outcome<Named<ListName>> in
                        old.id.rawValue == dropped ? .drop : .keep(old)
                    }
                    try step.followKeys()
                }
            ]
        }
        private static var history: VersionHistory {
            var history = VersionHistory()
            history.version(
                "1.0", fingerprint: 1,
                """
                table song
                  id integer key
                  title text
                table list
                  id integer key
                  title text
                join table list_songs
                  source_id integer -> list(id) cascade
                  target_id integer -> song(id) cascade
                  position integer
                  key (source_id, target_id, position)
                  index list_songs_target_id_idx (target_id)
                """)
            history.version("2.0", fingerprint: 2, "")
            return history
        }
    }

    private protocol TableName { static var name: String { get } }
    private enum SongName: TableName { static let name = "song" }
    private enum ListName: TableName { static let name = "list" }

    private struct Named<Name: TableName>: StoredEntity, Identifiable {
        struct ID: RawEntityID { var rawValue: Int }
        static var table: EntityTable { EntityTable(Name.name, key: ["id"], columns: ["id", "title"]) }
        var id: ID
        var title: String

        static func id(of entity: Self) -> ID { entity.id }

        init(row: Row) throws { (id, title) = (try row.id(0), try row.string(1)) }

        func bind(to statement: Statement) throws {
            try statement.bind(id, at: 1)
            try statement.bind(title, at: 2)
        }
    }

    /// Migrates the pairs `(list, song, position)`, changes the migrated store with `fault`, and returns what the generated
    /// tests report.
    private func problems(_ pairs: String, _ fault: String) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pairs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (merged, dropped) = (Songs.merged, Songs.dropped)
        var fixtures = Fixtures(of: Songs.self, in: folder)
        for name in ["song", "list"] {
            fixtures.add(FixtureTable(name, columns: [.key("id", .int), .value("title", .string)]))
        }
        fixtures.add(
            FixtureJoinTable("list_songs", of: "list.songs", from: "list", to: "song", duplicates: true))
        fixtures.version("1.0", sealed: false) { _ in }
        fixtures.version("2.0", sealed: false) { _ in }
        fixtures.expect("song", kept: ["id"])
        fixtures.expect("list", kept: ["id"])
        fixtures.expect(
            "list_songs",
            references: [
                .init(["source_id"], to: "list", cascades: true), .init(["target_id"], to: "song", cascades: true),
            ], join: true)
        fixtures.step(
            from: "1.0", to: "2.0",
            custom: CustomExpectation(
                "Step",
                rows: [
                    RowExpectation("Song", "Song", "") { (old: Named<SongName>, _) in
                        old.id.rawValue == merged ? .merged(into: .init(rawValue: 1)) : .kept(old)
                    },
                    RowExpectation("List", "List", "") { (old: Named<ListName>, _) in
                        old.id.rawValue == dropped ? .dropped : .kept(old)
                    },
                ], reasons: [], added: { _ in [] }, check: { _ in }))
        let before = folder.appendingPathComponent("1.0.sqlite")
        let after = folder.appendingPathComponent("2.0.sqlite")
        do {
            let connection = try Connection(path: before.path, mode: .create)
            try connection.transaction("BEGIN") {
                try NewStore.create(Songs.versions[0], schema: Songs.name, in: connection)
            }
            try connection.execute(
                """
                INSERT INTO song VALUES (1, 'a'), (2, 'b'), (3, 'c');
                INSERT INTO list VALUES (1, 'x'), (2, 'y');
                INSERT INTO list_songs (source_id, target_id, position) VALUES \(pairs)
                """)
        }
        try FileManager.default.copyItem(at: before, to: after)
        _ = try Store(at: after, schema: Songs.self)
        try Connection(path: after.path, mode: .readWrite).execute(fault)
        let step = try #require(try fixtures.paths(from: fixtures.version("1.0")).first?.first)
        return try StepComparison(step, from: before, to: after, fixtures.version("2.0")).run().map(\.text)
    }

    /// List 1 has the songs 1, 1, 2, 1, and list 2 has 2, 2.
    private static let pairs = "(1, 1, 0), (1, 1, 1), (1, 2, 2), (1, 1, 3), (2, 2, 0), (2, 2, 4)"

    @Test(arguments: [nil, 2], [nil, 2])
    func `equal pairs and their positions survive the migration`(merged: Int?, dropped: Int?) throws {
        try Songs.$merged.withValue(merged) { () throws in
            try Songs.$dropped.withValue(dropped) { () throws in
                #expect(try problems(Self.pairs, "") == [])
                // List 1 keeps all its songs, and their positions.
                #expect(
                    try problems(
                        "(1, 1, 2), (1, 1, 4), (1, 3, 6), (1, 1, 7)",
                        "UPDATE list_songs SET position = 0 WHERE position = 2; UPDATE list_songs SET position = 1 WHERE position = 4;"
                    ) != [])
            }
        }
    }

    @Test(arguments: [nil, 3])
    func `a lost, an added and a moved pair is found`(merged: Int?) throws {
        try Songs.$merged.withValue(merged) { () throws in
            #expect(
                try problems(Self.pairs, "DELETE FROM list_songs WHERE source_id = 2 AND position = 4") == [
                    "list.songs: pair 2, 2 is missing"
                ])
            #expect(
                try problems(Self.pairs, "DELETE FROM list_songs WHERE source_id = 2") == [
                    "list.songs: pair 2, 2 is missing (and another)"
                ])
            #expect(
                try problems(Self.pairs, "INSERT INTO list_songs VALUES (1, 1, 9)") == [
                    "list.songs: pair 1, 1 is new"
                ])
            #expect(
                try problems(Self.pairs, "INSERT INTO list_songs VALUES (2, 1, 9)") == [
                    "list.songs: pair 2, 1 is new"
                ])
            #expect(
                try problems(
                    Self.pairs, "UPDATE list_songs SET position = 9 WHERE source_id = 1 AND position = 1"
                ).contains { $0.hasPrefix("list.songs: pair 1, 1: found position ") })
            #expect(
                try problems(
                    Self.pairs, "UPDATE list_songs SET position = 9 WHERE source_id = 1 AND position = 2"
                ).contains { $0.hasPrefix("list.songs: pair 1, 2: found position 9, expected 2") })
        }
    }

    @Test func `equal pairs with one position, from two rows that were merged, may be anywhere`() throws {
        try Songs.$merged.withValue(2) { () throws in
            let pairs = "(1, 1, 0), (1, 2, 0), (1, 3, 1)"
            #expect(try problems(pairs, "") == [])
            #expect(
                try problems(pairs, "DELETE FROM list_songs WHERE target_id = 1 AND position > 0") == [
                    "list.songs: pair 1, 1 is missing"
                ])
        }
    }
}
