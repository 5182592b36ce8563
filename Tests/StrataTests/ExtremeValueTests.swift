import Foundation
import SQLSchema
import Strata
import Testing

/// The least and the greatest numbers, and very long texts, as options and in requests.
@Suite struct ExtremeValueTests {
    private static let numbers = [Int.min, -1, 0, 1, 3, .max]
    private static let seconds = [-Double.infinity, -1, 0, 1e-9, 1e300, .infinity, .nan]

    private func withThings(
        _ options: StoreOptions = StoreOptions(), _ body: (WriteTransaction) throws -> Void
    ) throws {
        try withFile { (url: URL) throws in
            let store = try Store(at: url, schema: Things.self, options: options)
            try store.write { (transaction: WriteTransaction) throws in
                try transaction.insert(contentsOf: (1...5).map { Thing(id: $0) })
                try body(transaction)
            }
        }
    }

    // MARK: Options

    @Test(arguments: seconds) func `a store works with any duration`(seconds: Double) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) } }
        var options = StoreOptions()
        options.busyTimeout = seconds
        options.otherWritersInterval = seconds
        let store = try Store(at: url, schema: Things.self, options: options)
        var counts = store.observe { try $0.count(Thing.self) }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await store.write { try $0.insert(Thing(id: 1)) }
        #expect(try await counts.next() == 1)
        try store.close()
    }

    @Test(arguments: numbers) func `a store works with any count`(number: Int) throws {
        try withFile { (url: URL) throws in
            let old = [Table("s", ["id integer key", "v text"])]
            try makeHandMade(at: url, old, rows: "INSERT INTO s VALUES (1, 'a')")
            var options = StoreOptions()
            options.maximumReaders = number
            options.backup = .automatic(keep: number)
            try HandMade.$old.withValue(old) {
                try HandMade.$new.withValue(old) {
                    try HandMade.$changes.withValue([.map(from: "s", to: "s")]) {
                        let store = try Store(at: url, schema: HandMade.self, options: options)
                        #expect(try store.read { try $0.rows("SELECT v FROM s") { try $0.value("v") } } == ["a"])
                        #expect(try Store.backups(of: url).count == 1)
                    }
                }
            }
        }
    }

    // MARK: Requests

    @Test func `limits and offsets of any size are obeyed`() throws {
        try withThings { (t: WriteTransaction) throws in
            for limit in Self.numbers {
                for offset in Self.numbers {
                    let ids = Array((1...5).dropFirst(max(0, min(offset, 10))).prefix(limit < 0 ? 10 : min(limit, 10)))
                    let request = Thing.all.orderBy { $0.id.ascending }.limit(limit, offset: offset)
                    #expect(try t.fetch(request).map(\.id.rawValue) == ids, "\(limit), \(offset)")
                    #expect(try t.count(request) == ids.count, "\(limit), \(offset)")
                    #expect(try t.fetch(request.select { $0.text }).count == ids.count, "\(limit), \(offset)")
                    #expect(try t.first(request)?.id.rawValue == ids.first, "\(limit), \(offset)")
                }
            }
        }
    }

    @Test func `long texts are compared completely`() throws {
        for character in ["a", "*", "é", "\u{0}"] {
            let long = String(repeating: character, count: 60_000)
            try withThings { (t: WriteTransaction) throws in
                var thing = try #require(try t.find(Thing.self, id: 1))
                thing.text = long + "x" + long
                try t.update(thing)
                thing.id = 2
                thing.text = long
                try t.update(thing)
                func ids(_ condition: (Thing.Columns) -> Condition<Thing>) throws -> [Int] {
                    try t.fetch(Thing.all.where(condition).orderBy { $0.id.ascending }).map(\.id.rawValue)
                }
                #expect(try ids { $0.text.hasPrefix(long) } == [1, 2])
                #expect(try ids { $0.text.hasPrefix(long + "x") } == [1])
                #expect(try ids { $0.text.hasSuffix("x" + long) } == [1])
                #expect(try ids { $0.text == long } == [2])
                #expect(try ids { $0.text.hasPrefix(long, ignoring: .case) } == [1, 2])
                if character != "\u{0}" { #expect(try ids { $0.text.contains("x" + long) } == [1]) }
                // SQLite refuses the pattern.
                if character == "a" { #expect(throws: SQLiteError.self) { try ids { $0.text.isLike(long) } } }
            }
        }
    }

    @Test func `conditions that are nested too deep are an error`() throws {
        try withThings { (t: WriteTransaction) throws in
            func nested(_ count: Int, _ next: (Condition<Thing>, Condition<Thing>, Int) -> Condition<Thing>) throws
                -> Int
            {
                let columns = Thing.Columns()
                var condition = columns.id > 2
                for number in 0..<count {
                    condition = next(condition, columns.id != Thing.ID(rawValue: -number), number)
                }
                return try t.count(Thing.all.where { _ in condition })
            }
            let ways: [(Condition<Thing>, Condition<Thing>, Int) -> Condition<Thing>] = [
                { condition, _, _ in !condition },
                { condition, other, number in number % 2 == 0 ? condition && other : condition || !other },
                { condition, other, number in number % 2 == 0 ? other && condition : !other || condition },
            ]
            for way in ways {
                #expect(try nested(10, way) == 3)
                #expect(throws: SQLiteError.self) { try nested(100_000, way) }
            }
            #expect(try nested(20_000) { condition, other, _ in condition && other } == 3)
        }
    }

    @Test func `decimal numbers out of range are an error`() throws {
        let numbers = [
            "1e-120", "-1e-120", "3e-100", "99999999999999999999999999999999999999e127",
            "-99999999999999999999999999999999999999e127", "99999999999999999999999999999999999999e-100", "0", "1e-128",
            "15e-120", "0.1",
        ].compactMap { Decimal(string: $0) }
        try withThings { (t: WriteTransaction) throws in
            for number in numbers {
                for other in numbers {
                    for (id, price) in [(1, number), (2, other)] {
                        var thing = Thing(id: id)
                        thing.price = price
                        try t.update(thing)
                    }
                    // Each gives a number, or throws.
                    let requests = [
                        Thing.all.where { $0.id == 1 }.select { $0.price * other },
                        Thing.all.where { $0.id == 1 }.select { $0.price + other },
                        Thing.all.where { $0.id == 1 }.select { $0.price - other },
                    ]
                    for request in requests {
                        do {
                            let values = try t.fetch(request)
                            #expect(values.count == 1 && !values[0].isNaN)
                        } catch let error as SQLiteError {
                            #expect(error.message == "a decimal number is out of range")
                        }
                    }
                    for (request, count) in [(Thing.all.limit(2), 2), (Thing.all, 5)] {
                        do {
                            let sum: Decimal = try t.sum(of: \.price, in: request.orderBy { $0.id.ascending })
                            #expect(!sum.isNaN && sum == number + other)
                            let average: Decimal? = try t.average(of: \.price, in: request.orderBy { $0.id.ascending })
                            #expect(average?.isNaN == false && average == (number + other) / Decimal(count))
                        } catch let error as SQLiteError {
                            #expect(error.message == "a decimal number is out of range")
                        }
                    }
                }
            }
            let product = Thing.all.where { $0.id == 1 }.select { $0.price * 3 }
            var thing = Thing(id: 1)
            thing.price = try #require(Decimal(string: "15e-128"))
            try t.update(thing)
            #expect(try t.fetch(product) == [try #require(Decimal(string: "45e-128"))])
        }
    }
}
