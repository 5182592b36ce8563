import Foundation
import Podcasts
import Strata
import Testing

/// Properties that SQLite computes from others, in every way to read and write rows.
@Suite struct ComputedPropertyTests {
    private let library: Library

    init() throws { library = try Library() }

    private func minutes(_ episode: Episode) -> Int { episode.seconds / 60 }

    private func label(_ episode: Episode) -> String { episode.title + (episode.notes.map { ": " + $0 } ?? "") }

    /// Expects that fetched episodes have the values that Swift computes.
    private func check(_ episodes: [Episode], count: Int? = nil, _ location: SourceLocation = #_sourceLocation) {
        #expect(count.map { episodes.count == $0 } ?? !episodes.isEmpty, sourceLocation: location)
        for episode in episodes {
            #expect(episode.minutes == minutes(episode), sourceLocation: location)
            #expect(episode.label == label(episode), sourceLocation: location)
        }
    }

    @Test func `every way to fetch rows gives the values`() throws {
        let l = library
        try l.store.read { transaction in
            let all = Episode.all
            check(try transaction.fetch(all), count: l.episodes.count)
            check(try transaction.fetch(Episode.self), count: l.episodes.count)
            check(try transaction.fetch(all.orderBy { [$0.minutes.descending, $0.id.ascending] }.limit(7)), count: 7)
            check(try transaction.fetch(all.where { $0.podcast.title != "" }))
            check(try [transaction.first(all.orderBy { $0.podcast.title.ascending })].compactMap(\.self), count: 1)
            check(try [transaction.find(Episode.self, id: 3)].compactMap(\.self), count: 1)
            check(try transaction.fetch(all.matching(.anyWord("swift"))))
            check(try transaction.rows("SELECT * FROM episode", as: Episode.self), count: l.episodes.count)
            check(try transaction.related(l.podcasts[0], \.episodes))
            let podcasts = try transaction.fetch(Podcast.all.including(\.episodes))
            check(podcasts.flatMap { $0.1 }, count: l.episodes.count)
            let cursor = try transaction.cursor(all)
            var stepped: [Episode] = []
            while let episode = try cursor.next() { stepped.append(episode) }
            check(stepped, count: l.episodes.count)
        }
    }

    @Test func `conditions, orders, selections and groups use the values`() throws {
        let l = library
        try l.check(l.episodes) {
            $0.minutes > 30 && $0.label.hasPrefix("swift")
        } _: {
            minutes($0) > 30 && label($0).hasPrefix("swift")
        }
        try l.store.read { transaction in
            let ordered = try transaction.fetch(Episode.all.orderBy { [$0.label.ascending, $0.id.ascending] })
            let bytes = { (episode: Episode) in (Array(label(episode).utf8), episode.id.rawValue) }
            let expected = l.episodes.sorted { left, right in
                let (left, right) = (bytes(left), bytes(right))
                return left.0 == right.0 ? left.1 < right.1 : left.0.lexicographicallyPrecedes(right.0)
            }
            #expect(ordered.map(\.id) == expected.map(\.id))
            let labels = try transaction.fetch(Episode.all.orderBy { $0.id.ascending }.select { $0.label })
            #expect(labels == l.episodes.map { label($0) })
            let groups = try transaction.fetch(Episode.all.grouped(by: \.minutes).select { ($0.key, $0.count) })
            let counts = Dictionary(grouping: l.episodes, by: minutes).mapValues(\.count)
            #expect(groups.count == counts.count)
            for (key, count) in groups { #expect(key.flatMap { counts[$0] } == count) }
            let plan = try transaction.rows("EXPLAIN QUERY PLAN SELECT id FROM episode WHERE minutes = 5") {
                try $0.value("detail", as: String.self)
            }
            #expect(plan.contains { $0.contains("episode_minutes_idx") }, "\(plan)")
        }
    }

    @Test func `a value is nil until the row is fetched, and is neither compared nor written`() throws {
        let l = library
        var episode = l.episodes[0]
        #expect(episode.minutes == nil && episode.label == nil)
        try l.store.write { transaction in
            let fetched = try #require(try transaction.find(Episode.self, id: episode.id))
            #expect(fetched == episode && fetched.hashValue == episode.hashValue)
            #expect(try transaction.update(fetched, changedFrom: episode) == false)
            episode.seconds = 6_000
            try transaction.update(episode)
            check(try [transaction.find(Episode.self, id: episode.id)].compactMap(\.self), count: 1)
            episode.seconds = 60
            try transaction.upsert(episode)
            check(try [transaction.find(Episode.self, id: episode.id)].compactMap(\.self), count: 1)
            let updated = try transaction.updateAndFetch(Episode.all.where { $0.minutes > 30 }) {
                [$0.seconds.set(to: $0.seconds + 60)]
            }
            check(updated)
            check(try transaction.deleteAndFetch(Episode.all.where { $0.minutes > 50 }))
            let new = Episode(id: 1_000, title: "new", seconds: 61, date: .now, podcastID: l.podcasts[0].id)
            check([try transaction.insertAndFetch(new)], count: 1)
            #expect(throws: SQLiteError.self) {
                try transaction.update(Episode.all) { [$0.label.set(to: "mine")] }
            }
        }
    }
}
