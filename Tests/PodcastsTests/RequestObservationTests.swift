import Foundation
import Observation
import Podcasts
import Strata
import Testing

/// Observations of requests whose results are not rows: selected values, groups, and rows with their related rows.
@Suite(.timeLimit(.minutes(10))) struct RequestObservationTests {
    private let library: Library

    init() throws { library = try Library() }

    /// The values that a sequence has delivered. A lock guards them.
    private final class Deliveries<Value: Sendable>: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [Value] = []
        var values: [Value] { lock.withLock { list } }
        func add(_ value: Value) { lock.withLock { list.append(value) } }
    }

    private func wait(for condition: () throws -> Bool) async throws {
        while try !condition() { try await Task.sleep(nanoseconds: 5_000_000) }
    }

    /// Checks that a sequence delivers its first value, nothing while only other rows or equal rows are written, and a new value
    /// after `change`.
    private func check<Value: Sendable>(
        _ values: AsyncThrowingStream<Value, any Error>, line: Int = #line,
        after change: @escaping @Sendable (WriteTransaction) throws -> Void, _ isChanged: @escaping (Value) -> Bool
    ) async throws {
        let store = library.store
        let deliveries = Deliveries<Value>()
        let task = Task { for try await value in values { deliveries.add(value) } }
        let reads = Deliveries<Int>()
        let other = Task {
            for try await _ in store.observe({ transaction in
                reads.add(try transaction.count(Podcast.self) + transaction.count(Episode.self))
                return 0
            }) {}
        }
        defer {
            task.cancel()
            other.cancel()
        }
        try await wait { deliveries.values.count == 1 && reads.values.count == 1 }
        for _ in 1...10 {
            let count = reads.values.count
            try await store.write { transaction in
                try transaction.update(Podcast.all) { [$0.title.set(to: $0.title)] }
                try transaction.update(Episode.all) { [$0.title.set(to: $0.title)] }
            }
            try await wait { reads.values.count > count }
        }
        try await store.write(change)
        try await wait { deliveries.values.count > 1 && deliveries.values.last.map(isChanged) == true }
        #expect(deliveries.values.count == 2, "line \(line)")
    }

    @Test func `selections, tuples and groups are observed`() async throws {
        let store = library.store
        let titles = Podcast.all.orderBy { $0.id }.select { $0.title }
        try await check(store.observe(titles)) {
            try $0.update(Podcast.all.where { $0.id == 1 }) { [$0.title.set(to: "new")] }
        } _: {
            $0.first == "new"
        }
        let counts = Podcast.all.orderBy { $0.id }.select { ($0, $0.episodes.count, $0.publisher.row) }
        try await check(store.observe(counts)) {
            try $0.delete(Episode.all.where { $0.podcast.id == 2 })
        } _: { rows in
            rows[1].1 == 0 && rows[1].0.id == 2
        }
        let groups = Episode.all.grouped(by: \.podcastID).orderBy { $0.key }.select { ($0.key, $0.max(\.seconds)) }
        try await check(store.observe(groups)) {
            try $0.update(Episode.all) { [$0.seconds.set(to: 7)] }
        } _: { groups in
            groups.allSatisfy { $0.1 == 7 }
        }
        struct Item: Equatable, Sendable {
            let title: String
            let count: Int
        }
        let items = Podcast.all.select { ($0.title, $0.tags.count) }.map(Item.init)
        try await check(store.observe(items)) {
            try $0.update(Podcast.all) { [$0.title.set(to: "t")] }
        } _: {
            $0.allSatisfy { $0.title == "t" }
        }
        let body: @Sendable (ReadTransaction) throws -> (Int, String?) = {
            try ($0.count(Episode.self), $0.first(Podcast.all.orderBy { $0.id }.select { $0.title }))
        }
        try await check(store.observe(body)) {
            try $0.delete(Episode.all.where { $0.id == 1 })
        } _: {
            $0.1 == "t"
        }
    }

    @Test func `rows with their related rows are observed`() async throws {
        let request = Publisher.all.including(\.podcasts) { $0.orderBy { $0.id }.including(\.episodes) }.including(
            \.parent)
        let podcast = try #require(library.podcasts.first { $0.publisherID != nil })
        let publisher = try #require(library.publisher(podcast)).name
        func episodes(_ rows: [(Publisher, [(Podcast, [Episode])], Publisher?)]) -> [Episode] {
            rows.first { $0.0.name == publisher }?.1.first { $0.0.id == podcast.id }?.1 ?? []
        }
        try await check(library.store.observe(request)) {
            try $0.delete(Episode.all.where { $0.podcast.id == podcast.id })
        } _: {
            episodes($0).isEmpty
        }
        try await check(library.store.observe(request)) {
            try $0.update(Publisher.all) { [$0.country.set(to: "FR")] }
        } _: {
            $0.allSatisfy { $0.0.country == "FR" && $0.2?.country ?? "FR" == "FR" }
        }
        try await check(library.store.observe(request)) {
            try $0.setRelated(podcast, \.publisher, to: nil)
        } _: { rows in
            rows.allSatisfy { !$0.1.contains { $0.0.id == podcast.id } }
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @MainActor @Test func `live queries have the results of every request`() async throws {
        let store = library.store
        let counts = LiveQuery(Podcast.all.orderBy { $0.id }.select { ($0, $0.episodes.count) }, in: store)
        let pairs = LiveQuery(Podcast.all.including(\.episodes), in: store)
        let tuple = LiveQuery((0, 0), in: store) { try ($0.count(Podcast.self), $0.count(Episode.self)) }
        #expect(counts.value.isEmpty && pairs.value.isEmpty && tuple.value == (0, 0))
        while !(counts.isLoaded && pairs.isLoaded && tuple.isLoaded) { try await Task.sleep(nanoseconds: 5_000_000) }
        #expect(counts.value.map(\.1) == library.podcasts.map { library.episodes($0).count })
        #expect(pairs.value.count == library.podcasts.count)
        #expect(tuple.value == (library.podcasts.count, library.episodes.count))
        try await store.write { try $0.delete(Episode.all) }
        while counts.value.contains(where: { $0.1 > 0 }) || pairs.value.contains(where: { !$0.1.isEmpty })
            || tuple.value.1 > 0
        {
            try await Task.sleep(nanoseconds: 5_000_000)
        }
        counts.read(Podcast.all.where { $0.id < 3 }.select { ($0, $0.tags.count) }, in: store)
        tuple.read(from: store) { try ($0.count(Topic.self), 1) }
        while counts.value.count != 2 || tuple.value.1 != 1 { try await Task.sleep(nanoseconds: 5_000_000) }
    }
}
