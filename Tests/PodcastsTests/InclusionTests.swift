import Foundation
import Podcasts
import Strata
import Testing

/// Rows fetched together with the rows that their relationships lead to, compared with the same rows in arrays.
@Suite struct InclusionTests {
    private let library: Library

    init() throws { library = try Library() }

    /// The episodes of a podcast in the order of the relationship.
    private func ordered(_ podcast: Podcast) -> [Episode] {
        library.episodes(podcast).sorted {
            ($0.podcastPosition ?? .max, $0.id.rawValue) < ($1.podcastPosition ?? .max, $1.id.rawValue)
        }
    }

    @Test func `rows of each kind of relationship`() throws {
        let l = library
        let request = Podcast.all.orderBy { $0.id.ascending }.including(\.episodes).including(\.publisher)
            .including(\.tags).including(\.trailer)
        let rows = try l.store.read { try $0.fetch(request) }
        #expect(rows.map(\.0) == l.podcasts)
        for (podcast, episodes, publisher, tags, trailer) in rows {
            #expect(episodes == ordered(podcast))
            #expect(publisher == l.publisher(podcast))
            #expect(Set(tags) == Set(l.tags(podcast)))
            #expect(trailer == l.trailer(podcast))
        }
        let episodes = try l.store.read {
            try $0.fetch(
                Episode.all.orderBy { $0.id.ascending }.including(\.podcast).including(\.tags).including(\.trailerOf))
        }
        #expect(episodes.map(\.0) == l.episodes)
        for (episode, podcast, tags, trailerOf) in episodes {
            #expect(podcast == l.podcast(episode))
            #expect(tags == l.tags(episode))
            #expect(trailerOf == l.podcasts.first { $0.trailerID == episode.id })
        }
        // The keys that reference a publisher are in other letters than its own key.
        let publishers = try l.store.read { try $0.fetch(Publisher.all.including(\.podcasts).including(\.parent)) }
        #expect(publishers.count == l.publishers.count)
        for (publisher, podcasts, parent) in publishers {
            #expect(podcasts == l.podcasts(publisher))
            #expect(parent == l.publisher(publisher.parentID))
        }
    }

    @Test func `conditions, orders and limits of the related rows`() throws {
        let l = library
        let rows = try l.store.read {
            try $0.fetch(
                Podcast.all.including(\.episodes) {
                    $0.where { $0.seconds > 500 }.orderBy { [$0.seconds.descending, $0.id.ascending] }
                }
                .including(\.episodes) { $0.where { $0.podcast.price > 0.2 && !$0.isPlayed }.limit(2, offset: 1) }
                .including(\.tags) {
                    $0.orderBy { [$0.podcasts.count.descending, $0.word.ascending, $0.space.ascending] }.limit(1)
                })
        }
        #expect(rows.count == l.podcasts.count)
        for (podcast, long, some, tags) in rows {
            let expected = l.episodes(podcast).filter { $0.seconds > 500 }
                .sorted { (-$0.seconds, $0.id.rawValue) < (-$1.seconds, $1.id.rawValue) }
            #expect(long == expected)
            let unplayed = podcast.price > 0.2 ? ordered(podcast).filter { !$0.isPlayed } : []
            #expect(some == Array(unplayed.dropFirst().prefix(2)))
            let best = l.tags(podcast).max { left, right in
                func key(_ topic: Topic) -> (Int, String, String) {
                    (-l.podcasts.count { l.tags($0).contains(topic) }, topic.word, topic.space)
                }
                return key(left) > key(right)
            }
            #expect(tags == [best].compactMap(\.self))
        }
    }

    @Test func `limits and offsets of related rows may have any size`() throws {
        let l = library
        let numbers = [Int.min, -1, 0, 1, 3, .max]
        for limit in numbers {
            for offset in numbers {
                let rows = try l.store.read {
                    try $0.fetch(
                        Podcast.all.including(\.episodes) {
                            $0.orderBy { $0.id.ascending }.limit(limit, offset: offset)
                        })
                }
                for (podcast, episodes) in rows {
                    let all = l.episodes(podcast).sorted { $0.id.rawValue < $1.id.rawValue }
                    let rest = all.dropFirst(max(0, min(offset, all.count)))
                    #expect(episodes == Array(limit < 0 ? rest : rest.prefix(limit)), "\(limit), \(offset)")
                }
            }
        }
    }

    @Test func `searched rows, and searched related rows`() throws {
        let l = library
        func race(_ episode: Episode) -> Bool { episode.notes?.contains("race") ?? false }
        let rows = try l.store.read {
            try $0.fetch(
                Podcast.all.orderBy { $0.id.ascending }
                    .including(\.episodes) { $0.matching("race*", in: .notes) }
                    .including(\.episodes) { $0.matching("data race", in: .notes).limit(1) }
                    .including(\.episodes) { $0.orderBy { $0.id.ascending }.matching("race") })
        }
        #expect(rows.map(\.0) == l.podcasts)
        for (podcast, found, best, sorted) in rows {
            let expected = l.episodes(podcast).filter(race)
            #expect(Set(found) == Set(expected))
            #expect(best.count == min(expected.count, 1) && best.allSatisfy(race))
            #expect(sorted == expected.sorted { $0.id.rawValue < $1.id.rawValue })
        }
        #expect(rows.contains { $0.1.count > 1 })
        let episodes = try l.store.read {
            try $0.fetch(Episode.all.matching("race", in: .notes).including(\.podcast))
        }
        #expect(Set(episodes.map(\.0)) == Set(l.episodes.filter(race)))
        for (episode, podcast) in episodes { #expect(podcast == l.podcast(episode)) }
    }

    @Test func `relationships of related rows`() throws {
        let l = library
        let request = Publisher.all.orderBy { $0.id.ascending }.including(\.podcasts) {
            $0.where { $0.price > 0 }.including(\.episodes) { $0.including(\.tags) }.including(\.publisher)
        }
        let rows = try l.store.read { try $0.fetch(request) }
        #expect(rows.count == l.publishers.count)
        for (publisher, podcasts) in rows {
            #expect(podcasts.map(\.0) == l.podcasts(publisher).filter { $0.price > 0 })
            for (podcast, episodes, owner) in podcasts {
                #expect(owner == publisher)
                #expect(episodes.map(\.0) == ordered(podcast))
                for (episode, tags) in episodes { #expect(tags == l.tags(episode)) }
            }
        }
        let first = try #require(try l.store.read { try $0.first(request) })
        #expect(first.0 == rows[0].0 && first.1.map(\.0) == rows[0].1.map(\.0))
        let nested = try l.store.read {
            try $0.fetch(Episode.all.including(\.podcast) { $0.including(\.publisher) { $0.including(\.parent) } })
        }
        for (episode, (podcast, publisher)) in nested {
            #expect(podcast == l.podcast(episode) && publisher?.0 == l.publisher(podcast))
            #expect(publisher?.1 == l.publisher(l.publisher(podcast)?.parentID))
        }
        #expect(try l.store.read { try $0.fetch(Podcast.all.where { $0.id == 0 }.including(\.episodes)) }.isEmpty)
        #expect(try l.store.read { try $0.first(Podcast.all.where { $0.id == 0 }.including(\.episodes)) } == nil)
    }

    @Test func `the related rows of any number of rows come from one query`() throws {
        let store = try Store(inMemory: PodcastSchema.self)
        let podcasts = (1...40_000).map { Podcast(id: .init(rawValue: $0), title: "") }
        try store.write { transaction in
            try transaction.insert(contentsOf: podcasts)
            try transaction.insert(
                contentsOf: podcasts.map {
                    Episode(
                        id: .init(rawValue: $0.id.rawValue), title: "", date: Date(timeIntervalSinceReferenceDate: 0),
                        podcastID: $0.id)
                })
        }
        let rows = try store.read { try $0.fetch(Podcast.all.including(\.episodes)) }
        #expect(rows.count == 40_000 && rows.allSatisfy { $0.1.map(\.id.rawValue) == [$0.0.id.rawValue] })
    }
}
