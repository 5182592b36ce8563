import Foundation
import Podcasts
import Strata
import Testing

/// Conditions, orders and selections through relationships, compared with Swift's filters on the same rows.
@Suite struct RelationshipQueryTests {
    private let library: Library

    init() throws { library = try Library() }

    @Test func `conditions on the related row of a to-one relationship`() throws {
        let l = library
        try l.check(l.episodes) {
            $0.podcast.title.hasPrefix("s")
        } _: {
            l.podcast($0).title.hasPrefix("s")
        }
        try l.check(l.episodes) {
            $0.podcast.subtitle == nil
        } _: {
            l.podcast($0).subtitle == nil
        }
        try l.check(l.episodes) {
            $0.podcast.price > 0.5
        } _: {
            l.podcast($0).price > 0.5
        }
        try l.check(l.episodes) {
            $0.podcast.id == 3
        } _: {
            $0.podcastID == 3
        }
        // An optional relationship gives nil, which differs from each value.
        try l.check(l.podcasts) {
            $0.publisher.name == "Mosaik"
        } _: {
            l.publisher($0)?.name == "Mosaik"
        }
        try l.check(l.podcasts) {
            $0.publisher.name != "Mosaik"
        } _: {
            l.publisher($0)?.name != "Mosaik"
        }
        try l.check(l.podcasts) {
            $0.publisher.country == nil
        } _: {
            l.publisher($0)?.country == nil
        }
        try l.check(l.podcasts) {
            $0.publisher.name == nil
        } _: {
            l.publisher($0) == nil
        }
        // The relationship is stored in the related row.
        try l.check(l.podcasts) {
            $0.trailer.seconds > 1_000
        } _: {
            (l.trailer($0)?.seconds ?? 0) > 1_000
        }
        try l.check(l.podcasts) {
            $0.trailer.id == nil
        } _: {
            l.trailer($0) == nil
        }
        try l.check(l.episodes) {
            $0.trailerOf.title == nil
        } _: {
            episode in
            !l.podcasts.contains { $0.trailerID == episode.id }
        }
    }

    @Test func `conditions over several relationships`() throws {
        let l = library
        try l.check(l.episodes) {
            $0.podcast.publisher.country == "DE"
        } _: {
            l.publisher(l.podcast($0))?.country == "DE"
        }
        try l.check(l.episodes) {
            $0.podcast.publisher.parent.name == "Mosaik"
        } _: {
            l.publisher(l.publisher(l.podcast($0))?.parentID)?.name == "Mosaik"
        }
        try l.check(l.episodes) {
            $0.podcast.trailer.podcast.title == $0.podcast.title
        } _: { episode in
            l.trailer(l.podcast(episode)).map { l.podcast($0).title } == l.podcast(episode).title
        }
        try l.check(l.episodes) {
            $0.podcast.episodes.count > 7 || $0.podcast.publisher.podcasts.count == 0
        } _: {
            l.episodes(l.podcast($0)).count > 7 || l.publisher(l.podcast($0)).map(l.podcasts) ?? [] == []
        }
        try l.check(l.publishers) {
            $0.children.contains { $0.country == "DE" }
        } _: { publisher in
            l.publishers.contains { l.publisher($0.parentID) == publisher && $0.country == "DE" }
        }
    }

    @Test func `conditions on the rows of a to-many relationship`() throws {
        let l = library
        try l.check(l.podcasts) {
            $0.episodes.contains { $0.seconds > 3_500 }
        } _: {
            l.episodes($0).contains { $0.seconds > 3_500 }
        }
        try l.check(l.podcasts) {
            $0.episodes.isEmpty
        } _: {
            l.episodes($0).isEmpty
        }
        try l.check(l.podcasts) {
            $0.episodes.where { $0.isPlayed == true }.isEmpty
        } _: {
            !l.episodes($0).contains(where: \.isPlayed)
        }
        try l.check(l.podcasts) {
            $0.episodes.allSatisfy { $0.rating != nil }
        } _: {
            l.episodes($0).allSatisfy { $0.rating != nil }
        }
        try l.check(l.podcasts) {
            $0.episodes.contains(7)
        } _: {
            l.episodes($0).contains { $0.id == 7 }
        }
        try l.check(l.podcasts) {
            $0.episodes.count.isIn([0, 5, 6])
        } _: {
            [0, 5, 6].contains(l.episodes($0).count)
        }
        try l.check(l.podcasts) {
            $0.episodes.max(\.seconds) > 3_000
        } _: {
            (l.episodes($0).map(\.seconds).max() ?? 0) > 3_000
        }
        try l.check(l.podcasts) {
            $0.episodes.min(\.rating) == nil
        } _: {
            l.episodes($0).allSatisfy { $0.rating == nil }
        }
        try l.check(l.podcasts) {
            $0.episodes.sum(\.price) > 10
        } _: {
            l.episodes($0).map(\.price).reduce(0, +) > 10
        }
        try l.check(l.podcasts) {
            $0.episodes.sum(\.seconds) == 0
        } _: {
            l.episodes($0).isEmpty
        }
        try l.check(l.podcasts) {
            $0.episodes.average(\.seconds) > 2_000.0
        } _: { podcast in
            let seconds = l.episodes(podcast).map { Double($0.seconds) }
            return !seconds.isEmpty && seconds.reduce(0, +) / Double(seconds.count) > 2_000
        }
        // The publisher's key ignores the case of letters, and the keys that reference it are in capitals.
        try l.check(l.publishers) {
            $0.podcasts.contains { $0.price > 0 }
        } _: {
            l.podcasts($0).contains { $0.price > 0 }
        }
        try l.check(l.publishers) {
            $0.podcasts.count == 3
        } _: {
            l.podcasts($0).count == 3
        }
        try l.check(l.publishers) {
            $0.podcasts.isEmpty
        } _: {
            l.podcasts($0).isEmpty
        }
    }

    @Test func `conditions through join tables, composite keys, and relationships within relationships`() throws {
        let l = library
        try l.check(l.podcasts) {
            $0.tags.contains { $0.word == "swift" }
        } _: {
            l.tags($0).contains { $0.word == "swift" }
        }
        try l.check(l.podcasts) {
            $0.tags.contains(Topic.ID(space: "de", word: "x"))
        } _: {
            l.tags($0).contains { $0.space == "de" && $0.word == "x" }
        }
        try l.check(l.episodes) {
            $0.tags.contains { $0.position > 4 }
        } _: {
            l.tags($0).contains { $0.position > 4 }
        }
        try l.check(l.tags) {
            $0.podcasts.contains { $0.publisher.country == "DE" }
        } _: { tag in
            l.podcasts.contains { l.tags($0).contains(tag) && l.publisher($0)?.country == "DE" }
        }
        try l.check(l.tags) {
            $0.synonyms.count == 1
        } _: {
            l.synonyms[Topic.id(of: $0)]?.count == 1
        }
        try l.check(l.tags) {
            $0.synonyms.contains { $0.word == "swift" }
        } _: {
            l.synonyms[Topic.id(of: $0), default: []].contains { $0.word == "swift" }
        }
        try l.check(l.podcasts) {
            $0.episodes.contains { $0.tags.contains { $0.podcasts.count > 2 } }
        } _: { podcast in
            l.episodes(podcast).contains {
                l.tags($0).contains { tag in l.podcasts.count { l.tags($0).contains(tag) } > 2 }
            }
        }
        try l.check(l.podcasts) {
            $0.episodes.max(\.podcast.publisher.country) == "DE"
        } _: {
            !l.episodes($0).isEmpty && l.publisher($0)?.country == "DE"
        }
    }

    @Test func `orders through relationships`() throws {
        let l = library
        let request = Podcast.all.where { $0.publisher.name != nil }.orderBy {
            [$0.publisher.country.ascending(nulls: .last), $0.episodes.count.descending, $0.id.ascending]
        }
        let rows = try l.store.read { try $0.fetch(request) }
        let expected = l.podcasts.filter { $0.publisherID != nil }.sorted { left, right in
            func key(_ podcast: Podcast) -> (String, Int, Int) {
                (l.publisher(podcast)?.country ?? "~", -l.episodes(podcast).count, podcast.id.rawValue)
            }
            return key(left) < key(right)
        }
        #expect(rows == expected)
        #expect(try l.store.read { try $0.fetch(request.limit(3, offset: 2)) } == Array(expected[2..<5]))
        #expect(try l.store.read { try $0.first(request) } == expected.first)
        let cheapest = Podcast.all.orderBy { [$0.episodes.max(\.price).descending, $0.id.ascending] }
        let prices = try l.store.read { try $0.fetch(cheapest) }.map { l.episodes($0).map(\.price).max() ?? -1 }
        #expect(prices == prices.sorted(by: >))
    }

    @Test func `updates and deletes follow relationships in their conditions and values`() throws {
        let l = library
        try l.store.write { transaction in
            let request = Episode.all.where { $0.podcast.publisher.country == "DE" && $0.podcast.episodes.count > 5 }
            let count = try transaction.update(request) {
                [$0.title.set(to: $0.podcast.title), $0.seconds.set(to: $0.seconds + 1)]
            }
            let expected = l.episodes.filter {
                l.publisher(l.podcast($0))?.country == "DE" && l.episodes(l.podcast($0)).count > 5
            }
            #expect(count == expected.count && count > 0)
            for episode in l.episodes {
                let now = try #require(try transaction.find(Episode.self, id: episode.id))
                let isChanged = expected.contains(episode)
                #expect(now.title == (isChanged ? l.podcast(episode).title : episode.title))
                #expect(now.seconds == episode.seconds + (isChanged ? 1 : 0))
            }
            try transaction.update(Podcast.all) {
                [$0.title.set(to: $0.title), $0.price.set(to: $0.episodes.sum(\.price))]
            }
            for podcast in l.podcasts {
                let price = try transaction.find(Podcast.self, id: podcast.id)?.price
                #expect(price == l.episodes(podcast).map(\.price).reduce(0, +))
            }
            #expect(throws: QueryError.self) {
                try transaction.update(Episode.all) { [$0.podcast.title.set(to: "x")] }
            }
            let deleted = try transaction.delete(Episode.all.where { $0.tags.contains { $0.word == "news" } })
            #expect(deleted == l.episodes.count { l.tags($0).contains { $0.word == "news" } })
            let rest = try transaction.delete(
                Episode.all.where { $0.podcast.id > 3 }.orderBy { $0.id.ascending }.limit(2))
            #expect(rest == 2)
        }
    }

    @Test func `the SQL of conditions through relationships`() {
        #expect(
            Episode.all.where { $0.podcast.title == "x" && $0.podcast.publisher.country != nil }.limit(3).sql == """
                SELECT t0."id", t0."title", t0."seconds", t0."price", t0."rating", t0."date", t0."is_played", \
                t0."podcast_id", t0."podcast_position", t0."notes", t0."guid", t0."minutes", t0."label" FROM "episode" AS t0 \
                JOIN "podcast" AS t1 ON t1."id" = t0."podcast_id" \
                LEFT JOIN "publisher" AS t2 ON t2."name" = t1."publisher_id" \
                WHERE (t1."title" = ?) AND (t2."country" IS NOT NULL) LIMIT ?
                """)
        #expect(
            Topic.all.select { ($0.word, $0.podcasts.count) }.sql == """
                SELECT t0."word", (SELECT count(*) FROM "podcast" AS t1 \
                JOIN "podcast_tags" AS t2 ON t1."id" = t2."source_id" \
                WHERE t0."space" = t2."target_space" AND t0."word" = t2."target_word") FROM "topic" AS t0
                """)
        #expect(
            Podcast.all.where { $0.tags.contains { $0.word == "x" } }.select { $0.id }.sql == """
                SELECT t0."id" FROM "podcast" AS t0 WHERE t0."id" IN (SELECT t2."source_id" FROM "topic" AS t1 \
                JOIN "podcast_tags" AS t2 ON t1."space" = t2."target_space" AND t1."word" = t2."target_word" \
                WHERE t1."word" = ?)
                """)
        #expect(
            Podcast.all.where { !$0.episodes.isEmpty }.select { $0.id }.sql == """
                SELECT t0."id" FROM "podcast" AS t0 WHERE NOT coalesce(NOT coalesce(EXISTS (SELECT 1 FROM \
                "episode" AS t1 WHERE t0."id" = t1."podcast_id"), 0), 0)
                """)
        #expect(
            Episode.all.where { $0.title == "x" }.select { $0.id }.sql
                == #"SELECT "id" FROM "episode" WHERE "title" = ?"#)
    }

    @Test func `indexes are used on both sides of a relationship`() throws {
        try library.store.read { transaction in
            func plan(_ request: Request<Episode>) throws -> String { try transaction.plan(of: request) }
            func plan(_ request: Request<Podcast>) throws -> String { try transaction.plan(of: request) }
            let scans = [
                try plan(Episode.all.where { $0.podcast.title == "x" }),
                try plan(Episode.all.where { $0.podcast.title.isIn(["x", "y"]) && $0.podcast.publisher.name != "x" }),
                try plan(Episode.all.where { $0.podcast.trailer.title == "x" }),
                try plan(Podcast.all.where { $0.episodes.contains { $0.title == "x" } }),
                try plan(Podcast.all.where { $0.id == 7 && $0.episodes.max(\.seconds) > 5 && !$0.episodes.isEmpty }),
                try plan(Podcast.all.where { $0.trailer.title == "x" }),
                try plan(Podcast.all.where { $0.tags.contains(Topic.ID(space: "x", word: "y")) }),
            ].filter { $0.contains("SCAN") }
            #expect(scans == [])
        }
    }
}
