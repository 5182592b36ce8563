import Foundation
import SQLSchema
import Strata
import Testing

/// A moment at which a migration is cancelled: the number of times that it still asks whether it is.
private struct Countdown: Sendable {
    private let left: Locked<Int>

    init(_ count: Int) { left = Locked(count) }

    func isOver() -> Bool {
        left.withLock { left in
            left -= 1
            return left < 0
        }
    }
}

private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

/// Opens a store that needs a migration. Each attempt commits after each row, and is cancelled at a random moment, until one
/// succeeds.
///
/// - Returns: The store, and the number of attempts.
@discardableResult func openInterrupted(
    at url: URL, _ schema: SchemaDefinition, _ options: StoreOptions, between: () throws -> Void = {}
) throws -> (store: Store, attempts: Int) {
    var options = options
    options.migrationProgress = { _ in }
    var attempts = 0
    var most = 4
    while true {
        attempts += 1
        let countdown = Countdown(Int.random(in: 0...most))
        options.isMigrationCancelled = { countdown.isOver() }
        do {
            let store = try MigrationBatches.$duration.withValue(.zero) {
                try Store(at: url, definition: schema, options: options)
            }
            return (store, attempts)
        } catch is CancellationError {
            // A migration in one transaction does not get any further.
            most += options.migration == .resumable ? 1 + most / 8 : 10
            try between()
        }
    }
}

/// An integer primary key.
private struct Key<Entity>: RawEntityID { var rawValue: Int }

/// The rows of `s`, whose primary keys change.
private struct Part: StoredEntity {
    typealias ID = Key<Part>
    struct Relationships: EntityRelationships {}
    static let table = EntityTable("s", key: ["id"], columns: ["id", "v", "note"])
    var id: ID
    var v: String
    var note: String?
    static func id(of entity: Self) -> ID { entity.id }
    init(id: Int, v: String, note: String?) { (self.id, self.v, self.note) = (ID(rawValue: id), v, note) }
    init(row: Row) throws {
        self.init(id: try row.int(0), v: try row.string(1), note: try row.optionalString(2))
    }
    func bind(to statement: Statement) throws {
        try statement.bind(id, at: 1)
        try statement.bind(v, at: 2)
        try statement.bind(note, at: 3)
    }
}

/// The table `log`, which no step changes.
private enum Log: HandMadeTable {
    static let name = "log"
    static let columns = ["id", "text"]
}

private typealias Remark = HandMadeRow<Log, Int, String>

/// The table `gone`, whose rows become items.
private enum Leaving: HandMadeTable {
    static let name = "gone"
    static let columns = ["id", "v"]
}

private typealias Gone = HandMadeRow<Leaving, Int, String>

/// A migration that changes a text of each row.
private struct Rewriting: CustomMigration {
    init() {}
    mutating func migrate(_ old: Part, _ context: Context) throws -> Outcome<Part> {
        .keep(Part(id: old.id.rawValue, v: old.v + " again", note: old.note))
    }
    mutating func migrate(_ old: Word, _ context: Context) throws -> Outcome<Word> {
        var new = old
        new.v += " again"
        return .keep(new)
    }
}

/// The table `word`, whose primary keys are texts.
private enum Words: HandMadeTable {
    static let name = "word"
    static let columns = ["id", "v"]
}

private typealias Word = HandMadeRow<Words, String, String>

/// A migration that stores nothing: it changes, drops and merges keys, and writes to tables that its step does not change.
private struct Stateless: CustomMigration {
    init() {}
    mutating func willMigrate(_ context: Context) throws {
        try context.insert(Remark(id: try context.newID(of: Remark.self), v: "begun"))
    }
    mutating func migrate(_ old: Part, _ context: Context) throws -> Outcome<Part> {
        let id = old.id.rawValue
        switch id % 7 {
        case 0: return .drop
        case 1: return .merge(into: Key(rawValue: id + 1))
        case 2: return .keep(Part(id: id, v: old.v + "!", note: nil))
        default: return .keep(Part(id: -id, v: old.v, note: "\(try context.newID(of: Remark.self).rawValue)"))
        }
    }
    mutating func merge(_ old: Gone, _ context: Context) throws -> Outcome<Part> {
        .keep(Part(id: 5_000 + old.id.rawValue, v: old.v, note: "gone"))
    }
    mutating func didMigrate(_ context: Context) throws {
        var count = 0
        try context.old(Part.self).forEach { _ in count += 1 }
        try context.insert(Remark(id: try context.newID(of: Remark.self), v: "\(count) items"))
        if let item = try context.find(Part.self, id: Key(rawValue: 2)) {
            try context.update(Part(id: 2, v: item.v + "?", note: item.note))
        }
    }
}

/// A migration that drops every other row, and gives the others the free primary keys.
private struct Compacting: CustomMigration {
    init() {}
    mutating func migrate(_ old: Part, _ context: Context) throws -> Outcome<Part> {
        let id = old.id.rawValue
        return id % 2 == 1 ? .drop : .keep(Part(id: id / 2, v: old.v, note: old.note))
    }
}

/// A migration that creates a table for its work.
private struct Preparing: CustomMigration {
    init() {}
    mutating func willMigrate(_ context: Context) throws {
        try context.execute("CREATE TABLE scratch (x); INSERT INTO scratch VALUES (1)")
    }
    mutating func migrate(_ old: Part, _ context: Context) throws -> Outcome<Part> { .keep(old) }
    mutating func didMigrate(_ context: Context) throws { try context.execute("DROP TABLE scratch") }
}

/// A migration that counts rows, and can be saved.
private struct Counting: CustomMigration, Codable {
    var count = 0
    var greatest = ""
    init() {}
    mutating func migrate(_ old: Part, _ context: Context) throws -> Outcome<Part> {
        count += 1
        greatest = max(greatest, old.v)
        return .keep(Part(id: old.id.rawValue, v: old.v, note: "\(count) \(old.note ?? "-")"))
    }
    mutating func didMigrate(_ context: Context) throws {
        try context.insert(Remark(id: 2_000, v: "\(count) \(greatest)"))
    }
}

/// A migration whose state cannot be saved.
private struct Remembering: CustomMigration {
    var seen: Set<String> = []
    init() {}
    mutating func migrate(_ old: Part, _ context: Context) throws -> Outcome<Part> {
        seen.insert(old.v)
        return .keep(Part(id: old.id.rawValue, v: old.v, note: "\(seen.count)"))
    }
}

/// A migration that runs SQL.
private struct Querying: CustomMigration {
    init() {}
    mutating func migrate(_ old: Part, _ context: Context) throws -> Outcome<Part> {
        if old.id.rawValue == 2 { try context.execute("UPDATE log SET text = text || '+' WHERE id = 1") }
        return .keep(old)
    }
    mutating func didMigrate(_ context: Context) throws {
        try context.execute("UPDATE \(context.tableName(of: Part.self)) SET note = (SELECT v FROM s WHERE id = 2)")
    }
}

/// A migration that fails at a row.
private struct Failing: CustomMigration {
    struct Failure: Error {}
    init() {}
    mutating func migrate(_ old: Part, _ context: Context) throws -> Outcome<Part> {
        if old.id.rawValue == 30 { throw Failure() }
        return .keep(old)
    }
}

/// The numbers that a migration has reported.
private struct Counts: Sendable {
    private let counts = Locked<[Int]>([])

    func note(_ count: Int) { counts.withLock { $0.append(count) } }
    var first: Int? { counts.withLock { $0.first } }
}

/// Migrations in batches, which go on after an interruption.
@Suite struct ResumableMigrationTests {
    private static let first: [Table] = [
        Table("s", ["id integer key", "v text", "note text?", "unique s_v_key (v)", "search (v, note) unicode61"]),
        Table("gone", ["id integer key", "v text"]),
        Table("log", ["id integer key", "text text"]),
        Table("child", ["id integer key", "s_id integer? -> s(id) nullify", "m text = 'x'"]),
        Table("kept", ["name text key", "s_id integer? -> s(id) cascade"]),
        Table("leaf", ["id integer key", "kept_name text? -> kept(name) cascade"]),
        Table(
            "pair",
            [
                "s_id integer -> s(id) cascade", "log_id integer -> log(id) cascade", "position integer",
                "key (s_id, log_id)", "index pair_log_id_idx (log_id)",
            ], isJoinTable: true),
    ]

    /// The tables of a version: `child` has other columns in each, and more and more tables can be searched.
    private static func tables(_ number: Int) -> [Table] {
        first.filter { number < 3 || $0.name != "gone" }.map { table in
            var table = table
            switch table.name {
            case "child":
                table = Table(
                    "child",
                    [
                        "id integer key", "s_id integer? -> s(id) nullify", "m\(number) text = 'x'",
                        "index child_m_idx (m\(number))", "search (m\(number)) trigram",
                    ])
            case "log" where number > 1: table.search = TextSearch(["text"])
            case "kept" where number > 3: table.search = TextSearch(["name"])
            default: break
            }
            return table
        }
    }

    private static func schema<Code: CustomMigration>(
        _ code: Code.Type, stages: [Int],
        _ rows: (Int) -> @Sendable (CustomStep, RunningMigration<Code>) throws -> Void
    ) -> SchemaDefinition {
        let versions = (1...4).map { SchemaVersion("\($0)", fingerprint: UInt64($0), tables: tables($0)) }
        let steps = (1...3).map { number -> MigrationStep in
            let rename = TableChange.map(
                from: "child", to: "child",
                columns: ["m\(number + 1)": .coalesce(.column("m\(number)"), .literal(.text("y")))])
            guard stages.contains(number) else {
                return MigrationStep(
                    from: "\(number)", to: "\(number + 1)", changes: [rename] + (number == 2 ? [.drop("gone")] : []))
            }
            return MigrationStep(
                from: "\(number)", to: "\(number + 1)",
                changes: [rename, .custom(from: "s", to: "s")] + (number == 2 ? [.drop("gone")] : []), code: code,
                rows: rows(number))
        }
        return SchemaDefinition("ResumableSchema", versions: versions, steps: steps)
    }
}

extension ResumableMigrationTests {
    private static func migrate(
        _ number: Int
    ) -> @Sendable (CustomStep, RunningMigration<Stateless>) throws -> Void {
        { step, migration in
            try step.migrate(Part.self) { try migration.value.migrate($0, .init($1)) }
            if number == 2 { try step.merge(Gone.self) { try migration.value.merge($0, .init($1)) } }
        }
    }

    private static let content = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
        INSERT INTO s SELECT i, 'item ' || i, CASE WHEN i % 3 = 0 THEN 'n' END FROM n;
        INSERT INTO gone VALUES (1, 'one'), (2, 'two'), (3, 'three');
        INSERT INTO log SELECT id, 'entry ' || id FROM s WHERE id % 4 = 0 OR id = 1;
        INSERT INTO child SELECT id + 100, CASE WHEN id % 5 THEN id END, 'm' || id FROM s;
        INSERT INTO kept SELECT 'k' || id, id FROM s;
        INSERT INTO leaf SELECT id, 'k' || id FROM s;
        INSERT INTO pair SELECT s.id, log.id, s.id * 2 FROM s, log;
        CREATE INDEX mine ON log (text);
        CREATE VIEW notes AS SELECT text FROM log;
        """

    /// All rows of a store, with the row numbers, and the results that a migration logs.
    private func contents(of url: URL, _ tables: [Table]) throws -> [String: [String]] {
        let connection = try Connection(path: url.path, mode: .readWrite)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        #expect(try connection.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0)
        var contents: [String: [String]] = [:]
        for table in tables {
            let columns = SQL.list(table.columnNames)
            try connection.query("SELECT \(columns) FROM \(SQL.quoted(table.name)) ORDER BY \(columns)") { row in
                contents[table.name, default: []].append(row.values.map(text).joined(separator: " | "))
            }
        }
        try connection.query("SELECT name, tbl_name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'") { row in
            contents["schema", default: []].append("\(row.values)".replacingOccurrences(of: "_2\"", with: "\""))
        }
        contents["schema"]?.sort()
        for index in tables.compactMap({ SearchIndex(of: $0) }) { try connection.execute(index.check) }
        try connection.query("SELECT key, value FROM strata_metadata WHERE key LIKE 'last_id%' ORDER BY key") { row in
            contents["ids", default: []].append("\(row.values)")
        }
        try connection.query("SELECT from_version, to_version FROM strata_migrations") { row in
            contents["log of migrations", default: []].append("\(row.values)")
        }
        return contents
    }

    /// Migrates the same store in one transaction, and in batches with interruptions, and compares the results.
    private func check(_ schema: SchemaDefinition, isResumed: Bool = true) throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, schema, rows: Self.content)
            let expected = url.appendingPathExtension("expected")
            defer { try? FileManager.default.removeItem(at: expected) }
            try FileManager.default.copyItem(at: url, to: expected)
            var options = StoreOptions()
            options.migration = .oneTransaction
            let report = try Store(at: expected, definition: schema, options: options).migrationReport
            let tables = try #require(schema.versions.last).tables
            let answer = try contents(of: expected, tables)
            for round in 0..<3 {
                let copy = url.appendingPathExtension("\(round)")
                defer { try? FileManager.default.removeItem(at: copy) }
                try FileManager.default.copyItem(at: url, to: copy)
                options.migration = .resumable
                try StepAccess.$fixedNow.withValue(Date(timeIntervalSince1970: 0)) {
                    var result: MigrationReport?
                    if round == 0 {
                        result = try MigrationBatches.$duration.withValue(.zero) {
                            try Store(at: copy, definition: schema, options: options).migrationReport
                        }
                    } else {
                        let (store, attempts) = try openInterrupted(at: copy, schema, options)
                        result = store.migrationReport
                        if isResumed { #expect(attempts > 3) }
                    }
                    // In batches, tables to which the custom migration writes are copied too.
                    #expect(result.map(\.rows) ?? 0 >= report.map(\.rows) ?? 1)
                    #expect(result?.droppedRows == report?.droppedRows)
                    #expect(result?.mergedRows == report?.mergedRows)
                }
                let found = try contents(of: copy, tables)
                for (name, rows) in answer { #expect(found[name] == rows, "\(name), round \(round)") }
                #expect(found.keys.sorted() == answer.keys.sorted())
            }
        }
    }

    /// Interrupts the migration of a store after its first rows.
    private func interrupt(
        _ url: URL, _ schema: SchemaDefinition, after count: Int = 20, _ options: StoreOptions = StoreOptions()
    ) throws {
        var options = options
        options.migration = .resumable
        options.migrationProgress = { _ in }
        let countdown = Countdown(count)
        options.isMigrationCancelled = { countdown.isOver() }
        MigrationBatches.$duration.withValue(.zero) {
            _ = #expect(throws: CancellationError.self) { try Store(at: url, definition: schema, options: options) }
        }
        #expect(try #require(MigrationPlan(from: url, definition: schema).pending).completedRows > 5)
    }

    /// Migrates a copy of a store in one transaction, and compares its contents with those of the migrated store.
    private func finish(_ url: URL, _ schema: SchemaDefinition) throws -> MigrationReport? {
        let expected = url.appendingPathExtension("expected")
        defer { try? FileManager.default.removeItem(at: expected) }
        try Connection(path: url.path, mode: .readWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(at: url, to: expected)
        var options = StoreOptions()
        options.migration = .oneTransaction
        _ = try Store(at: expected, definition: schema, options: options)
        options.migration = .resumable
        let report = try Store(at: url, definition: schema, options: options).migrationReport
        let tables = try #require(schema.versions.last).tables
        #expect(try contents(of: url, tables) == contents(of: expected, tables))
        return report
    }

    private static let plain = schema(Stateless.self, stages: []) { number in migrate(number) }

    private static let counting = schema(Counting.self, stages: [1]) { _ in
        { step, migration in try step.migrate(Part.self) { try migration.value.migrate($0, .init($1)) } }
    }

    @Test(arguments: [true, false])
    func `what an older app writes meanwhile is in the result`(isCustom: Bool) throws {
        let schema = isCustom ? Self.counting : Self.plain
        try withFile { (url: URL) throws in
            try makeStore(at: url, schema, rows: Self.content)
            try interrupt(url, schema)
            // The older app opens the store, deletes referenced rows, and knows nothing of the new tables.
            let old = try Store(at: url, definition: schema.upTo(0))
            try old.write { transaction in
                try transaction.delete(Part.self, id: .init(rawValue: 1))
                try transaction.insert(Part(id: 99, v: "late", note: "late"))
                try transaction.insert(Remark(id: 99, v: "late"))
            }
            let count = try old.read { try $0.count(Part.self) }
            #expect(count == 40)
            try old.close()
            let plan = try MigrationPlan(from: url, definition: schema)
            // Its first write has removed them.
            #expect(plan.pending == nil)
            _ = try finish(url, schema)
        }
    }

    @Test func `a write to a copied table makes the migration begin again`() throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.plain, rows: Self.content)
            try interrupt(url, Self.plain)
            let other = try Connection(path: url.path, mode: .readWrite)
            try other.execute("INSERT INTO leaf VALUES (98, NULL)")
            #expect(try MigrationPlan(from: url, definition: Self.plain).pending?.isStale == false)
            try other.execute("UPDATE child SET m1 = 'new' WHERE id = 101")
            let plan = try MigrationPlan(from: url, definition: Self.plain)
            #expect(plan.pending?.isStale == true && "\(plan)".contains("so it begins again"))
            _ = try finish(url, Self.plain)
            #expect(try rows(url, "SELECT m4 FROM child WHERE id = 101") == [[.text("new")]])
        }
    }

    @Test(arguments: ["VACUUM", "CREATE INDEX other ON child (m1)"])
    func `a change of the schema, or of the numbers of rows, makes the migration begin again`(sql: String) throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.plain, rows: Self.content)
            try interrupt(url, Self.plain)
            try Connection(path: url.path, mode: .readWrite).execute(sql)
            #expect(try MigrationPlan(from: url, definition: Self.plain).pending?.isStale == true)
            _ = try finish(url, Self.plain)
        }
    }

    @Test func `an app extension leaves the migration to the app, unless it is asked`() throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.plain, rows: Self.content)
            var options = StoreOptions()
            try AppIdentity.$fixedIsExtension.withValue(true) {
                #expect(throws: StoreError.needsMigration(found: "1", newest: "4")) {
                    try Store(at: url, definition: Self.plain, options: options)
                }
                _ = try Store(at: url, definition: Self.plain.upTo(0), options: options)
                options.migratesInExtensions = true
                _ = try Store(at: url, definition: Self.plain, options: options)
            }
        }
    }

    @Test func `another build of the app begins the migration again`() throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.plain, rows: Self.content)
            try AppIdentity.$fixed.withValue("1.0") { try interrupt(url, Self.plain) }
            let counts = Counts()
            var options = StoreOptions()
            options.migration = .resumable
            options.migrationProgress = { counts.note($0.completedRows) }
            try MigrationBatches.$duration.withValue(.zero) {
                _ = try Store(at: url, definition: Self.plain, options: options)
            }
            #expect(counts.first == 1)
        }
    }

    @Test func `the progress goes on where it was`() throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.plain, rows: Self.content)
            try interrupt(url, Self.plain)
            let completed = try #require(MigrationPlan(from: url, definition: Self.plain).pending).completedRows
            let counts = Counts()
            var options = StoreOptions()
            options.migration = .resumable
            options.migrationProgress = { counts.note($0.completedRows) }
            try MigrationBatches.$duration.withValue(.zero) {
                _ = try Store(at: url, definition: Self.plain, options: options)
            }
            #expect(counts.first == completed + 1)
        }
    }

    @Test func `a pending migration goes on only with its own backup`() throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.plain, rows: Self.content)
            let before = try schemaObjects(url)
            let folder = url.deletingLastPathComponent()
            let (first, second) = (folder.appendingPathComponent("first"), folder.appendingPathComponent("second"))
            var options = StoreOptions()
            options.backup = .file(first)
            try interrupt(url, Self.plain, after: 20, options)
            #expect(try schemaObjects(first) == before)
            // With another backup, which is not there, the migration begins again, and writes it first.
            options.backup = .file(second)
            options.migration = .resumable
            let counts = Counts()
            options.migrationProgress = { counts.note($0.completedRows) }
            try MigrationBatches.$duration.withValue(.zero) {
                _ = try Store(at: url, definition: Self.plain, options: options)
            }
            #expect(counts.first == 1)
            #expect(try schemaObjects(second) == before)
            #expect(try rows(second, "SELECT count(*) FROM child") == rows(first, "SELECT count(*) FROM child"))
        }
    }

    @Test func `a pending migration is discarded on request, and by a migration in one transaction`() throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.plain, rows: Self.content)
            let before = try schemaObjects(url)
            try interrupt(url, Self.plain)
            #expect(try schemaObjects(url) != before)
            #expect(try Store.discardPendingMigration(of: url))
            #expect(try schemaObjects(url) == before)
            #expect(try !Store.discardPendingMigration(of: url))
            try interrupt(url, Self.plain)
            var options = StoreOptions()
            options.migration = .oneTransaction
            let backup = url.deletingLastPathComponent().appendingPathComponent("backup.sqlite")
            options.backup = .file(backup)
            _ = try Store(at: url, definition: Self.plain, options: options)
            #expect(try schemaObjects(url).allSatisfy { !$0.contains("pending") && !$0.contains("strata_1") })
            #expect(try schemaObjects(backup) == before)
        }
    }

    @Test func `a custom migration that fails leaves the old store without a pending migration`() throws {
        let schema = Self.schema(Failing.self, stages: [1]) { _ in
            { step, migration in try step.migrate(Part.self) { try migration.value.migrate($0, .init($1)) } }
        }
        try withFile { (url: URL) throws in
            try makeStore(at: url, schema, rows: Self.content)
            let before = try schemaObjects(url)
            var options = StoreOptions()
            options.migration = .resumable
            #expect(throws: Failing.Failure.self) { try Store(at: url, definition: schema, options: options) }
            #expect(try schemaObjects(url) == before)
        }
    }

    @Test func `dangling foreign keys are kept, repaired or refused as in one transaction`() throws {
        for treatment in [StoreOptions.DanglingForeignKeys.keep, .repair, .refuse] {
            try withFile { (url: URL) throws in
                try makeStore(at: url, Self.plain, rows: Self.content)
                try Connection(path: url.path, mode: .readWrite).execute("UPDATE child SET s_id = 777 WHERE id = 101")
                var options = StoreOptions()
                options.migration = .resumable
                options.danglingForeignKeys = treatment
                if treatment == .refuse {
                    #expect(throws: MigrationError.danglingForeignKeys(["child": 1])) {
                        try Store(at: url, definition: Self.plain, options: options)
                    }
                } else {
                    _ = try Store(at: url, definition: Self.plain, options: options)
                    let expected: SQLiteValue = treatment == .keep ? .integer(777) : .null
                    #expect(try rows(url, "SELECT s_id FROM child WHERE id = 101") == [[expected]])
                }
            }
        }
    }

    private func schemaObjects(_ url: URL) throws -> [String] {
        try Connection(path: url.path, mode: .readWrite).texts("SELECT name FROM sqlite_schema ORDER BY name")
    }

    @Test(arguments: [[], [1], [2], [3], [1, 2, 3]])
    func `an interrupted migration has the result of one in one transaction`(stages: [Int]) throws {
        try check(Self.schema(Stateless.self, stages: stages, Self.migrate))
    }

    @Test(arguments: [[1], [2], [3], [1, 2]])
    func `references follow primary keys that other rows had before`(stages: [Int]) throws {
        try check(
            Self.schema(Compacting.self, stages: stages) { _ in
                { step, migration in try step.migrate(Part.self) { try migration.value.migrate($0, .init($1)) } }
            })
    }

    @Test(arguments: [[1], [2], [3]]) func `a custom migration that changes the schema has the same result`(
        stages: [Int]
    ) throws {
        try check(
            Self.schema(Preparing.self, stages: stages) { _ in
                { step, migration in try step.migrate(Part.self) { try migration.value.migrate($0, .init($1)) } }
            }, isResumed: false)
    }

    @Test func `a new search is filled in batches`() throws {
        let plain = Table("note", ["id integer key", "title text", "body text"])
        var searched = plain
        searched.search = TextSearch(["title", "body"])
        let schema = SchemaDefinition(
            "SearchSchema",
            versions: [
                SchemaVersion("1", fingerprint: 1, tables: [plain]),
                SchemaVersion("2", fingerprint: 2, tables: [searched]),
            ], steps: [MigrationStep(from: "1", to: "2", changes: [])])
        let content = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
            INSERT INTO note SELECT i * 3, 'title ' || i, 'body' FROM n
            """
        try withFile { (url: URL) throws in
            try makeStore(at: url, schema, rows: content)
            try interrupt(url, schema)
            // What was filled before a change is discarded with the rest.
            try Connection(path: url.path, mode: .readWrite).execute("UPDATE note SET title = 'other' WHERE id = 3")
            #expect(try MigrationPlan(from: url, definition: schema).pending?.isStale == true)
            try interrupt(url, schema)
            let name = "strata_0_search_note"
            #expect(try schemaObjects(url).contains(name))
            _ = try finish(url, schema)
            #expect(try schemaObjects(url).filter { $0.hasPrefix(name) } == [])
            let found = "SELECT rowid FROM strata_search_note WHERE strata_search_note MATCH 'other OR 40'"
            #expect(try rows(url, found) == [[.integer(3)], [.integer(120)]])
        }
    }

    @Test func `a search that is kept after a custom migration is filled in batches`() throws {
        let lines = ["id integer key", "v text", "note text?", "search (v) unicode61"]
        let copied = Table("s", lines + ["w text"])
        let schema = SchemaDefinition(
            "KeptSearchSchema",
            versions: [
                SchemaVersion("1", fingerprint: 1, tables: [Table("s", lines)]),
                SchemaVersion("2", fingerprint: 2, tables: [Table("s", lines)]),
                SchemaVersion("3", fingerprint: 3, tables: [copied]),
            ],
            steps: [
                MigrationStep(from: "1", to: "2", changes: [.custom(from: "s", to: "s")], code: Rewriting.self) {
                    step, migration in
                    try step.migrate(Part.self) { try migration.value.migrate($0, .init($1)) }
                },
                MigrationStep(from: "2", to: "3", changes: [.map(from: "s", to: "s", columns: ["w": .column("v")])]),
            ])
        try withFile { (url: URL) throws in
            try makeStore(at: url, schema, rows: "INSERT INTO s VALUES (1, 'one', NULL), (2, 'two', 'x')")
            var options = StoreOptions()
            options.migration = .resumable
            try openInterrupted(at: url, schema, options)
            let found = "SELECT rowid FROM strata_search_s WHERE strata_search_s MATCH 'two AND again'"
            #expect(try rows(url, found) == [[.integer(2)]])
            try Connection(path: url.path, mode: .readWrite).execute(
                "INSERT INTO strata_search_s (strata_search_s, rank) VALUES ('integrity-check', 1)")
        }
    }

    @Test func `a computed column called rowid does not hide the rows`() throws {
        let table = Table("word", ["id text key", "v text", "computed rowid text 'upper(v)'"])
        let schema = SchemaDefinition(
            "HiddenRowsSchema",
            versions: [
                SchemaVersion("1", fingerprint: 1, tables: [table]),
                SchemaVersion("2", fingerprint: 2, tables: [table]),
            ],
            steps: [
                MigrationStep(from: "1", to: "2", changes: [.custom(from: "word", to: "word")], code: Rewriting.self) {
                    step, migration in
                    try step.migrate(Word.self) { try migration.value.migrate($0, .init($1)) }
                }
            ])
        try withFile { (url: URL) throws in
            try makeStore(at: url, schema, rows: "INSERT INTO word VALUES ('a', 'one'), ('b', 'two'), ('c', 'three')")
            var options = StoreOptions()
            options.migration = .resumable
            try openInterrupted(at: url, schema, options)
            let found = try rows(url, "SELECT id, v, rowid FROM word ORDER BY id")
            #expect(
                found.map { $0.map(text).joined(separator: " ") } == [
                    "'a' 'one again' 'ONE AGAIN'", "'b' 'two again' 'TWO AGAIN'", "'c' 'three again' 'THREE AGAIN'",
                ])
        }
    }

    @Test(arguments: ["word", "a(b", "a\"b", "strata new (x) WHERE", "ä)"])
    func `an index that was never created in one piece is created row by row, whatever the table's name`(
        name: String
    ) throws {
        func table(_ isNullable: Bool) -> Table {
            Table(
                name,
                columns: [.init("id", .integer), .init("v(1", .text), .init("n", .integer, isNullable: isNullable)],
                primaryKey: ["id"],
                indexes: [
                    .init("\(name)_v", IndexShape(["v(1"])), .init("\(name)_n", IndexShape(["n"], unique: true)),
                ])
        }
        let schema = SchemaDefinition(
            "RowByRowSchema",
            versions: [
                SchemaVersion("1", fingerprint: 1, tables: [table(true)]),
                SchemaVersion("2", fingerprint: 2, tables: [table(false)]),
            ],
            steps: [
                MigrationStep(
                    from: "1", to: "2",
                    changes: [
                        .map(from: name, to: name, columns: ["n": .coalesce(.column("n"), .literal(.integer(0)))])
                    ])
            ])
        let isFilled = Flag()
        var options = StoreOptions()
        options.migration = .resumable
        options.trace = { if $0.sql.contains("_filled\" RENAME TO") { isFilled.set() } }
        while !isFilled.isSet {
            try withFile { (url: URL) throws in
                try makeStore(
                    at: url, schema,
                    rows: "INSERT INTO \(SQL.quoted(name)) VALUES (1, 'one', 7), (2, 'two', NULL), (3, 'three', 9)")
                try openInterrupted(at: url, schema, options)
                let found = try rows(url, "SELECT * FROM \(SQL.quoted(name)) ORDER BY id")
                #expect(found.map { $0.map(text).joined(separator: " ") } == ["1 'one' 7", "2 'two' 0", "3 'three' 9"])
            }
        }
    }

    @Test func `a migration that is interrupted reads rows in the order of their numbers, whatever SQLite prefers`()
        throws
    {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.counting, rows: Self.content)
            let expected = url.appendingPathExtension("expected")
            defer { try? FileManager.default.removeItem(at: expected) }
            try FileManager.default.copyItem(at: url, to: expected)
            var options = StoreOptions()
            options.migration = .oneTransaction
            _ = try Store(at: expected, definition: Self.counting, options: options)
            options.migration = .resumable
            options.setUp = { try $0.execute("PRAGMA reverse_unordered_selects = ON") }
            let (_, attempts) = try openInterrupted(at: url, Self.counting, options)
            let tables = try #require(Self.counting.versions.last).tables
            #expect(attempts > 3)
            #expect(try contents(of: url, tables)["s"] == contents(of: expected, tables)["s"])
        }
    }

    @Test func `the progress never goes back`() throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.counting, rows: Self.content)
            var options = StoreOptions()
            options.migration = .resumable
            var (completed, totals) = ([Int](), Set<Int>())
            try openInterrupted(at: url, Self.counting, options) {
                guard let pending = try MigrationPlan(from: url, definition: Self.counting).pending else { return }
                completed.append(pending.completedRows)
                if pending.completedRows > 0 { totals.insert(pending.totalRows) }
            }
            #expect(completed.count > 3 && completed == completed.sorted(), "\(completed)")
            // The rows that a search reads are counted from the beginning.
            #expect(totals.count == 1, "\(totals)")
        }
    }

    /// The places of the numbers in the state of a pending migration.
    private func numbers(_ state: String) -> [Range<String.Index>] {
        state.ranges(of: /-?[0-9]+/)
    }

    @Test func `a damaged state of a pending migration is discarded`() throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.counting, rows: Self.content)
            try interrupt(url, Self.counting)
            let state = try #require(
                try Connection(path: url.path, mode: .readWrite).text("SELECT state FROM strata_pending"))
            let places = numbers(state)
            #expect(places.count > 8)
            for (number, place) in places.enumerated() {
                let copy = url.appendingPathExtension("\(number)")
                defer { try? FileManager.default.removeItem(at: copy) }
                try FileManager.default.copyItem(at: url, to: copy)
                // One digit is another one.
                let other = state[place].map { $0 == "-" ? "-" : $0 == "1" ? "2" : "1" }.joined()
                let connection = try Connection(path: copy.path, mode: .readWrite)
                let update = try connection.prepare("UPDATE strata_pending SET state = ?1")
                try update.bind(state.replacingCharacters(in: place, with: other), at: 1)
                try update.run()
                _ = try finish(copy, Self.counting)
            }
        }
    }

    @Test(arguments: [Int64.max, -1]) func `no number of a state is trusted`(number: Int64) throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.counting, rows: Self.content)
            try interrupt(url, Self.counting)
            let state = try #require(
                try Connection(path: url.path, mode: .readWrite).text("SELECT state FROM strata_pending"))
            for (index, place) in numbers(state).enumerated() {
                let copy = url.appendingPathExtension("\(index)")
                defer { try? FileManager.default.removeItem(at: copy) }
                try FileManager.default.copyItem(at: url, to: copy)
                let connection = try Connection(path: copy.path, mode: .readWrite)
                let update = try connection.prepare("UPDATE strata_pending SET state = ?1, hash = ?2")
                let text = state.replacingCharacters(in: place, with: "\(number)")
                try update.bind(text, at: 1)
                try update.bind(Int64(bitPattern: FNV1a(text.utf8).value), at: 2)
                try update.run()
                var options = StoreOptions()
                options.migration = .resumable
                // A state that was forged may skip rows, or copy some twice. It must not end the process, or stay.
                _ = try MigrationPlan(from: copy, definition: Self.counting).description
                do {
                    _ = try Store(at: copy, definition: Self.counting, options: options)
                } catch is SQLiteError {
                    _ = try Store(at: copy, definition: Self.counting, options: options)
                }
            }
        }
    }

    @Test func `a pending migration goes on although the disk is nearly full`() throws {
        try withFile { (url: URL) throws in
            try makeStore(at: url, Self.counting, rows: Self.content)
            try interrupt(url, Self.counting)
            try MigrationSpace.$available.withValue(1_000) { _ = try finish(url, Self.counting) }
        }
    }

    @Test(arguments: [[1], [2], [3]]) func `a custom migration that is Codable goes on with its state`(stages: [Int])
        throws
    {
        try check(
            Self.schema(Counting.self, stages: stages) { _ in
                { step, migration in try step.migrate(Part.self) { try migration.value.migrate($0, .init($1)) } }
            })
    }

    @Test(arguments: [[1], [2], [3]])
    func `a custom migration whose state cannot be saved runs in the last transaction`(stages: [Int]) throws {
        let schema = Self.schema(Remembering.self, stages: stages) { _ in
            { step, migration in try step.migrate(Part.self) { try migration.value.migrate($0, .init($1)) } }
        }
        #expect(schema.steps.map(\.isResumable) == (1...3).map { !stages.contains($0) })
        try check(schema, isResumed: false)
    }

    @Test(arguments: [[1], [2], [3]]) func `a custom migration that runs SQL has the same result`(stages: [Int])
        throws
    {
        try check(
            Self.schema(Querying.self, stages: stages) { _ in
                { step, migration in try step.migrate(Part.self) { try migration.value.migrate($0, .init($1)) } }
            }, isResumed: false)
    }
}
