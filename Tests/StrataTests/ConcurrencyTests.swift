import Foundation
import Strata
import Testing

/// One writer and many readers.
@Suite struct ConcurrencyTests {
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appendingPathComponent("store.sqlite"))
    }

    @Test func `readers see the state before an uncommitted write and do not wait for it`() async throws {
        // Repeated, because the first read and the first write race to find out whether a write-ahead log exists.
        for _ in 1...8 { try await checkReadersAreNotHeldUp() }
    }

    private func checkReadersAreNotHeldUp() async throws {
        try await withFolder { url in
            let store = try Store(at: url, schema: Things.self)
            let (isWritten, isRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let writing = Task {
                try await store.write { transaction in
                    try transaction.insert(Thing(id: 1))
                    isWritten.signal()
                    // The readers read while the transaction is open.
                    #expect(isRead.wait(timeout: .now() + 600) == .success)
                }
            }
            let counted = Task {
                try await store.read { transaction in
                    #expect(isWritten.wait(timeout: .now() + 600) == .success)
                    return try transaction.count(Thing.self)
                }
            }
            #expect(try await counted.value == 0)
            isRead.signal()
            try await writing.value
            #expect(try await store.read { try $0.count(Thing.self) } == 1)
        }
    }

    /// `STRATA_STRESS` in the environment is the duration in seconds; the default is 1.
    @Test(arguments: [StoreOptions.Journal.wal, .delete])
    func `eight readers beside a writer see only complete transactions`(journal: StoreOptions.Journal) async throws {
        let seconds = ProcessInfo.processInfo.environment["STRATA_STRESS"].flatMap(Double.init) ?? 1
        try await withFolder { url in
            var options = StoreOptions()
            options.journal = journal
            let store = try Store(at: url, schema: Things.self, options: options)
            try await store.write { transaction in
                try transaction.insert(
                    contentsOf: (1...20).map { id in
                        var thing = Thing(id: id)
                        thing.number = 100
                        return thing
                    })
            }
            let end = Date().addingTimeInterval(seconds)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var count = 0
                    // Each task runs at least 20 times, even on a busy machine.
                    while Date() < end || count < 20 {
                        // Moves 1 from one row to another, so that the sum stays the same.
                        let (from, to) = (Int.random(in: 1...20), Int.random(in: 1...20))
                        try await store.write { transaction in
                            for (id, amount) in [(from, -1), (to, 1)] {
                                try transaction.update(Thing.all.where { $0.id == .init(rawValue: id) }) {
                                    $0.number += amount
                                }
                            }
                        }
                        count += 1
                    }
                }
                for _ in 0..<8 {
                    group.addTask {
                        var count = 0
                        while Date() < end || count < 20 {
                            let sums = try await store.read { transaction in
                                [
                                    try transaction.sum(of: \.number, in: Thing.all),
                                    try transaction.fetch(Thing.all).compactMap(\.number).reduce(0, +),
                                ]
                            }
                            #expect(sums == [2_000, 2_000])
                            count += 1
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.read { try $0.sum(of: \.number, in: Thing.all) } == 2_000)
        }
    }

    /// The number of threads of this process, or 0 on a system without `/proc`.
    private func threadCount() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }

    @Test func `ten thousand tasks wait without a thread for each of them`() async throws {
        try await withFolder { (url: URL) async throws in
            let store = try Store(at: url, schema: Things.self)
            let begun = DispatchSemaphore(value: 0)
            let end = DispatchSemaphore(value: 0)
            let first = Task {
                try await store.write { _ in
                    begun.signal()
                    #expect(end.wait(timeout: .now() + 600) == .success)
                }
            }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    begun.wait()
                    continuation.resume()
                }
            }
            let before = threadCount()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 1...5_000 {
                    group.addTask { try await store.write { try $0.insert(Thing(id: id)) } }
                    group.addTask { _ = try await store.read { try $0.count(Thing.self) } }
                }
                // Reads do not wait for writes. After a thousand tasks have ended, the writes are waiting.
                for _ in 1...1_000 { try await group.next() }
                // Threads of other tests end meanwhile. A thread that waited for a write would not: the writes go on later.
                let deadline = ContinuousClock.now + .seconds(600)
                while threadCount() >= before + 30, ContinuousClock.now < deadline { await Task.yield() }
                #expect(threadCount() < before + 30)
                end.signal()
                try await group.waitForAll()
            }
            try await first.value
            #expect(try await store.read { try $0.count(Thing.self) } == 5_000)
        }
    }

    @Test func `a task that is cancelled while it waits writes nothing`() async throws {
        try await withFolder { (url: URL) async throws in
            let store = try Store(at: url, schema: Things.self)
            let end = DispatchSemaphore(value: 0)
            let begun = AsyncStream<Void>.makeStream()
            let first = Task {
                try await store.write { _ in
                    begun.continuation.finish()
                    #expect(end.wait(timeout: .now() + 600) == .success)
                }
            }
            for await _ in begun.stream {}
            let second = Task { try await store.write { try $0.insert(Thing(id: 1)) } }
            second.cancel()
            end.signal()
            try await first.value
            await #expect(throws: CancellationError.self) { try await second.value }
            #expect(try await store.read { try $0.count(Thing.self) } == 0)
        }
    }

    @Test func `a nested transaction is refused, whether it reads or writes`() async throws {
        try await withFolder { url in
            let store = try Store(at: url, schema: Things.self)
            try await store.read { _ in
                #expect(throws: StoreError.nestedTransaction) { try store.read { _ in } }
                #expect(throws: StoreError.nestedTransaction) { try store.write { _ in } }
            }
            try await store.write { _ in
                #expect(throws: StoreError.nestedTransaction) { try store.read { _ in } }
                #expect(throws: StoreError.nestedTransaction) { try store.write { _ in } }
            }
        }
    }
}
