import Foundation
import Testing

@testable import Strata

@Suite struct ValueTests {
    private func roundTrip<Value>(_ bind: (Statement) throws -> Void, _ read: (Row) throws -> Value) throws -> Value? {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE t (a ANY) STRICT")
        let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
        try bind(insert)
        try insert.run()
        var value: Value?
        try connection.query("SELECT a FROM t") { value = try read($0) }
        return value
    }

    @Test(arguments: [
        "", "a", "nul\u{0}inside", "\u{0}", "e\u{301}", "\u{e9}", "🧺", String(repeating: "é", count: 100_000),
    ])
    func `text is read back byte for byte`(text: String) throws {
        let found = try roundTrip({ try $0.bind(text, at: 1) }, { try $0.string(0) })
        #expect(found.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test(arguments: [
        0, 1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity, 789_012_345.678_901,
    ])
    func `numbers and dates are read back to the last bit`(number: Double) throws {
        #expect(try roundTrip({ try $0.bind(number, at: 1) }, { try $0.double(0) }) == number)
        let date = Date(timeIntervalSinceReferenceDate: number)
        #expect(try roundTrip({ try $0.bind(date, at: 1) }, { try $0.date(0) }) == date)
    }

    @Test func `data, decimals, UUIDs and colors are read back unchanged`() throws {
        for data in [Data(), Data([0]), Data(repeating: 7, count: 1_000_000)] {
            #expect(try roundTrip({ try $0.bind(data, at: 1) }, { try $0.data(0) }) == data)
        }
        let decimal = try #require(Decimal(string: "-12345678901234567890123456789.012345678"))
        #expect(try roundTrip({ try $0.bind(decimal, at: 1) }, { try $0.decimal(0) }) == decimal)
        let uuid = UUID()
        #expect(try roundTrip({ try $0.bind(uuid, at: 1) }, { try $0.uuid(0) }) == uuid)
        #expect(try roundTrip({ try $0.bindColor("#00ff00", at: 1) }, { try $0.color(0) }) == "#00ff00")
    }

    @Test func `an integer that does not fit is an error that names its column`() throws {
        let connection = try Connection(path: ":memory:", mode: .readWrite)
        let statement = try connection.prepare("SELECT 2147483647 AS fits, -2147483649 AS stars")
        #expect(try statement.step())
        #expect(try statement.row.integer(0) == Int32.max)
        #expect(try statement.row.int64(1) == -2_147_483_649)
        #expect {
            let _: Int32 = try statement.row.integer(1)
        } throws: { error in
            String(describing: error) == "the value in stars is not an integer of 32 bits, but -2147483649"
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1, Int.max]) func `integers are read back, including the least and the greatest`(
        number: Int
    ) throws {
        #expect(try roundTrip({ try $0.bind(number, at: 1) }, { try $0.int(0) }) == number)
        #expect(try roundTrip({ try $0.bind(Optional(number), at: 1) }, { try $0.optionalInt(0) }) == number)
    }

    @Test func `negative zero is read back as positive zero`() throws {
        let store = try Store(inMemory: Things.self)
        var thing = Thing(id: 1)
        thing.ratio = -0.0
        let negative = thing
        try store.write { try $0.insert(negative) }
        let found = try store.read { try $0.find(Thing.self, id: 1) }
        #expect(found?.ratio == 0 && found?.ratio.sign == .plus)
    }

    @Test(arguments: [
        Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0.1), Date(timeIntervalSince1970: 0),
    ])
    func `dates in the distant past and future are read back unchanged`(date: Date) throws {
        #expect(try roundTrip({ try $0.bind(date, at: 1) }, { try $0.date(0) }) == date)
    }

    @Test func `values of 50 MB are read back unchanged`() throws {
        var data = Data(count: 50_000_000)
        for place in stride(from: 0, to: data.count, by: 4_099) { data[place] = UInt8(truncatingIfNeeded: place) }
        #expect(try roundTrip({ try $0.bind(data, at: 1) }, { try $0.data(0) }) == data)
        let text = String(repeating: "🧺é", count: 5_000_000)
        #expect(try roundTrip({ try $0.bind(text, at: 1) }, { try $0.string(0) }) == text)
    }

    @Test(arguments: [[], [""], ["a", "b\u{0}", "\"", "\\", "e\u{301}"]]) func `lists and empty lists are read back`(
        list: [String]
    ) throws {
        let found = try roundTrip({ try $0.bind(list, at: 1) }, { row -> [String] in try row.value(0) })
        #expect(found?.map { Array($0.utf8) } == list.map { Array($0.utf8) })
    }

    @Test(arguments: ["0", "-0.1", "1e127", "-1e-127", "99999999999999999999999999999999999999"])
    func `decimals are read back to the last digit`(digits: String) throws {
        let decimal = try #require(Decimal(string: digits))
        #expect(try roundTrip({ try $0.bind(decimal, at: 1) }, { try $0.decimal(0) }) == decimal)
    }

    @Test func `a value that cannot be stored is refused with the name of its column`() throws {
        let store = try Store(inMemory: Things.self)
        try store.write { (t: WriteTransaction) throws in
            var thing = Thing(id: 1)
            try t.insert(thing)
            thing.ratio = .nan
            let refused = thing
            for write in [t.insert, { try t.upsert($0) }, t.update] as [(Thing) throws -> Void] {
                do {
                    try write(refused)
                    Issue.record("nothing was thrown")
                } catch let error as UnstorableValue {
                    #expect("\(error)" == "the value of thing.ratio cannot be stored: NaN has no form in SQLite")
                }
            }
            #expect(try t.fetch(Thing.self).map(\.ratio) == [0])
        }
    }

    @Test func `dictionaries are JSON in the order of their keys`() throws {
        #expect(
            try JSONWriter.text(of: [10: ["a": 1.5], 9: [:], -1: ["\"é\n": 0, "": -1]])
                == #"{"-1":{"":-1.0,"\"é\n":0.0},"9":{},"10":{"a":1.5}}"#)
        let value = [["e\u{301}": 1], [:]]
        #expect(try [[String: Int]](json: JSONReader(parsing: JSONWriter.text(of: value))) == value)
        for text in ["[]", #"{"a":1}"#, #"{"1":"a"}"#, #"{"1":null}"#, #"{"1.0":1}"#] {
            #expect(throws: MalformedJSON.self) { try [Int: Int](json: JSONReader(parsing: text)) }
        }
        #expect(throws: UnstorableValue.nulInKey) { try JSONWriter.text(of: ["a\0b": 1]) }
    }

    @Test func `entities are compared by all their values and hashed by their primary keys`() {
        let thing = Thing(id: 1)
        var other = thing
        #expect(thing == other)
        other.flag = true
        #expect(thing != other && thing.hashValue == other.hashValue)
        #expect(Set([thing, other, thing, Thing(id: 2)]).count == 3)
    }

    @Test func `a value that cannot be stored is refused`() throws {
        let statement = try Connection(path: ":memory:", mode: .create).prepare("SELECT ?1")
        #expect(throws: UnstorableValue.self) { try statement.bind(Double.nan, at: 1) }
        #expect(throws: UnstorableValue.self) { try statement.bind(Decimal.nan, at: 1) }
        #expect(throws: UnstorableValue.self) { try statement.bindColor("green", at: 1) }
    }

    @Test(arguments: ["NULL", "'text'", "X'00'", "2.5"]) func `a malformed value is an error that names its column`(
        sql: String
    ) throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.query("SELECT \(sql) AS thing") { row in
            #expect(throws: MalformedValue.self) { try row.int(0) }
            #expect(throws: MalformedValue.self) { try row.bool(0) }
            #expect(throws: MalformedValue.self) { try row.uuid(0) }
            #expect { try row.decimal(0) } throws: { ($0 as? MalformedValue)?.column == "thing" }
        }
        try connection.query("SELECT 2 AS flag") { row in
            #expect(throws: MalformedValue.self) { try row.bool(0) }
            #expect(throws: MalformedValue.self) { try row.optionalString(0) }
        }
    }

    @Test func `text that is not UTF-8 is an error and is not repaired`() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        for bytes in ["ff", "61ff", "f09f92", "c0af", "eda080"] {
            try connection.query("SELECT CAST(X'\(bytes)' AS TEXT) AS a") { row in
                #expect(throws: MalformedValue.self) { try row.string(0) }
            }
        }
    }

    @Test(arguments: ["12abc", "1-2", "", "1.2.3", "1.50"]) func `a malformed decimal is an error`(text: String)
        throws
    {
        let statement = try Connection(path: ":memory:", mode: .create).prepare("SELECT ?1")
        try statement.bind(text, at: 1)
        _ = try statement.step()
        #expect(throws: MalformedValue.self) { try statement.row.decimal(0) }
    }

    @Test func `the error for a malformed row names its table and column, but no value`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Shop.self)
            let connection = try Connection(path: url.path, mode: .readWrite)
            try connection.execute(
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '') WHERE name = 'store'"
            )
            try Connection(path: url.path, mode: .readWrite).execute("INSERT INTO store VALUES (1, 'a', 'secret')")
            #expect { try store.read { try $0.fetch(Item.self) } } throws: { error in
                String(describing: error) == "the value in store.stars is not an integer"
            }
        }
    }
}

/// The localized descriptions of errors.
@Suite struct LocalizedErrorTests {
    @Test(
        arguments: [
            StoreError.notAStore, MigrationError.rolledBack,
            QueryError.noSuchColumn(name: "a", sql: "SELECT 1"), RelationshipError.noSuchRow(table: "t"),
            UnwrittenMigration(),
        ] as [any StrataError])
    func `an error's localized description is its description`(error: any StrataError) {
        #expect(error.localizedDescription == error.description)
        #expect((error as NSError).localizedDescription == error.description)
    }
}
