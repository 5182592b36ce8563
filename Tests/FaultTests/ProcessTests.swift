import ChainSchema
import Foundation
import Strata
import Testing

/// Several processes, and processes that are killed.
@Suite(.serialized) struct ProcessTests {
    private static let isWhole = ProcessInfo.processInfo.environment["STRATA_FAULTS"] == "all"

    /// The program that opens a store, which lies beside the tests.
    private func child(_ url: URL, _ arguments: String...) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("MigratingChild")
        process.arguments = [url.path] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }

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
            let whole = child(copy)
            let start = Date()
            try whole.run()
            whole.waitUntilExit()
            #expect(whole.terminationStatus == 0)
            let duration = Date().timeIntervalSince(start)
            let new = try digest(copy)
            #expect(old != new)
            var killed = 0
            for round in 0..<(Self.isWhole ? 100 : 6) {
                for suffix in ["", "-journal", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: copy.path + suffix)
                }
                try FileManager.default.copyItem(at: original, to: copy)
                let process = child(copy)
                try process.run()
                Thread.sleep(forTimeInterval: Double.random(in: 0...duration))
                if process.isRunning {
                    kill(process.processIdentifier, SIGKILL)
                    killed += 1
                }
                process.waitUntilExit()
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
            func begin() throws -> Process {
                let process = isBackup ? child(store, other.path) : child(store, other.path, "copy")
                try process.run()
                return process
            }
            var duration = 0.0
            var killed = 0
            for round in 0..<(Self.isWhole ? 20 : 4) {
                try? FileManager.default.removeItem(at: folder)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try FileManager.default.copyItem(at: original, to: store)
                let start = Date()
                let victim = try begin()
                if round > 0 {
                    let second = try begin()
                    Thread.sleep(forTimeInterval: Double.random(in: 0...duration))
                    if victim.isRunning {
                        kill(victim.processIdentifier, SIGKILL)
                        killed += 1
                    }
                    second.waitUntilExit()
                    // Of two that copy to one place, the later one is refused.
                    #expect(second.terminationStatus == 0 || !isBackup, "round \(round)")
                }
                victim.waitUntilExit()
                if round == 0 { duration = Date().timeIntervalSince(start) }
                if !FileManager.default.fileExists(atPath: other.path) {
                    let again = try begin()
                    again.waitUntilExit()
                    #expect(again.terminationStatus == 0, "round \(round)")
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
            for round in 0..<(Self.isWhole ? 20 : 4) {
                try? FileManager.default.removeItem(at: destination.deletingLastPathComponent())
                try FileManager.default.createDirectory(
                    at: destination.deletingLastPathComponent(), withIntermediateDirectories: true)
                let processes = (0..<(round == 0 ? 1 : 2)).map { _ in child(source, destination.path, "convert") }
                let start = Date()
                for process in processes { try process.run() }
                if round > 0 {
                    Thread.sleep(forTimeInterval: Double.random(in: 0...duration))
                    if processes[0].isRunning {
                        kill(processes[0].processIdentifier, SIGKILL)
                        killed += 1
                    }
                }
                for process in processes { process.waitUntilExit() }
                #expect(processes.last?.terminationStatus == 0, "round \(round)")
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
            let processes = (0..<count).map { _ in child(copy) }
            for process in processes { try process.run() }
            for process in processes { process.waitUntilExit() }
            #expect(processes.map(\.terminationStatus) == Array(repeating: 0, count: count))
            let connection = try Connection(path: copy.path, mode: .readWrite)
            #expect(try connection.integer("SELECT count(*) FROM strata_migrations") == 1)
            #expect(try connection.integer("SELECT count(*) FROM t") == 20_000)
        }
    }
}
