import Foundation
import Strata
import Testing

/// What is written, changed and deleted.
@Suite struct WriteTests {
    private func withStore(_ body: (WriteTransaction) throws -> Void) throws {
        let store = try Store(inMemory: Things.self)
        try store.write { transaction in
            try transaction.insert(contentsOf: (1...10).map { Thing(id: $0) })
            try body(transaction)
        }
    }

    private func thing(_ id: Int, _ change: (inout Thing) -> Void) -> Thing {
        var thing = Thing(id: id)
        change(&thing)
        return thing
    }

    @Test func `a row is written in the place of one that has its key`() throws {
        try withStore { (t: WriteTransaction) throws in
            let new = thing(3) { $0.text = "new" }
            try t.upsert(new)
            try t.upsert(thing(11) { $0.text = "eleven" })
            #expect(try t.find(Thing.self, id: 3) == new)
            #expect(try t.count(Thing.self) == 11)
            // A row that is nothing but its key.
            try t.upsert(Place("a", 1))
            try t.upsert(Place("a", 1))
            #expect(try t.count(Place.self) == 1)
        }
    }

    @Test func `all or some properties of a row are written`() throws {
        try withStore { (t: WriteTransaction) throws in
            let new = thing(3) {
                $0.text = "new"
                $0.ratio = 2
                $0.number = 7
            }
            try t.update(new, \.text, \.number)
            let found = try #require(try t.find(Thing.self, id: 3))
            #expect(found.text == "new" && found.number == 7 && found.ratio == 0)
            try t.update(new)
            #expect(try t.find(Thing.self, id: 3) == new)
            #expect(throws: RelationshipError.noSuchRow(table: "thing")) { try t.update(Thing(id: 99)) }
        }
    }

    @Test func `properties of many rows are written at once`() throws {
        try withStore { (t: WriteTransaction) throws in
            let some = Thing.all.where { $0.id > 7 || $0.id == 1 }
            let count = try t.update(some) { [$0.text.set(to: "x"), $0.number.set(to: 3), $0.parent.set(to: 2)] }
            #expect(count == 4)
            #expect(try t.update(some.orderBy { $0.id.descending }.limit(2)) { [$0.number.add(4)] } == 2)
            #expect(
                try t.update(Thing.all.where { $0.id == 1 }) { [$0.parent.set(to: nil), $0.note.set(to: nil)] } == 1)
            #expect(try t.values(of: \.number, in: some.orderBy { $0.id.ascending }) == [3, 3, 7, 7])
            #expect(try t.values(of: \.parent, in: some.orderBy { $0.id.ascending }) == [nil, 2, 2, 2])
            #expect(try t.update(some) { _ in [] } == 0)
            #expect(try t.count(Thing.all.where { $0.text == "x" }) == 4)
        }
    }

    @Test func `rows are deleted by themselves, by their keys, and many at once`() throws {
        try withStore { (t: WriteTransaction) throws in
            #expect(try t.delete(Thing(id: 1)) && !t.delete(Thing(id: 1)))
            #expect(try t.delete(Thing.self, id: 2) && !t.delete(Thing.self, id: 2))
            #expect(try t.delete(Thing.all.where { $0.id > 8 }) == 2)
            #expect(try t.delete(Thing.all.orderBy { $0.id.ascending }.limit(2)) == 2)
            #expect(try t.values(of: \.id, in: Thing.all.orderBy { $0.id.ascending }).map(\.rawValue) == [5, 6, 7, 8])
            #expect(try t.delete(Thing.all) == 4)
            try t.insert(contentsOf: [Place("a", 1), Place("a", 2)])
            #expect(try t.delete(Place.all.where { $0.number > 1 }.limit(5)) == 1)
        }
    }

    @Test func `new keys are never given again, not even by another transaction`() throws {
        try withFile { (url: URL) throws in
            let store = try Store(at: url, schema: Things.self)
            try store.write { (t: WriteTransaction) throws in
                try t.insert(Thing(id: 5))
                #expect(try t.newID(of: Thing.self).rawValue == 6)
                #expect(try t.newID(of: Thing.self).rawValue == 7)
            }
            try Store(at: url, schema: Things.self).write { (t: WriteTransaction) throws in
                #expect(try t.newID(of: Thing.self).rawValue == 8)
            }
            // What is taken back was never given.
            struct Undone: Error {}
            #expect(throws: Undone.self) {
                try store.write { (t: WriteTransaction) throws in
                    _ = try t.newID(of: Thing.self)
                    throw Undone()
                }
            }
            #expect(try store.write { try $0.newID(of: Thing.self).rawValue } == 9)
        }
    }

    @Test func `a savepoint takes back what it wrote, and nothing else`() throws {
        struct Undone: Error {}
        try withStore { (t: WriteTransaction) throws in
            // Not in an expectation: the compiler gives its closures the names of others (Swift 6.3).
            do {
                try t.savepoint {
                    try t.delete(Thing.all)
                    try t.savepoint { try t.insert(Thing(id: 99)) }
                    throw Undone()
                }
                Issue.record("nothing was thrown")
            } catch is Undone {}
            #expect(try t.count(Thing.self) == 10)
            try t.savepoint { _ = try t.delete(Thing.self, id: 1) }
            #expect(try t.count(Thing.self) == 9)
        }
    }

    @Test func `a store is read and written without holding up a task`() async throws {
        let store = try Store(inMemory: Things.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 1...50 {
                group.addTask {
                    try await store.write { try $0.insert(Thing(id: id)) }
                    _ = try await store.read { try $0.find(Thing.self, id: Thing.ID(rawValue: id)) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.read { try $0.count(Thing.self) } == 50)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.write { _ = try $0.delete(Thing.all) }
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(try await store.read { try $0.count(Thing.self) } == 50)
    }

    @Test func `each connection is set up before anything else`() throws {
        try withFile { (url: URL) throws in
            let count = Progress(totalUnitCount: 0)
            var options = StoreOptions()
            options.setUp = { connection in
                count.completedUnitCount += 1
                try connection.execute("PRAGMA cache_size = 123")
            }
            _ = try Store(at: url, schema: Things.self, options: options)
            #expect(count.completedUnitCount == 2)
            _ = try Store(at: url, schema: Things.self, options: options)
            #expect(count.completedUnitCount == 3)
            struct Refused: Error {}
            options.setUp = { _ in throw Refused() }
            #expect(throws: Refused.self) { _ = try Store(at: url, schema: Things.self, options: options) }
        }
    }
}
