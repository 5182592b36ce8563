import SQLSchema
import Strata
import Testing

/// A join table that keeps the order of both ends. The primary key of a shelf has a collation.
@Suite struct JoinTableOrderTests {
    private func withStore(_ body: (WriteTransaction) throws -> Void) throws {
        let store = try Store(inMemory: Library.self)
        try store.write { (t: WriteTransaction) throws in
            for id in ["A", "B", "C"] { try t.insert(Shelf(id: .init(rawValue: id))) }
            for id in 1...4 { try t.insert(Book(id: .init(rawValue: id))) }
            try body(t)
        }
    }

    private let shelf = Shelf(id: "A")
    private let book = Book(id: 1)

    @Test func `each end keeps the order in which it was set`() throws {
        try withStore { (t: WriteTransaction) throws in
            try t.setRelated(shelf, \.books, to: [3, 1, 2])
            try t.setRelated(Shelf(id: "B"), \.books, to: [1, 3])
            try t.setRelated(book, \.shelves, to: ["C", "b", "A"])
            #expect(try t.related(shelf, \.books).map(\.id) == [3, 1, 2])
            #expect(try t.related(Shelf(id: "B"), \.books).map(\.id) == [1, 3])
            #expect(try t.related(book, \.shelves).map(\.id) == ["C", "B", "A"])
            #expect(
                try t.related([book, Book(id: 3)], \.shelves).mapValues { $0.map(\.id) } == [
                    1: ["C", "B", "A"], 3: ["A", "B"],
                ])
        }
    }

    @Test func `a pair that stays keeps its position at the other end, and a new one comes last`() throws {
        try withStore { (t: WriteTransaction) throws in
            try t.setRelated(book, \.shelves, to: ["C", "A", "B"])
            // From here on, only the order at the shelves is set.
            try t.setRelated(shelf, \.books, to: [4, 1])
            try t.setRelated(Shelf(id: "C"), \.books, to: [])
            try t.setRelated(Shelf(id: "C"), \.books, to: [2, 1])
            #expect(try t.related(book, \.shelves).map(\.id) == ["A", "B", "C"])
            #expect(try t.related(shelf, \.books).map(\.id) == [4, 1])
            try t.setRelated(Book(id: 4), \.shelves, to: ["B", "a"])
            #expect(try t.related(shelf, \.books).map(\.id) == [4, 1])
            #expect(try t.related(Shelf(id: "B"), \.books).map(\.id) == [1, 4])
            #expect(try t.related(Book(id: 4), \.shelves).map(\.id) == ["B", "A"])
        }
    }

    @Test func `pairs without a position at their target come last, by primary key`() throws {
        try withStore { (t: WriteTransaction) throws in
            try t.execute("INSERT INTO shelf_books VALUES ('c', 1, 0, NULL), ('A', 1, 0, NULL), ('B', 1, 0, 7)")
            #expect(try t.related(book, \.shelves).map(\.id) == ["B", "A", "C"])
            try t.setRelated(Shelf(id: "C"), \.books, to: [2, 1])
            try t.setRelated(shelf, \.books, to: [1, 2])
            #expect(try t.related(book, \.shelves).map(\.id) == ["B", "A", "C"])
        }
    }

    @Test func `positions are found by the collation of the primary key`() throws {
        try withStore { (t: WriteTransaction) throws in
            try t.execute("INSERT INTO shelf_books VALUES ('c', 1, 0, 0), ('c', 2, 3, 0)")
            // The pair of book 1 keeps its position, 0, and that of book 3 comes after 3.
            try t.setRelated(book, \.shelves, to: ["C"])
            try t.setRelated(Book(id: 3), \.shelves, to: ["C"])
            #expect(try t.related(Shelf(id: "C"), \.books).map(\.id) == [1, 2, 3])
        }
    }

    @Test func `a row that is named twice is refused`() throws {
        try withStore { (t: WriteTransaction) throws in
            try t.setRelated(shelf, \.books, to: [1])
            #expect(throws: SQLiteError.self) { try t.setRelated(shelf, \.books, to: [1, 1]) }
            #expect(throws: SQLiteError.self) { try t.setRelated(book, \.shelves, to: ["A", "a"]) }
        }
    }
}

private struct Shelf: StoredEntity {
    struct ID: RawEntityID, ExpressibleByStringLiteral { var rawValue: String }
    struct Relationships: EntityRelationships {
        var books: ToMany<Shelf, Book> { .init(joinTable: "shelf_books", orderedInverse: true) }
    }
    typealias Columns = PropertyColumns<Shelf>
    static let table = EntityTable(
        Self.self, "shelf", key: ["id"], columns: ["id": \.id], keyCollations: ["NOCASE"])
    var id: ID
    static func id(of entity: Self) -> ID { entity.id }
    init(id: ID) { self.id = id }
    init(row: Row) throws { id = try row.id(0) }
    func bind(to statement: Statement) throws { try statement.bind(id, at: 1) }
}

private struct Book: StoredEntity {
    struct ID: RawEntityID, ExpressibleByIntegerLiteral { var rawValue: Int }
    struct Relationships: EntityRelationships {
        var shelves: ToMany<Book, Shelf> { .init(joinTable: "shelf_books", orderedInverse: true, reversed: true) }
    }
    typealias Columns = PropertyColumns<Book>
    static let table = EntityTable(Self.self, "book", key: ["id"], columns: ["id": \.id])
    var id: ID
    static func id(of entity: Self) -> ID { entity.id }
    init(id: ID) { self.id = id }
    init(row: Row) throws { id = try row.id(0) }
    func bind(to statement: Statement) throws { try statement.bind(id, at: 1) }
}

private enum Library: Schema {
    static let name = "LibrarySchema"
    static let fingerprint: UInt64 = 1
    static let versions = [
        SchemaVersion(
            "1", fingerprint: 1,
            tables: [
                Table("shelf", ["id text nocase key"]),
                Table("book", ["id integer key"]),
                Table(
                    "shelf_books",
                    [
                        "source_id text -> shelf(id) cascade", "target_id integer -> book(id) cascade",
                        "position integer", "inverse_position integer?", "key (source_id, target_id)",
                    ], isJoinTable: true),
            ])
    ]
    static let steps: [MigrationStep] = []
}
