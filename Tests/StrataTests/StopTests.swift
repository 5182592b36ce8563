import Foundation
import SQLSchema
import Strata
import Testing

/// Stores that are closed and suspended, and tasks that are cancelled, in every state.
@Suite(.timeLimit(.minutes(10))) struct StopTests {
    private static let journals = [StoreOptions.Journal.delete, .wal]
    /// Takes longer than any test.
    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n"

    private enum Stop: CaseIterable {
        case closed, suspended

        func apply(to store: Store) throws { try self == .closed ? store.close() : store.suspend() }

        var error: StoreError { self == .closed ? .closed : .suspended }
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appendingPathComponent("store.sqlite"))
    }

    /// Options of a store that waits for a lock longer than any test.
    private func patient(_ journal: StoreOptions.Journal) -> StoreOptions {
        var options = StoreOptions()
        options.journal = journal
        options.busyTimeout = 86_400
        return options
    }

    /// Something that has happened. Tests must not block the threads that run tasks.
    private struct Signal: Sendable {
        private let isSet = Locked(false)

        func signal() { isSet.withLock { $0 = true } }

        func wait() async { while !isSet.withLock({ $0 }) { try? await Task.sleep(nanoseconds: 2_000_000) } }

        func block() { while !isSet.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.002) } }
    }

    private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Waits until a thread has had time to begin what it does next. If it has not begun, the test proves less.
    private func pause() async throws { try await Task.sleep(nanoseconds: 50_000_000) }

    private func error(_ task: Task<some Sendable, any Error>) async -> (any Error)? {
        do {
            _ = try await task.value
            return nil
        } catch {
            return error
        }
    }

    // MARK: The states of a store

    private enum Action: CaseIterable { case suspend, resume, close }

    @Test(arguments: journals) func `a store is open or suspended until it is closed`(
        journal: StoreOptions.Journal
    ) async throws {
        try await withFolder { url in
            var options = StoreOptions()
            options.journal = journal
            for isLazy in [true, false] {
                for actions in Action.allCases.flatMap({ one in Action.allCases.map { [one, $0] } }).flatMap({ two in
                    Action.allCases.map { two + [$0] }
                }) {
                    let store =
                        isLazy
                        ? Store(lazilyAt: url, schema: Things.self, options: options)
                        : try Store(at: url, schema: Things.self, options: options)
                    var expected: StoreError?
                    for action in actions {
                        switch action {
                        case .suspend:
                            try store.suspend()
                            if expected == nil { expected = .suspended }
                        case .resume:
                            store.resume()
                            if expected == .suspended { expected = nil }
                        case .close:
                            try store.close()
                            expected = .closed
                        }
                        func found(_ body: () throws -> Void) -> StoreError? {
                            do { try body() } catch { return error as? StoreError }
                            return nil
                        }
                        let read: () throws -> Void = { _ = try store.read { try $0.count(Thing.self) } }
                        let write: () throws -> Void = { _ = try store.write { try $0.delete(Thing.self, id: 1) } }
                        #expect(found(read) == expected, "\(actions)")
                        #expect(found(write) == expected, "\(actions)")
                        #expect(found { _ = try store.checkpoint() } == expected, "\(actions)")
                    }
                }
            }
        }
    }

    @Test(arguments: journals) func `a store that is being closed is not resumed`(journal: StoreOptions.Journal)
        async throws
    {
        try await withFolder { url in
            let store = try Store(at: url, schema: Things.self, options: patient(journal))
            let (hasBegun, mayEnd) = (Signal(), Signal())
            let reading = Task {
                try await store.read { _ in
                    hasBegun.signal()
                    mayEnd.block()
                }
            }
            await hasBegun.wait()
            let closing = Task { try await onThread { try store.close() } }
            try await pause()
            store.resume()
            mayEnd.signal()
            try await closing.value
            _ = await error(reading)
            store.resume()
            #expect(throws: StoreError.closed) { try store.read { try $0.count(Thing.self) } }
            #expect(throws: StoreError.closed) { try store.write { try $0.delete(Thing.self, id: 1) } }
        }
    }

    @Test(arguments: Stop.allCases) private func `a migration ends when the store is closed or suspended`(stop: Stop)
        async throws
    {
        try await withFolder { url in
            let old = [Table("store", ["id integer key", "title text?", "stars integer"])]
            try makeHandMade(at: url, old, rows: "INSERT INTO store VALUES (1, 'a', 5)")
            let (hasBegun, isEndless) = (Signal(), Locked(true))
            try await HandMade.$old.withValue(old) {
                try await HandMade.$new.withValue(old) {
                    try await HandMade.$changes.withValue([.custom(from: "store", to: "store")]) {
                        try await HandMade.$code.withValue({ step in
                            hasBegun.signal()
                            if isEndless.withLock({ $0 }) { _ = try step.context.new.rows(Self.endless) { _ in } }
                            try step.migrate(Item.self) { (old: Item, _) -> Outcome<Item> in .keep(old) }
                        }) {
                            let schema = SchemaDefinition(
                                HandMade.name, versions: HandMade.versions, steps: HandMade.steps)
                            let store = Store(lazilyAt: url, definition: schema, options: StoreOptions())
                            let reading = Task { try await count(store) }
                            await hasBegun.wait()
                            try await onThread { try stop.apply(to: store) }
                            #expect(await error(reading) as? StoreError == stop.error)
                            isEndless.withLock { $0 = false }
                            store.resume()
                            if stop == .suspended { #expect(try await count(store) == 1) }
                        }
                    }
                }
            }
        }
    }

    private func count(_ store: Store) async throws -> Int { try await store.read { try $0.count(Item.self) } }

    // MARK: Waiting for a lock

    private enum Waiting: CaseIterable { case opening, reading, writing }

    /// Lets a task wait for the lock of another connection, ends the wait with `stop`, and returns the error of the task.
    private func errorOfWait(
        _ waiting: Waiting, _ journal: StoreOptions.Journal, _ stop: (Store, Task<Void, any Error>) async throws -> Void
    ) async throws -> (any Error)? {
        var result: (any Error)?
        try await withFolder { url in
            _ = try Store(at: url, schema: Things.self, options: patient(journal))
            let store = Store(lazilyAt: url, schema: Things.self, options: patient(journal))
            if waiting != .opening { try await store.write { try $0.insert(Thing(id: 1)) } }
            let other = try Connection(path: url.path, mode: .readWrite)
            try other.execute("PRAGMA locking_mode = \(journal == .wal ? "NORMAL" : "EXCLUSIVE"); BEGIN EXCLUSIVE")
            let task = Task {
                if waiting == .writing {
                    try await store.write { try $0.insert(Thing(id: 2)) }
                } else {
                    _ = try await store.read { try $0.count(Thing.self) }
                }
            }
            try await pause()
            try await stop(store, task)
            result = await error(task)
            try other.execute("COMMIT; PRAGMA locking_mode = NORMAL")
            _ = try other.integer("SELECT count(*) FROM thing")
            #expect(try other.integer("SELECT count(*) FROM thing WHERE id = 2") == 0)
            // What is not closed works again.
            store.resume()
            if result as? StoreError != .closed {
                #expect(try await store.read { try $0.count(Thing.self) } == (waiting == .opening ? 0 : 1))
            }
        }
        return result
    }

    /// With a write-ahead log, nobody waits to read.
    private static let waits: [(Waiting, StoreOptions.Journal)] = [
        (.opening, .delete), (.reading, .delete), (.writing, .delete), (.writing, .wal),
    ]

    @Test(arguments: waits, Stop.allCases) private func `a wait for a lock ends when the store is closed or suspended`(
        wait: (Waiting, StoreOptions.Journal), stop: Stop
    ) async throws {
        let error = try await errorOfWait(wait.0, wait.1) { store, _ in try await onThread { try stop.apply(to: store) }
        }
        #expect(error as? StoreError == stop.error)
    }

    @Test(arguments: waits) private func `a wait for a lock ends when its task is cancelled`(
        wait: (Waiting, StoreOptions.Journal)
    ) async throws {
        // The opening of a store is not part of a task, which only waits for it.
        if wait.0 == .opening { return }
        let error = try await errorOfWait(wait.0, wait.1) { _, task in task.cancel() }
        #expect(error is CancellationError)
    }

    @Test func `an opening that waits for a lock is cancelled`() async throws {
        try await withFolder { url in
            _ = try Store(at: url, schema: Things.self, options: patient(.delete))
            let other = try Connection(path: url.path, mode: .readWrite)
            try other.execute("BEGIN EXCLUSIVE")
            let options = patient(.delete)
            let opening = Task { _ = try await Store.open(at: url, schema: Things.self, options: options) }
            try await pause()
            opening.cancel()
            #expect(await error(opening) is CancellationError)
            try other.execute("COMMIT")
        }
    }

    // MARK: Tasks

    @Test func `a task that is cancelled in its closure writes nothing`() async throws {
        try await withFolder { url in
            let store = try Store(at: url, schema: Things.self)
            let (hasBegun, mayGoOn) = (Signal(), Signal())
            let writing = Task {
                try await store.write { transaction in
                    hasBegun.signal()
                    mayGoOn.block()
                    try transaction.insert(Thing(id: 1))
                }
            }
            await hasBegun.wait()
            writing.cancel()
            mayGoOn.signal()
            #expect(await error(writing) is CancellationError)
            #expect(try await store.read { try $0.count(Thing.self) } == 0)
        }
    }

    @Test(arguments: [false, true]) func `a task that is cancelled in a queue ends at once`(isWrite: Bool) async throws
    {
        try await withFolder { url in
            var options = StoreOptions()
            options.maximumReaders = 1
            let store = try Store(at: url, schema: Things.self, options: options)
            let (hasBegun, mayEnd) = (Signal(), Signal())
            @Sendable func run(_ body: @escaping @Sendable () -> Void) async throws {
                try await isWrite ? store.write { _ in body() } : store.read { _ in body() }
            }
            let first = Task {
                try await run {
                    hasBegun.signal()
                    mayEnd.block()
                }
            }
            await hasBegun.wait()
            let hasRun = Locked(false)
            let second = Task { try await run { hasRun.withLock { $0 = true } } }
            try await pause()
            second.cancel()
            // The first one has not ended.
            #expect(await error(second) is CancellationError)
            mayEnd.signal()
            try await first.value
            try await run {}
            #expect(!hasRun.withLock { $0 })
        }
    }

    @Test func `a savepoint that hides an interruption does not hide the cancellation`() async throws {
        try await withFolder { url in
            let store = try Store(at: url, schema: Things.self)
            let hasBegun = Signal()
            let writing = Task {
                try await store.write { transaction in
                    try transaction.insert(Thing(id: 1))
                    hasBegun.signal()
                    _ = try? transaction.savepoint {
                        try transaction.execute("INSERT INTO thing (id) SELECT n FROM (\(Self.endless))")
                    }
                    try transaction.insert(Thing(id: 2))
                }
            }
            await hasBegun.wait()
            try await pause()
            writing.cancel()
            #expect(await error(writing) is CancellationError)
            #expect(try await store.read { try $0.count(Thing.self) } == 0)
        }
    }

    // MARK: Any moment

    /// `STRATA_MOMENTS` in the environment is the number of moments; the default is 20. The longest time that a suspension, an end or a
    /// cancellation took is printed.
    @Test func `whatever a store does, it can be stopped`() async throws {
        let count = ProcessInfo.processInfo.environment["STRATA_MOMENTS"].flatMap { Int($0) } ?? 20
        var longest: [String: Double] = [:]
        for _ in 0..<count {
            let journal = Self.journals.randomElement() ?? .wal
            try await withFolder { url in
                var options = patient(journal)
                options.migration = .resumable
                try makeStore(
                    at: url, Self.growing,
                    rows: """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                        INSERT INTO s SELECT i, 'value ' || i FROM n
                        """)
                let stop = ["suspend", "close", "cancel"].randomElement() ?? ""
                let other = try Connection(path: url.path, mode: .readWrite)
                // A task does not cancel the opening that it waits for.
                if stop != "cancel", Bool.random() { try other.execute("BEGIN IMMEDIATE") }
                let store = Store(lazilyAt: url, definition: Self.growing, options: options)
                if stop == "cancel" { try await store.read { _ in } }
                let tasks = (0..<3).map { number in
                    Task {
                        while true {
                            if number == 0 {
                                try await store.write { try $0.execute("UPDATE s SET v = v || 'x' WHERE id % 7 = 0") }
                            } else {
                                _ = try await store.read { try $0.rows("SELECT sum(length(v)) FROM s") { _ in } }
                            }
                        }
                    }
                }
                try await Task.sleep(nanoseconds: UInt64.random(in: 0..<80_000_000))
                let begin = ContinuousClock.now
                switch stop {
                case "suspend": try await onThread { try store.suspend() }
                case "close": try await onThread { try store.close() }
                default:
                    for task in tasks { task.cancel() }
                    for task in tasks { _ = await error(task) }
                }
                longest[stop] = max(longest[stop] ?? 0, (ContinuousClock.now - begin) / .seconds(1))
                for task in tasks { task.cancel() }
                for task in tasks { #expect(await error(task) != nil) }
                if other.isInTransaction { try other.execute("COMMIT") }
                store.resume()
                if stop != "close" {
                    let rows = try await store.read {
                        try $0.rows("SELECT count(*) AS n FROM s") { try $0.value("n", as: Int.self) }
                    }
                    #expect(rows == [20_000])
                    try store.close()
                }
                let found = try Connection(path: url.path, mode: .readOnly)
                #expect(try found.text("PRAGMA integrity_check") == "ok")
                #expect(try found.integer("SELECT count(*) FROM s") == 20_000)
            }
        }
        print("the longest stops of \(count), in seconds: \(longest.sorted { $0.key < $1.key })")
    }

    /// A schema whose step copies all rows.
    private static let growing = SchemaDefinition(
        "GrowingSchema",
        versions: [
            SchemaVersion("1", fingerprint: 1, tables: [Table("s", ["id integer key", "v text"])]),
            SchemaVersion(
                "2", fingerprint: 2,
                tables: [
                    Table("s", ["id integer key", "v text", "w text", "index s_v_idx (v)", "search (v, w) unicode61"])
                ]),
        ],
        steps: [
            MigrationStep(from: "1", to: "2", changes: [.map(from: "s", to: "s", columns: ["w": .column("v")])])
        ])
}
