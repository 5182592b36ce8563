import Foundation
import Podcasts
import Strata
import Testing

/// Writing rows that exist already, changed columns, and statements that return rows.
@Suite struct ConflictTests {
    private let store: Store

    init() throws { store = try Library.makeStore() }

    private func podcast(_ id: Int, _ title: String = "x", trailer: Int? = nil) -> Podcast {
        Podcast(id: .init(rawValue: id), title: title, trailerID: trailer.map { .init(rawValue: $0) })
    }

    private func episode(_ id: Int, of podcast: Int = 1, at position: Int? = nil) -> Episode {
        Episode(
            id: .init(rawValue: id), title: "e\(id)", date: Date(timeIntervalSinceReferenceDate: 0),
            podcastID: .init(rawValue: podcast), podcastPosition: position)
    }

    @Test func `rows that exist already are ignored`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            #expect(try transaction.insertOrIgnore(podcast(1, "a")))
            #expect(try !transaction.insertOrIgnore(podcast(1, "b")))
            #expect(try transaction.insertOrIgnore(contentsOf: (1...5).map { podcast($0, "c") }) == 4)
            #expect(try transaction.insertOrIgnore(contentsOf: [Podcast]()) == 0)
            #expect(try transaction.fetch(Podcast.self).map(\.title) == ["a", "c", "c", "c", "c"])
            // A unique property of another row: the trailer of one podcast is no other's.
            try transaction.insert(episode(1))
            try transaction.update(podcast(1, "a", trailer: 1))
            #expect(try !transaction.insertOrIgnore(podcast(9, trailer: 1)))
        }
    }

    @Test func `rows are inserted or updated`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            try transaction.insert(podcast(2, "old"))
            try transaction.upsert(contentsOf: (1...300).map { podcast($0, "new \($0)") })
            #expect(try transaction.fetch(Podcast.self) == (1...300).map { podcast($0, "new \($0)") })
            try transaction.insert(contentsOf: [episode(1), episode(2)])
            try transaction.upsert(podcast(1, "a", trailer: 1))
            #expect(throws: SQLiteError.self) {
                try transaction.upsert(contentsOf: [podcast(3, "b"), podcast(4, "c", trailer: 1)])
            }
            #expect(try transaction.find(Podcast.self, id: 3)?.title == "new 3")
            let topic = Topic(space: "en", word: "swift")
            try transaction.upsert(contentsOf: [topic, topic])
            #expect(try transaction.fetch(Topic.self) == [topic])
        }
    }

    @Test func `a row with the same unique property is updated, and keeps its key`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            try transaction.insert(contentsOf: [podcast(1), podcast(2)])
            try transaction.insert(contentsOf: [episode(1), episode(2)])
            let first = try transaction.upsert(podcast(7, "a", trailer: 1), on: \.trailerID)
            #expect(first == podcast(7, "a", trailer: 1))
            let second = try transaction.upsert(podcast(8, "b", trailer: 1), on: \.trailerID)
            #expect(second == podcast(7, "b", trailer: 1))
            #expect(try transaction.fetch(Podcast.self).map(\.id) == [1, 2, 7])
            #expect(throws: SQLiteError.self) { try transaction.upsert(podcast(9), on: \.title) }
            let topic = Topic(space: "en", word: "swift", position: 3)
            #expect(try transaction.upsert(topic, on: \.space, \.word) == topic)
            // The publisher's key is its only unique property, and ignores the case of letters.
            try transaction.insert(Publisher(country: "UK", name: "BBC"))
            #expect(try transaction.upsert(Publisher(country: nil, name: "bbc"), on: \.name).name == "BBC")
        }
    }

    @Test func `properties that the new row does not know keep their values`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            var old = podcast(1, "old", trailer: 1)
            old.subtitle = "mine"
            try transaction.insert(old)
            try transaction.insert(contentsOf: [episode(1), episode(2)])
            // The key of the row that exists stays, and so do the properties that are not named.
            let stored = try transaction.upsert(podcast(7, "new", trailer: 1), on: \.trailerID, updating: [\.title])
            old.title = "new"
            #expect(stored == old)
            var new = podcast(8, "newer", trailer: 1)
            new.languages = ["de"]
            #expect(try transaction.upsert(new, on: \.trailerID, except: [\.subtitle, \.title]).languages == ["de"])
            #expect(try transaction.upsert(podcast(9, "x", trailer: 1), on: \.trailerID, updating: []).title == "new")
            #expect(try transaction.find(Podcast.self, id: 1)?.subtitle == "mine")
            try transaction.upsert(podcast(1, "by key"), updating: [\.title, \.subtitle], except: [\.subtitle])
            #expect(try transaction.find(Podcast.self, id: 1)?.trailerID == 1)
            #expect(try transaction.find(Podcast.self, id: 1)?.subtitle == "mine")

            let feed = [podcast(20, "a", trailer: 1), podcast(21, "b", trailer: 2), podcast(22, "c")]
            try transaction.upsert(contentsOf: feed, on: \.trailerID, updating: [\.title])
            try transaction.upsert(contentsOf: feed.prefix(2), on: \.trailerID, except: [\.title, \.subtitle])
            #expect(try transaction.fetch(Podcast.self).map(\.title) == ["a", "b", "c"])
            #expect(try transaction.find(Podcast.self, id: 1)?.subtitle == "mine")
            try transaction.upsert(contentsOf: [podcast(1, "z"), podcast(40, "y")], except: [\.trailerID])
            #expect(try transaction.find(Podcast.self, id: 1)?.trailerID == 1)
        }
    }

    @Test func `an upsert sets stored properties, and no primary key`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            try transaction.insert(podcast(1))
            try transaction.insert(episode(1))
            let sql = #"INSERT INTO "episode""#
            #expect(
                throws: QueryError.refused(reason: "it names a property of Episode that is not stored", sql: sql)
            ) { try transaction.upsert(episode(1), updating: [\.minutes]) }
            #expect(throws: QueryError.refused(reason: "it sets the primary key of a row that exists", sql: sql)) {
                try transaction.upsert(contentsOf: [episode(2)], on: \.guid, updating: [\.id])
            }
            #expect(try transaction.fetch(Episode.self) == [episode(1, at: 0)])
        }
    }

    @Test func `statements return the rows that they write`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            #expect(try transaction.insertAndFetch(podcast(1, "a")) == podcast(1, "a"))
            #expect(throws: SQLiteError.self) { try transaction.insertAndFetch(podcast(1, "a")) }
            try transaction.insert(contentsOf: (1...9).map { episode($0) })
            let updated = try transaction.updateAndFetch(Episode.all.where { $0.podcast.title == "a" && $0.id < 4 }) {
                [$0.seconds.set(to: 5)]
            }
            #expect(Set(updated.map(\.id)) == [1, 2, 3] && updated.allSatisfy { $0.seconds == 5 })
            #expect(try transaction.updateAndFetch(Episode.all) { _ in [] } == [])
            let deleted = try transaction.deleteAndFetch(Episode.all.orderBy { $0.id.descending }.limit(2))
            #expect(deleted == [episode(9, at: 8), episode(8, at: 7)])
            #expect(try transaction.count(Episode.self) == 7)
        }
    }

    @Test func `only the properties that differ are written`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            let old = podcast(1, "a")
            try transaction.insert(old)
            var new = old
            new.subtitle = "s"
            new.languages = ["de"]
            // Another device has changed the title meanwhile.
            try transaction.update(Podcast.all) { [$0.title.set(to: "b"), $0.flags.set(to: .muted)] }
            #expect(try transaction.update(new, changedFrom: old))
            let stored = try #require(try transaction.find(Podcast.self, id: 1))
            #expect(
                stored.title == "b" && stored.flags == .muted && stored.subtitle == "s" && stored.languages == ["de"])
            #expect(try !transaction.update(new, changedFrom: new))
            var other = podcast(2, String(repeating: "x", count: 3_000))
            let before = other
            #expect(try !transaction.update(other, changedFrom: before))
            other.title += "y"
            #expect(throws: RelationshipError.noSuchRow(table: "podcast")) {
                try transaction.update(other, changedFrom: before)
            }
        }
    }
}
