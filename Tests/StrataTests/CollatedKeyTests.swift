import Foundation
import SQLSchema
import Strata
import Testing

/// Foreign keys to a primary key with a collation: SQLite accepts `de` for the country `DE`.
@Suite struct CollatedKeyTests {
    private func withStore(_ body: (WriteTransaction) throws -> Void) throws {
        let store = try Store(inMemory: Atlas.self)
        try store.write { (t: WriteTransaction) throws in
            for code in ["DE", "FR"] { try t.insert(Nation(id: .init(rawValue: code))) }
            for (id, nation) in [(1, "de"), (2, "DE"), (3, "fr"), (4, "De")] {
                try t.insert(Town(id: .init(rawValue: id), nation: .init(rawValue: nation)))
            }
            try t.execute(
                """
                INSERT INTO nation_friends VALUES ('de', 2, 1), ('DE', 1, 0), ('fr', 1, 0)
                """)
            try body(t)
        }
    }

    private let germany = Nation(id: "DE")
    private let france = Nation(id: "FR")

    @Test func `conditions on a foreign key use the collation of the primary key`() throws {
        try withStore { (t: WriteTransaction) throws in
            func ids(_ condition: (Town.Columns) -> Condition<Town>) throws -> [Int] {
                try t.fetch(Town.all.where(condition).orderBy { $0.id.ascending }).map(\.id.rawValue)
            }
            #expect(try ids { $0.nation == "DE" } == [1, 2, 4])
            #expect(try ids { $0.nation != "dE" } == [3])
            #expect(try ids { $0.nation.isIn(["FR", "it"]) } == [3])
            let many = (0..<1_000).map { Nation.ID(rawValue: "n\($0)") } + ["fR"]
            #expect(try ids { $0.nation.isIn(many) } == [3])
            #expect(try t.fetch(Nation.self) { $0.id == "de" }.map(\.id) == ["DE"])
        }
    }

    @Test func `related finds rows by the collation of the primary key`() throws {
        try withStore { (t: WriteTransaction) throws in
            #expect(try t.related(germany, \.towns).map(\.id) == [1, 2, 4])
            #expect(try t.related(germany, \.friends).map(\.id) == [1, 2])
            let towns = try t.fetch(Town.all.orderBy { $0.id.ascending })
            #expect(try t.related(towns[0], \.nation) == germany)
            #expect(
                try t.related([germany, france], \.towns).mapValues { $0.map(\.id) } == ["DE": [1, 2, 4], "FR": [3]])
            #expect(
                try t.related([germany, france], \.friends).mapValues { $0.map(\.id) } == ["DE": [1, 2], "FR": [1]])
            #expect(try t.related(towns[0], \.friends).map(\.id) == ["DE", "FR"])
        }
    }

    @Test func `setRelated matches rows by the collation of the primary key`() throws {
        try withStore { (t: WriteTransaction) throws in
            try t.setRelated(germany, \.towns, to: [2, 3])
            #expect(try t.related(germany, \.towns).map(\.id) == [2, 3])
            #expect(try t.count(Town.all.where { $0.nation == nil }) == 2)
            try t.setRelated(germany, \.friends, to: [4])
            #expect(try t.related(germany, \.friends).map(\.id) == [4])
            #expect(try t.related(france, \.friends).map(\.id) == [1])
            let town = try #require(try t.find(Town.self, id: 1))
            try t.setRelated(town, \.friends, to: ["de", "fr"])
            try t.setRelated(town, \.friends, to: ["fr"])
            #expect(try t.related(town, \.friends).map(\.id) == ["FR"])
        }
    }
}

private struct Nation: StoredEntity {
    struct ID: RawEntityID, ExpressibleByStringLiteral { var rawValue: String }
    struct Relationships: EntityRelationships {
        var towns: ToMany<Nation, Town> { .init(inverse: ["nation_id"]) }
        var friends: ToMany<Nation, Town> { .init(joinTable: "nation_friends") }
    }
    typealias Columns = PropertyColumns<Nation>
    static let table = EntityTable(
        Self.self, "nation", key: ["code"], columns: ["code": \.id], keyCollations: ["NOCASE"])
    var id: ID
    static func id(of entity: Self) -> ID { entity.id }
    init(id: ID) { self.id = id }
    init(row: Row) throws { id = try row.id(0) }
    func bind(to statement: Statement) throws { try statement.bind(id, at: 1) }
}

private struct Town: StoredEntity {
    struct ID: RawEntityID, ExpressibleByIntegerLiteral { var rawValue: Int }
    struct Relationships: EntityRelationships {
        var nation: ToOne<Town, Nation> { .init(column: ["nation_id"]) }
        var friends: ToMany<Town, Nation> { .init(joinTable: "nation_friends", reversed: true) }
    }
    typealias Columns = PropertyColumns<Town>
    static let table = EntityTable(
        Self.self, "town", key: ["id"], columns: ["id": \.id, "nation_id": \.nation],
        collations: ["nation_id": "NOCASE"])
    var id: ID
    var nation: Nation.ID?
    static func id(of entity: Self) -> ID { entity.id }
    init(id: ID, nation: Nation.ID?) {
        self.id = id
        self.nation = nation
    }
    init(row: Row) throws {
        id = try row.id(0)
        nation = try row.optionalID(1)
    }
    func bind(to statement: Statement) throws {
        try statement.bind(id, at: 1)
        try statement.bind(nation, at: 2)
    }
}

private enum Atlas: Schema {
    static let name = "AtlasSchema"
    static let fingerprint: UInt64 = 1
    static let versions = [
        SchemaVersion(
            "1", fingerprint: 1,
            tables: [
                Table("nation", ["code text nocase key"]),
                Table(
                    "town",
                    [
                        "id integer key",
                        "nation_id text? -> nation(code) cascade", "index town_nation_id_idx (nation_id)",
                    ]),
                Table(
                    "nation_friends",
                    [
                        "source_id text -> nation(code) cascade",
                        "target_id integer -> town(id) cascade",
                        "position integer", "key (source_id, target_id)",
                    ], isJoinTable: true),
            ])
    ]
    static let steps: [MigrationStep] = []
}
