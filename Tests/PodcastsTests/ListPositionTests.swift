import Foundation
import Podcasts
import Strata
import Testing

/// The positions of rows that are written with a foreign key, compared with the same changes of arrays.
@Suite struct ListPositionTests {
    private let store: Store
    private let podcasts = (1...3).map { Podcast.ID(rawValue: $0) }

    init() throws {
        store = try Library.makeStore()
        let podcasts = podcasts
        try store.write { try $0.insert(contentsOf: podcasts.map { Podcast(id: $0, title: "x") }) }
    }

    private func episode(_ id: Int, of podcast: Podcast.ID, at position: Int? = nil) -> Episode {
        Episode(
            id: .init(rawValue: id), title: "e\(id)", date: .distantPast, podcastID: podcast, podcastPosition: position,
            guid: "guid \(id)")
    }

    /// The lists of the podcasts, as arrays of the primary keys of episodes.
    private struct Oracle: Equatable {
        var lists: [Podcast.ID: [Int]] = [:]

        /// Puts an episode at the end of a list, unless it is in this list.
        mutating func put(_ id: Int, _ podcast: Podcast.ID) {
            if lists[podcast]?.contains(id) == true { return }
            remove(id)
            lists[podcast, default: []].append(id)
        }

        mutating func remove(_ id: Int) { for key in lists.keys { lists[key]?.removeAll { $0 == id } } }

        func contains(_ id: Int) -> Bool { lists.values.contains { $0.contains(id) } }
    }

    private func lists(_ transaction: ReadTransaction) throws -> Oracle {
        var oracle = Oracle()
        for podcast in try transaction.fetch(Podcast.self) {
            let ids = try transaction.related(podcast, \.episodes).map(\.id.rawValue)
            if !ids.isEmpty { oracle.lists[podcast.id] = ids }
        }
        return oracle
    }

    @Test(arguments: 1...8) func `a row without a position is the last one of its list, or stays`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        func number(below end: Int) -> Int { Int(random.next() % UInt64(end)) }
        var oracle = Oracle()
        for _ in 0..<30 {
            // A transaction remembers the ends of lists. Some have one statement, and some have many.
            try store.write { (transaction: WriteTransaction) throws in
                for _ in 0..<[1, 3, 20][number(below: 3)] {
                    let ids = (0..<3).map { _ in number(below: 40) }
                    let (id, podcast) = (ids[0], podcasts[number(below: 3)])
                    let isNew = !oracle.contains(id)
                    let row = episode(id, of: podcast)
                    let rows = Set(ids).sorted().map { episode($0, of: podcasts[number(below: 3)]) }
                    switch number(below: 16) {
                    case 0 where isNew:
                        try transaction.insert(row)
                        oracle.put(id, podcast)
                    case 1 where isNew:
                        #expect(try transaction.insertAndFetch(row).podcastPosition != nil)
                        oracle.put(id, podcast)
                    case 2, 3:
                        let new = rows.filter { !oracle.contains($0.id.rawValue) }.reversed()
                        try transaction.insert(contentsOf: new)
                        for row in new { oracle.put(row.id.rawValue, row.podcastID) }
                    case 4:
                        let new = rows.filter { !oracle.contains($0.id.rawValue) }
                        #expect(try transaction.insertOrIgnore(contentsOf: rows) == new.count)
                        for row in new { oracle.put(row.id.rawValue, row.podcastID) }
                    case 5:
                        #expect(try transaction.insertOrIgnore(row) == isNew)
                        if isNew { oracle.put(id, podcast) }
                    case 6:
                        try transaction.upsert(row)
                        oracle.put(id, podcast)
                    case 7:
                        try transaction.upsert(contentsOf: rows)
                        for row in rows { oracle.put(row.id.rawValue, row.podcastID) }
                    case 8:
                        try transaction.upsert(contentsOf: rows, on: \.guid, updating: [\.podcastID, \.title])
                        for row in rows { oracle.put(row.id.rawValue, row.podcastID) }
                    case 9:
                        try transaction.upsert(row, on: \.guid, except: [\.podcastID, \.isPlayed])
                        if isNew { oracle.put(id, podcast) }
                    case 10 where !isNew:
                        try transaction.update(row)
                        oracle.put(id, podcast)
                    case 11 where !isNew:
                        try transaction.update(row, \.podcastID)
                        oracle.put(id, podcast)
                    case 12 where !isNew:
                        var old = row
                        old.podcastID = podcasts[number(below: 3)]
                        let isChanged = old.podcastID != podcast
                        #expect(try transaction.update(row, changedFrom: old) == isChanged)
                        if isChanged { oracle.put(id, podcast) }
                    case 13 where !isNew:
                        try transaction.setRelated(row, \.podcast, to: podcast)
                        oracle.put(id, podcast)
                    case 14 where !isNew:
                        try transaction.delete(row)
                        oracle.remove(id)
                    case 15:
                        let list = oracle.lists[podcast] ?? []
                        guard list.count > 1 else { break }
                        let (old, new) = (number(below: list.count), number(below: list.count))
                        try transaction.move(from: old, to: new, in: Podcast(id: podcast, title: "x"), \.episodes)
                        oracle.lists[podcast]?.remove(at: old)
                        oracle.lists[podcast]?.insert(list[old], at: new)
                    default: break
                    }
                }
                oracle.lists = oracle.lists.filter { !$0.value.isEmpty }
                #expect(try lists(transaction) == oracle)
            }
        }
        // No two rows have the same position, and no row is without one.
        let (episodes, columns) = try store.read {
            try (
                $0.count(Episode.self),
                $0.rows("SELECT DISTINCT podcast_id, podcast_position FROM episode WHERE podcast_position >= 0") { _ in
                    1
                }.count
            )
        }
        #expect(episodes == columns)
    }

    @Test func `a position of your own is kept`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            try transaction.insert(contentsOf: [
                episode(1, of: 1, at: 7), episode(2, of: 1), episode(3, of: 1, at: -4), episode(4, of: 1),
                episode(5, of: 1, at: 100), episode(6, of: 1),
            ])
            try transaction.insert(episode(7, of: 1, at: 50))
            try transaction.insert(episode(8, of: 1))
            try transaction.update(episode(1, of: 1, at: 200))
            try transaction.insert(episode(9, of: 1))
            try transaction.upsert(episode(3, of: 1, at: 300))
            try transaction.insert(episode(10, of: 1))
            let positions = try transaction.fetch(Episode.self).map(\.podcastPosition)
            #expect(positions == [200, 8, 300, 9, 100, 101, 50, 102, 201, 301])
        }
    }

    @Test func `other statements of a transaction change where a list ends`() throws {
        try store.write { (transaction: WriteTransaction) throws in
            try transaction.insert(episode(1, of: 1))
            try transaction.execute("UPDATE episode SET podcast_position = 10")
            try transaction.insert(episode(2, of: 1))
            _ = try transaction.rows("UPDATE episode SET podcast_position = 20 WHERE id = 1 RETURNING id") { _ in 1 }
            try transaction.insert(episode(3, of: 1))
            try transaction.update(Episode.all.where { $0.id == 1 }) { $0.podcastPosition.set(to: 30) }
            try transaction.insert(episode(4, of: 1))
            try transaction.setRelated(Podcast(id: 1, title: "x"), \.episodes, to: [4, 3, 2, 1])
            try transaction.insert(episode(5, of: 1))
            let positions = try transaction.fetch(Episode.self).map(\.podcastPosition)
            #expect(positions == [3, 2, 1, 0, 4])
            // Another program may have written the greatest integer.
            try transaction.execute("UPDATE episode SET podcast_position = 9223372036854775807 WHERE id = 1")
            try transaction.insert(contentsOf: [episode(6, of: 1), episode(7, of: 1)])
            try transaction.update(episode(6, of: 2))
            try transaction.update(episode(6, of: 1))
            #expect(try transaction.find(Episode.self, id: 6)?.podcastPosition == .max)
        }
    }

    /// A released migration has to give the same rows when its structs are no longer the newest ones.
    @Test func `a custom migration gives no positions`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("store.sqlite")
        let library = try Library(seed: 1, at: url)
        try library.store.close()
        let connection = try Connection(path: url.path, mode: .readWrite)
        try connection.transaction("BEGIN IMMEDIATE") {
            let transaction = WriteTransaction(connection, names: [:])
            try transaction.insert(episode(1_001, of: 1))
            try transaction.insert(contentsOf: [episode(1_002, of: 1)])
            try transaction.upsert(episode(1_003, of: 1))
            try transaction.insert(episode(1_004, of: 1, at: 5))
            try transaction.update(episode(1_004, of: 1))
            try transaction.insert(episode(1_005, of: 1, at: 5))
            try transaction.upsert(contentsOf: [episode(1_005, of: 1)])
            for id in 1_001...1_005 {
                let row = try transaction.find(Episode.self, id: .init(rawValue: id))
                #expect(row != nil && row?.podcastPosition == nil)
            }
        }
    }
}
