import ChainSchema
import Foundation
import Strata
import Testing

/// Several processes, and processes that are killed at a file operation.
///
/// By default, each run tests a few random operations. `STRATA_FAULTS=all` in the environment tests every operation.
@Suite(.serialized) struct ProcessTests {
    private static let isWhole = ProcessInfo.processInfo.environment["STRATA_FAULTS"] != nil

    /// A run of the program `MigratingChild`, which is built into the same folder as the tests.
    ///
    /// Foundation's `Process` is not used: it can miss the end of one of several processes, and then waits forever.
    private final class Child {
        private let id: pid_t

        init(_ arguments: [String]) throws {
            let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
                .deletingLastPathComponent().appendingPathComponent("MigratingChild").path
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            for descriptor: Int32 in [1, 2] {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
            }
            var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var environment: [UnsafeMutablePointer<CChar>?] = [nil]
            var id: pid_t = 0
            let code = posix_spawn(&id, program, &actions, nil, &words, &environment)
            guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
            self.id = id
        }

        /// Waits for the end of the process.
        ///
        /// - Returns: The exit status, -1 if the process was killed, or -2 if waiting failed.
        func end() -> Int32 {
            var value: Int32 = 0
            guard waitpid(id, &value, 0) == id else { return -2 }
            return value & 0x7f == 0 ? value >> 8 & 0xff : -1
        }
    }

    /// The command that a process runs on one or two files.
    enum Command: String, CaseIterable {
        case open, resume, backup, copy, convert
    }

    private func begin(_ command: Command, _ urls: [URL], killedAt place: Int? = nil) throws -> Child {
        let paths = urls.prefix([.open, .resume].contains(command) ? 1 : 2).map(\.path)
        return try Child([command.rawValue] + paths + [place.map(String.init)].compactMap(\.self))
    }

    private func withOldStore(
        _ rows: Int, _ journal: StoreOptions.Journal, isForeign: Bool = false,
        _ body: (_ original: URL, _ copy: URL) throws -> Void
    ) throws {
        try withFolder { (folder: URL) throws in
            let original = folder.appendingPathComponent("original.sqlite")
            if isForeign {
                let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, c1 INTEGER)"
                try Connection(path: original.path, mode: .create).execute(table)
            } else {
                _ = try Store(at: original, schema: OldChain.self)
            }
            try fill(original, rows, journal)
            try body(original, folder.appendingPathComponent("copy.sqlite"))
        }
    }

    /// Inserts rows and closes the connection, because only then are the rows in the main file.
    private func fill(_ url: URL, _ rows: Int, _ journal: StoreOptions.Journal) throws {
        let connection = try Connection(path: url.path, mode: .readWrite)
        try connection.execute("PRAGMA journal_mode = \(journal.rawValue)")
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO t SELECT i, 'row ' || i, i * 7 FROM n
            """)
    }

    /// A summary of the store's contents.
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

    /// A process is killed before each of its file operations, once alone and once while two other processes run the same
    /// command. The other processes, or the next one, succeed. The old file is then unchanged or completely migrated,
    /// and the new file is complete.
    @Test(arguments: Command.allCases, [StoreOptions.Journal.delete, .wal])
    func `a process that is killed at a file operation damages no file`(
        command: Command, journal: StoreOptions.Journal
    ) throws {
        // A resumable migration and a conversion commit after each row.
        let isInBatches = command == .resume || command == .convert
        try withOldStore(isInBatches ? 40 : 2_000, journal, isForeign: command == .convert) { original, copy in
            let folder = copy.deletingLastPathComponent().appendingPathComponent("work")
            let urls = ["a.sqlite", "b.sqlite"].map(folder.appendingPathComponent)
            func prepare() throws {
                try? FileManager.default.removeItem(at: folder)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try FileManager.default.copyItem(at: original, to: urls[0])
            }
            let old = command == .convert ? [] : try digest(original)
            let before = try Data(contentsOf: original)
            try prepare()
            try #require(try begin(command, urls).end() == 0)
            let result = urls[command == .copy || command == .convert ? 1 : 0]
            let new = try digest(result)
            #expect(new.first == "ok" && new != old)

            var place = 0
            var isKilled = true
            var killsBesideOthers = 0
            while isKilled {
                let longest = Self.isWhole ? (isInBatches ? 10 : 1) : (isInBatches ? 250 : 60)
                place += Int.random(in: 1...longest)
                for isAlone in [true, false] {
                    let round: Comment = "\(command.rawValue), killed at \(place)\(isAlone ? "" : " beside others")"
                    try prepare()
                    let victim = try begin(command, urls, killedAt: place)
                    // They begin while the first one opens the store, migrates it, or has ended.
                    let others = try (0..<(isAlone ? 0 : 2)).map { _ in
                        Thread.sleep(forTimeInterval: .random(in: 0...0.1))
                        return try begin(command, urls)
                    }
                    let status = victim.end()
                    if !isAlone, status == -1 { killsBesideOthers += 1 }
                    if isAlone {
                        isKilled = status == -1
                        #expect(isKilled || status == 0, round)
                    }
                    // Of processes that copy to the same file, the later ones are refused.
                    for other in others { #expect(other.end() == 0 || command == .copy, round) }
                    let isNew = FileManager.default.fileExists(atPath: urls[1].path)
                    if isAlone, command == .open || command == .backup {
                        #expect(try [old, new].contains(digest(urls[0])), round)
                    }
                    if command != .copy || !isNew { #expect(try begin(command, urls).end() == 0, round) }
                    #expect(try digest(result) == new, round)
                    if command == .backup, isNew { #expect(try digest(urls[1]) == old, round) }
                    if command == .copy { #expect(try digest(urls[0]) == old, round) }
                    if command == .convert { #expect(try Data(contentsOf: urls[0]) == before, round) }
                }
            }
            #expect(place > 20)
            if Self.isWhole {
                print("\(command.rawValue), \(journal.rawValue): \(killsBesideOthers) kills beside two processes")
            }
        }
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test(arguments: [StoreOptions.Journal.delete, .wal], [2, 8])
    func `several processes open one old store, and exactly one migrates it`(
        journal: StoreOptions.Journal, count: Int
    ) throws {
        try withOldStore(20_000, journal) { original, copy in
            try FileManager.default.copyItem(at: original, to: copy)
            let processes = try (0..<count).map { _ in try begin(.open, [copy]) }
            #expect(processes.map { $0.end() } == Array(repeating: 0, count: count))
            let connection = try Connection(path: copy.path, mode: .readWrite)
            #expect(try connection.integer("SELECT count(*) FROM strata_migrations") == 1)
            #expect(try connection.integer("SELECT count(*) FROM t") == 20_000)
        }
    }
}
