import Foundation
import SQLSchema
import Strata
import Testing

/// Inserting many rows with one statement.
@Suite struct RowFeedTests {
    private func thing(_ id: Int) -> Thing {
        var thing = Thing(id: id)
        thing.number = id % 3 == 0 ? nil : id
        thing.ratio = Double(id) / 3
        // Shorter and longer than the buffer of a statement, alone and together.
        thing.text = String(repeating: "ä\0b", count: [0, 1, 100, 300, 2_000][id % 5])
        thing.note = id % 2 == 0 ? nil : String(repeating: "x", count: id * 50)
        thing.price = Decimal(id) / 4
        thing.parent = id > 1 ? Thing.ID(rawValue: 1) : nil
        return thing
    }

    @Test func `rows are inserted as they are, in any number`() throws {
        for count in [0, 1, 2, 500] {
            let store = try Store(inMemory: Things.self)
            let things = (0..<count).map { thing($0 + 1) }
            try store.write { try $0.insert(contentsOf: things) }
            #expect(try store.read { try $0.fetch(Thing.self) } == things)
            try store.write { try $0.insert(contentsOf: things.lazy.map { Place($0.text, $0.id.rawValue) }) }
            #expect(try store.read { try $0.count(Place.self) } == count)
        }
    }

    @Test func `blobs of each length are inserted`() throws {
        struct Bytes: StoredEntity {
            struct ID: RawEntityID { var rawValue: Int }
            static let table = EntityTable("bytes", key: ["id"], columns: ["id", "data"])
            var id: Int
            var data: Data
            static func id(of entity: Self) -> ID { ID(rawValue: entity.id) }
            init(_ id: Int) {
                self.id = id
                data = Data((0..<id * 200).map { UInt8($0 % 251) })
            }
            init(row: Row) throws {
                id = try row.int(0)
                data = try row.data(1)
            }
            func bind(to statement: Statement) throws {
                try statement.bind(id, at: 1)
                try statement.bind(data, at: 2)
            }
        }
        enum Blobs: Schema {
            static let name = "BlobSchema"
            static let fingerprint: UInt64 = 3
            static let versions = [
                SchemaVersion("1", fingerprint: 3, tables: [Table("bytes", ["id integer key", "data blob"])])
            ]
            static let steps: [MigrationStep] = []
        }
        let store = try Store(inMemory: Blobs.self)
        try store.write { try $0.insert(contentsOf: (0..<20).map(Bytes.init)) }
        #expect(try store.read { try $0.fetch(Bytes.self) } == (0..<20).map(Bytes.init))
    }

    @Test func `a row that cannot be inserted leaves none of the rows`() throws {
        let store = try Store(inMemory: Things.self)
        try store.write { (transaction: WriteTransaction) throws in
            let seven = thing(7)
            try transaction.insert(seven)
            let duplicate = #expect(throws: SQLiteError.self) {
                try transaction.insert(contentsOf: (1...20).map(thing))
            }
            #expect(duplicate?.message.contains("thing.id") == true)
            var malformed = thing(5)
            malformed.ratio = .nan
            let unstorable = #expect(throws: UnstorableValue.self) {
                try transaction.insert(contentsOf: [thing(1), malformed, thing(2)])
            }
            #expect(unstorable?.column == "thing.ratio")
            #expect(try transaction.fetch(Thing.self) == [seven])
            try transaction.insert(contentsOf: [thing(1), thing(2)])
            #expect(try transaction.count(Thing.self) == 3)
        }
        #expect(try store.read { try $0.count(Thing.self) } == 3)
    }

    @Test func `a row that cannot be inserted, ignored or updated leaves none of the rows`() throws {
        // SQLite finds that nothing can be violated in a table of columns that may be NULL.
        struct Loose: StoredEntity {
            struct ID: RawEntityID { var rawValue: Int }
            static let table = EntityTable("loose", key: ["id"], columns: ["id", "ratio"])
            var id: Int
            var ratio: Double
            static func id(of entity: Self) -> ID { ID(rawValue: entity.id) }
            init(_ id: Int, _ ratio: Double) { (self.id, self.ratio) = (id, ratio) }
            init(row: Row) throws { (id, ratio) = (try row.int(0), try row.double(1)) }
            func bind(to statement: Statement) throws {
                try statement.bind(id, at: 1)
                try statement.bind(ratio, at: 2)
            }
        }
        enum Looses: Schema {
            static let name = "LooseSchema"
            static let fingerprint: UInt64 = 4
            static let versions = [
                SchemaVersion("1", fingerprint: 4, tables: [Table("loose", ["id integer key", "ratio real?"])])
            ]
            static let steps: [MigrationStep] = []
        }
        let store = try Store(inMemory: Looses.self)
        let rows = [Loose(1, 2), Loose(2, 2), Loose(3, .nan), Loose(4, 2)]
        try store.write { (transaction: WriteTransaction) throws in
            try transaction.insert(Loose(1, 1))
            let ways: [([Loose]) throws -> Void] = [
                { try transaction.insert(contentsOf: $0.dropFirst()) },
                { try transaction.insertOrIgnore(contentsOf: $0) },
                { try transaction.upsert(contentsOf: $0) },
            ]
            for way in ways {
                #expect(throws: UnstorableValue.self) { try way(rows) }
                #expect(try transaction.fetch(Loose.self).map { [Double($0.id), $0.ratio] } == [[1, 1]])
            }
        }
    }

    @Test func `triggers of the app run for each row`() throws {
        let store = try Store(inMemory: Things.self)
        let things = (1...50).map(thing)
        try store.write { (transaction: WriteTransaction) throws in
            try transaction.execute(
                "CREATE TRIGGER copied AFTER INSERT ON thing BEGIN INSERT INTO place VALUES (new.text, new.id); END")
            try transaction.insert(contentsOf: things)
            #expect(try transaction.fetch(Thing.self) == things)
            let places = try transaction.fetch(Place.all.orderBy { $0.number.ascending })
            #expect(places == things.map { Place($0.text, $0.id.rawValue) })
        }
    }

    @Test func `a sequence may read and write the store while its rows are inserted`() throws {
        let store = try Store(inMemory: Things.self)
        try store.write { (transaction: WriteTransaction) throws in
            var number = 0
            let things = AnyIterator<Thing> {
                guard number < 50, (try? transaction.count(Place.self)) == number else { return nil }
                try? transaction.insert(Place("shelf", number))
                number += 1
                return thing(number)
            }
            try transaction.insert(contentsOf: IteratorSequence(things))
            #expect(try transaction.count(Thing.self) == 50)
            #expect(try transaction.count(Place.self) == 50)
        }
    }
}
