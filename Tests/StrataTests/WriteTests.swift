import Foundation
import Strata
import Testing

/// Inserts, updates, deletions, new primary keys and savepoints.
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

    @Test func `upsert inserts a new row or replaces the row with the same primary key`() throws {
        try withStore { (t: WriteTransaction) throws in
            let new = thing(3) { $0.text = "new" }
            try t.upsert(new)
            try t.upsert(thing(11) { $0.text = "eleven" })
            #expect(try t.find(Thing.self, id: 3) == new)
            #expect(try t.count(Thing.self) == 11)
            // All columns of this row belong to its primary key.
            try t.upsert(Place("a", 1))
            try t.upsert(Place("a", 1))
            #expect(try t.count(Place.self) == 1)
        }
    }

    @Test func `update writes all properties of a row, or only the named ones`() throws {
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

    @Test func `one update changes properties of many rows`() throws {
        try withStore { (t: WriteTransaction) throws in
            let some = Thing.all.where { $0.id > 7 || $0.id == 1 }
            let count = try t.update(some) { [$0.text.set(to: "x"), $0.number.set(to: 3), $0.parent.set(to: 2)] }
            #expect(count == 4)
            #expect(try t.update(some.orderBy { $0.id.descending }.limit(2)) { $0.number += 4 } == 2)
            #expect(
                try t.update(Thing.all.where { $0.id == 1 }) { [$0.parent.set(to: nil), $0.note.set(to: nil)] } == 1)
            #expect(try t.fetch(some.orderBy { $0.id.ascending }.select { $0.number }) == [3, 3, 7, 7])
            #expect(try t.fetch(some.orderBy { $0.id.ascending }.select { $0.parent }) == [nil, 2, 2, 2])
            #expect(try t.update(some) { _ in [] } == 0)
            #expect(try t.count(Thing.all.where { $0.text == "x" }) == 4)
        }
    }

    @Test func `delete removes a row, a row by its primary key, or all rows of a request`() throws {
        try withStore { (t: WriteTransaction) throws in
            #expect(try t.delete(Thing(id: 1)) && !t.delete(Thing(id: 1)))
            #expect(try t.delete(Thing.self, id: 2) && !t.delete(Thing.self, id: 2))
            #expect(try t.delete(Thing.all.where { $0.id > 8 }) == 2)
            #expect(try t.delete(Thing.all.orderBy { $0.id.ascending }.limit(2)) == 2)
            #expect(
                try t.fetch(Thing.all.orderBy { $0.id.ascending }.select { $0.id }).map(\.rawValue) == [5, 6, 7, 8])
            #expect(try t.delete(Thing.all) == 4)
            try t.insert(contentsOf: [Place("a", 1), Place("a", 2)])
            #expect(try t.delete(Place.all.where { $0.number > 1 }.limit(5)) == 1)
        }
    }

    @Test func `newID never repeats the primary keys of a committed transaction`() throws {
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
            // A primary key from a rolled-back transaction is free again.
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

    @Test func `a savepoint that throws rolls back only its own changes`() throws {
        struct Undone: Error {}
        try withStore { (t: WriteTransaction) throws in
            // Not in #expect: the compiler gives a closure in it the name of another closure (Swift 6.3).
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

    @Test func `tasks read and write a store asynchronously, and a cancelled task writes nothing`() async throws {
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

    @Test func `setUp runs on each connection, and its error stops the opening`() throws {
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
