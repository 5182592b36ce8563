import Foundation
import Strata
import Testing

@testable import PodcastApp

@Suite(.timeLimit(.minutes(5))) struct PodcastLibraryTests {
    private let library: PodcastLibrary
    private let podcasts: [Podcast]
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    init() throws {
        let store = try Store(inMemory: PodcastSchema.self)
        library = PodcastLibrary(store: store)
        podcasts = ["Birds", "Apples", "Cinema"].enumerated().map { number, title in
            Podcast(
                id: .init(number + 1), feedURL: URL(fileURLWithPath: "/\(title)"), title: title,
                publisherID: number == 2 ? nil : 1)
        }
        let podcasts = podcasts
        try store.write { transaction in
            try transaction.insert(Publisher(id: 1, name: "BBC"))
            try transaction.insert(contentsOf: podcasts)
        }
        for (number, podcast) in podcasts.dropLast().enumerated() {
            try library.refresh(podcast, with: items(of: podcast, number * 30..<number * 30 + 30))
        }
    }

    private func items(of podcast: Podcast, _ numbers: Range<Int>) -> [FeedItem] {
        numbers.map { number in
            FeedItem(
                guid: "guid \(number)", title: "Episode \(number)",
                notes: number % 10 == 0 ? "About swift birds" : "Nothing",
                date: start.addingTimeInterval(Double(number / 2) * 86_400), seconds: number)
        }
    }

    private var episodes: [Episode] { get throws { try library.store.read { try $0.fetch(Episode.self) } } }

    @Test func `counts`() throws {
        try library.store.write { try $0.update(Episode.all.where { $0.seconds < 10 }) { $0.isPlayed.set(to: true) } }
        let counts = try library.counts()
        #expect(counts.map(\.0.title) == ["Apples", "Birds", "Cinema"])
        #expect(counts.map(\.1) == [30, 30, 0] && counts.map(\.2) == [30, 20, 0])
    }

    @Test func `a search shows where the words are`() throws {
        let found = try library.search("swi")
        #expect(found.count == 6 && found.allSatisfy { $0.1 == "About **swift** birds" })
    }

    @Test func `the latest episode of each podcast`() throws {
        let latest = try library.latest()
        #expect(latest.map(\.0.title) == ["Apples", "Birds", "Cinema"])
        #expect(latest.map { $0.1.map { $0.seconds / 2 } } == [29, 14, nil])
    }

    @Test func `a query through three relationships`() throws {
        for episode in try episodes where episode.seconds % 7 == 0 { try library.tag(episode, "news") }
        let found = try library.episodes(of: 1, tagged: "news")
        #expect(found.map(\.0.seconds) == [35, 42, 49, 56, 0, 7, 14, 21, 28])
        #expect(found.map(\.1) == .init(repeating: "Apples", count: 4) + .init(repeating: "Birds", count: 5))
    }

    @Test func `months in a time zone`() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let months = try library.months(in: zone)
        let expected = Dictionary(grouping: try episodes) { calendar.dateInterval(of: .month, for: $0.date)?.start }
        #expect(months.count == 2 && months.map(\.0) == months.map(\.0).sorted(by: >))
        for month in months {
            #expect(expected[month.0]?.count == month.1 && expected[month.0]?.map(\.seconds).reduce(0, +) == month.2)
        }
    }

    @Test func `a feed updates what it knows`() throws {
        try library.store.write { try $0.update(Episode.all) { $0.isPlayed.set(to: true) } }
        let before = try episodes
        var items = items(of: podcasts[0], 0..<31)
        items[3] = FeedItem(guid: "guid 3", title: "Corrected", notes: "", date: items[3].date, seconds: 3)
        items[30] = FeedItem(guid: "new", title: "New", notes: "", date: start, seconds: 100)
        try library.refresh(podcasts[0], with: items)
        let after = try episodes
        #expect(after.count == before.count + 1 && after.first { $0.guid == "guid 3" }?.title == "Corrected")
        #expect(after.filter(\.isPlayed).map(\.id) == before.map(\.id))
    }

    @Test func `a query through a relationship is observed`() async throws {
        var values = library.unplayed().makeAsyncIterator()
        #expect(try await values.next()?.count == 60)
        try await library.store.write { try $0.update(Podcast.all) { $0.title.set(to: "Renamed") } }
        var rows = try await values.next()
        #expect(rows?.count == 60 && rows?.allSatisfy { $0.1 == "Renamed" } == true)
        try await library.store.write { try $0.update(Episode.all) { $0.isPlayed.set(to: true) } }
        rows = try await values.next()
        #expect(rows?.isEmpty == true)
    }

    @Test func `pages by number and behind the last row`() throws {
        let all = try episodes.sorted { ($0.date, $0.id.rawValue) > ($1.date, $1.id.rawValue) }
        #expect(try (0...3).flatMap { try library.page($0) } == all)
        var pages = try library.page(0)
        while let last = pages.last, pages.count < 60 { pages += try library.page(behind: last) }
        #expect(pages == all)
        #expect(try library.page(behind: all[59]).isEmpty)
    }

    @Test func `the episodes of a podcast are deleted with it`() throws {
        try library.unsubscribe(from: podcasts[0])
        #expect(try episodes.count == 30)
    }

    @Test func `a reader sees nothing of a write that goes on`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try Store(at: folder.appendingPathComponent("podcasts.sqlite"), schema: PodcastSchema.self)
        let (other, podcasts) = (PodcastLibrary(store: store), podcasts)
        try store.write { try $0.insert(contentsOf: podcasts.suffix(1)) }
        try other.refresh(podcasts[2], with: items(of: podcasts[2], 0..<30))
        try store.read { (transaction: ReadTransaction) throws in
            let cursor = try transaction.cursor(Episode.all.orderBy { $0.id })
            let first = try cursor.next()
            // The write begins and ends on another thread while this transaction reads.
            let hasEnded = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                #expect(throws: Never.self) { try other.shortenNotes(to: 5) }
                hasEnded.signal()
            }
            hasEnded.wait()
            var notes = [first?.notes]
            while let episode = try cursor.next() { notes.append(episode.notes) }
            #expect(notes.count == 30 && !notes.contains("About") && notes.contains("About swift birds"))
        }
        #expect(try store.read { try $0.count(Episode.all.where { $0.notes == "About" }) } == 3)
    }

    @Test func `the export is decoded again`() throws {
        let decoded = try JSONDecoder().decode([Episode].self, from: library.export())
        #expect(try decoded == episodes)
    }

    @Test func `tags are appended`() throws {
        let episode = try #require(try episodes.first)
        for name in ["news", "birds", "news"] { try library.tag(episode, name) }
        let tags = try library.store.read { try $0.related(episode, \.tags) }
        #expect(tags.map(\.name) == ["news", "birds"])
    }

    @Test func `a playlist has an episode several times`() throws {
        let all = try episodes
        let playlist = try library.makePlaylist("Morning", [all[0], all[1], all[0], all[2]])
        try library.playNext(all[1], in: playlist)
        let rows = try library.store.read { try $0.related(playlist, \.episodes) }
        #expect(rows.map(\.id) == [all[1], all[1], all[0], all[0], all[2]].map(\.id))
    }

    @Test func `rows are deleted by a condition`() throws {
        try library.store.write { try $0.update(Episode.all.where { $0.seconds < 8 }) { $0.isPlayed.set(to: true) } }
        #expect(try library.removePlayed(before: start.addingTimeInterval(86_400)) == 2)
        #expect(try episodes.count == 58)
    }
}
