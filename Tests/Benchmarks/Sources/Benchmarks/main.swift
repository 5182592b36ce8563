import Foundation
import RawSQLite
import Strata

/// What a benchmark costs, against something else in the same run.
struct Result: Encodable {
    var name: String
    var median_s: Double
    var ratio: Double
    var against: String
    var peak_mb: Double
}

var rows = 100_000
var only: String?
var isJSON = false
var isKilled = false
var isTable = false
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--rows": rows = arguments.popFirst().flatMap { Int($0) } ?? rows
    case "--only": only = arguments.popFirst()
    case "--json": isJSON = true
    case "--migrate": try migrateAlone(Array(arguments))
    case "--killed": isKilled = true
    case "--table": isTable = true
    case "--sqlite-version":
        print(String(cString: sqlite3_libversion()))
        exit(0)
    default:
        print("usage: Benchmarks [--rows N] [--only PREFIX] [--json] [--killed] [--table]")
        exit(2)
    }
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-benchmarks-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

/// The old store, with its rows.
func makeOldStore(_ count: Int) throws -> URL {
    let url = folder.appendingPathComponent("old-\(count).sqlite")
    var options = StoreOptions()
    options.journal = .delete
    _ = try Store(at: url, schema: Old.self, options: options)
    Raw(url.path).execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO person SELECT i, 'First' || i || ' Last' || i, 'person' || i || '@example.com', 'City ' || (i % 1000),
            i % 90, i * 0.5, i % 2, i * 1.25 FROM n
        """)
    return url
}

/// Something to be timed: `prepare` is not.
struct Variant {
    var name: String
    var prepare: () throws -> URL
    var run: (URL) throws -> Void
}

func seconds(_ variant: Variant) throws -> Double {
    let url = try variant.prepare()
    let start = DispatchTime.now().uptimeNanoseconds
    try variant.run(url)
    let end = DispatchTime.now().uptimeNanoseconds
    return Double(end - start) / 1e9
}

func peak() -> Double {
    var usage = rusage()
    #if os(Linux)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Double(usage.ru_maxrss) / 1024
    #else
        getrusage(RUSAGE_SELF, &usage)
        return Double(usage.ru_maxrss) / 1_048_576
    #endif
}

var results: [Result] = []

/// Runs both in turn, in an order that is shuffled each round, and compares their medians.
func compare(_ name: String, _ variant: Variant, against other: Variant, rounds: Int = 5) throws {
    if isTable { return }
    if let only, !name.hasPrefix(only) { return }
    var times: [String: [Double]] = [:]
    for _ in 0..<rounds {
        for variant in [variant, other].shuffled() { times[variant.name, default: []].append(try seconds(variant)) }
    }
    func median(_ name: String) -> Double { times[name, default: [0]].sorted()[times[name, default: [0]].count / 2] }
    results.append(
        Result(
            name: name, median_s: median(variant.name), ratio: median(variant.name) / median(other.name),
            against: other.name, peak_mb: peak()))
}

var copies = 0
func copy(_ url: URL) throws -> URL {
    copies += 1
    let target = folder.appendingPathComponent("copy-\(copies % 2).sqlite")
    for suffix in ["", "-journal", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: target.path + suffix) }
    try FileManager.default.copyItem(at: url, to: target)
    // Or the first sync of what is timed would write the copy.
    let file = try FileHandle(forUpdating: target)
    try file.synchronize()
    try file.close()
    return target
}

func opening(
    _ name: String, _ schema: any Schema.Type, _ old: URL, options: StoreOptions = StoreOptions()
) -> Variant {
    Variant(name: name, prepare: { try copy(old) }, run: { _ = try Store(at: $0, schema: schema, options: options) })
}

// Opening a store that is at the newest version already.
let wide = folder.appendingPathComponent("wide.sqlite")
_ = try Store(at: wide, schema: Wide.self)
try compare(
    "open-newest",
    Variant(
        name: "Store", prepare: { wide },
        run: { url in for _ in 0..<1000 { _ = try Store(at: url, schema: Wide.self) } }),
    against: Variant(
        name: "sqlite3_open and user_version", prepare: { wide },
        run: { url in
            for _ in 0..<1000 {
                let raw = Raw(url.path)
                let statement = raw.prepare("PRAGMA user_version")
                _ = sqlite3_step(statement)
                sqlite3_finalize(statement)
            }
        }))

let old = try makeOldStore(rows)
if isKilled {
    try Interruptions(old: old, copy: copy).run()
    exit(0)
}
let few = try makeOldStore(max(1, rows / 100))

// What rewrites no row costs the same, however many there are.
for (name, schema) in [
    ("rename-column", RenamedColumn.self), ("rename-table", RenamedTable.self), ("add-column", AddedColumn.self),
] as [(String, any Schema.Type)] {
    try compare(
        name, opening("\(rows) rows", schema, old), against: opening("\(max(1, rows / 100)) rows", schema, few),
        rounds: 25)
}

/// The table of people in the second version.
let newPeople = """
    CREATE TABLE new_person (
        id INTEGER PRIMARY KEY, first TEXT NOT NULL, last TEXT NOT NULL, email TEXT NOT NULL, city TEXT NOT NULL,
        age INTEGER NOT NULL, score REAL NOT NULL, active INTEGER NOT NULL, created REAL NOT NULL) STRICT
    """

// One rebuild, against the statements that a person would write.
let byHand = Variant(
    name: "SQL by hand", prepare: { try copy(old) },
    run: { url in
        let raw = Raw(url.path)
        raw.execute("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
        raw.execute(
            """
            CREATE TABLE new_person (
                id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, city TEXT NOT NULL, age INTEGER NOT NULL,
                score REAL NOT NULL, active INTEGER NOT NULL, created REAL NOT NULL) STRICT;
            INSERT INTO new_person (id, name, email, city, age, score, active, created)
            SELECT id, name, email, city, age & ~1, score, active, created FROM person;
            DROP TABLE person;
            ALTER TABLE new_person RENAME TO person;
            COMMIT
            """)
    })
try compare("rebuild", opening("Store", Rebuilt.self, old), against: byHand)
try compare(
    "rebuild-ten-versions", opening("Store, ten versions", RebuiltTenTimes.self, old),
    against: opening("Store, one", Rebuilt.self, old))

// The same in batches that an interruption does not undo.
let modes = ["one transaction", "resumable"].map { name -> (String, StoreOptions) in
    var options = StoreOptions()
    options.migration = name == "resumable" ? .resumable : .oneTransaction
    options.erasesDeletedContent = false
    return (name, options)
}
for (name, schema) in [
    ("resumable-rebuild", Rebuilt.self), ("resumable-index", RebuiltWithIndex.self),
    ("resumable-columns", BenchmarksSchema.self), ("resumable-rows", SplitByRows.self),
] as [(String, any Schema.Type)] {
    try compare(
        name, opening(modes[1].0, schema, old, options: modes[1].1),
        against: opening(modes[0].0, schema, old, options: modes[0].1))
}

// A row at a time through code, against the loop that a program in C would have.
let loop = Variant(
    name: "cursor loop in C", prepare: { try copy(old) },
    run: { url in
        let raw = Raw(url.path)
        raw.execute("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
        raw.execute(newPeople)
        let select = raw.prepare("SELECT id, name, email, city, age, score, active, created FROM person")
        let insert = raw.prepare(
            """
            INSERT INTO new_person (id, first, last, email, city, age, score, active, created)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
        while sqlite3_step(select) == SQLITE_ROW {
            let length = Int(sqlite3_column_bytes(select, 1))
            guard let name = sqlite3_column_text(select, 1) else { continue }
            var split = 0
            while split < length, name[split] != 0x20 { split += 1 }
            sqlite3_bind_int64(insert, 1, sqlite3_column_int64(select, 0))
            name.withMemoryRebound(to: CChar.self, capacity: length) { name in
                sqlite3_bind_text(insert, 2, name, Int32(split), nil)
                sqlite3_bind_text(insert, 3, name + min(length, split + 1), Int32(max(0, length - split - 1)), nil)
            }
            for column in 2...3 {
                let text = UnsafeRawPointer(sqlite3_column_text(select, Int32(column)))?.assumingMemoryBound(
                    to: CChar.self)
                sqlite3_bind_text(insert, Int32(column + 2), text, sqlite3_column_bytes(select, Int32(column)), nil)
            }
            sqlite3_bind_int64(insert, 6, sqlite3_column_int64(select, 4))
            sqlite3_bind_double(insert, 7, sqlite3_column_double(select, 5))
            sqlite3_bind_int64(insert, 8, sqlite3_column_int64(select, 6))
            sqlite3_bind_double(insert, 9, sqlite3_column_double(select, 7))
            _ = sqlite3_step(insert)
            sqlite3_reset(insert)
        }
        sqlite3_finalize(select)
        sqlite3_finalize(insert)
        raw.execute("DROP TABLE person; ALTER TABLE new_person RENAME TO person; COMMIT")
    })
let splitInSQL = Variant(
    name: "SQL", prepare: { try copy(old) },
    run: { url in
        let raw = Raw(url.path)
        raw.execute("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
        raw.execute(newPeople)
        raw.execute(
            """
            INSERT INTO new_person (id, first, last, email, city, age, score, active, created)
            SELECT id, substr(name, 1, instr(name, ' ') - 1), substr(name, instr(name, ' ') + 1), email, city, age, score,
                active, created FROM person;
            DROP TABLE person; ALTER TABLE new_person RENAME TO person; COMMIT
            """)
    })
if isTable {
    try MigrationTable(rows: rows, old: old, copy: copy).print(rebuild: byHand, loop: loop, creating: newPeople)
    exit(0)
}
try compare("code-in-sql", splitInSQL, against: loop)
try compare("code-by-columns", opening("Store", BenchmarksSchema.self, old), against: loop)
var unerased = StoreOptions()
unerased.erasesDeletedContent = false
try compare("code-not-erasing", opening("Store", BenchmarksSchema.self, old, options: unerased), against: loop)
try compare("code-by-rows", opening("Store", SplitByRows.self, old), against: loop)
#if canImport(GRDB)
    for (name, way) in [("code-grdb-codable", GRDBWay.codable), ("code-grdb-by-hand", .byHand)] {
        let variant = Variant(name: name, prepare: { try copy(old) }, run: { try way.migrate($0, creating: newPeople) })
        try compare(name, variant, against: loop)
    }
#endif

/// Whether one of the benchmarks with these names was asked for.
func isAsked(_ names: String...) -> Bool {
    only.map { only in names.contains { only.hasPrefix($0) || $0.hasPrefix(only) } } ?? true
}

if isAsked("insert", "fetch-all", "find-100000", "fetch-some") {
    try DataBenchmarks(folder: folder, rows: rows).run()
}
if isAsked("join", "group") { try QueryBenchmarks(folder: folder, rows: rows).run() }
if isAsked("search") { try SearchBenchmarks(folder: folder, rows: rows).run() }

if isJSON {
    print(String(decoding: try JSONEncoder().encode(results), as: UTF8.self))
} else {
    for result in results {
        let name = result.name.padding(toLength: 24, withPad: " ", startingAt: 0)
        print(
            name,
            String(
                format: "%9.4f s  %5.2f x %@  (peak %.0f MB)", result.median_s, result.ratio, result.against,
                result.peak_mb))
    }
}
