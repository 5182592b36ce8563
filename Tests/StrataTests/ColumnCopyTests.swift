import Foundation
import SQLSchema
import Strata
import Testing

/// A complete old row of `s`.
private struct Old: StoredEntity {
    struct ID: RawEntityID { var rawValue: Int }
    struct Relationships: EntityRelationships {}
    static let table = EntityTable("s", key: ["id"], columns: ["id", "name", "extra"])
    var id: ID
    static func id(of entity: Self) -> ID { entity.id }
    init(row: Row) throws { id = try row.id(0) }
    func bind(to statement: Statement) throws {}
}

private struct OldColumns: OldRow, ~Copyable {
    typealias Entity = Old
    private let row: Row
    init(_ row: Row) { self.row = row }
    var id: Int { get throws { try row.int(0) } }
    var name: String { get throws { try row.string(1) } }
    var extra: String? { get throws { try row.optionalString(2) } }
}

/// A new row of `s`.
private struct New: StoredEntity {
    typealias ID = Old.ID
    struct Relationships: EntityRelationships {}
    static let table = EntityTable("s", key: ["id"], columns: ["id", "extra", "first", "size"])
    var id: ID
    var first: String
    static func id(of entity: Self) -> ID { entity.id }
    init(id: Int, first: String) {
        self.id = ID(rawValue: id)
        self.first = first
    }
    init(row: Row) throws {
        id = try row.id(0)
        first = try row.string(2)
    }
    func bind(to statement: Statement) throws {
        try statement.bind(id, at: 1)
        try statement.bind(first, at: 3)
    }
}

private struct Values: MigratedValues {
    typealias Entity = New
    static let columns = ["first", "size"]
    let first: String
    var size: Double?
    func columnValue(at index: Int) -> SQLiteValue { index == 0 ? SQLiteValue(first) : SQLiteValue(size) }
}

/// The table `w`, whose primary key is text, so that an index contains every column that is read.
private enum Words: HandMadeTable {
    static let name = "w"
    static let columns = ["word"]
}

private typealias Word = KeyRow<Words, String>

private struct WordColumns: OldRow, ~Copyable {
    typealias Entity = Word
    private let row: Row
    init(_ row: Row) { self.row = row }
    var word: String { get throws { try row.string(0) } }
}

private struct WordValues: MigratedValues {
    typealias Entity = Word
    static let columns = ["size"]
    let size: Int
    func columnValue(at index: Int) -> SQLiteValue { SQLiteValue(size) }
}

private enum TableT: HandMadeTable {
    static let name = "t"
    static let columns = ["id"]
}

private typealias Pointing = KeyRow<TableT, Int>

/// Custom migrations that read and return single columns of rows.
@Suite struct ColumnCopyTests {
    private static let key = "id integer key"
    private static let old = Table("s", [key, "name text", "extra text?"])
    private static let new = Table("s", [key, "extra text?", "\"first\" text", "size real?"])
    private static let pointing = Table(
        "t",
        [
            key, "s_id integer? -> s(id) cascade",
        ])
    private static let changes = [
        TableChange.custom(from: "s", to: "s", columns: ["extra": .coalesce(.column("extra"), .literal(.text("none")))])
    ]

    private func migrate(
        rows: String, options: StoreOptions = StoreOptions(),
        code: @escaping @Sendable (borrowing OldColumns, StepAccess) throws -> Outcome<Values>,
        check: (URL) throws -> Void = { _ in }
    ) throws {
        try withStore(
            [Self.old, Self.pointing], new: [Self.new, Self.pointing], rows: rows, changes: Self.changes,
            code: { step in
                try step.migrate(OldColumns.self, code)
                try step.followKeys()
            }, options: options, check: check)
    }

    /// SQL that inserts `count` rows with consecutive primary keys from `first`.
    private func many(_ count: Int, from first: Int = 1) -> String {
        """
        WITH RECURSIVE n (i) AS (SELECT \(first) UNION ALL SELECT i + 1 FROM n WHERE i < \(first + count - 1))
        INSERT INTO s SELECT i, 'name ' || i, iif(i % 3 = 0, NULL, 'extra ' || i) FROM n;
        """
    }

    @Test func `a column first read in a late row is available, and columns that are not returned are copied`() throws {
        try migrate(
            rows: many(25_000, from: -5),
            code: { old, _ in
                // Later rows read more columns than the first rows.
                let id = try old.id
                let name = id > 15_000 ? try old.name + (old.extra ?? "-") : "row \(id)"
                return .keep(Values(first: name, size: id % 2 == 0 ? Double(id) : nil))
            },
            check: { (url: URL) throws in
                let first = "iif(id > 15000, 'name ' || id || iif(id % 3 = 0, '-', 'extra ' || id), 'row ' || id)"
                let wrong = """
                    SELECT count(*) FROM s WHERE first <> \(first) OR size IS NOT iif(id % 2 = 0, id * 1.0, NULL)
                    OR extra IS NOT iif(id % 3 = 0, 'none', 'extra ' || id)
                    """
                #expect(try rows(url, wrong) == [[.integer(0)]])
                #expect(
                    try rows(url, "SELECT count(*), min(id), max(id) FROM s") == [
                        [.integer(25_000), .integer(-5), .integer(24_994)]
                    ])
                #expect(try rows(url, "SELECT \"rows\" FROM strata_migrations") == [[.integer(25_000)]])
            })
    }

    @Test func `rows with the least and the greatest primary key are migrated`() throws {
        let ids = [Int.min, -1, 0, Int.max - 1, Int.max]
        try migrate(
            rows: ids.map { "INSERT INTO s VALUES (\($0), 'n', NULL);" }.joined(),
            code: { old, _ in .keep(Values(first: try old.name)) },
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT id, first FROM s ORDER BY id") == ids.map { [.init($0), .text("n")] })
            })
    }

    @Test func `each row is migrated once, even if an index contains all columns`() throws {
        let word = "word text key"
        try withStore(
            [Table("w", [word])], new: [Table("w", [word, "size integer"])],
            rows: "INSERT INTO w VALUES ('xyz'), ('mn'), ('a'), ('')", changes: [.custom(from: "w", to: "w")],
            code: { step in
                try step.migrate(WordColumns.self) { old, _ -> Outcome<WordValues> in
                    let word = try old.word
                    return word == "mn" ? .drop : .keep(WordValues(size: word.utf8.count))
                }
            }
        ) { (url: URL) throws in
            #expect(try rows(url, "SELECT count(*), sum(size = length(word)) FROM w") == [[.integer(3), .integer(3)]])
        }
    }

    @Test func `foreign keys follow dropped and merged rows`() throws {
        try migrate(
            rows: many(2_000) + "INSERT INTO t SELECT id, id FROM s",
            code: { old, _ in
                let id = try old.id
                if id % 10 == 0 { return .drop }
                return id % 10 == 1 ? .merge(into: New.ID(rawValue: id + 1)) : .keep(Values(first: try old.name))
            },
            check: { (url: URL) throws in
                #expect(
                    try rows(url, "SELECT count(*), count(*) FILTER (WHERE id % 10 < 2) FROM s")
                        == [[.integer(1_600), .integer(0)]])
                #expect(
                    try rows(
                        url,
                        """
                        SELECT count(*), count(*) FILTER (WHERE s_id = id), count(*) FILTER (WHERE id % 10 = 1 AND s_id = id + 1)
                        FROM t
                        """) == [[.integer(1_800), .integer(1_600), .integer(200)]])
            })
    }

    @Test func `a custom migration can insert and find rows while it runs`() throws {
        try migrate(
            rows: many(3_000),
            code: { old, access in
                let context = MigrationContext(access)
                let id = try old.id
                try context.insert(New(id: -id, first: "added"))
                #expect(try context.find(New.self, id: .init(rawValue: -id))?.first == "added")
                #expect(try id == 1 || context.find(New.self, id: .init(rawValue: id - 1))?.first == "name \(id - 1)")
                return .keep(Values(first: try old.name))
            },
            check: { (url: URL) throws in
                #expect(
                    try rows(url, "SELECT count(*), sum(first = 'added'), sum(first = 'name ' || id) FROM s")
                        == [[.integer(6_000), .integer(3_000), .integer(3_000)]])
            })
    }

    @Test func `every row is migrated even if SQLite reverses unordered queries`() throws {
        var options = StoreOptions()
        options.setUp = { try $0.execute("PRAGMA reverse_unordered_selects = ON") }
        try withStore(
            [Self.old], new: [Self.new], rows: many(500), changes: Self.changes,
            code: { step in
                try step.migrate(OldColumns.self) { old, _ -> Outcome<Values> in .keep(Values(first: try old.name)) }
            }, options: options,
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT count(*) FROM s") == [[.integer(500)]])
            })
    }

    @Test func `two tables are migrated one after the other while a third is read`() throws {
        let word = Table("w", ["word text key"])
        let sized = word.named(nil, ["size integer"])
        try withStore(
            [Self.old, word, Self.pointing], new: [Self.new, sized, Self.pointing],
            rows: many(50) + "INSERT INTO w VALUES ('a'), ('bc'); INSERT INTO t VALUES (1, 1), (2, 2)",
            changes: Self.changes + [.custom(from: "w", to: "w")],
            code: { step in
                let reading = try step.context.old(Pointing.self)
                #expect(try reading.next()?.id.rawValue == 1)
                try step.migrate(OldColumns.self) { old, _ -> Outcome<Values> in .keep(Values(first: try old.name)) }
                try step.migrate(WordColumns.self) { old, _ -> Outcome<WordValues> in
                    .keep(WordValues(size: try old.word.utf8.count))
                }
                #expect(try reading.next()?.id.rawValue == 2)
                #expect(throws: SQLiteError.self) { try step.context.execute("SELECT strata_row(1)") }
            },
            check: { (url: URL) throws in
                #expect(try rows(url, "SELECT count(*) FROM s") == [[.integer(50)]])
                #expect(try rows(url, "SELECT sum(size) FROM w") == [[.integer(3)]])
            })
    }

    private struct Refused: Error {}

    @Test func `errors in a custom migration reach the caller`() throws {
        var thrown: [String] = []
        let refusals: [@Sendable (borrowing OldColumns) throws -> Values] = [
            { if try $0.id == 700 { throw Refused() } else { Values(first: "") } },
            { Values(first: "", size: try $0.id == 700 ? .nan : nil) },
            { Values(first: try $0.id == 700 ? $0.extra ?? "" : "") },
        ]
        for refusal in refusals {
            do {
                try migrate(
                    rows: many(1_000) + "UPDATE s SET extra = CAST(x'ff' AS TEXT) WHERE id = 700",
                    code: { old, _ in .keep(try refusal(old)) })
            } catch {
                thrown.append("\(error)")
            }
        }
        #expect(
            thrown == [
                "Refused()", "the value of parameter 2 cannot be stored: NaN has no form in SQLite",
                "the value in s.extra is not UTF-8",
            ])
    }

    @Test func `a custom migration can be cancelled between two rows`() throws {
        let count = Progress(totalUnitCount: 3_000)
        var options = StoreOptions()
        options.isMigrationCancelled = { count.completedUnitCount >= 1_234 }
        #expect(throws: CancellationError.self) {
            try migrate(
                rows: many(3_000), options: options,
                code: { old, _ in
                    count.completedUnitCount += 1
                    return .keep(Values(first: try old.name))
                })
        }
        #expect(count.completedUnitCount == 1_234)
    }
}
