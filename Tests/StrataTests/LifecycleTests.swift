import Foundation
import Strata
import Testing

/// Closing, interrupting, suspending, compacting and copying stores.
@Suite(.timeLimit(.minutes(10))) struct LifecycleTests {
    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    private static let journals = [StoreOptions.Journal.wal, .delete]

    private func withStore(
        _ journal: StoreOptions.Journal = .wal, _ change: (inout StoreOptions) -> Void = { _ in },
        _ body: (Store, URL) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = StoreOptions()
        options.journal = journal
        change(&options)
        let url = folder.appendingPathComponent("store.sqlite")
        try await body(try Store(at: url, schema: Things.self, options: options), url)
    }

    /// The open files of this process whose names begin with that of the store.
    private func openFiles(_ url: URL) throws -> [String] {
        let folder = "/proc/self/fd"
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)
        }.filter { $0.hasPrefix(url.path) }
    }

    @Test(arguments: journals) func `a closed store has no open file, and can be opened again`(
        journal: StoreOptions.Journal
    ) async throws {
        try await withStore(journal) { store, url in
            try await store.write { try $0.insert(Thing(id: 1)) }
            for _ in 0..<3 { #expect(try await store.read { try $0.count(Thing.self) } == 1) }
            #expect(throws: StoreError.nestedTransaction) {
                try store.read { (_: ReadTransaction) throws in try store.close() }
            }
            try store.close()
            try store.close()
            #expect(try openFiles(url) == [])
            #expect(throws: StoreError.closed) { try store.read { try $0.count(Thing.self) } }
            await #expect(throws: StoreError.closed) { try await store.write { try $0.insert(Thing(id: 2)) } }
            #expect(throws: StoreError.closed) { try store.vacuum() }
            store.resume()
            #expect(throws: StoreError.closed) { try store.read { try $0.count(Thing.self) } }
            #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
            let again = try Store(at: url, schema: Things.self)
            #expect(try await again.read { try $0.count(Thing.self) } == 1)
        }
    }

    @Test func `closing ends the transactions and the observations that run`() async throws {
        try await withStore { store, _ in
            let hasBegun = Flag()
            let reading = Task {
                try await store.read { transaction in
                    hasBegun.set()
                    return try transaction.rows(Self.endless) { try $0.value("count(*)", as: Int.self) }
                }
            }
            let observing = Task {
                var values: [Int] = []
                for try await things in store.observe(Thing.all) { values.append(things.count) }
                return values
            }
            await hasBegun.wait()
            try store.close()
            await #expect(throws: SQLiteError.self) { try await reading.value }
            _ = try await observing.value
        }
    }

    @Test func `an interrupted write is rolled back`() async throws {
        try await withStore { store, _ in
            let hasBegun = Flag()
            let isInterrupted = Flag()
            Thread.detachNewThread {
                // An interruption has no effect on a statement that begins after it.
                while !isInterrupted.isSet {
                    if hasBegun.isSet { store.interrupt() }
                    Thread.sleep(forTimeInterval: 0.005)
                }
            }
            func write() throws {
                try store.write { transaction in
                    try transaction.insert(Thing(id: 1))
                    hasBegun.set()
                    _ = try transaction.rows(Self.endless) { try $0.value("count(*)", as: Int.self) }
                }
            }
            var error: SQLiteError?
            do { try write() } catch let interruption as SQLiteError { error = interruption }
            isInterrupted.set()
            #expect(error?.code == 9)
            #expect(try await store.read { try $0.count(Thing.self) } == 0)
        }
    }

    @Test(arguments: [false, true]) func `a cancelled transaction ends at once`(isWrite: Bool) async throws {
        try await withStore { store, _ in
            let hasBegun = Flag()
            let task = Task {
                func run(_ transaction: ReadTransaction) throws -> Int {
                    hasBegun.set()
                    return try transaction.rows(Self.endless) { try $0.value("count(*)", as: Int.self) }.count
                }
                return try await isWrite ? store.write { try run($0) } : store.read { try run($0) }
            }
            await hasBegun.wait()
            try await Task.sleep(nanoseconds: 10_000_000)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // The connection can be used again.
            try await store.write { try $0.insert(Thing(id: 1)) }
            #expect(try await store.read { try $0.count(Thing.self) } == 1)
        }
    }

    @Test func `long reads on all cores do not keep other tasks from running`() async throws {
        try await withStore { store, _ in
            let reading = Task {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
                        group.addTask {
                            try await store.read { transaction in
                                try transaction.rows(Self.endless) { try $0.value("count(*)", as: Int.self) }.count
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            try await Task.sleep(nanoseconds: 200_000_000)
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
        }
    }

    @Test(arguments: journals) func `a suspended store refuses transactions until it is resumed`(
        journal: StoreOptions.Journal
    ) async throws {
        try await withStore(journal) { store, _ in
            let hasBegun = Flag()
            let writing = Task {
                try await store.write { transaction in
                    try transaction.insert(Thing(id: 1))
                    hasBegun.set()
                    return try transaction.rows(Self.endless) { try $0.value("count(*)", as: Int.self) }.count
                }
            }
            await hasBegun.wait()
            try store.suspend()
            await #expect(throws: SQLiteError.self) { try await writing.value }
            #expect(throws: StoreError.suspended) { try store.read { try $0.count(Thing.self) } }
            #expect(throws: StoreError.suspended) { try store.write { try $0.insert(Thing(id: 2)) } }
            #expect(throws: StoreError.suspended) { try store.checkpoint() }
            let observing = Task {
                for try await things in store.observe(Thing.all) where things.map(\.id) == [3] { return true }
                return false
            }
            try await Task.sleep(nanoseconds: 20_000_000)
            store.resume()
            try await store.write { try $0.insert(Thing(id: 3)) }
            #expect(try await store.read { try $0.fetch(Thing.self) }.map(\.id) == [3])
            #expect(try await observing.value)
        }
    }

    @Test func `a transaction ends although another thread interrupts its end`() throws {
        try withFile { url in
            let store = try Store(at: url, schema: Things.self)
            let isOver = Flag()
            let interrupting = Thread { while !isOver.isSet { store.interrupt() } }
            interrupting.start()
            for number in 0..<30_000 {
                #expect(throws: (any Error).self) {
                    try store.write { transaction in
                        try transaction.insert(Thing(id: number))
                        throw CancellationError()
                    }
                }
            }
            isOver.set()
            while !interrupting.isFinished { Thread.sleep(forTimeInterval: 0.001) }
            try store.write { try $0.insert(Thing(id: 1)) }
            #expect(try store.read { try $0.count(Thing.self) } == 1)
        }
    }

    @Test func `a checkpoint empties the log, and vacuum the file`() async throws {
        try await withStore { store, url in
            func size(_ suffix: String) throws -> Int {
                try FileManager.default.attributesOfItem(atPath: url.path + suffix)[.size] as? Int ?? -1
            }
            try await store.write { transaction in
                for number in 1...3_000 {
                    var thing = Thing(id: number)
                    thing.text = String(repeating: "x", count: 500)
                    try transaction.insert(thing)
                }
            }
            #expect(try size("-wal") > 1_000_000)
            #expect(try store.checkpoint())
            #expect(try size("-wal") == 0 && size("") > 1_000_000)
            #expect(throws: StoreError.nestedTransaction) {
                try store.read { (_: ReadTransaction) throws in try store.checkpoint() }
            }
            try await store.write { try $0.delete(Thing.all.where { $0.id > 1 }) }
            try store.vacuum()
            try store.checkpoint()
            #expect(try size("") < 200_000)
            #expect(try await store.read { try $0.count(Thing.self) } == 1)
        }
    }

    @Test(arguments: journals) func `a backup has the state when it was begun, while writes continue`(
        journal: StoreOptions.Journal
    ) async throws {
        try await withStore(journal) { store, url in
            try await store.write { transaction in
                try transaction.insert(
                    contentsOf: (1...20_000).map { number in
                        var thing = Thing(id: number)
                        thing.text = String(repeating: "x", count: 300)
                        return thing
                    })
            }
            let backup = url.appendingPathExtension("backup")
            var progress: [BackupProgress] = []
            try store.backup(to: backup) { state in
                if progress.isEmpty, journal == .wal {
                    // Another thread, because this one is in a transaction.
                    let isWritten = DispatchSemaphore(value: 0)
                    Thread.detachNewThread {
                        _ = try? store.write { try $0.delete(Thing.all.where { $0.id > 10 }) }
                        isWritten.signal()
                    }
                    isWritten.wait()
                }
                progress.append(state)
            }
            #expect(progress.count > 2 && progress.last.map { $0.completedPages == $0.totalPages } == true)
            #expect(progress.map(\.completedPages) == progress.map(\.completedPages).sorted())
            let copy = try Store(at: backup, schema: Things.self)
            #expect(try await copy.read { try $0.count(Thing.self) } == 20_000)
            try copy.close()
            // A later backup replaces an earlier one, but no other file, and not the store itself.
            try await store.write { try $0.delete(Thing.all.where { $0.id > 5 }) }
            try store.backup(to: backup)
            #expect(try await Store(at: backup, schema: Things.self).read { try $0.count(Thing.self) } == 5)
            #expect(throws: MigrationError.self) { try store.backup(to: url) }
            let other = url.appendingPathExtension("other")
            try Data("text".utf8).write(to: other)
            #expect(throws: MigrationError.self) { try store.backup(to: other) }
            #expect(try Data(contentsOf: other) == Data("text".utf8))
            // An error of the closure leaves no file, and keeps an older backup.
            struct Stopped: Error {}
            #expect(throws: Stopped.self) { try store.backup(to: backup) { _ in throw Stopped() } }
            #expect(try await Store(at: backup, schema: Things.self).read { try $0.count(Thing.self) } == 5)
            let names = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
            #expect(names.filter { $0.contains("strata-") } == [])
        }
    }

    @Test(arguments: journals) func `a backup is restored only over a store that is closed`(
        journal: StoreOptions.Journal
    ) async throws {
        try await withStore(journal) { store, url in
            let backup = url.appendingPathExtension("backup")
            try await store.write { try $0.insert(Thing(id: 1)) }
            try store.backup(to: backup)
            try await store.write { try $0.insert(Thing(id: 2)) }
            _ = try await store.read { try $0.count(Thing.self) }
            var options = StoreOptions()
            options.journal = journal
            options.busyTimeout = 0.05
            if journal == .wal {
                #expect(throws: StoreError.busy) {
                    try Store.restoreBackup(from: backup, to: url, schema: Things.self, options: options)
                }
            }
            #expect(try await store.read { try $0.count(Thing.self) } == 2)
            try store.close()
            let damaged = url.appendingPathExtension("damaged")
            var bytes = try Data(contentsOf: backup)
            bytes.replaceSubrange(5_000..<9_000, with: Data(count: 4_000))
            try bytes.write(to: damaged)
            #expect(throws: (any Error).self) {
                try Store.restoreBackup(from: damaged, to: url, schema: Things.self, options: options)
            }
            #expect(throws: MigrationError.self) {
                try Store.restoreBackup(from: url, to: url, schema: Things.self, options: options)
            }
            #expect(try await Store(at: url, schema: Things.self).read { try $0.count(Thing.self) } == 2)
            try Store.restoreBackup(from: backup, to: url, schema: Things.self, options: options)
            let restored = try Store(at: url, schema: Things.self)
            #expect(try await restored.read { try $0.fetch(Thing.self) }.map(\.id) == [1])
            #expect(FileManager.default.fileExists(atPath: backup.path))
        }
    }

    @Test func `a backup is restored over a store that is damaged or gone, without its old log`() async throws {
        try await withStore { store, url in
            let backup = url.appendingPathExtension("backup")
            try await store.write { try $0.insert(Thing(id: 1)) }
            try store.backup(to: backup)
            try await store.write { try $0.insert(Thing(id: 2)) }
            // The log of a store that is open is not empty. A process that is killed leaves such a log.
            let log = try Data(contentsOf: URL(fileURLWithPath: url.path + "-wal"))
            #expect(log.count > 1_000)
            try store.close()
            for isMissing in [false, true] {
                try log.write(to: URL(fileURLWithPath: url.path + "-wal"))
                if isMissing {
                    try FileManager.default.removeItem(at: url)
                } else {
                    try Data(repeating: 7, count: 20_000).write(to: url)
                }
                try Store.restoreBackup(from: backup, to: url, schema: Things.self)
                let restored = try Store(at: url, schema: Things.self)
                #expect(try await restored.read { try $0.fetch(Thing.self) }.map(\.id) == [1])
                try restored.close()
            }
        }
    }

    @Test func `each statement is traced with its duration and without values`() async throws {
        let traces = Traces()
        try await withStore(.wal, { $0.trace = { trace in traces.add(trace) } }) { store, _ in
            traces.removeAll()
            try await store.write { transaction in
                var thing = Thing(id: 1)
                thing.text = "secret"
                try transaction.insert(contentsOf: [thing])
            }
            _ = try await store.read { try $0.fetch(Thing.all.where { $0.text == "secret" }) }
            let all = traces.all
            #expect(all.contains { $0.sql.hasPrefix("INSERT INTO \"thing\"") && $0.seconds >= 0 })
            #expect(all.contains { $0.sql.hasSuffix("WHERE \"text\" = ?") })
            #expect(!all.contains { $0.sql.contains("secret") })
            try store.close()
        }
    }

    /// A flag that one thread sets and another one waits for. A lock guards it.
    private final class Flag: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false
        var isSet: Bool { lock.withLock { value } }
        func set() { lock.withLock { value = true } }
        func wait() async { while !isSet { try? await Task.sleep(nanoseconds: 1_000_000) } }
    }

    /// Statements that were traced. A lock guards them.
    private final class Traces: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [StatementTrace] = []
        var all: [StatementTrace] { lock.withLock { list } }
        func add(_ trace: StatementTrace) { lock.withLock { list.append(trace) } }
        func removeAll() { lock.withLock { list = [] } }
    }
}
