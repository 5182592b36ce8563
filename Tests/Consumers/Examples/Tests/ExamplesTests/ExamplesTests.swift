import Foundation
import Strata
import Testing

@testable import Examples

/// The schema of an app of version 1.0.
private enum OldSchema: Schema {
    static let name = ExamplesSchema.name
    static let versions = Array(ExamplesSchema.versions.prefix(1))
    static let fingerprint = versions[0].fingerprint
    static let steps: [MigrationStep] = []
}

/// The custom migrations of the cookbook, with single rows.
@Suite struct ExamplesTests {
    private typealias Old = ExamplesSchema.V1_0

    /// Makes a store of version 1.0, opens it at the newest version, and reads it.
    private func migrating(
        _ fill: (WriteTransaction) throws -> Void, _ check: (ReadTransaction) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("store.sqlite")
        try Store(at: url, schema: OldSchema.self).write(fill)
        try Store(at: url, schema: ExamplesSchema.self).read(check)
    }

    @Test func `an entity is split`() throws {
        try migrating {
            try $0.insert(Old.Person(id: 1, name: "Ada", street: "Main 1", city: "Paris"))
            try $0.insert(Old.Person(id: 2, name: "Bob", street: "Main 1", city: "Paris"))
        } _: { (store: ReadTransaction) throws in
            let people = try store.fetch(Person.self)
            #expect(people.map(\.name) == ["Ada", "Bob"])
            #expect(try store.count(Address.self) == 2)
            #expect(try store.related(people[0], \.address)?.city == "Paris")
        }
    }

    @Test func `an entity is merged into another`() throws {
        try migrating {
            try $0.insert(Old.Post(id: 7, text: "post"))
            try $0.insert(Old.Draft(id: 7, text: "draft"))
        } _: { (store: ReadTransaction) throws in
            #expect(try store.fetch(Post.self).map(\.text) == ["post", "draft"])
            #expect(try store.fetch(Post.self).map(\.id.rawValue) == [7, 8])
            #expect(try store.fetch(Post.self).map(\.published) == [true, false])
        }
    }

    @Test func `duplicates are merged, and references to them refer to the first one`() throws {
        try migrating { store in
            let post = Old.Post(id: 1, text: "")
            let other = Old.Post(id: 2, text: "")
            for post in [post, other] { try store.insert(post) }
            for (id, word) in [(1, "a"), (2, "b"), (3, "a"), (4, "a")] {
                try store.insert(Old.Tag(id: .init(rawValue: id), word: word))
            }
            try store.setRelated(post, \.tags, to: [3, 2, 1, 4])
            try store.setRelated(other, \.tags, to: [4])
        } _: { (store: ReadTransaction) throws in
            #expect(try store.fetch(Tag.self).map(\.word) == ["a", "b"])
            let posts = try store.fetch(Post.self)
            #expect(try Set(store.related(posts[0], \.tags).map(\.word)) == ["a", "b"])
            #expect(try store.related(posts[0], \.tags).count == 2)
            #expect(try store.related(posts[1], \.tags).map(\.word) == ["a"])
        }
    }

    @Test func `a primary key gets another type, and references follow`() throws {
        try migrating {
            try $0.insert(Old.Country(id: 1, code: "fr"))
            try $0.insert(Old.Town(id: 1, countryID: 1))
            try $0.insert(Old.Town(id: 2))
        } _: { (store: ReadTransaction) throws in
            #expect(try store.fetch(Town.self).map(\.countryID?.rawValue) == ["fr", nil])
        }
    }

    @Test func `primary keys change, and references follow`() throws {
        try migrating { store in
            // The new key of each is the old one of the next.
            for id in 1...3 {
                try store.insert(Old.Account(id: .init(rawValue: id), parentID: id == 1 ? 1 : .init(rawValue: id - 1)))
            }
            try store.setRelated(Old.Account(id: 1, parentID: 1), \.partners, to: [3, 2])
            try store.insert(Old.Entry(accountID: 1, number: 1))
            try store.insert(Old.Entry(accountID: 2, number: 1, previousID: .init(accountID: 1, number: 1)))
            try store.insert(Old.Entry(accountID: 1, number: 2, previousID: .init(accountID: 2, number: 1)))
        } _: { (store: ReadTransaction) throws in
            let accounts = try store.fetch(Account.self)
            #expect(accounts.map(\.id.rawValue) == [2, 3, 4])
            #expect(accounts.map(\.parentID?.rawValue) == [2, 2, 3])
            #expect(try store.related(accounts[0], \.partners).map(\.id.rawValue) == [4, 3])
            #expect(try store.related(accounts[2], \.partners).map(\.id.rawValue) == [2])
            let entries = try store.fetch(Entry.self)
            #expect(entries.map { [$0.accountID.rawValue, $0.number] } == [[2, 1], [2, 2], [3, 1]])
            #expect(
                entries.map { $0.previousID.map { [$0.accountID.rawValue, $0.number] } } == [nil, [3, 1], [2, 1]])
        }
    }

    @Test func `a property is filled through a relationship`() throws {
        try migrating {
            try $0.insert(Old.Product(id: "tea", price: 3.5))
            try $0.insert(Old.OrderLine(id: 1, productID: "tea"))
        } _: { (store: ReadTransaction) throws in
            #expect(try store.fetch(OrderLine.self).map(\.price) == [3.5])
        }
    }

    @Test func `a text becomes an entity`() throws {
        try migrating { store in
            for (id, name) in [(1, "Nina"), (2, "Miles"), (3, "Nina")] {
                try store.insert(Old.Song(id: .init(rawValue: id), artistName: name))
            }
        } _: { (store: ReadTransaction) throws in
            let names = try store.fetch(Song.self).map { try store.related($0, \.artist)?.name }
            #expect(names == ["Nina", "Miles", "Nina"])
            #expect(try store.count(Artist.self) == 2)
        }
    }

    @Test func `rows are dropped, and references follow their delete rules`() throws {
        try migrating { store in
            try store.insert(Old.Message(id: 1, text: ""))
            try store.insert(Old.Message(id: 2, text: "b", replyToID: 1))
            try store.insert(Old.Message(id: 3, text: "c", replyToID: 2))
            for (id, message) in [(1, 1), (2, 2)] {
                try store.insert(Old.Attachment(id: .init(rawValue: id), messageID: .init(rawValue: message)))
                try store.insert(Old.Preview(id: .init(rawValue: id), attachmentID: .init(rawValue: id)))
            }
        } _: { (store: ReadTransaction) throws in
            #expect(try store.fetch(Message.self).map(\.replyToID?.rawValue) == [nil, 2])
            #expect(try store.fetch(Attachment.self).map(\.id.rawValue) == [2])
            #expect(try store.fetch(Preview.self).map(\.id.rawValue) == [2])
        }
    }

    @Test func `values are rewritten`() throws {
        try migrating {
            try $0.insert(Old.Contact(id: 1, phone: "0301"))
            try $0.insert(Old.Contact(id: 2, phone: "+1555"))
        } _: { (store: ReadTransaction) throws in
            #expect(try store.fetch(Contact.self).map(\.phone) == ["+49301", "+1555"])
        }
    }
}
