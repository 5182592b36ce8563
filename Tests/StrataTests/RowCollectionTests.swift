import SQLSchema
import Strata
import Testing

/// Fetching rows through the aggregate function that passes them to Swift.
@Suite struct RowCollectionTests {
    private static let wide = (0..<140).map { "c\($0)" }

    /// A row with more columns than SQLite passes to a function.
    private struct Wide: StoredEntity {
        struct ID: RawEntityID { var rawValue: Int }
        static let table = EntityTable("wide", key: ["c0"], columns: RowCollectionTests.wide)
        var values: [Int]
        static func id(of entity: Self) -> ID { ID(rawValue: entity.values[0]) }
        init(_ number: Int) { values = (0..<140).map { number * 1_000 + $0 } }
        init(row: Row) throws { values = try (0..<140).map(row.int) }
        func bind(to statement: Statement) throws {
            for (place, value) in values.enumerated() { try statement.bind(value, at: place + 1) }
        }
    }

    /// A row whose columns are all in an index, in another order than that of the key.
    private struct Narrow: StoredEntity {
        struct ID: RawEntityID { var rawValue: Int }
        static let table = EntityTable("narrow", key: ["id"], columns: ["id", "word"])
        var id: Int
        var word: String
        static func id(of entity: Self) -> ID { ID(rawValue: entity.id) }
        init(_ id: Int) {
            self.id = id
            word = String(1_000 - id)
        }
        init(row: Row) throws {
            id = try row.int(0)
            word = try row.string(1)
            if word == "refused" { throw Refused() }
        }
        func bind(to statement: Statement) throws {
            try statement.bind(id, at: 1)
            try statement.bind(word, at: 2)
        }
    }

    private struct Refused: Error {}

    private enum Cells: Schema {
        static let name = "CellSchema"
        static let fingerprint: UInt64 = 2
        static let versions = [
            SchemaVersion(
                "1", fingerprint: 2,
                tables: [
                    Table("wide", ["c0 integer key"] + RowCollectionTests.wide.dropFirst().map { "\($0) integer" }),
                    Table("narrow", ["id integer key", "word text", "index narrow_word_idx (word)"]),
                ])
        ]
        static let steps: [MigrationStep] = []
    }

    private let store: Store

    init() throws {
        store = try Store(inMemory: Cells.self)
        try store.write { (transaction: WriteTransaction) throws in
            for number in 1...20 {
                try transaction.insert(Wide(number))
                try transaction.insert(Narrow(number))
            }
        }
    }

    @Test func `rows with many columns are fetched and inserted whole`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            #expect(throws: SQLiteError.self) { try transaction.insert(contentsOf: [Wide(21), Wide(3)]) }
            try transaction.delete(Wide.all)
            try transaction.insert(contentsOf: (1...20).map(Wide.init))
        }
        #expect(try store.read { try $0.fetch(Wide.self) }.map(\.values) == (1...20).map { Wide($0).values })
        #expect(try store.read { try $0.fetch(Wide.all) }.count == 20)
    }

    @Test func `all rows come in the order of their keys, although an index has all columns`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            // SQLite believes that the index is much smaller than the table.
            try transaction.execute("ANALYZE")
            try transaction.execute("UPDATE sqlite_stat1 SET stat = '20 1 sz=1' WHERE idx = 'narrow_word_idx'")
            try transaction.execute("ANALYZE sqlite_schema")
            #expect(try transaction.plan(of: Narrow.all).contains("narrow_word_idx"))
        }
        try store.read { (transaction: ReadTransaction) throws in
            for _ in 0..<2 {
                #expect(try transaction.fetch(Narrow.self).map(\.id) == Array(1...20))
                #expect(Set(try transaction.fetch(Narrow.all).map(\.id)) == Set(1...20))
            }
        }
    }

    @Test func `an error in a row ends the query, and the next one runs`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            var row = Narrow(21)
            row.word = "refused"
            try transaction.insert(row)
            #expect(throws: Refused.self) { try transaction.fetch(Narrow.self) }
            #expect(throws: Refused.self) { try transaction.fetch(Narrow.all) }
            try transaction.delete(row)
            #expect(try transaction.fetch(Narrow.self).count == 20)
            try transaction.execute("UPDATE narrow SET word = CAST(x'ff' AS TEXT) WHERE id = 20")
            let error = #expect(throws: MalformedValue.self) { try transaction.fetch(Narrow.self) }
            #expect(error?.description == "the value in narrow.word is not UTF-8")
            for text in ["\u{1F600}", "ab\u{10FFFF}cdefgh", "ÄÖÜ", "", "12345678", "1234567", "1234567ü", "ü12345678"] {
                try transaction.execute("UPDATE narrow SET word = ? WHERE id = 20", [text])
                #expect(try transaction.fetch(Narrow.self).last?.word == text)
            }
            // Three bytes that Swift replaces by the three bytes of U+FFFD.
            try transaction.execute("UPDATE narrow SET word = CAST(x'4141414141f09080' AS TEXT) WHERE id = 20")
            #expect(throws: MalformedValue.self) { try transaction.fetch(Narrow.self) }
        }
    }
}
