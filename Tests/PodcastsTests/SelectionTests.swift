import Foundation
import Podcasts
import Strata
import Testing

/// Selections and groups, compared with the same computation in Swift.
@Suite struct SelectionTests {
    private let library: Library

    init() throws { library = try Library() }

    @Test func `a selection has the values of each row, and of its related rows`() throws {
        let l = library
        try l.store.read { transaction in
            let rows = try transaction.fetch(
                Episode.all.orderBy { $0.id.ascending }.select {
                    ($0.title, $0.podcast.title, $0.podcast.publisher.country, $0.tags.count, $0.podcast.price)
                })
            #expect(rows.map(\.0) == l.episodes.map(\.title))
            #expect(rows.map(\.1) == l.episodes.map { l.podcast($0).title })
            #expect(rows.map(\.2) == l.episodes.map { l.publisher(l.podcast($0))?.country })
            #expect(rows.map(\.3) == l.episodes.map { l.tags($0).count })
            #expect(rows.map(\.4) == l.episodes.map { l.podcast($0).price })
            let keys = try transaction.fetch(Topic.all.orderBy { $0.id.ascending }.select { $0.id })
            #expect(keys.map { $0.space + $0.word } == l.tags.map { $0.space + $0.word }.sorted())
            #expect(
                try transaction.first(Episode.all.where { $0.id == 3 }.select { $0.seconds }) == l.episodes[2].seconds)
            #expect(try transaction.first(Episode.all.where { $0.id == 0 }.select { $0.seconds }) == nil)
            let cursor = try transaction.cursor(Episode.all.orderBy { $0.id.ascending }.select { ($0.id, $0.rating) })
            var count = 0
            while let (id, rating) = try cursor.next() {
                #expect(l.episodes.first { $0.id == id }?.rating == rating)
                count += 1
            }
            #expect(count == l.episodes.count)
            let titles = try transaction.fetch(Episode.all.select { $0.podcast.title }.distinct())
            #expect(titles.sorted() == Set(l.episodes.map { l.podcast($0).title }).sorted())
            #expect(
                try transaction.sum(of: \.podcast.price, in: Episode.all)
                    == l.episodes.map { l.podcast($0).price }.reduce(0, +))
        }
    }

    @Test func `complete rows are selected beside values, and optional related rows`() throws {
        let l = library
        try l.store.read { (transaction: ReadTransaction) throws in
            let all = Podcast.all.orderBy { $0.id }
            let counts = try transaction.fetch(all.select { ($0, $0.episodes.count) })
            #expect(counts.map(\.0) == l.podcasts && counts.map(\.1) == l.podcasts.map { l.episodes($0).count })
            let rows = try transaction.fetch(
                all.select { ($0, $0.publisher.row, $0.host.home.city, $0.trailer.podcast.row, $0.price) })
            #expect(rows.map(\.0) == l.podcasts)
            #expect(rows.map(\.1) == l.podcasts.map(l.publisher))
            #expect(rows.map(\.2) == l.podcasts.map { $0.host?.home?.city })
            #expect(rows.map(\.3) == l.podcasts.map { l.trailer($0).map(l.podcast) })
            #expect(rows.map(\.4) == l.podcasts.map(\.price))
            let episodes = Episode.all.orderBy { $0.id }
            let parents = try transaction.fetch(
                episodes.select { ($0.title, $0.podcast.row, $0.podcast.publisher.parent.row, $0.id) })
            #expect(parents.map(\.0) == l.episodes.map(\.title) && parents.map(\.3) == l.episodes.map(\.id))
            #expect(parents.map(\.1) == l.episodes.map(l.podcast))
            #expect(
                parents.map(\.2)
                    == l.episodes.map { l.publisher(l.podcast($0)).flatMap { l.publisher($0.parentID) } })
            #expect(try transaction.fetch(episodes.select { $0 }) == l.episodes)
            #expect(try transaction.fetch(episodes.select { $0.podcast }) == l.episodes.map(l.podcast))
            #expect(try transaction.fetch(all.select { $0.publisher }) == l.podcasts.map(l.publisher))
            #expect(try transaction.first(all.select { $0.trailer }) == l.trailer(l.podcasts[0]))
            let two = try transaction.fetch(all.select { ($0, $0.title, $0.price) })
            let three = try transaction.fetch(all.select { ($0, $0.title, $0.price, $0.id) })
            let five = try transaction.fetch(all.select { ($0, $0.title, $0.price, $0.id, $0.tags.count, $0.subtitle) })
            #expect(two.map(\.0) == l.podcasts && three.map(\.0) == l.podcasts && five.map(\.0) == l.podcasts)
            #expect(five.map(\.5) == l.podcasts.map(\.subtitle))
        }
    }

    @Test func `a malformed value in a complete row is an error that names its table`() throws {
        try library.store.write { (transaction: WriteTransaction) throws in
            try transaction.execute("UPDATE podcast SET price = 'x'")
            let error = #expect(throws: MalformedValue.self) {
                try transaction.fetch(Episode.all.select { ($0.id, $0.podcast.row) })
            }
            #expect(error.map { "\($0)" } == "the value in podcast.price is not a decimal number")
        }
    }

    @Test func `a limit before and after a selection`() throws {
        let l = library
        try l.store.read { (transaction: ReadTransaction) throws in
            let all = Episode.all.orderBy { $0.id }
            let titles = l.episodes.map(\.title)
            #expect(try transaction.fetch(all.select { $0.title }.limit(3, offset: 1)) == Array(titles[1..<4]))
            #expect(try transaction.fetch(all.limit(5).select { $0.title }.limit(3, offset: 3)) == Array(titles[3..<5]))
            #expect(try transaction.fetch(all.limit(5).select { $0.title }.limit(9)) == Array(titles[..<5]))
            func distinct(_ titles: some Sequence<String>) -> [String] {
                titles.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            }
            let few = distinct(titles[..<12])
            #expect(few.count < 12)
            #expect(try transaction.fetch(all.limit(12).select { $0.title }.distinct()) == few)
            #expect(
                try transaction.fetch(all.limit(12).select { $0.title }.distinct().limit(2, offset: 1))
                    == Array(few[1..<3]))
            #expect(Set(try transaction.fetch(all.select { $0.title }.distinct().limit(100))) == Set(titles))
            let groups = Episode.all.grouped(by: \.podcastID).orderBy { $0.key }.limit(4)
            let keys = Array(Set(l.episodes.map(\.podcastID)).sorted { $0.rawValue < $1.rawValue }[1..<4])
            #expect(try transaction.fetch(groups.select { $0.key }.limit(9, offset: 1)) == keys)
        }
    }

    @Test func `distinct values come in the order of the first row of each`() throws {
        let l = library
        let byTitle = l.episodes.sorted { ($0.seconds, $0.id.rawValue) > ($1.seconds, $1.id.rawValue) }
        var expected: [Bool] = []
        var podcasts: [Podcast.ID] = []
        for episode in byTitle {
            if !expected.contains(episode.isPlayed) { expected.append(episode.isPlayed) }
            if !podcasts.contains(episode.podcastID) { podcasts.append(episode.podcastID) }
        }
        let sorted = Episode.all.orderBy { [$0.seconds.descending, $0.id.descending] }
        try l.store.read { (transaction: ReadTransaction) throws in
            #expect(try transaction.fetch(sorted.select { $0.isPlayed }.distinct()) == expected)
            #expect(try transaction.fetch(sorted.select { $0.podcastID }.distinct()) == podcasts)
            #expect(
                try transaction.fetch(sorted.select { $0.podcastID }.distinct().limit(3)) == Array(podcasts.prefix(3)))
            let groups = Episode.all.grouped(by: \.podcastID).orderBy {
                [$0.max(\.seconds).descending, $0.key.descending]
            }
            let counts = try transaction.fetch(groups.select { $0.count })
            let distinct = try transaction.fetch(groups.select { $0.count }.distinct())
            #expect(distinct == counts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
        }
    }

    @Test func `a related row is nil only where there is none`() throws {
        let l = library
        // The first column of a publisher is its country, which may be nil.
        try l.check(l.podcasts) {
            $0.publisher.row.isNil
        } _: {
            l.publisher($0) == nil
        }
        let count = try l.store.read {
            try $0.fetch(Podcast.all.grouped { $0.price * 0 }.select { $0.count { $0.publisher.row } })
        }
        #expect(count == [l.podcasts.count { l.publisher($0) != nil }])
    }

    @Test func `keys with several columns, and with a collation, are counted and grouped once`() throws {
        let l = library
        try l.store.write { (transaction: WriteTransaction) throws in
            let all = Topic.all.grouped { $0.position * 0 }
            #expect(try transaction.fetch(all.select { $0.count(\.id, distinct: true) }) == [l.tags.count])
            // Two spellings of one publisher.
            try transaction.execute("UPDATE podcast SET publisher_id = lower(publisher_id) WHERE id % 2 = 0")
            let names = Set(l.podcasts.map { $0.publisherID?.rawValue.lowercased() })
            let groups = Podcast.all.grouped(by: \.publisherID).select { ($0.key, $0.count) }
            let rows = try transaction.fetch(groups)
            #expect(rows.count == names.count && rows.map(\.1).reduce(0, +) == l.podcasts.count)
            #expect(try transaction.fetch(Podcast.all.select { $0.publisherID }.distinct()).count == names.count)
        }
    }

    @Test func `rows are ordered by tuples, and grouped by four values`() throws {
        let l = library
        let two = try l.store.read { try $0.fetch(Episode.all.orderBy { ($0.date, $0.id) }) }
        #expect(two == l.episodes.sorted { ($0.date, $0.id.rawValue) < ($1.date, $1.id.rawValue) })
        let three = try l.store.read { try $0.fetch(Episode.all.orderBy { ($0.podcastID, $0.date, $0.id) }) }
        #expect(
            three
                == l.episodes.sorted {
                    ($0.podcastID.rawValue, $0.date, $0.id.rawValue) < ($1.podcastID.rawValue, $1.date, $1.id.rawValue)
                })
        let groups = Episode.all.grouped { ($0.isPlayed, $0.podcastID, $0.notes, $0.title) }
        let counts = try l.store.read { try $0.fetch(groups.select { $0.count }) }
        #expect(counts.reduce(0, +) == l.episodes.count)
    }

    @Test func `values are converted to a type of your own`() throws {
        struct Item: Equatable {
            let podcast: Podcast
            let count: Int
        }
        let items = try library.store.read { transaction in
            try transaction.fetch(Podcast.all.orderBy(\.id).select { ($0, $0.episodes.count) }.map(Item.init).limit(3))
        }
        #expect(items == library.podcasts.prefix(3).map { Item(podcast: $0, count: library.episodes($0).count) })
        let texts = try library.store.read { transaction in
            try transaction.fetch(Podcast.all.orderBy(\.id).select { $0.id }.map { "#\($0)" })
        }
        #expect(texts == library.podcasts.map { "#\($0.id)" })
    }

    @Test func `aggregates of no values`() throws {
        let l = library
        let rows = try l.store.read {
            try $0.fetch(
                Podcast.all.orderBy { $0.id.ascending }.select {
                    (
                        $0.episodes.sum(\.rating), $0.episodes.sum(\.seconds), $0.episodes.sum(\.price),
                        $0.episodes.average(\.rating), $0.episodes.max(\.rating), $0.episodes.min(\.date)
                    )
                })
        }
        for (podcast, row) in zip(l.podcasts, rows) {
            let episodes = l.episodes(podcast)
            let ratings = episodes.compactMap(\.rating)
            #expect(row.0 == ratings.reduce(0, +))
            #expect(row.1 == episodes.map(\.seconds).reduce(0, +))
            #expect(row.2 == episodes.map(\.price).reduce(0, +))
            #expect(row.3 == (ratings.isEmpty ? nil : ratings.reduce(0, +) / Double(ratings.count)))
            #expect(row.4 == ratings.max())
            #expect(row.5 == episodes.map(\.date).min())
        }
        #expect(rows.contains { $0.3 == nil })
    }

    @Test func `aggregates of groups`() throws {
        let l = library
        let groups = Dictionary(grouping: l.episodes, by: \.podcastID)
        try l.store.read { transaction in
            let rows = try transaction.fetch(
                Episode.all.grouped(by: \.podcastID).select {
                    (
                        $0.key, $0.count, $0.max(\.date), $0.min(\.rating), $0.sum(\.seconds), $0.sum(\.price),
                        $0.average(\.seconds), $0.count(\.title, distinct: true), $0.count(\.rating),
                        $0.max(\.podcast.price)
                    )
                })
            #expect(Set(rows.map(\.0)) == Set(groups.keys) && rows.count == groups.count)
            for row in rows {
                let episodes = try #require(groups[row.0])
                #expect(row.1 == episodes.count)
                #expect(row.2 == episodes.map(\.date).max())
                #expect(row.3 == episodes.compactMap(\.rating).min())
                #expect(row.4 == episodes.map(\.seconds).reduce(0, +))
                #expect(row.5 == episodes.map(\.price).reduce(0, +))
                #expect(row.6 == Double(episodes.map(\.seconds).reduce(0, +)) / Double(episodes.count))
                // Texts are compared byte by byte, unlike in Swift.
                #expect(row.7 == Set(episodes.map { Array($0.title.utf8) }).count)
                #expect(row.8 == episodes.compactMap(\.rating).count)
                #expect(row.9 == l.podcast(episodes[0]).price)
            }
        }
    }

    @Test func `conditions, orders and limits of groups`() throws {
        let l = library
        let groups = Dictionary(grouping: l.episodes.filter { $0.seconds > 500 }) { l.publisher(l.podcast($0))?.name }
        try l.store.read { transaction in
            let request = Episode.all.where { $0.seconds > 500 }.grouped(by: \.podcast.publisher.name)
            let large = request.having { $0.count > 10 && $0.max(\.seconds) > 3_000 }
                .orderBy { [$0.count.descending, $0.key.ascending] }
            let rows = try transaction.fetch(large.select { ($0.key, $0.count) })
            let expected = groups.filter { $0.value.count > 10 && $0.value.contains { $0.seconds > 3_000 } }
                .map { ($0.key, $0.value.count) }.sorted { ($1.1, $0.0 ?? "") < ($0.1, $1.0 ?? "") }
            #expect(rows.map(\.0) == expected.map(\.0) && rows.map(\.1) == expected.map(\.1) && rows.count > 1)
            let second = try transaction.fetch(large.limit(1, offset: 1).select { $0.key })
            #expect(second == [expected[1].0])
            let pairs = try transaction.fetch(
                Episode.all.grouped(by: \.isPlayed, \.podcastID).select { ($0.key.0, $0.key.1, $0.count) })
            let oracle = Dictionary(grouping: l.episodes) { "\($0.isPlayed) \($0.podcastID)" }
            #expect(pairs.count == oracle.count)
            for (isPlayed, id, count) in pairs { #expect(oracle["\(isPlayed) \(id)"]?.count == count) }
            // A limit of the request limits the rows that are grouped.
            let first = try transaction.fetch(
                Episode.all.orderBy { $0.id.ascending }.limit(20).grouped(by: \.podcast.id).select { $0.count })
            #expect(first.reduce(0, +) == 20)
        }
    }

    @Test func `the SQL of selections and groups`() {
        #expect(
            Episode.all.where { $0.seconds > 5 }.grouped(by: \.podcastID).having { $0.count > 1 }
                .orderBy { $0.count.descending }.limit(3).select { ($0.key, $0.max(\.date)) }.sql == """
                    SELECT "podcast_id", max("date") FROM "episode" WHERE "seconds" > ? GROUP BY "podcast_id" \
                    HAVING count(*) > ? ORDER BY count(*) DESC LIMIT ?
                    """)
        #expect(
            Episode.all.grouped(by: \.podcast.title).select { ($0.key, $0.count) }.sql == """
                SELECT t1."title", count(*) FROM "episode" AS t0 JOIN "podcast" AS t1 ON t1."id" = t0."podcast_id" \
                GROUP BY t1."title"
                """)
    }
}
