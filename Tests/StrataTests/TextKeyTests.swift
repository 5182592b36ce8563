import Foundation
import SQLSchema
import Strata
import Testing

/// Keys that Swift calls equal and SQLite does not: é as one character, and as a letter with an accent.
@Suite struct TextKeyTests {
    private static let one = "caf\u{e9}"
    private static let two = "cafe\u{301}"

    private func withPlaces(_ body: (Store) throws -> Void) throws {
        try withFile { url in
            let store = try Store(at: url, schema: Things.self)
            try store.write { transaction in
                try transaction.insert(Place(Self.one, 1))
                try transaction.insert(Place(Self.two, 1))
            }
            try body(store)
        }
    }

    @Test func `keys are compared byte by byte`() throws {
        #expect(Self.one == Self.two)
        typealias Key = PrimaryKey<Place, String>
        #expect(Key(rawValue: Self.one) != Key(rawValue: Self.two))
        #expect(Set([Key(rawValue: Self.one), Key(rawValue: Self.two)]).count == 2)
        #expect(Place.ID(shelf: Self.one, number: 1) != Place.ID(shelf: Self.two, number: 1))
        #expect(SQLiteValue.text(Self.one) != .text(Self.two))
        #expect([SQLiteValue.text(Self.one): 1, .text(Self.two): 2].count == 2)
        var equality = Equality()
        equality.compare(Self.one as String?, Self.two)
        #expect(!equality.holds)
        equality = Equality()
        equality.compare([Self.one], [Self.two])
        #expect(!equality.holds)
        equality = Equality()
        equality.compare(nil as String?, nil)
        equality.compare(["a"] as [String]?, ["a"])
        equality.compare("a", "a")
        #expect(equality.holds)
        equality.compare(nil as [String]?, [])
        #expect(!equality.holds)
    }

    @Test func `rows with such keys are different rows`() throws {
        try withPlaces { (store: Store) throws in
            #expect(try store.read { try $0.count(Place.self) } == 2)
            let ids = try store.read { try $0.fetch(Place.self).map(\.id) }
            #expect(Set(ids).count == 2)
            for id in ids {
                let found = try store.read { try $0.find(Place.self, id: id) }
                #expect(found.map { Array($0.id.shelf.utf8) } == Array(id.shelf.utf8))
            }
        }
    }

    @Test func `an observation notices another form of a text`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try Store(at: folder.appendingPathComponent("store.sqlite"), schema: Things.self)
        try await store.write { try $0.insert(Place(Self.one, 1)) }
        var rows = store.observe(Place.all).makeAsyncIterator()
        var texts = store.observe { try $0.fetch(Place.self).map(\.id.shelf) }.makeAsyncIterator()
        #expect(try await rows.next()?.first?.id.shelf.utf8.count == Self.one.utf8.count)
        #expect(try await texts.next()?.first?.utf8.count == Self.one.utf8.count)
        try await store.write { try $0.execute("UPDATE place SET shelf = ?", [Self.two]) }
        #expect(try await rows.next()?.first?.id.shelf.utf8.count == Self.two.utf8.count)
        #expect(try await texts.next()?.first?.utf8.count == Self.two.utf8.count)
    }

    @Test func `a value that would be written back as another one is malformed`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        let values = "SELECT 1e300, 9e999, 1.5, 'https://example.com/\u{fc}', 'https://example.com/%C3%BC'"
        try connection.query(values) { (row: Row) throws in
            #expect(throws: MalformedValue.self) { try row.float(0) }
            #expect(try row.float(1) == .infinity)
            #expect(try row.float(2) == 1.5)
            #expect(throws: MalformedValue.self) { try row.url(3) }
            #expect(try row.url(4).absoluteString == "https://example.com/%C3%BC")
        }
    }
}
