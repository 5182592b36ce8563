import Foundation
import Observation
import Strata
import Testing

/// Which reads an observation repeats, and live queries.
@Suite(.timeLimit(.minutes(10))) struct LiveQueryTests {
    private func withStore(
        isolation: isolated (any Actor)? = #isolation, _ change: (inout StoreOptions) -> Void = { _ in },
        _ body: (Store, URL) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = StoreOptions()
        change(&options)
        let url = folder.appendingPathComponent("store.sqlite")
        try await body(try Store(at: url, schema: Things.self, options: options), url)
    }

    /// A number that several threads read and change. A lock guards it.
    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var number = 0
        var value: Int { lock.withLock { number } }
        func add() { lock.withLock { number += 1 } }
    }

    /// Waits until `condition` is true. The time limit of the suite ends a wait for what never comes.
    private func wait(for condition: @MainActor () throws -> Bool) async throws {
        while try await !condition() { try await Task.sleep(nanoseconds: 5_000_000) }
    }

    @Test func `a read is repeated only after changes of the tables that it has read`() async throws {
        try await withStore { (store: Store, _: URL) async throws in
            try await store.write { try $0.execute("CREATE VIEW numbers AS SELECT number FROM thing") }
            let reads: [@Sendable (ReadTransaction) throws -> Int] = [
                { try $0.count(Thing.self) },
                { try $0.fetch(Thing.all.where { $0.number == 1 }.select { $0.id }).count },
                { try $0.rows("SELECT count(*) AS n FROM numbers") { try $0.value("n", as: Int.self) }[0] },
                { try $0.cursor(Thing.all).next() == nil ? 0 : 1 },
                { try $0.exists(Thing.all.where { $0.id == 1 }) ? 1 : 0 },
            ]
            let counters = reads.map { _ in Counter() }
            let tasks = zip(reads, counters).map { read, counter in
                Task {
                    for try await _ in store.observe({ transaction in
                        counter.add()
                        return try read(transaction)
                    }) {}
                }
            }
            defer { for task in tasks { task.cancel() } }
            try await wait { counters.allSatisfy { $0.value == 1 } }
            for number in 1...5 { try await store.write { try $0.insert(Place("a", number)) } }
            try await store.write { try $0.insert(Thing(id: 1)) }
            try await wait { counters.allSatisfy { $0.value == 2 } }
            #expect(counters.map(\.value) == [2, 2, 2, 2, 2])
        }
    }

    @Test func `a read that turns to another table sees its changes`() async throws {
        try await withStore { (store: Store, _: URL) async throws in
            var values = store.observe { transaction in
                try transaction.exists(Thing.all) ? try transaction.count(Place.self) : -1
            }.makeAsyncIterator()
            #expect(try await values.next() == -1)
            try await store.write { try $0.insert(Thing(id: 1)) }
            #expect(try await values.next() == 0)
            try await store.write { try $0.insert(Place("a", 1)) }
            #expect(try await values.next() == 1)
        }
    }

    @Test func `writes of another store of the same file are seen`() async throws {
        try await withStore({ $0.otherWritersInterval = 0.01 }) { (store: Store, url: URL) async throws in
            var values = store.observe { try $0.count(Thing.self) }.makeAsyncIterator()
            #expect(try await values.next() == 0)
            let other = try Store(at: url, schema: Things.self)
            for number in 1...3 {
                try await other.write { try $0.insert(Thing(id: number)) }
                #expect(try await values.next() == number)
            }
        }
    }

    @Test func `a write of another store just after the first value is seen`() async throws {
        for _ in 0..<20 {
            try await withStore({ $0.otherWritersInterval = 0.02 }) { (store: Store, url: URL) async throws in
                let other = try Store(at: url, schema: Things.self)
                var values = store.observe { try $0.count(Thing.self) }.makeAsyncIterator()
                #expect(try await values.next() == 0)
                try await other.write { try $0.insert(Thing(id: 1)) }
                #expect(try await values.next() == 1)
            }
        }
    }

    @Test func `many observations look for other writers no more often than one`() async throws {
        let looks = Counter()
        try await withStore({ options in
            options.otherWritersInterval = 0.1
            options.trace = { if $0.sql.contains("data_version") { looks.add() } }
        }) { (store: Store, _: URL) async throws in
            for _ in 0..<100 {
                for try await _ in store.observe({ try $0.count(Thing.self) }) { break }
            }
            var values = store.observe { try $0.count(Thing.self) }.makeAsyncIterator()
            #expect(try await values.next() == 0)
            let (before, start) = (looks.value, Date())
            try await Task.sleep(nanoseconds: 1_000_000_000)
            let possible = Int(Date().timeIntervalSince(start) / 0.1) + 2
            #expect(looks.value - before <= possible)
        }
    }

    /// `STRATA_COMMITS` in the environment is the number of commits; the default is 300.
    @Test func `no change is missed, and memory does not grow`() async throws {
        let count = ProcessInfo.processInfo.environment["STRATA_COMMITS"].flatMap(Int.init) ?? 300
        try await withStore { (store: Store, _: URL) async throws in
            try await store.write { try $0.insert(Thing(id: 1)) }
            let writing = Task.detached {
                for number in 1...count {
                    try await store.write { _ = try $0.update(Thing.all) { [$0.number.set(to: number)] } }
                }
            }
            var sizes: [Int] = []
            var last = -1
            for try await numbers in store.observe({ try $0.fetch(Thing.all.select { $0.number }) }) {
                guard let number = numbers.first ?? nil else { continue }
                #expect(number > last)
                last = number
                if number % max(1, count / 10) == 0 { sizes.append(residentKilobytes()) }
                if number == count { break }
            }
            try await writing.value
            #expect(last == count)
            if count >= 10_000, let first = sizes.first, let end = sizes.last { #expect(end - first < 20_000) }
        }
    }

    private func residentKilobytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4 } ?? 0
    }

    @Test func `a thousand observers of one store all get the last value`() async throws {
        try await withStore { (store: Store, _: URL) async throws in
            let ready = Counter()
            let tasks = (0..<1_000).map { place in
                Task {
                    for try await count in store.observe({
                        try $0.count(Thing.all.where { $0.id != .init(rawValue: -place) })
                    }) {
                        if count == 0 { ready.add() }
                        if count == 20 { return true }
                    }
                    return false
                }
            }
            try await wait { ready.value == 1_000 }
            for number in 1...20 { try await store.write { try $0.insert(Thing(id: number)) } }
            for task in tasks { #expect(try await task.value) }
        }
    }

    @Test @MainActor func `a live query has the newest value, and tells its observers`() async throws {
        try await withStore { (store: Store, _: URL) async throws in
            let query = LiveQuery(Thing.all.orderBy { $0.id.ascending }, in: store)
            #expect(query.value.isEmpty && !query.isLoaded)
            try await wait { query.isLoaded }
            let changes = Counter()
            withObservationTracking {
                _ = query.value
            } onChange: {
                changes.add()
            }
            try await store.write { try $0.insert(contentsOf: [Thing(id: 1), Thing(id: 2)]) }
            try await wait { query.value.map(\.id) == [1, 2] }
            #expect(changes.value == 1)
            query.read(Thing.all.where { $0.id == 2 }, in: store)
            try await wait { query.value.map(\.id) == [2] }
            try await store.write { try $0.delete(Thing.self, id: 1) }
            try await store.write { try $0.delete(Thing.self, id: 2) }
            try await wait { query.value.isEmpty }
            let failing = LiveQuery(0, in: store) { try $0.rows("SELECT 1 FROM nothing") { _ in 0 }.count }
            try await wait { failing.error is SQLiteError }
            #expect(failing.value == 0 && !failing.isLoaded)
        }
    }

    @Test @MainActor func `a live query that is gone observes nothing`() async throws {
        try await withStore { (store: Store, _: URL) async throws in
            let reads = Counter()
            var query: LiveQuery<Int>? = LiveQuery(0, in: store) { transaction in
                reads.add()
                return try transaction.count(Thing.self)
            }
            try await wait { query?.isLoaded == true }
            query = nil
            try await Task.sleep(nanoseconds: 50_000_000)
            let before = reads.value
            for number in 1...10 { try await store.write { try $0.insert(Thing(id: number)) } }
            try await Task.sleep(nanoseconds: 50_000_000)
            #expect(reads.value == before)
        }
    }
}
