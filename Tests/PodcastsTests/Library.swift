import Foundation
import Podcasts
import Strata

/// Random podcasts in a store, and the same rows in arrays, on which Swift's own filters are the oracle of queries.
struct Library {
    let publishers: [Publisher]
    let podcasts: [Podcast]
    let episodes: [Episode]
    let tags: [Topic]
    /// The tags of each podcast and of each episode, in their order.
    var podcastTags: [Podcast.ID: [Topic.ID]] = [:]
    var episodeTags: [Episode.ID: [Topic.ID]] = [:]
    var synonyms: [Topic.ID: Set<Topic.ID>] = [:]
    let store: Store

    /// Where the stores of tests are, and what receives their statements.
    struct Tracing {
        let folder: URL
        let receive: @Sendable (StatementTrace) -> Void
    }

    /// Set by a test that reads the statements of other tests; nil for stores in memory.
    @TaskLocal static var tracing: Tracing?

    static func makeStore() throws -> Store {
        guard let tracing else { return try Store(inMemory: PodcastSchema.self) }
        var options = StoreOptions()
        options.trace = tracing.receive
        let file = tracing.folder.appendingPathComponent(UUID().uuidString)
        return try Store(at: file, schema: PodcastSchema.self, options: options)
    }

    init(seed: UInt64 = 1, at url: URL? = nil) throws {
        var random = SplitMix(state: seed)
        let names = ["Mosaik", "mira", "Zoe", "BBC", "Kleine Welt"]
        publishers = names.enumerated().map { place, name in
            Publisher(
                country: [nil, "DE", "UK"][place % 3], name: name,
                // The case of the letters differs from the publisher's own.
                parentID: place % 2 == 0 ? nil : Publisher.ID(rawValue: names[place - 1].uppercased()))
        }
        let words = ["swift", "Swift", "100%", "a_b", "", "STRASSE", "Straße", "émile", "ÉMILE", "ä\0b", "*x*"]
        func host(_ number: Int) -> Person {
            let since = number % 2 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number))
            let home = number % 5 == 0 ? nil : Place(city: ["Bonn", "Lüttich"][number % 2], since: since)
            let age = number % 3 == 0 ? nil : 20 + number
            return Person(name: words[number % 6], age: age, isGuest: number % 2 == 0, home: home)
        }
        podcasts = (1...14).map { (number: Int) -> Podcast in
            let price: Decimal = Decimal(number % 5 * 25) / 100
            // The case of the letters differs from the publisher's own.
            let publisher = number % 4 == 0 ? nil : Publisher.ID(rawValue: names[number % 3].uppercased())
            return Podcast(
                id: Podcast.ID(rawValue: number), title: words[number % words.count] + " \(number % 4)",
                subtitle: number % 3 == 0 ? nil : words[number % 7],
                price: price,
                flags: PodcastFlags(rawValue: number % 8),
                host: number % 4 == 0 ? nil : host(number),
                languages: Array(["de", "en", "fr", "en"].prefix(number % 5)),
                publisherID: publisher,
                trailerID: number % 3 == 0 ? Episode.ID(rawValue: number) : nil)
        }
        let podcastIDs = podcasts.map(\.id)
        func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        let notes = ["Swift concurrency", "A data race in Swift", "Kotlin"]
        episodes = (1...90).map { (number: Int) -> Episode in
            let (title, seconds, price) = (words[below(words.count)], below(4_000), Decimal(below(400)) / 100)
            let rating: Double? = number % 4 == 0 ? nil : Double(below(10)) / 2
            let date = Date(timeIntervalSinceReferenceDate: Double(below(1_000)))
            let isPlayed = random.next() % 2 == 0
            // The last two podcasts have no episodes.
            let podcast = podcastIDs[below(podcastIDs.count - 2)]
            return Episode(
                id: Episode.ID(rawValue: number), title: title, seconds: seconds, price: price, rating: rating,
                date: date,
                isPlayed: isPlayed, podcastID: podcast, podcastPosition: below(100),
                notes: number % 3 == 0 ? nil : notes[number / 3 % 3])
        }
        tags = ["swift", "news", "Straße", "x"].flatMap { word in
            ["en", "de"].map { Topic(space: $0, word: word, position: $0.count + word.count) }
        }
        store = try url.map { try Store(at: $0, schema: PodcastSchema.self) } ?? Self.makeStore()
        let tagIDs = tags.map { Topic.ID(space: $0.space, word: $0.word) }
        for podcast in podcasts where podcast.id.rawValue % 3 != 0 {
            podcastTags[podcast.id] = tagIDs.filter { _ in random.next() % 4 == 0 }
        }
        for episode in episodes where episode.id.rawValue % 5 != 0 {
            episodeTags[episode.id] = tagIDs.filter { _ in random.next() % 5 == 0 }.reversed()
        }
        synonyms = [tagIDs[0]: [tagIDs[1], tagIDs[2]], tagIDs[1]: [tagIDs[0]], tagIDs[2]: [tagIDs[0]]]
        let library = self
        try store.write { transaction in
            try transaction.insert(contentsOf: library.publishers)
            try transaction.insert(contentsOf: library.tags)
            try transaction.insert(contentsOf: library.podcasts)
            try transaction.insert(contentsOf: library.episodes)
            for podcast in library.podcasts {
                try transaction.setRelated(podcast, \.tags, to: library.podcastTags[podcast.id] ?? [])
            }
            for episode in library.episodes {
                try transaction.setRelated(episode, \.tags, to: library.episodeTags[episode.id] ?? [])
            }
            try transaction.setRelated(library.tags[0], \.synonyms, to: [tagIDs[1], tagIDs[2]])
        }
    }

    // MARK: The oracle

    func podcast(_ episode: Episode) -> Podcast { podcasts.first { $0.id == episode.podcastID } ?? podcasts[0] }

    func publisher(_ podcast: Podcast) -> Publisher? { publisher(podcast.publisherID) }

    func publisher(_ id: Publisher.ID?) -> Publisher? {
        publishers.first { $0.name.lowercased() == id?.rawValue.lowercased() }
    }

    func episodes(_ podcast: Podcast) -> [Episode] { episodes.filter { $0.podcastID == podcast.id } }

    func podcasts(_ publisher: Publisher) -> [Podcast] { podcasts.filter { self.publisher($0) == publisher } }

    func tags(_ podcast: Podcast) -> [Topic] { (podcastTags[podcast.id] ?? []).compactMap(tag) }

    func tags(_ episode: Episode) -> [Topic] { (episodeTags[episode.id] ?? []).compactMap(tag) }

    func trailer(_ podcast: Podcast) -> Episode? { episodes.first { $0.id == podcast.trailerID } }

    func tag(_ id: Topic.ID) -> Topic? { tags.first { Topic.id(of: $0) == id } }
}

/// A generator of random numbers with a seed (https://prng.di.unimi.it/splitmix64.c).
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return (value ^ (value >> 31)) >> 8
    }
}
