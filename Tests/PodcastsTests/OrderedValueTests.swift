import Foundation
import Podcasts
import Strata
import Testing

/// Comparisons of primary keys and of tuples, compared with those of Swift.
@Suite struct OrderedValueTests {
    private let library: Library

    init() throws { library = try Library(seed: 5) }

    private func bytes(_ id: Topic.ID) -> String { id.space + "\0" + id.word }

    @Test func `keys of every kind are compared`() throws {
        let l = library
        let number = l.podcasts[6].id
        try l.check(l.podcasts) {
            $0.id < number
        } _: {
            $0.id.rawValue < number.rawValue
        }
        try l.check(l.podcasts) {
            $0.id >= 5
        } _: {
            $0.id.rawValue >= 5
        }
        try l.check(l.podcasts) {
            $0.trailerID > 5
        } _: {
            $0.trailerID.map { $0.rawValue > 5 } ?? false
        }
        try l.check(l.podcasts) {
            $0.trailerID <= 6
        } _: {
            $0.trailerID.map { $0.rawValue <= 6 } ?? false
        }
        // The case of letters does not matter for a publisher's key, also where it is referenced.
        try l.check(l.publishers) {
            $0.name <= "MIRA"
        } _: {
            $0.name.lowercased() <= "mira"
        }
        try l.check(l.podcasts) {
            $0.publisherID > "mira"
        } _: {
            $0.publisherID.map { $0.rawValue.lowercased() > "mira" } ?? false
        }
        let topic = Topic.id(of: l.tags[3])
        try l.check(l.tags) {
            $0.id < topic
        } _: {
            bytes(Topic.id(of: $0)) < bytes(topic)
        }
        try l.check(l.tags) {
            $0.id >= topic
        } _: {
            bytes(Topic.id(of: $0)) >= bytes(topic)
        }
    }

    @Test func `tuples are compared from left to right`() throws {
        let l = library
        let last = l.episodes[40]
        let (played, seconds, id) = (last.date, last.seconds, last.id)
        func triple(_ episode: Episode) -> (Date, Int, Int) { (episode.date, episode.seconds, episode.id.rawValue) }
        try l.check(l.episodes) {
            ($0.date, $0.id) < (played, id)
        } _: {
            ($0.date, $0.id.rawValue) < (played, id.rawValue)
        }
        try l.check(l.episodes) {
            ($0.date, $0.id) >= (played, id)
        } _: {
            ($0.date, $0.id.rawValue) >= (played, id.rawValue)
        }
        try l.check(l.episodes) {
            ($0.price, $0.seconds) > (last.price, seconds)
        } _: {
            ($0.price, $0.seconds) > (last.price, seconds)
        }
        try l.check(l.episodes) {
            ($0.price, $0.id) <= (2.5, 30)
        } _: {
            ($0.price, $0.id.rawValue) <= (2.5, 30)
        }
        try l.check(l.episodes) {
            ($0.date, $0.seconds, $0.id) > (played, seconds, id)
        } _: {
            triple($0) > (played, seconds, id.rawValue)
        }
        try l.check(l.episodes) {
            ($0.date, $0.seconds, $0.id) <= (played, seconds, 3)
        } _: {
            triple($0) <= (played, seconds, 3)
        }
        try l.check(l.episodes) {
            ($0.podcast.price, $0.id) < (0.5, 30)
        } _: {
            (l.podcast($0).price, $0.id.rawValue) < (0.5, 30)
        }
    }

    @Test func `decimals in tuples are compared as numbers`() throws {
        let l = library
        // As texts, 9.25 is greater than 18.5.
        try l.store.write { try $0.update(Episode.all) { $0.price.set(to: $0.price * 37) } }
        let all = try l.store.read { try $0.fetch(Episode.all) }
        for last in all.prefix(20) {
            let (price, id) = (last.price, last.id)
            try l.check(all) {
                ($0.price, $0.id) > (price, id)
            } _: {
                ($0.price, $0.id.rawValue) > (price, id.rawValue)
            }
        }
    }

    @Test func `pages that begin behind the last row contain each row once`() throws {
        let l = library
        let all = Episode.all.orderBy { [$0.seconds.descending, $0.id.descending] }.limit(7)
        var (rows, last): ([Episode], Episode?) = ([], nil)
        repeat {
            let request = last.map { last in all.where { ($0.seconds, $0.id) < (last.seconds, last.id) } } ?? all
            let page = try l.store.read { try $0.fetch(request) }
            rows += page
            last = page.last
        } while last != nil
        #expect(rows == l.episodes.sorted { ($0.seconds, $0.id.rawValue) > ($1.seconds, $1.id.rawValue) })
        let plan = try l.store.read {
            try $0.plan(
                of: Episode.all.where { ($0.title, $0.id) > ("a", 3) }.orderBy {
                    [$0.title.ascending, $0.id.ascending]
                })
        }
        #expect(plan.contains("episode_title_idx") && !plan.contains("TEMP B-TREE"))
    }

    @Test func `keys are created from values`() {
        let number = 42
        #expect(Podcast.ID(number) == 42 && Publisher.ID("BBC") == "BBC")
        typealias Key = PrimaryKey<Podcast, UUID>
        let uuid = UUID()
        #expect(Key(uuid).rawValue == uuid && Key() != Key())
    }
}
