import Foundation
import Podcasts
import Strata
import Testing

/// Changes of to-many relationships, compared with the same changes of arrays.
@Suite struct RelatedListTests {
    private let library: Library

    init() throws { library = try Library(seed: 3) }

    /// What an array does when its elements are changed like related rows.
    private struct Oracle<ID: Hashable> {
        var list: [ID] = []
        let hasDuplicates: Bool

        mutating func add(_ id: ID) { if hasDuplicates || !list.contains(id) { list.append(id) } }

        mutating func insert(_ id: ID, at index: Int) {
            if !hasDuplicates, let old = list.firstIndex(of: id) {
                list.remove(at: old)
                list.insert(id, at: min(index, list.count))
            } else {
                list.insert(id, at: index)
            }
        }

        mutating func move(from index: Int, to newIndex: Int) { list.insert(list.remove(at: index), at: newIndex) }
    }

    /// Changes the related rows of a row and an array at random, and compares them.
    private func check<Source: StoredEntity, Target>(
        _ source: Source, _ path: KeyPath<Source.Relationships, ToMany<Source, Target>>, _ all: [Target],
        duplicates hasDuplicates: Bool = false, removes: Bool = true, line: Int = #line
    ) throws {
        try library.store.write { (transaction: WriteTransaction) throws in
            var oracle = Oracle(
                list: try transaction.related(source, path).map(Target.id), hasDuplicates: hasDuplicates)
            var random = SplitMix(state: UInt64(line))
            func number(below end: Int) -> Int { Int(random.next() % UInt64(end)) }
            for step in 0..<120 {
                let target = all[number(below: all.count)]
                let (id, count) = (Target.id(of: target), oracle.list.count)
                switch number(below: 7) {
                case 0, 1:
                    if step % 2 == 0 {
                        try transaction.add(target, to: source, path)
                    } else {
                        try transaction.add(id, to: source, path)
                    }
                    oracle.add(id)
                case 2, 3:
                    let index = number(below: count + 1)
                    if step % 2 == 0 {
                        try transaction.insert(target, at: index, in: source, path)
                    } else {
                        try transaction.insert(id, at: index, in: source, path)
                    }
                    oracle.insert(id, at: index)
                case 4 where count > 0:
                    let (index, newIndex) = (number(below: count), number(below: count))
                    try transaction.move(from: index, to: newIndex, in: source, path)
                    oracle.move(from: index, to: newIndex)
                case 5 where count > 0 && removes:
                    let index = number(below: count)
                    #expect(try transaction.remove(at: index, from: source, path) == oracle.list.remove(at: index))
                case 6 where removes:
                    #expect(try transaction.remove(target, from: source, path) == oracle.list.contains(id))
                    oracle.list.removeAll { $0 == id }
                default: break
                }
                let ids = try transaction.related(source, path).map(Target.id)
                #expect(ids == oracle.list, "line \(line), step \(step)")
                if ids != oracle.list { return }
            }
        }
    }

    @Test func `related rows change like the elements of an array`() throws {
        let l = library
        // A join table, with and without duplicates, with composite keys, and with rows before.
        try check(l.podcasts[3], \.queue, Array(l.episodes.prefix(12)), duplicates: true)
        try check(l.podcasts[4], \.queue, Array(l.episodes.prefix(2)), duplicates: true)
        try check(l.episodes[6], \.tags, l.tags)
        try check(l.podcasts[0], \.tags, l.tags)
        // Foreign keys with positions: the library's may be equal.
        try check(l.podcasts[1], \.episodes, Array(l.episodes.prefix(15)), removes: false)
        #expect(try l.store.read { try $0.related(l.podcasts[4], \.queue).count } > 0)
    }

    @Test func `rows without positions, and with positions of other programs, get different ones`() throws {
        let l = library
        let podcast = l.podcasts[2]
        for position in ["NULL", "5", "-3", "id * 1000000000000000", "9223372036854775807"] {
            try l.store.write { try $0.execute("UPDATE episode SET podcast_position = \(position)") }
            try check(podcast, \.episodes, Array(l.episodes.prefix(15)), removes: false)
        }
    }

    @Test func `relationships without an order`() throws {
        let l = library
        try l.store.write { (transaction: WriteTransaction) throws in
            // The foreign key is text whose case does not matter.
            let (bbc, podcast) = (l.publishers[3], l.podcasts[0])
            try transaction.add(podcast, to: bbc, \.podcasts)
            try transaction.add(podcast, to: bbc, \.podcasts)
            #expect(try transaction.related(bbc, \.podcasts) == [try transaction.find(Podcast.self, id: podcast.id)])
            #expect(try transaction.remove(podcast, from: bbc, \.podcasts))
            #expect(try !transaction.remove(podcast, from: bbc, \.podcasts))
            #expect(try transaction.find(Podcast.self, id: podcast.id)?.publisherID == nil)
            #expect(throws: RelationshipError.notOrdered(table: "podcast")) {
                try transaction.insert(podcast, at: 0, in: bbc, \.podcasts)
            }
            // The other end of a join table.
            let topic = l.tags[1]
            let before = try transaction.related(topic, \.podcasts)
            let missing = try #require(l.podcasts.first { !before.map(\.id).contains($0.id) })
            try transaction.add(missing, to: topic, \.podcasts)
            try transaction.add(missing, to: topic, \.podcasts)
            #expect(try transaction.related(missing, \.tags).last == topic)
            #expect(try transaction.related(topic, \.podcasts).count == before.count + 1)
            #expect(try transaction.remove(missing, from: topic, \.podcasts))
            #expect(try !transaction.related(missing, \.tags).contains(topic))
            // Each pair is there in both directions.
            try transaction.setRelated(l.tags[4], \.synonyms, to: [Topic.ID]())
            try transaction.add(contentsOf: [l.tags[5], l.tags[4], l.tags[6]], to: l.tags[4], \.synonyms)
            #expect(try transaction.related(l.tags[4], \.synonyms) == [l.tags[5], l.tags[4], l.tags[6]])
            #expect(try transaction.related(l.tags[6], \.synonyms) == [l.tags[4]])
            try transaction.insert(l.tags[7], at: 1, in: l.tags[4], \.synonyms)
            #expect(try transaction.related(l.tags[4], \.synonyms) == [l.tags[5], l.tags[7], l.tags[4], l.tags[6]])
            #expect(try transaction.remove(l.tags[4], from: l.tags[6], \.synonyms))
            #expect(try transaction.remove(at: 2, from: l.tags[4], \.synonyms) == Topic.id(of: l.tags[4]))
            #expect(try transaction.related(l.tags[4], \.synonyms) == [l.tags[5], l.tags[7]])
            #expect(try transaction.related(l.tags[6], \.synonyms).isEmpty)
        }
    }

    @Test func `missing rows and indices are errors, and nothing is changed`() throws {
        let l = library
        try l.store.write { (transaction: WriteTransaction) throws in
            let podcast = l.podcasts[3]
            try transaction.setRelated(podcast, \.queue, to: [l.episodes[0], l.episodes[1]])
            var unknown = l.podcasts[3]
            unknown.id = 4_711
            #expect(throws: RelationshipError.noSuchRow(table: "episode")) {
                try transaction.add(contentsOf: [3, 999], to: podcast, \.queue)
            }
            #expect(throws: RelationshipError.noSuchRow(table: "podcast")) {
                try transaction.add(3, to: unknown, \.queue)
            }
            #expect(throws: RelationshipError.noSuchRow(table: "episode")) {
                try transaction.add(999, to: podcast, \.episodes)
            }
            #expect(throws: RelationshipError.noSuchRow(table: "podcast")) {
                try transaction.add(3, to: unknown, \.episodes)
            }
            #expect(throws: RelationshipError.noSuchRow(table: "podcast")) {
                try transaction.setRelated(unknown, \.episodes, to: [3])
            }
            for index in [-1, 3] {
                #expect(throws: RelationshipError.noSuchIndex(index, count: 2)) {
                    try transaction.insert(3, at: index, in: podcast, \.queue)
                }
            }
            for index in [-1, 2] {
                #expect(throws: RelationshipError.noSuchIndex(index, count: 2)) {
                    try transaction.move(from: 0, to: index, in: podcast, \.queue)
                }
                #expect(throws: RelationshipError.noSuchIndex(index, count: 2)) {
                    try transaction.remove(at: index, from: podcast, \.queue)
                }
            }
            #expect(try transaction.related(podcast, \.queue).map(\.id) == [1, 2])
            // Each episode needs a podcast, also one without a position.
            let episode = try #require(l.episodes(l.podcasts[0]).first)
            try transaction.update(Episode.all.where { $0.id == episode.id }) { $0.podcastPosition.set(to: nil) }
            #expect(throws: SQLiteError.self) { try transaction.remove(episode, from: l.podcasts[0], \.episodes) }
            #expect(throws: SQLiteError.self) { try transaction.remove(at: 0, from: l.podcasts[0], \.episodes) }
            #expect(try transaction.related(l.podcasts[0], \.episodes).count == l.episodes(l.podcasts[0]).count)
        }
    }

    @Test func `many rows are added with their positions, and keys as they are stored`() throws {
        let l = library
        try l.store.write { (transaction: WriteTransaction) throws in
            let podcast = l.podcasts[5]
            let ids = (0..<40).map { l.episodes[$0 * 7 % 90].id }
            try transaction.add(contentsOf: ids, to: podcast, \.queue)
            try transaction.add(contentsOf: ids.reversed(), to: podcast, \.queue)
            #expect(try transaction.related(podcast, \.queue).map(\.id) == ids + ids.reversed())
            let tags = try transaction.related(l.episodes[6], \.tags)
            try transaction.add(contentsOf: l.tags + l.tags, to: l.episodes[6], \.tags)
            #expect(try transaction.related(l.episodes[6], \.tags) == tags + l.tags.filter { !tags.contains($0) })
            let other = Publisher(name: l.publishers[0].name.uppercased())
            try transaction.add(l.podcasts[3], to: other, \.podcasts)
            #expect(
                try transaction.find(Podcast.self, id: l.podcasts[3].id)?.publisherID?.rawValue == l.publishers[0].name)
            try transaction.setRelated(other, \.podcasts, to: [l.podcasts[4]])
            #expect(
                try transaction.find(Podcast.self, id: l.podcasts[4].id)?.publisherID?.rawValue == l.publishers[0].name)
        }
    }

    @Test func `related rows are set as rows`() throws {
        let l = library
        try l.store.write { (transaction: WriteTransaction) throws in
            try transaction.setRelated(l.podcasts[0], \.publisher, to: l.publishers[2])
            #expect(try transaction.related(l.podcasts[0], \.publisher) == l.publishers[2])
            try transaction.setRelated(l.podcasts[0], \.publisher, to: nil)
            #expect(try transaction.related(l.podcasts[0], \.publisher) == nil)
            try transaction.setRelated(l.episodes[0], \.podcast, to: l.podcasts[1])
            #expect(try transaction.related(l.episodes[0], \.podcast) == l.podcasts[1])
            try transaction.setRelated(l.podcasts[0], \.tags, to: [l.tags[2], l.tags[0]])
            #expect(try transaction.related(l.podcasts[0], \.tags) == [l.tags[2], l.tags[0]])
            try transaction.setRelated(l.podcasts[0], \.tags, to: [])
            #expect(try transaction.related(l.podcasts[0], \.tags).isEmpty)
        }
    }
}
