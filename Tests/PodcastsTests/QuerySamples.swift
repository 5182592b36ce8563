import Foundation
import Podcasts
import Strata
import Testing

/// The examples of doc comments that need other relationships than those of the model Movies.
@Suite struct QuerySamples {
    private let library: Library

    init() throws { library = try Library() }

    private func rows(_ request: Request<Podcast>) throws -> [Podcast] {
        try library.store.read { try $0.fetch(request) }
    }

    @Test func `examples of relationships, options and structs`() throws {
        do {
            let request = Episode.all.where { $0.podcast.title.hasPrefix("S") }
            #expect(
                try library.store.read { try $0.fetch(request) }.count
                    == library.episodes.count {
                        library.podcast($0).title.hasPrefix("S")
                    })
        }
        do {
            let request = Podcast.all.where { $0.episodes.contains { !$0.isPlayed } }
                .orderBy { $0.episodes.max(\.date).descending }
            #expect(try rows(request).count > 5)
        }
        do {
            let request = Podcast.all.orderBy { $0.episodes.max(\.date).descending }
            #expect(try rows(request).count == library.podcasts.count)
        }
        do {
            let request = Podcast.all.orderBy { $0.episodes.where { !$0.isPlayed }.count.descending }
            #expect(try rows(request).count == library.podcasts.count)
        }
        do {
            let request = Episode.all.where { $0.isPlayed }
            #expect(try library.store.read { try $0.count(request) } == library.episodes.count(where: \.isPlayed))
        }
        do {
            let request = Podcast.all.where { $0.flags.contains(.muted) }
            #expect(try rows(request).count == library.podcasts.count { $0.flags.contains(.muted) })
        }
        do {
            let request = Podcast.all.where { $0.host.home.city == "Bonn" }
            #expect(try rows(request).count == library.podcasts.count { $0.host?.home?.city == "Bonn" })
        }
        do {
            let request = Podcast.all.where { !$0.host.isNil }
            #expect(try rows(request).count == library.podcasts.count { $0.host != nil })
        }
        do {
            let request = Podcast.all.where { $0.languages.contains("de") }
            #expect(try rows(request).count == library.podcasts.count { $0.languages.contains("de") })
        }
        do {
            let request = Podcast.all.where { $0.languages.contains { $0.hasPrefix("d") } }
            #expect(try rows(request).count == library.podcasts.count { $0.languages.contains("de") })
        }
    }

    @Test func `the example of a required relationship`() throws {
        try library.store.read { transaction in
            let episode = library.episodes[0]
            let podcast = try transaction.related(episode, \.podcast)
            #expect(podcast == library.podcast(episode))
        }
    }

    @Test func `examples of fetching related rows together`() throws {
        try library.store.read { transaction in
            do {
                let request = Podcast.all.orderBy { $0.title.ascending }.including(\.episodes).including(\.publisher)
                for (podcast, episodes, publisher) in try transaction.fetch(request) {
                    print(podcast.title, episodes.count, publisher?.country ?? "")
                }
            }
            do {
                let newest = Podcast.all.including(\.episodes) { $0.orderBy { $0.date.descending }.limit(3) }
                #expect(try transaction.fetch(newest).allSatisfy { $0.1.count <= 3 })
            }
            do {
                let request = Publisher.all.including(\.podcasts) { $0.including(\.episodes) }
                #expect(try transaction.fetch(request).count == library.publishers.count)
            }
        }
    }

    @Test func `examples of writing what a feed knows`() throws {
        var (episode, feed) = (library.episodes[0], library.episodes)
        for index in feed.indices {
            feed[index].guid = "\(index)"
            feed[index].isPlayed.toggle()
        }
        episode.guid = "0"
        try library.store.write { (transaction: WriteTransaction) throws in
            try transaction.update(Episode.all) { [$0.guid.set(to: nil)] }
            for episode in feed { try transaction.update(episode, \.guid) }
            try transaction.upsert(episode, on: \.guid, updating: [\.title, \.notes])
            try transaction.upsert(contentsOf: feed, on: \.guid, except: [\.isPlayed])
            try transaction.upsert(episode, on: \.guid, updating: [\.title, \.notes])
            try transaction.upsert(episode, on: \.guid, except: [\.isPlayed])
            try transaction.upsert(contentsOf: feed, on: \.guid, except: [\.isPlayed])
            #expect(try transaction.fetch(Episode.self).map(\.isPlayed) == library.episodes.map(\.isPlayed))
        }
    }

    @Test func `examples of dates`() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let months = Episode.all.grouped { ($0.date.year(in: zone), $0.date.month(in: zone)) }
        let weeks = Episode.all.grouped { $0.date.start(of: .week, in: zone) }.select { ($0.key, $0.count) }
        try library.store.read { (transaction: ReadTransaction) throws in
            #expect(try transaction.fetch(months.select { $0.count }).reduce(0, +) == library.episodes.count)
            #expect(try transaction.fetch(weeks).map(\.1).reduce(0, +) == library.episodes.count)
        }
    }

    @Test func `an example of a Boolean property`() throws {
        let store = library.store
        let played = try store.read { try $0.fetch(Episode.all.where(\.isPlayed)) }
        #expect(Set(played) == Set(library.episodes.filter(\.isPlayed)))
    }

    @Test func `examples of complete rows beside values`() throws {
        try library.store.read { transaction in
            do {
                let rows = try transaction.fetch(Episode.all.select { ($0.title, $0.podcast.row) })
                #expect(rows.count == library.episodes.count)
            }
            do {
                let rows = try transaction.fetch(Podcast.all.select { ($0, $0.publisher.row) })
                #expect(rows.count == library.podcasts.count)
            }
            let podcasts = try transaction.fetch(Episode.all.where { $0.isPlayed }.select { $0.podcast }.distinct())
            #expect(Set(podcasts) == Set(library.episodes.filter(\.isPlayed).map(library.podcast)))
        }
    }

    @Test func `examples of searches`() throws {
        func isFound(_ episode: Episode, _ words: String...) -> Bool {
            let text = "\(episode.title) \(episode.notes ?? "")".lowercased()
            return words.contains { text.contains($0) }
        }
        let swift = library.episodes.count { isFound($0, "swift") }
        try library.store.read { transaction in
            do {
                let episodes = try transaction.fetch(Episode.all.matching("swift con*").limit(20))
                #expect(episodes.count == min(20, library.episodes.count { isFound($0, "concurrency") }))
            }
            do {
                let episodes = try transaction.fetch(Episode.all.matching(.anyWord("swift kotlin")))
                #expect(episodes.count == library.episodes.count { isFound($0, "swift", "kotlin") })
            }
            do {
                let typed = "swi"
                let request = Episode.all.matching(.beginnings(typed), in: .title)
                #expect(try transaction.count(request) == library.episodes.count { $0.title.lowercased() == "swift" })
            }
            do {
                let results = Episode.all.matching("swift")
                    .select { ($0.title, $0.snippet(of: .notes, from: "**", to: "**")) }
                #expect(try transaction.fetch(results).contains { $0.1 == "A data race in **Swift**" })
                #expect(try transaction.fetch(results).count == swift)
            }
            do {
                let titles = Episode.all.matching("swift").select { $0.highlighted(.title, from: "<b>", to: "</b>") }
                #expect(try transaction.fetch(titles).contains("<b>swift</b>"))
            }
            let byPublisher = Episode.all.matching("swift").where { $0.podcast.title.hasPrefix("S") }
            #expect(
                try transaction.count(byPublisher)
                    == library.episodes.count { isFound($0, "swift") && library.podcast($0).title.hasPrefix("S") })
        }
    }

    @Test func `examples of patterns`() throws {
        try library.store.read { (transaction: ReadTransaction) throws in
            do {
                let pattern = SearchPattern.allWords("\"data race\" swift con*")
                #expect(try transaction.count(Episode.all.matching(pattern)) == 0)
            }
            do {
                let pattern = SearchPattern.beginnings("swi con")  // Finds "Swift concurrency".
                #expect(try transaction.exists(Episode.all.matching(pattern)))
            }
            do {
                let pattern = SearchPattern.fts5("title : swift NOT kotlin")
                #expect(try transaction.exists(Episode.all.matching(pattern)))
            }
        }
    }
}
