import SQLSchema
import Strata
import Testing

/// Unique indexes that contain only some rows.
@Suite struct PartialIndexTests {
    @Test func `upsert writes the spelling of a key without case`() throws {
        let tables = [
            Table("store", ["id integer key", "title text? nocase", "stars integer", "unique store_title_key (title)"])
        ]
        try withStore(tables, rows: "INSERT INTO store VALUES (1, 'a', 5)", changes: [], check: { _ in }) {
            (store: Store) throws in
            try store.write { (transaction: WriteTransaction) throws in
                let stored = try transaction.upsert(Item(id: 7, title: "A", stars: 4), on: \.title)
                #expect(stored.id == 1 && stored.title == "A")
                #expect(try transaction.fetch(Item.self).map { "\($0.id.rawValue) \($0.title ?? "")" } == ["1 A"])
            }
        }
    }

    @Test func `upsert finds the row of a unique index that contains only some rows`() throws {
        let tables = [
            Table(
                "store",
                [
                    "id integer key", "title text?", "stars integer",
                    "unique store_title_key (title) where 'title <> \\'\\' AND stars > 0'",
                    "unique store_few_key (title) where 'stars < -5'",
                    "index store_stars_idx (stars) where 'title = \\'\\''",
                ])
        ]
        try withStore(
            tables, rows: "INSERT INTO store VALUES (1, 'a', 5), (2, '', 5), (3, 'b', -9)", changes: [], check: { _ in }
        ) {
            (store: Store) throws in
            try store.write { (transaction: WriteTransaction) throws in
                #expect(try transaction.upsert(Item(id: 7, title: "a", stars: 4), on: \.title).id == 1)
                #expect(try transaction.upsert(Item(id: 7, title: "b", stars: -8), on: \.title).id == 3)
                // Rows that no index contains are inserted.
                #expect(try transaction.upsert(Item(id: 8, title: "", stars: 5), on: \.title).id == 8)
                #expect(try transaction.upsert(Item(id: 9, title: "a", stars: 0), on: \.title).id == 9)
                #expect(throws: SQLiteError.self) {
                    try transaction.upsert(Item(id: 9, title: "x", stars: 1), on: \.stars)
                }
                #expect(
                    try transaction.fetch(Item.all.orderBy { $0.id.ascending }).map {
                        "\($0.id.rawValue) \($0.title ?? "") \($0.stars)"
                    }
                        == ["1 a 4", "2  5", "3 b -8", "8  5", "9 a 0"])
            }
        }
    }
}
