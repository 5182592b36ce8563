import Strata
import Testing

extension Thing {
    /// A property that is not stored.
    fileprivate var shout: String {
        get { text.uppercased() }
        set { text = newValue.lowercased() }
    }
}

@Suite struct PropertyColumnsTests {
    private func withTransaction(_ body: (WriteTransaction) throws -> Void) throws {
        try Store(inMemory: Things.self).write { (transaction: WriteTransaction) throws in
            try transaction.insert(Thing(id: 1))
            try transaction.insert(Place("b", 2))
            try transaction.insert(Place("a", 3))
            try body(transaction)
        }
    }

    @Test func `a property with several columns is compared and ordered by all of them`() throws {
        try withTransaction { (t: WriteTransaction) throws in
            // `$0.id` would be the primary key of any entity.
            let id = PropertyColumns<Place>()[dynamicMember: \.id]
            #expect(try t.fetch(Place.all.where { _ in id == .init(shelf: "b", number: 2) }) == [Place("b", 2)])
            #expect(try t.fetch(Place.all.where { _ in id == .init(shelf: "b", number: 3) }).isEmpty)
            #expect(try t.fetch(Place.all.orderBy { _ in id.ascending }) == [Place("a", 3), Place("b", 2)])
        }
    }

    @Test func `an extension adds a column that is not a property`() throws {
        try withTransaction { (t: WriteTransaction) throws in
            #expect(try t.fetch(Place.all.where { $0.number > 2 }) == [Place("a", 3)])
        }
    }

    @Test func `a property that is not stored makes the query fail and changes nothing`() throws {
        try withTransaction { (t: WriteTransaction) throws in
            func fails(_ body: () throws -> Void) {
                #expect { try body() } throws: {
                    "\($0)".contains(/no such column: "?a property of Thing that is not stored/)
                }
            }
            fails { _ = try t.fetch(Thing.all.where { $0.shout == "A" }) }
            fails { _ = try t.fetch(Thing.all.orderBy { $0.shout.ascending }) }
            fails { try t.update(Thing(id: 1), \.shout) }
            fails { _ = try t.update(Thing.all) { [$0.shout.set(to: "A")] } }
            fails { try t.upsert(Thing(id: 1), on: \.shout) }
            #expect(try t.fetch(Thing.self).map(\.text) == [""])
        }
    }
}
