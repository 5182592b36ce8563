import ChainSchema
import Foundation
import Strata
import Testing

/// Several processes, and processes that are killed.
@Suite(.serialized) struct ProcessTests {
    private static let isWhole = ProcessInfo.processInfo.environment["STRATA_FAULTS"] == "all"

    /// A process that opens a store: the program `MigratingChild`, which lies beside the tests.
    ///
    /// Foundation's `Process` can miss the end of one of several processes, so that waiting for it never ends.
    private final class Child {
        let id: pid_t
        /// The exit status; nil while the process runs, and -1 if it was killed.
        private(set) var status: Int32?

        init(_ url: URL, _ arguments: [String]) throws {
            let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
                .deletingLastPathComponent().appendingPathComponent("MigratingChild").path
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            for descriptor: Int32 in [1, 2] {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
            }
            var words: [UnsafeMutablePointer<CChar>?] = ([program, url.path] + arguments).map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var environment: [UnsafeMutablePointer<CChar>?] = [nil]
            var id: pid_t = 0
            let code = posix_spawn(&id, program, &actions, nil, &words, &environment)
            guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
            self.id = id
        }

        private func wait(_ options: Int32) -> Int32? {
            var value: Int32 = 0
            if status == nil, waitpid(id, &value, options) == id {
                status = value & 0x7f == 0 ? value >> 8 & 0xff : -1
            }
            return status
        }

        /// Kills the process if it is still running. Returns whether it was.
        func kill() -> Bool {
            if wait(WNOHANG) != nil { return false }
            Foundation.kill(id, SIGKILL)
            return true
        }

        /// Waits for the end of the process, and returns its exit status.
        func end() -> Int32 { wait(0) ?? -1 }
    }

    private func run(_ url: URL, _ arguments: String...) throws -> Child { try Child(url, arguments) }

    private func withOldStore(
        _ rows: Int, _ journal: StoreOptions.Journal, _ body: (_ original: URL, _ copy: URL) throws -> Void
    ) throws {
        try withFolder { (folder: URL) throws in
            let original = folder.appendingPathComponent("original.sqlite")
            _ = try Store(at: original, schema: OldChain.self)
            try fill(original, rows, journal)
            try body(original, folder.appendingPathComponent("copy.sqlite"))
        }
    }

    /// Puts rows into the store, and closes it: only then are they in the main file.
    private func fill(_ url: URL, _ rows: Int, _ journal: StoreOptions.Journal) throws {
        let connection = try Connection(path: url.path, mode: .readWrite)
        try connection.execute("PRAGMA journal_mode = \(journal.rawValue)")
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO t SELECT i, 'row ' || i, i * 7 FROM n
            """)
    }

    /// What is in the store, in short.
    private func digest(_ url: URL) throws -> [String] {
        let connection = try Connection(path: url.path, mode: .readWrite)
        var digest = [try connection.text("PRAGMA integrity_check") ?? ""]
        let version = try connection.text("SELECT value FROM strata_metadata WHERE key = 'version'") ?? ""
        try connection.query("SELECT count(*), sum(length(a)), sum(c\(version)), max(a) FROM t") { row in
            digest += row.values.map { "\($0)" }
        }
        try connection.query("SELECT from_version, to_version FROM strata_migrations") { row in
            digest += row.values.map { "\($0)" }
        }
        return digest + [version, "\(try connection.integer("PRAGMA user_version") ?? 0)"]
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal])
    func `a process that is killed leaves the old store or the new one`(journal: StoreOptions.Journal) throws {
        try withOldStore(Self.isWhole ? 200_000 : 20_000, journal) { original, copy in
            let old = try digest(original)
            try FileManager.default.copyItem(at: original, to: copy)
            let start = Date()
            let whole = try run(copy)
            #expect(whole.end() == 0)
            let duration = Date().timeIntervalSince(start)
            let new = try digest(copy)
            #expect(old != new)
            var killed = 0
            for round in 0..<100 where round < (Self.isWhole ? 100 : 6) || killed == 0 {
                for suffix in ["", "-journal", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: copy.path + suffix)
                }
                try FileManager.default.copyItem(at: original, to: copy)
                let process = try run(copy)
                Thread.sleep(forTimeInterval: Double.random(in: 0...duration))
                if process.kill() { killed += 1 }
                _ = process.end()
                let left = try digest(copy)
                #expect(left == old || left == new, "round \(round)")
                _ = try Store(at: copy, schema: Chain.self)
                #expect(try digest(copy) == new, "tried again, round \(round)")
            }
            #expect(killed > 0)
        }
    }

    /// Two processes back up and migrate one store, or copy it, and one of them is killed. The other one succeeds, what it
    /// wrote is whole, and the next process leaves no other file behind.
    @Test(arguments: [StoreOptions.Journal.delete, .wal], [true, false])
    func `a process that is killed while it writes another file spoils nothing`(
        journal: StoreOptions.Journal, isBackup: Bool
    ) throws {
        try withOldStore(Self.isWhole ? 200_000 : 20_000, journal) { original, copy in
            let folder = copy.deletingLastPathComponent().appendingPathComponent("work")
            let (store, other) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("b.sqlite"))
            let old = try digest(original)
            func begin() throws -> Child {
                try isBackup ? run(store, other.path) : run(store, other.path, "copy")
            }
            var duration = 0.0
            var killed = 0
            for round in 0..<100 where round < (Self.isWhole ? 20 : 4) || killed == 0 {
                try? FileManager.default.removeItem(at: folder)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try FileManager.default.copyItem(at: original, to: store)
                let start = Date()
                let victim = try begin()
                if round > 0 {
                    let second = try begin()
                    Thread.sleep(forTimeInterval: Double.random(in: 0...duration))
                    if victim.kill() { killed += 1 }
                    let status = second.end()
                    // Of two that copy to one place, the later one is refused.
                    #expect(status == 0 || !isBackup, "round \(round)")
                }
                _ = victim.end()
                if round == 0 { duration = Date().timeIntervalSince(start) }
                if !FileManager.default.fileExists(atPath: other.path) {
                    let again = try begin()
                    #expect(again.end() == 0, "round \(round)")
                }
                if isBackup {
                    _ = try Store(at: store, schema: Chain.self)
                    #expect(try digest(other) == old, "round \(round)")
                } else {
                    #expect(try digest(store) == old, "round \(round)")
                    #expect(
                        try digest(other) != old && StoreInspection(of: other, comparedWith: Chain.self).drift == [],
                        "round \(round)")
                }
                let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                    .filter { name in !["-wal", "-shm", "-journal"].contains { name.hasSuffix($0) } }
                // What a killed process left is removed by the next one that writes such a file.
                #expect(files.count { $0.hasPrefix(".") } <= 1, "round \(round): \(files)")
            }
            #expect(killed > 0)
        }
    }

    /// Two processes convert one database, and one of them is killed. The other one succeeds, the database stays as it is, and
    /// the store has all its rows.
    @Test func `a process that is killed while it converts a database spoils nothing`() throws {
        try withFolder { (folder: URL) throws in
            let source = folder.appendingPathComponent("source.sqlite")
            let destination = folder.appendingPathComponent("work/store.sqlite")
            let rows = Self.isWhole ? 200_000 : 20_000
            let connection = try Connection(path: source.path, mode: .create)
            try connection.execute(
                """
                CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, c1 INTEGER);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                INSERT INTO t SELECT i, 'row ' || i, i * 7 FROM n
                """)
            let before = try Data(contentsOf: source)
            var duration = 0.0
            var whole: [String] = []
            var killed = 0
            for round in 0..<100 where round < (Self.isWhole ? 20 : 4) || killed == 0 {
                try? FileManager.default.removeItem(at: destination.deletingLastPathComponent())
                try FileManager.default.createDirectory(
                    at: destination.deletingLastPathComponent(), withIntermediateDirectories: true)
                let start = Date()
                let processes = try (0..<(round == 0 ? 1 : 2)).map { _ in try run(source, destination.path, "convert") }
                if round > 0 {
                    Thread.sleep(forTimeInterval: Double.random(in: 0...duration))
                    if processes[0].kill() { killed += 1 }
                }
                let statuses = processes.map { $0.end() }
                #expect(statuses.last == 0, "round \(round)")
                let found = try digest(destination)
                if round == 0 {
                    duration = Date().timeIntervalSince(start)
                    whole = found
                    #expect(found[0] == "ok" && found[1] == "\(rows)")
                }
                #expect(found == whole, "round \(round)")
                #expect(try Data(contentsOf: source) == before)
            }
            #expect(killed > 0)
        }
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal], [2, 8])
    func `of processes that open one old store, one migrates it and all succeed`(
        journal: StoreOptions.Journal, count: Int
    ) throws {
        try withOldStore(20_000, journal) { original, copy in
            try FileManager.default.copyItem(at: original, to: copy)
            let processes = try (0..<count).map { _ in try run(copy) }
            #expect(processes.map { $0.end() } == Array(repeating: 0, count: count))
            let connection = try Connection(path: copy.path, mode: .readWrite)
            #expect(try connection.integer("SELECT count(*) FROM strata_migrations") == 1)
            #expect(try connection.integer("SELECT count(*) FROM t") == 20_000)
        }
    }
}
