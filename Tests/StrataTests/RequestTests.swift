import Foundation
import Strata
import Testing

/// The results of requests, compared with the same filters on an array in Swift.
@Suite struct RequestTests {
    private static let texts = [
        "", "a", "A", "dev-a", "dev-b", "Dev-a", "100%", "100x", "a_b", "axb", "*", "[x]", "?", "x*y", "é", "e\u{301}",
        "日本",
        "a\0b", "a\0c", "\\", "'", "\"",
    ]

    /// Things with varied values.
    private static func things(_ count: Int = 300) -> [Thing] {
        (0..<count).map { place in
            var thing = Thing(id: place + 1)
            thing.number = place % 7 == 0 ? nil : place % 11 - 5
            thing.ratio = Double(place % 13) / 4
            thing.text = texts[place % texts.count]
            thing.note = place % 3 == 0 ? nil : texts[place / 3 % texts.count]
            thing.date = Date(timeIntervalSinceReferenceDate: Double(place % 17) * 0.1)
            thing.kind = [nil, .small, .large][place % 3]
            thing.price = Decimal(place % 5) / 10
            thing.parent = place % 4 == 0 ? nil : Thing.ID(rawValue: place % 20)
            thing.flag = place % 2 == 0
            return thing
        }
    }

    private func withStore(_ things: [Thing], _ body: (ReadTransaction) throws -> Void) throws {
        let store = try Store(inMemory: Things.self)
        try store.write { transaction in for thing in things { try transaction.insert(thing) } }
        try store.read(body)
    }

    /// Compares the rows that `found` selects in SQL with the things that `expected` selects in Swift, also negated.
    private struct Check {
        let things: [Thing]
        let transaction: ReadTransaction

        func callAsFunction(
            _ found: Condition<Thing>, line: Int = #line, _ expected: (Thing) -> Bool
        ) throws {
            for isNegated in [false, true] {
                let rows = try transaction.fetch(Thing.self) { _ in isNegated ? !found : found }
                let all = things.filter { expected($0) != isNegated }
                #expect(Set(rows) == Set(all) && rows.count == all.count, "line \(line), negated \(isNegated)")
            }
        }
    }

    private func withCheck(_ body: (Check, Thing.Columns) throws -> Void) throws {
        let things = Self.things()
        try withStore(things) { (transaction: ReadTransaction) throws in
            try body(Check(things: things, transaction: transaction), Thing.Columns())
        }
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func holds(_ part: String, _ text: String) -> Bool {
        part.isEmpty || Data(text.utf8).range(of: Data(part.utf8)) != nil
    }

    @Test func `conditions select the same rows as equivalent filters in Swift`() throws {
        try withCheck { (check: Check, c: Thing.Columns) throws in
            try check(c.number == 3) { $0.number == 3 }
            try check(c.number != 3) { $0.number != 3 }
            try check(c.number == nil) { $0.number == nil }
            try check(c.number != nil) { $0.number != nil }
            try check(c.number > 2) { $0.number.map { $0 > 2 } ?? false }
            try check(c.number <= -1) { $0.number.map { $0 <= -1 } ?? false }
            try check(c.number.isBetween(-2...2)) { $0.number.map { (-2...2).contains($0) } ?? false }
            try check(c.number.isIn([1, 4])) { $0.number.map { [1, 4].contains($0) } ?? false }
            try check(c.number.isIn([])) { _ in false }
            try check(c.ratio >= 1.25) { $0.ratio >= 1.25 }
            try check(c.ratio < 2) { $0.ratio < 2 }
            try check(c.ratio == 0.75) { $0.ratio == 0.75 }
            try check(c.ratio.isIn([0.25, 3])) { [0.25, 3].contains($0.ratio) }
            try check(c.date > Date(timeIntervalSinceReferenceDate: 0.3)) {
                $0.date > Date(timeIntervalSinceReferenceDate: 0.3)
            }
            try check(c.kind == .small) { $0.kind == .small }
            try check(c.kind != .small) { $0.kind != .small }
            try check(c.uuid == check.things[4].uuid) { $0.uuid == check.things[4].uuid }
            try check(c.price == Decimal(3) / 10) { $0.price == Decimal(3) / 10 }
            try check(c.id == 17) { $0.id == 17 }
            try check(c.id.isIn([1, 2, 999])) { [1, 2].contains($0.id) }
            try check(c.parent == 7) { $0.parent == 7 }
            try check(c.parent == nil) { $0.parent == nil }
            try check(c.parent != 7) { $0.parent != 7 }
            try check(c.flag == true) { $0.flag }
            try check(c.text == c.text) { _ in true }
        }
    }

    @Test func `conditions on text compare its bytes`() throws {
        try withCheck { (check: Check, c: Thing.Columns) throws in
            for text in Self.texts {
                try check(c.text == text) { bytes($0.text) == bytes(text) }
                try check(c.note == text) { $0.note.map(bytes) == bytes(text) }
                try check(c.text.hasPrefix(text)) { bytes($0.text).starts(with: bytes(text)) }
                try check(c.note.hasPrefix(text)) {
                    $0.note.map { bytes($0).starts(with: bytes(text)) } ?? false
                }
                try check(c.text.hasSuffix(text)) {
                    bytes($0.text).reversed().starts(with: bytes(text).reversed())
                }
                try check(c.text.contains(text)) {
                    holds(text, $0.text)
                }
                try check(c.note.contains(text)) {
                    $0.note.map { holds(text, $0) } ?? false
                }
            }
            try check(c.text.isLike("dev-%")) { $0.text.lowercased().hasPrefix("dev-") }
            try check(c.text.isLike("100!%", escape: "!")) { $0.text == "100%" }
            try check(c.number > 0 && c.flag == true || c.note == nil) {
                ($0.number ?? 0) > 0 && $0.flag || $0.note == nil
            }
            try check(!(c.number > 0 && !(c.ratio < 1))) {
                !(($0.number ?? 0) > 0 && !($0.ratio < 1))
            }
        }
    }

    @Test func `conditions can be built at run time`() throws {
        try withCheck { (check: Check, c: Thing.Columns) throws in
            try check(.all(of: [.filter(\.number, moreThan: 1), .filter(\.flag, equalTo: true)])) {
                ($0.number ?? 0) > 1 && $0.flag
            }
            try check(.any(of: [.filter(\.text, beginsWith: "dev-"), .filter(\.number, in: [1])])) {
                $0.text.hasPrefix("dev-") || $0.number == 1
            }
            try check(.not(.filter(\.number, equalTo: nil))) { $0.number != nil }
            try check(.filter(\.parent, equalTo: 7)) { $0.parent == 7 }
            try check(.filter(\.id, equalTo: 7)) { $0.id == 7 }
            try check(.filter(\.ratio, lessThan: 1)) { $0.ratio < 1 }
            try check(.filter(\.number, between: 1...3)) { $0.number.map { (1...3).contains($0) } ?? false }
            try check(.filter(\.note, contains: "x")) { $0.note.map { holds("x", $0) } ?? false }
            try check(.filter(\.text, like: "DEV-_")) { $0.text.lowercased().hasPrefix("dev-") }
            try check(.all(of: [])) { _ in true }
            try check(.any(of: [])) { _ in false }
        }
    }

    @Test func `requests order, limit and count rows, and check whether a row exists`() throws {
        let things = Self.things()
        try withStore(things) { (t: ReadTransaction) throws in
            let request = Thing.all.where { $0.flag == true }.orderBy {
                [$0.number.descending, $0.id.ascending]
            }
            let expected = things.filter(\.flag).sorted {
                ($0.number ?? -100, -$0.id.rawValue) > ($1.number ?? -100, -$1.id.rawValue)
            }
            #expect(try t.fetch(request) == expected)
            #expect(try t.fetch(request.limit(5)) == Array(expected.prefix(5)))
            #expect(try t.fetch(request.limit(5, offset: 3)) == Array(expected.dropFirst(3).prefix(5)))
            #expect(try t.first(request) == expected.first)
            #expect(try t.count(request) == expected.count)
            #expect(try t.count(request.limit(5)) == 5)
            #expect(try t.exists(request) && !t.exists(request.where { $0.id == 0 }))
            #expect(try t.first(request.where { $0.id == 0 }) == nil)
            let nulls = try t.fetch(Thing.all.orderBy { $0.number.ascending(nulls: .last) })
            #expect(nulls.first?.number == -5 && nulls.last?.number == nil)
            let last = try t.fetch(Thing.all.orderBy { $0.number.descending(nulls: .first) })
            #expect(last.first?.number == nil && last.last?.number == -5)
            var seen: [Thing] = []
            try t.cursor(request.limit(2)).forEach { seen.append($0) }
            #expect(seen == Array(expected.prefix(2)))
        }
    }

    @Test func `single columns are fetched and aggregated`() throws {
        let things = Self.things()
        try withStore(things) { (t: ReadTransaction) throws in
            let request = Thing.all.where { $0.flag == true }.orderBy { $0.id.ascending }
            let expected = things.filter(\.flag)
            #expect(try t.fetch(request.select { $0.text }) == expected.map(\.text))
            let pairs = try t.fetch(request.limit(20).select { ($0.number, $0.id) })
            #expect(
                pairs.map(\.0) == expected.prefix(20).map(\.number) && pairs.map(\.1) == expected.prefix(20).map(\.id))
            let kinds: [Kind?] = try t.fetch(Thing.all.select { $0.kind }.distinct())
            #expect(kinds.count == 3 && Set(kinds) == [nil, .small, .large])
            let numbers = expected.compactMap(\.number)
            #expect(try t.sum(of: \.number, in: request) == numbers.reduce(0, +))
            #expect(try t.sum(of: \.ratio, in: Thing.all) == things.map(\.ratio).reduce(0, +))
            #expect(try t.sum(of: \.ratio, in: Thing.all.where { $0.ratio > .infinity }) == 0)
            #expect(try t.min(of: \.number, in: request) == numbers.min())
            #expect(
                try t.max(of: \.text, in: Thing.all)
                    == Self.texts.max { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
            )
            #expect(try t.max(of: \.date, in: request.limit(3)) == expected.prefix(3).map(\.date).max())
            #expect(
                try t.average(of: \.ratio, in: request.limit(4)) == expected.prefix(4).map(\.ratio).reduce(0, +) / 4)
            #expect(try t.min(of: \.number, in: request.where { $0.number == nil }) == nil)
            #expect(try t.sum(of: \.number, in: request.where { $0.number == nil }) == 0)
        }
    }

    @Test func `decimals are compared, ordered and summed as numbers`() throws {
        let prices = ["-5", "10", "100", "2", "9.5", "0", "-0.5", "-50", "0.05", "123456789012345678901234567890.125"]
            .compactMap { Decimal(string: $0) }
        let things = prices.enumerated().map { place, price in
            var thing = Thing(id: place + 1)
            thing.price = price
            return thing
        }
        let store = try Store(inMemory: Things.self)
        try store.write { transaction in for thing in things { try transaction.insert(thing) } }
        try store.read { (t: ReadTransaction) throws in
            #expect(
                try t.fetch(Thing.all.orderBy { $0.price.ascending }.select { $0.price }) == prices.sorted())
            #expect(
                try t.fetch(Thing.all.orderBy { $0.price.descending(nulls: .last) }.select { $0.price })
                    == prices.sorted(by: >))
            let check = Check(things: things, transaction: t)
            let c = Thing.Columns()
            for price in prices {
                try check(c.price < price) { $0.price < price }
                try check(c.price <= price) { $0.price <= price }
                try check(c.price > price) { $0.price > price }
                try check(c.price >= price) { $0.price >= price }
                try check(c.price == price) { $0.price == price }
            }
            try check(c.price.isBetween(-1...10)) { (-1...10).contains($0.price) }
            try check(.filter(\.price, moreThan: 9)) { $0.price > 9 }
            #expect(try t.min(of: \.price, in: Thing.all) == -50)
            #expect(try t.max(of: \.price, in: Thing.all.where { $0.price < 1000 }) == 100)
            #expect(try t.sum(of: \.price, in: Thing.all) == prices.reduce(0, +))
            #expect(try t.sum(of: \.price, in: Thing.all.where { $0.price > 10e40 }) == 0)
            let average: Decimal? = try t.average(of: \.price, in: Thing.all)
            #expect(average == prices.reduce(0, +) / Decimal(prices.count))
            let none: Decimal? = try t.average(of: \.price, in: Thing.all.where { $0.price > 10e40 })
            #expect(none == nil)
        }
        try store.write { (t: WriteTransaction) throws in
            try t.update(Thing.all.where { $0.price == 9.5 }) { $0.price += 0.75 }
            #expect(try t.find(Thing.self, id: 5)?.price == Decimal(string: "10.25"))
        }
    }

    @Test func `text that is not a decimal is ordered before all numbers`() throws {
        let store = try Store(inMemory: Things.self)
        try store.read { (t: ReadTransaction) throws in
            let texts = ["1.50", "1.5", "-1", "", "x", "01", "1", "-0", "0.0", "1.", "-.5", "-0.5"]
            let list = texts.map { "('\($0)')" }.joined(separator: ", ")
            let sql = "SELECT column1 FROM (VALUES \(list)) ORDER BY column1 COLLATE strata_decimal, column1"
            #expect(
                try t.rows(sql, []) { try $0.value("column1", as: String.self) } == [
                    "", "-.5", "1.", "x", "-1", "-0.5", "-0", "0.0", "01", "1", "1.5", "1.50",
                ])
            #expect(throws: SQLiteError.self) { try t.rows("SELECT strata_decimal_sum('x')", []) { _ in 1 } }
        }
    }

    @Test func `a condition can have ten thousand terms, and a list a hundred thousand values`() throws {
        let things = Self.things()
        try withStore(things) { (t: ReadTransaction) throws in
            let check = Check(things: things, transaction: t)
            let c = Thing.Columns()
            try check(.any(of: (0..<10_000).map { c.number == 3 || c.id == Thing.ID(rawValue: 5 * $0) })) {
                $0.number == 3 || $0.id.rawValue % 5 == 0
            }
            try check(.all(of: (0..<10_000).map { c.id != Thing.ID(rawValue: 5 * $0) })) { $0.id.rawValue % 5 != 0 }
            let many = (0..<10_000).reduce(Thing.all) { request, number in
                request.where { $0.id != Thing.ID(rawValue: 5 * number) }
            }
            #expect(try t.count(many) == 240)
            let chain = (0..<1_000).reduce(c.number == 3) { $0 || c.id == Thing.ID(rawValue: 5 * $1) }
            try check(chain) { $0.number == 3 || $0.id.rawValue % 5 == 0 }
            let right = (0..<1_000).reduce(c.number == 3) { c.id == Thing.ID(rawValue: 5 * $1) || $0 }
            try check(right) { $0.number == 3 || $0.id.rawValue % 5 == 0 }

            let count = 100_000
            try check(c.id.isIn((0..<count).map { Thing.ID(rawValue: 3 * $0) })) { $0.id.rawValue % 3 == 0 }
            // The values of each type are bound in another way. None of them depends on their number.
            let fewer = 2_000
            try check(c.parent.isIn((0..<fewer).map { Thing.ID(rawValue: 3 * $0) })) {
                $0.parent.map { $0.rawValue % 3 == 0 } ?? false
            }
            try check(c.number.isIn((0..<fewer).map { 2 * $0 })) { $0.number.map { $0 >= 0 && $0 % 2 == 0 } ?? false }
            try check(c.ratio.isIn((0..<fewer).map { Double($0) / 2 })) { ($0.ratio * 2).rounded() == $0.ratio * 2 }
            let texts = (0..<fewer).map { "no \($0)" } + ["a\0b", "é", ""]
            try check(c.text.isIn(texts)) { thing in texts.suffix(3).contains { bytes($0) == bytes(thing.text) } }
            try check(c.uuid.isIn((0..<fewer).map { _ in UUID() } + [things[7].uuid])) { $0.uuid == things[7].uuid }
            try check(c.price.isIn((0..<fewer).map { Decimal($0) / 10 })) { $0.price >= 0 }
            try check(c.flag.isIn((0..<fewer).map { _ in true })) { $0.flag }
            let plan = try t.plan(of: Thing.all.where { $0.id.isIn((0..<count).map { Thing.ID(rawValue: $0) }) })
            #expect(plan.contains("SEARCH thing USING INTEGER PRIMARY KEY"))
        }
    }

    @Test func `a list of a hundred thousand composite primary keys finds its rows`() throws {
        let store = try Store(inMemory: Things.self)
        let places = [Place("a", 1), Place("a", 2), Place("b", 1), Place("b", 2)]
        try store.write { transaction in for place in places { try transaction.insert(place) } }
        try store.read { (t: ReadTransaction) throws in
            let ids = (0..<100_000).map { Place("a", $0 + 2).id }
            #expect(try t.fetch(Place.self) { $0.id.isIn(ids) } == [places[1]])
        }
    }

    @Test func `strata_rows returns no rows unless an array is bound`() throws {
        let store = try Store(inMemory: Things.self)
        try store.read { (t: ReadTransaction) throws in
            #expect(try t.rows("SELECT v0 FROM strata_rows(1)", []) { _ in 1 } == [])
            #expect(try t.rows("SELECT v0 FROM strata_rows", []) { _ in 1 } == [])
        }
    }

    @Test func `composite primary keys are compared by all their columns`() throws {
        let store = try Store(inMemory: Things.self)
        let places = [Place("a", 1), Place("a", 2), Place("b", 1), Place("b", 2)]
        try store.write { transaction in for place in places { try transaction.insert(place) } }
        try store.read { (t: ReadTransaction) throws in
            // Not in #expect: the compiler gives a closure in it the name of a closure outside (Swift 6.3).
            let one = try t.fetch(Place.self) { $0.id == places[1].id }
            #expect(one == [places[1]])
            let others = try t.fetch(Place.self) { $0.id != places[1].id }
            #expect(Set(others) == Set(places).subtracting([places[1]]))
            let some = try t.fetch(Place.self) { $0.id.isIn([places[0].id, places[3].id]) && $0.number < 9 }
            #expect(Set(some) == [places[0], places[3]])
            #expect(
                try t.fetch(Place.all.orderBy { $0.id.descending }) == Array(places.reversed()))
            #expect(
                try t.fetch(Place.all.orderBy { $0.id.ascending }.select { ($0.id, $0.number) }).map(\.0)
                    == places.map(\.id)
            )
        }
    }

    @Test func `a value that cannot be bound is an error, and no value becomes SQL`() throws {
        try withStore(Self.things(3)) { (t: ReadTransaction) throws in
            #expect(throws: UnstorableValue.self) { try t.fetch(Thing.self) { $0.ratio > .nan } }
            #expect(try t.fetch(Thing.self) { $0.text == "' OR TRUE --" } == [])
        }
    }

    /// SQLite reads the words TRUE and FALSE as columns where there are columns of these names.
    @Test func `columns called true and false do not change the meaning of conditions`() throws {
        let store = try Store(inMemory: Things.self)
        try store.write { transaction in
            for thing in Self.things(3) { try transaction.insert(thing) }
            try transaction.execute("ALTER TABLE thing ADD COLUMN \"true\" INTEGER NOT NULL DEFAULT 0")
            try transaction.execute("ALTER TABLE thing ADD COLUMN \"false\" INTEGER NOT NULL DEFAULT 1")
            let all = try transaction.fetch(Thing.all)
            let others = try transaction.fetch(Thing.self) { !($0.id == all[0].id) }
            #expect(others == Array(all.dropFirst()))
            let same = try transaction.fetch(Thing.self) { !(!($0.id == all[0].id)) }
            #expect(same == [all[0]])
            let always: Condition<Thing> = .always
            #expect(try transaction.fetch(Thing.all.where { _ in always }) == all)
            #expect(try transaction.fetch(Thing.all.where { _ in .any(of: []) }) == [])
            #expect(try transaction.fetch(Thing.all.where { _ in !always }) == [])
            try transaction.delete(Thing.all.where { !($0.id != all[0].id) })
            #expect(try transaction.fetch(Thing.all) == Array(all.dropFirst()))
        }
    }

    @Test func `hasPrefix uses the index`() throws {
        let store = try Store(inMemory: Things.self)
        try store.read { (t: ReadTransaction) throws in
            let request = Thing.all.where { $0.text.hasPrefix("dev-") }
            #expect(try t.plan(of: request).contains("thing_text_idx (text>? AND text<?)"))
        }
    }
}
