import Commands
import Foundation
import SQLSchema
import StoreCommands
import Strata

/// A store that was changed at random, and what the runtime and the tools do with it.
struct FuzzCase {
    private let subject: Subject
    private let folder: URL
    private let store: URL
    private var random: SeededGenerator
    private var failures: [String] = []
    private let files = FileManager.default
    /// How often something happened, to see that the cases are neither all sound nor all destroyed.
    static let counts = Locked<[String: Int]>([:])

    private static func count(_ what: String) { counts.withLock { $0[what, default: 0] += 1 } }

    init(number: Int, seed: UInt64, folder: URL, _ subjects: [Subject]) {
        random = SeededGenerator(state: seed &* 1_000_003 &+ UInt64(number))
        subject = subjects[Int.random(in: subjects.indices, using: &random)]
        self.folder = folder
        store = folder.appendingPathComponent("store.sqlite")
    }

    /// Runs the case, and returns its failures.
    mutating func run() throws -> [String] {
        try? files.removeItem(at: folder)
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        try files.copyItem(at: subject.store, to: store)
        chmod(store.path, 0o600)
        if Int.random(in: 0..<4, using: &random) == 0 { interruptMigration() }
        try change()
        let changed = try files.contentsOfDirectory(atPath: folder.path)
        let original = folder.appendingPathComponent("original")
        try files.createDirectory(at: original, withIntermediateDirectories: true)
        for name in changed {
            try files.copyItem(at: folder.appendingPathComponent(name), to: original.appendingPathComponent(name))
        }
        try read()
        migrate(original)
        let known = ["-wal", "-shm", "-journal", ""]
        for name in try files.contentsOfDirectory(atPath: folder.path) where name != "original" {
            let isNamed = ["store.sqlite", "rescued.sqlite", "report.sqlite", "backup.sqlite"].contains { file in
                known.contains { name == file + $0 }
            }
            // A backup is restored in place of a store that does not show what it is.
            if !isNamed, !name.hasPrefix("store.aside-") { failures.append("the file \(name) appeared") }
        }
        return failures
    }

    /// Begins the migration to the newest version in batches.
    private func interruptMigration() {
        var options = StoreOptions()
        options.migration = .resumable
        options.migrationProgress = { _ in }
        let asked = Locked(0)
        options.isMigrationCancelled = {
            asked.withLock { asked in
                asked += 1
                return asked > 12
            }
        }
        MigrationBatches.$duration.withValue(.zero) {
            _ = try? Store(at: store, definition: subject.schema, options: options)
        }
        try? Connection(path: store.path, mode: .readWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    // MARK: Changes

    private mutating func change() throws {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1: try changeBytes()
            case 2, 3: try changePage()
            case 4, 5: changeValue()
            case 6, 7: changeSchema()
            default: try changeJournal()
            }
        }
    }

    private mutating func changeBytes() throws {
        var bytes = [UInt8](try Data(contentsOf: store))
        if bytes.isEmpty { return }
        // The header, and the beginnings of pages, say more than other bytes.
        let end = Bool.random(using: &random) ? min(bytes.count, 4_096) : bytes.count
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            bytes[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        try Data(bytes).write(to: store)
    }

    private mutating func changePage() throws {
        var bytes = [UInt8](try Data(contentsOf: store))
        let size = 4_096
        guard bytes.count >= 2 * size else { return }
        let pages = bytes.count / size
        let page = Int.random(in: 0..<pages, using: &random) * size
        let kind = Int.random(in: 0..<5, using: &random)
        switch kind {
        case 0: for place in page..<page + size { bytes[place] = 0 }
        case 1: for place in page..<page + size { bytes[place] = UInt8.random(in: 0...255, using: &random) }
        case 2:
            let other = Int.random(in: 0..<pages, using: &random) * size
            for place in 0..<size { bytes[page + place] = bytes[other + place] }
        case 3: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
        default: bytes += (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        try Data(bytes).write(to: store)
    }

    private static let values = [
        "9223372036854775807", "-9223372036854775808", "9e999", "-9e999", "1e300", "-1", "NULL", "''", "x''",
        "CAST(x'61ff62' AS TEXT)", "CAST(x'ff00' AS TEXT)", "'{\"'", "'[]'", "zeroblob(5000)", "'99999999999999999999'",
        "'\u{e9}'",
        "'e\u{301}'",
    ]

    private mutating func changeValue() {
        guard let connection = try? Connection(path: store.path, mode: .readWrite),
            let tables = try? connection.texts(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"),
            let table = tables.randomElement(using: &random),
            let column = try? connection.texts("SELECT name FROM pragma_table_info(\(SQL.literal(table)))")
                .randomElement(using: &random),
            let value = Self.values.randomElement(using: &random)
        else { return }
        try? connection.execute("PRAGMA ignore_check_constraints = ON")
        try? connection.execute(
            """
            UPDATE OR IGNORE \(SQL.quoted(table)) SET \(SQL.quoted(column)) = \(value) \
            WHERE (rowid + \(Int.random(in: 0...4, using: &random))) % \(Int.random(in: 1...4, using: &random)) = 0
            """)
    }

    private mutating func changeSchema() {
        let other = folder.appendingPathComponent("place.sqlite").path
        let texts = [
            "CREATE VIEW more AS SELECT 1; ATTACH '\(other)' AS a; CREATE TABLE a.t (x)", "ATTACH '\(other)' AS a",
            "CREATE TABLE more (x); VACUUM INTO '\(other)'", "CREATE TABLE more AS SELECT * FROM sqlite_schema",
            "CREATE VIEW more AS SELECT * FROM more",
            "CREATE TRIGGER more AFTER INSERT ON strata_metadata BEGIN SELECT raise(ABORT, 'x'); END",
            "CREATE TABLE more (a, b AS (a || 1), c INTEGER PRIMARY KEY AUTOINCREMENT)",
            "CREATE INDEX more ON strata_metadata (value COLLATE own)",
            "CREATE TABLE more (x CHECK (own(x)))", "CREATE VIRTUAL TABLE more USING own(x)",
            "CREATE VIRTUAL TABLE more USING fts5(x, content='')",
            "DROP TABLE strata_metadata", "CREATE TEMP TABLE more (x)", "CREATE TABLE other (x)", "SELECT 1", "",
            "CREATE",
            "CREATE INDEX more ON more (x)", "CREATE TABLE sqlite_more (x)",
            "CREATE VIEW more AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT * FROM r",
        ]
        let text = texts.randomElement(using: &random) ?? ""
        let type = ["table", "view", "index", "trigger", "rule", "TABLE"].randomElement(using: &random) ?? ""
        let root = Int.random(in: 0...6, using: &random)
        guard let connection = try? Connection(path: store.path, mode: .readWrite) else { return }
        try? connection.execute("PRAGMA writable_schema = ON")
        let place = "\(Int.random(in: 0...999, using: &random)) % (SELECT count(*) FROM sqlite_schema)"
        let row = "(SELECT rowid FROM sqlite_schema LIMIT 1 OFFSET \(place))"
        let statement =
            switch Int.random(in: 0..<7, using: &random) {
            case 0: "UPDATE sqlite_schema SET sql = \(SQL.literal(text)) WHERE rowid = \(row)"
            case 1: "UPDATE sqlite_schema SET type = \(SQL.literal(type)) WHERE rowid = \(row)"
            case 2: "UPDATE sqlite_schema SET name = name || char(233) WHERE rowid = \(row)"
            case 3: "UPDATE sqlite_schema SET rootpage = \(root) WHERE rowid = \(row)"
            case 4: "UPDATE sqlite_schema SET tbl_name = x'6d6f7265', sql = CAST(sql AS BLOB) WHERE rowid = \(row)"
            case 5: "DELETE FROM sqlite_schema WHERE rowid = \(row)"
            default:
                "INSERT INTO sqlite_schema VALUES (\(SQL.literal(type)), 'more', 'more', \(root), \(SQL.literal(text)))"
            }
        try? connection.execute(statement)
    }

    private mutating func changeJournal() throws {
        let suffix = Bool.random(using: &random) ? "-wal" : "-journal"
        var bytes = (0..<Int.random(in: 0...9_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
        }
        // The beginning of a journal that is to be applied.
        if suffix == "-journal", bytes.count > 8 {
            bytes.replaceSubrange(0..<8, with: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        }
        try Data(bytes).write(to: URL(fileURLWithPath: store.path + suffix))
    }

    // MARK: Checks

    private mutating func run(_ arguments: String...) -> (code: Command.ExitCode, said: String) {
        var said: [String] = []
        let console = Console(say: { said.append($0) }, complain: { said.append($0) })
        let code = Command.run(arguments, console: console, others: StoreCommand.all)
        if code == .success { Self.count(arguments[0]) }
        if code == .usage { failures.append("\(arguments[0]): usage: \(said)") }
        return (code, said.joined(separator: "\n"))
    }

    /// Lets the commands read the store.
    private mutating func read() throws {
        let before = try Data(contentsOf: store)
        _ = run("inspect", store.path, "--model", subject.model)
        _ = run("plan", store.path, "--model", subject.model)
        let rescued = folder.appendingPathComponent("rescued.sqlite")
        let salvage = run("salvage", store.path, "--to", rescued.path)
        if salvage.code == .success { compare(store, rescued, "salvage") }
        let report = folder.appendingPathComponent("report.sqlite")
        _ = run("export", store.path, "--redact", "--to", report.path, "--model", subject.model)
        try? files.removeItem(at: report)
        _ = run("export", store.path, "--redact", "--user-objects", "--to", report.path, "--model", subject.model)
        if try Data(contentsOf: store) != before { failures.append("a command that reads has changed the store") }
    }

    /// Opens the store, migrates it, reads everything, and restores it from a backup.
    ///
    /// - Parameter original: The folder with the files as they were before.
    private mutating func migrate(_ original: URL) {
        let backup = folder.appendingPathComponent("backup.sqlite")
        let before = counts(original.appendingPathComponent("store.sqlite"))
        do {
            let store = try Store(at: store, definition: subject.schema)
            Self.count("open")
            if store.migrationReport != nil { Self.count("migrated") }
            let tables = subject.schema.versions.last?.tables ?? []
            for table in tables {
                _ = try? store.read { try $0.rows("SELECT * FROM \(SQL.quoted(table.name))") { _ in 0 } }
            }
            _ = try? store.write { try $0.execute("UPDATE strata_metadata SET value = value") }
            try? store.backup(to: backup)
            let after = counts(self.store)
            for (table, count) in after.rows where subject.keptTables.contains(table) && before.isSound {
                let dropped = store.migrationReport?.droppedRows[table] ?? 0
                if let old = before.rows[table], count < old - dropped {
                    failures.append("\(table): \(old) rows became \(count)")
                }
            }
            try store.close()
        } catch {
            if let failure = error as? CocoaError { failures.append("opening: \(failure)") }
        }
        if (try? Store.restore(backup, to: store, subject.schema)) != nil { Self.count("restored") }
    }

    /// The numbers of rows, and whether SQLite finds no damage.
    private func counts(_ url: URL) -> (rows: [String: Int], isSound: Bool) { Self.counts(url) }

    static func counts(_ url: URL) -> (rows: [String: Int], isSound: Bool) {
        guard let connection = try? Connection(path: url.path, mode: .readOnly),
            (try? connection.text("PRAGMA integrity_check(1)")) == "ok",
            let tables = try? connection.texts(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        else { return ([:], false) }
        return (Dictionary(tables.map { ($0, (try? connection.count($0)) ?? 0) }) { one, _ in one }, true)
    }

    /// Compares what can be read in two databases.
    private mutating func compare(_ one: URL, _ other: URL, _ what: String) {
        guard let source = try? Connection(path: one.path, mode: .readOnly),
            let copy = try? Connection(path: other.path, mode: .readOnly),
            let tables = try? source.texts(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        else { return }
        for table in tables where !table.hasPrefix("sqlite_") && !ReservedNames.isPendingTable(table) {
            let columns = (try? source.texts("SELECT name FROM pragma_table_info(\(SQL.literal(table)))")) ?? []
            let list = columns.map { "quote(\(SQL.quoted($0)))" }
            let sql =
                "SELECT \(list.joined(separator: " || ',' || ")) AS r FROM \(SQL.quoted(table)) NOT INDEXED ORDER BY r"
            guard let rows = try? source.texts(sql) else { continue }
            if (try? copy.texts(sql)) != rows { failures.append("\(what) lost rows of \(table) in silence") }
        }
    }
}
