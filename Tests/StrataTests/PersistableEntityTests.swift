import Foundation
import Strata
import Testing

/// Custom model types that are stored as entities.
@Suite struct PersistableEntityTests {
    /// A custom model that is stored as a `Thing`.
    final class Note: PersistableEntity {
        struct Unreadable: Error {}

        let number: Int
        var lines: [String]

        init(_ number: Int, _ lines: [String]) {
            (self.number, self.lines) = (number, lines)
        }

        var storeId: Thing.ID { Thing.ID(rawValue: number) }

        required init(stored: Thing) throws {
            if stored.text == "unreadable" { throw Unreadable() }
            number = stored.id.rawValue
            lines = stored.text.split(separator: "\n").map(String.init)
        }

        func stored(over old: Thing?) -> Thing {
            var thing = old ?? Thing(id: number)
            thing.text = lines.joined(separator: "\n")
            return thing
        }
    }

    /// A model whose `storeId` differs from the primary key of its row.
    struct Liar: PersistableEntity {
        var storeId: Place.ID { Place("b", 2).id }
        init() {}
        init(stored: Place) {}
        func stored(over old: Place?) -> Place { Place("a", 1) }
    }

    @Test func `models are inserted, fetched, updated and deleted`() throws {
        let store = try Store(inMemory: Things.self)
        try store.write { (t: WriteTransaction) throws in
            let note = Note(1, ["a", "b"])
            try t.insert(note)
            try t.insert(contentsOf: [Note(2, []), Note(3, ["c"])])
            note.lines.append("d")
            try t.update(note)
            try t.upsert(Note(4, ["e"]))
            try t.upsert(Note(3, ["f"]))
            #expect(try t.delete(Note(2, [])) && !t.delete(Note(2, [])))
            #expect(throws: RelationshipError.noSuchRow(table: "thing")) { try t.update(Note(9, [])) }
            #expect(throws: SQLiteError.self) { try t.insert(Note(1, [])) }
        }
        try store.read { (t: ReadTransaction) throws in
            #expect(try t.fetch(Note.self).map(\.lines) == [["a", "b", "d"], ["f"], ["e"]])
            let backwards = Thing.all.orderBy { $0.id.descending }
            #expect(try t.fetch(Note.self, backwards).map(\.number) == [4, 3, 1])
            #expect(try t.first(Note.self, backwards)?.number == 4)
            let some = try t.fetch(Note.self) { $0.text == "f" }
            #expect(some.map(\.number) == [3])
            #expect(try t.find(Note.self, id: 4)?.lines == ["e"])
            #expect(try t.find(Note.self, id: 9) == nil)
        }
    }

    @Test func `update and upsert keep the columns that a model does not have`() throws {
        let store = try Store(inMemory: Things.self)
        try store.write { (t: WriteTransaction) throws in
            var thing = Thing(id: 1)
            thing.number = 7
            try t.insert(thing)
            try t.update(Note(1, ["a"]))
            let updated = try t.find(Thing.self, id: 1)
            try t.upsert(Note(1, ["b"]))
            let upserted = try t.find(Thing.self, id: 1)
            #expect(updated?.number == 7 && updated?.text == "a" && updated?.uuid == thing.uuid)
            #expect(upserted?.number == 7 && upserted?.text == "b" && upserted?.uuid == thing.uuid)
        }
    }

    @Test func `a failed conversion throws, and writes nothing`() throws {
        let store = try Store(inMemory: Things.self)
        #expect(throws: PersistableEntityError.otherKey(model: "Liar")) { try store.write { try $0.insert(Liar()) } }
        try store.write { try $0.insert(Note(1, ["unreadable"])) }
        #expect(throws: Note.Unreadable.self) { try store.read { try $0.fetch(Note.self) } }
        #expect(try store.read { try $0.count(Place.self) } == 0)
    }
}
