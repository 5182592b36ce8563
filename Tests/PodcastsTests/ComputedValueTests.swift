import Foundation
import Podcasts
import Strata
import Testing

/// Computed values, options, members of structs, elements of lists, and own SQL, compared with Swift.
@Suite struct ComputedValueTests {
    private let library: Library

    init() throws { library = try Library() }

    @Test func `a member of a struct has a value in place of nil, and may have the name of a function`() throws {
        let l = library
        let (known, other) = (UUID(), UUID())
        try l.store.write { (transaction: WriteTransaction) throws in
            var podcast = l.podcasts[0]
            podcast.host?.token = known
            podcast.host?.count = 7
            try transaction.update(podcast)
        }
        let rows = try l.store.read {
            try $0.fetch(
                Podcast.all.orderBy { $0.id }.select { ($0.host.token ?? other, $0.host.count, $0.languages.count) })
        }
        #expect(rows.map(\.0) == l.podcasts.enumerated().map { $0.offset == 0 ? known : other })
        #expect(rows.map(\.1) == l.podcasts.enumerated().map { $0.offset == 0 ? 7 : $0.element.host.map { _ in 0 } })
        #expect(rows.map(\.2) == l.podcasts.map(\.languages.count))
        let found = try l.store.read { try $0.fetch(Podcast.all.where { $0.host.count == 7 }) }
        #expect(found.map(\.id) == [l.podcasts[0].id])
    }

    @Test func `arithmetic has the results of Swift`() throws {
        let l = library
        try l.check(l.episodes) {
            $0.seconds * 2 - 100 > 3_000
        } _: {
            $0.seconds * 2 - 100 > 3_000
        }
        try l.check(l.episodes) {
            $0.seconds + ($0.podcastPosition ?? 0) > 2_000
        } _: {
            $0.seconds + ($0.podcastPosition ?? 0) > 2_000
        }
        try l.check(l.episodes) {
            $0.price * $0.price - $0.price + 0.25 < 1
        } _: {
            $0.price * $0.price - $0.price + 0.25 < 1
        }
        try l.check(l.episodes) {
            $0.rating * 2 > 5
        } _: {
            ($0.rating ?? 0) * 2 > 5
        }
        try l.check(l.episodes) {
            ($0.rating ?? 1.5) < 2
        } _: {
            ($0.rating ?? 1.5) < 2
        }
        try l.check(l.episodes) {
            $0.seconds.double > $0.podcast.episodes.average(\.seconds) ?? 0
        } _: { episode in
            let seconds = l.episodes(l.podcast(episode)).map { Double($0.seconds) }
            return Double(episode.seconds) > seconds.reduce(0, +) / Double(seconds.count)
        }
        try l.check(l.episodes) {
            $0.seconds > $0.podcastPosition ?? 0 && $0.price < $0.podcast.price
        } _: {
            $0.seconds > ($0.podcastPosition ?? 0) && $0.price < l.podcast($0).price
        }
        try l.store.write { transaction in
            try transaction.update(Episode.all) {
                [$0.price.set(to: $0.price * $0.price - 1), $0.seconds.set(to: $0.seconds + $0.seconds)]
            }
            for episode in l.episodes {
                let changed = try transaction.find(Episode.self, id: episode.id)
                #expect(changed?.price == episode.price * episode.price - 1)
                #expect(changed?.seconds == 2 * episode.seconds)
            }
        }
    }

    @Test func `a Bool property is a condition`() throws {
        let l = library
        try l.check(l.episodes) {
            !$0.isPlayed
        } _: {
            !$0.isPlayed
        }
        try l.check(l.episodes) {
            $0.isPlayed && $0.seconds > 1_000
        } _: {
            $0.isPlayed && $0.seconds > 1_000
        }
        try l.check(l.episodes) {
            $0.seconds > 1_000 || $0.isPlayed
        } _: {
            $0.isPlayed || $0.seconds > 1_000
        }
        #expect(
            try l.store.read { try $0.count(Episode.all.where { $0.isPlayed }) } == l.episodes.count(where: \.isPlayed))
        try l.check(l.podcasts) {
            $0.episodes.contains { $0.isPlayed }
        } _: {
            l.episodes($0).contains(where: \.isPlayed)
        }
        try l.check(l.podcasts) {
            $0.episodes.where { $0.isPlayed }.count > 3
        } _: {
            l.episodes($0).count(where: \.isPlayed) > 3
        }
    }

    @Test func `conditions on options`() throws {
        let l = library
        try l.check(l.podcasts) {
            $0.flags.contains(.pinned)
        } _: {
            $0.flags.contains(.pinned)
        }
        try l.check(l.podcasts) {
            $0.flags.contains([.muted, .private])
        } _: {
            $0.flags.contains([.muted, .private])
        }
        try l.check(l.podcasts) {
            $0.flags.contains([])
        } _: { _ in
            true
        }
        try l.check(l.podcasts) {
            $0.flags.isDisjoint(with: [.muted, .pinned])
        } _: {
            $0.flags.isDisjoint(with: [.muted, .pinned])
        }
        try l.check(l.episodes) {
            $0.podcast.flags.contains(.muted)
        } _: {
            l.podcast($0).flags.contains(.muted)
        }
        try l.check(l.publishers) {
            $0.podcasts.contains { $0.flags == [] }
        } _: {
            l.podcasts($0).contains { $0.flags == [] }
        }
        try l.check(l.podcasts) {
            $0.trailer.podcast.flags.contains(.muted)
        } _: {
            l.trailer($0).map { l.podcast($0).flags.contains(.muted) } ?? false
        }
    }

    @Test func `conditions, orders and selections of members of structs`() throws {
        let l = library
        try l.check(l.podcasts) {
            $0.host.name == "swift"
        } _: {
            $0.host?.name == "swift"
        }
        try l.check(l.podcasts) {
            $0.host.name != "swift"
        } _: {
            $0.host?.name != "swift"
        }
        try l.check(l.podcasts) {
            $0.host.age > 25
        } _: {
            ($0.host?.age ?? 0) > 25
        }
        try l.check(l.podcasts) {
            $0.host.age == nil
        } _: {
            $0.host?.age == nil
        }
        try l.check(l.podcasts) {
            $0.host.isGuest == true
        } _: {
            $0.host?.isGuest == true
        }
        try l.check(l.podcasts) {
            $0.host.home.city == "Lüttich"
        } _: {
            $0.host?.home?.city == "Lüttich"
        }
        try l.check(l.podcasts) {
            $0.host.home.isNil
        } _: {
            $0.host?.home == nil
        }
        for podcast in l.podcasts {
            guard let since = podcast.host?.home?.since else { continue }
            try l.check(l.podcasts) {
                $0.host.home.since == since
            } _: {
                $0.host?.home?.since == since
            }
            try l.check(l.podcasts) {
                $0.host.home.since <= since
            } _: {
                ($0.host?.home?.since).map { $0 <= since } ?? false
            }
        }
        try l.check(l.podcasts) {
            $0.host.age.isIn([23, 25, 27])
        } _: {
            $0.host?.age.map { [23, 25, 27].contains($0) } ?? false
        }
        try l.check(l.podcasts) {
            $0.host.age.isIn(Array(20..<400))
        } _: {
            $0.host?.age != nil
        }
        try l.check(l.episodes) {
            $0.podcast.host.name == "swift"
        } _: {
            l.podcast($0).host?.name == "swift"
        }
        try l.store.read { transaction in
            let rows = try transaction.fetch(
                Podcast.all.orderBy { [$0.host.age.ascending, $0.id.ascending] }
                    .select { ($0.id, $0.host.name, $0.host.age, $0.host.isGuest, $0.host.home.since, $0.host.home) })
            let sorted = l.podcasts.sorted {
                ($0.host?.age ?? -1, $0.id.rawValue) < ($1.host?.age ?? -1, $1.id.rawValue)
            }
            #expect(rows.map(\.0) == sorted.map(\.id))
            #expect(rows.map(\.1) == sorted.map { $0.host?.name })
            #expect(rows.map(\.2) == sorted.map { $0.host?.age })
            #expect(rows.map(\.3) == sorted.map { $0.host?.isGuest })
            #expect(rows.map(\.4) == sorted.map { $0.host?.home?.since })
            #expect(rows.map(\.5) == sorted.map { $0.host?.home })
        }
    }

    @Test func `numbers in structs keep all digits in conditions and selections`() throws {
        var random = SplitMix(state: 3)
        try library.store.write { transaction in
            try transaction.delete(Episode.all)
            try transaction.delete(Podcast.all)
            for number in 1...300 {
                let since = Date(timeIntervalSinceReferenceDate: Double(random.next()) / 1e7)
                let place = Place(city: "a\0b\(number)", since: since)
                let podcast = Podcast(
                    id: .init(rawValue: number), title: "", host: Person(name: "x", home: place),
                    languages: ["a\0b", "\(number)"])
                try transaction.insert(podcast)
                #expect(try transaction.count(Podcast.all.where { $0.host.home.since == since }) == 1)
                #expect(
                    try transaction.first(Podcast.all.where { $0.id == podcast.id }.select { $0.host.home.since })
                        == since)
                #expect(
                    try transaction.first(Podcast.all.where { $0.id == podcast.id }.select { $0.host.home.city })
                        == place.city)
            }
        }
    }

    @Test func `conditions on the elements of lists`() throws {
        let l = library
        try l.check(l.podcasts) {
            $0.languages.contains("en")
        } _: {
            $0.languages.contains("en")
        }
        try l.check(l.podcasts) {
            $0.languages.contains { $0.hasPrefix("f") || $0 == "de" }
        } _: {
            $0.languages.contains { $0.hasPrefix("f") || $0 == "de" }
        }
        try l.check(l.podcasts) { c in
            c.languages.contains { $0 == "fr" && c.price > 0 }
        } _: {
            $0.languages.contains("fr") && $0.price > 0
        }
        try l.check(l.podcasts) {
            $0.languages.count == 2
        } _: {
            $0.languages.count == 2
        }
        try l.check(l.episodes) {
            $0.podcast.languages.contains("fr")
        } _: {
            l.podcast($0).languages.contains("fr")
        }
        try l.check(l.publishers) {
            $0.podcasts.contains { $0.languages.contains { $0 == "fr" } }
        } _: {
            l.podcasts($0).contains { $0.languages.contains("fr") }
        }
    }

    @Test func `conditions ignore case and diacritics`() throws {
        let l = library
        func has(_ texts: Set<String>) -> (Podcast) -> Bool { { texts.contains(String($0.title.dropLast(2))) } }
        try l.check(l.podcasts) {
            $0.title.contains("strasse", ignoring: .case)
        } _: {
            has(["STRASSE", "Straße"])($0)
        }
        try l.check(l.podcasts) {
            $0.title.hasPrefix("Émile", ignoring: .case)
        } _: {
            has(["émile", "ÉMILE"])($0)
        }
        try l.check(l.podcasts) {
            $0.title.hasPrefix("E\u{301}mile", ignoring: [])
        } _: {
            has(["ÉMILE"])($0) && $0.title.first == "É" && $0.title.dropFirst().first == "m"
        }
        try l.check(l.podcasts) {
            $0.title.contains("emil", ignoring: [.case, .diacritics])
        } _: {
            has(["émile", "ÉMILE"])($0)
        }
        try l.check(l.podcasts) {
            $0.title.contains("a\0B", ignoring: [.case, .diacritics])
        } _: {
            has(["ä\0b"])($0)
        }
        try l.check(l.podcasts) {
            $0.title.contains("100%", ignoring: .case)
        } _: {
            has(["100%"])($0)
        }
        try l.check(l.podcasts) {
            $0.subtitle.equals("SWIFT", ignoring: .case)
        } _: {
            $0.subtitle?.lowercased() == "swift"
        }
        try l.check(l.podcasts) {
            $0.subtitle.hasSuffix("SSE", ignoring: .case)
        } _: {
            $0.subtitle.map { $0.uppercased().hasSuffix("SSE") } ?? false
        }
        try l.check(l.episodes) {
            $0.podcast.title.contains("SWIFT", ignoring: .case)
        } _: {
            l.podcast($0).title.lowercased().contains("swift")
        }
    }

    @Test func `own SQL in conditions and values`() throws {
        let l = library
        try l.check(l.podcasts) { _ in
            Condition(sql: "length(title) > ?", [6])
        } _: {
            $0.title.unicodeScalars.count > 6 && !$0.title.contains("\0")
        }
        try l.check(l.podcasts) {
            $0.price > 0 && Condition(sql: "id % ? = ? -- a comment", [3, 1])
        } _: {
            $0.price > 0 && $0.id.rawValue % 3 == 1
        }
        // Beside another table with a column of the same name, and in a subquery.
        try l.check(l.episodes) {
            $0.podcast.title != "x" && Condition(sql: "id > ? OR title = ?", [40, "swift"])
        } _: {
            $0.id.rawValue > 40 || $0.title == "swift"
        }
        try l.check(l.podcasts) {
            $0.episodes.contains { _ in Condition(sql: "id > 80") }
        } _: {
            l.episodes($0).contains { $0.id.rawValue > 80 }
        }
        try l.store.read { transaction in
            let length = Column<Topic, Int>(sql: "length(word) + ?", [1])
            let rows = try transaction.fetch(
                Topic.all.where { $0.podcasts.count >= 0 }.orderBy { _ in length.descending }.select {
                    ($0.word, length)
                })
            #expect(rows.map(\.1) == l.tags.map { $0.word.count + 1 }.sorted(by: >))
            #expect(rows.allSatisfy { $0.0.count + 1 == $0.1 })
            #expect(throws: QueryError.self) {
                try transaction.fetch(Podcast.all.filter(Condition(sql: "id = ?1 AND price = ?1", [1, 1])))
            }
            #expect(throws: QueryError.self) { try transaction.fetch(Podcast.all.filter(Condition(sql: "id = ?"))) }
            #expect(throws: QueryError.self) {
                try transaction.fetch(Podcast.all.filter(Condition(sql: "1); DELETE FROM podcast; SELECT (1")))
            }
            #expect(throws: SQLiteError.self) {
                try transaction.fetch(Podcast.all.filter(Condition(sql: "nothing = 1")))
            }
        }
        let count = try l.store.write { transaction in
            try transaction.delete(Episode.all.where { $0.podcast.title != "x" && Condition(sql: "id <= ?", [5]) })
        }
        #expect(count == 5)
    }

    @Test func `the SQL of computed values`() {
        #expect(
            Podcast.all.where { $0.flags.contains(.muted) && $0.host.home.city == "x" }.select { $0.price + 1 }.sql
                == """
                SELECT strata_decimal_add("price", ?) FROM "podcast" WHERE (("flags" & ?) = ?) AND \
                (json_extract(json_extract("host", '$."home"'), '$."city"') = json_extract(?, '$'))
                """)
        #expect(
            Podcast.all.where { $0.languages.contains("x") }.select { $0.host.age }.sql == """
                SELECT json_extract(t0."host", '$."age"', '$."age"') FROM "podcast" AS t0 WHERE \
                EXISTS (SELECT 1 FROM json_each(t0."languages") AS e0 WHERE e0.value = json_extract(?, '$'))
                """)
    }
}
