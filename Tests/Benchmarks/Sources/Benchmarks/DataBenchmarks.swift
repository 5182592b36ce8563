import Foundation
import RawSQLite
import Strata

/// What is done with rows day by day, through a store and through the C API.
struct DataBenchmarks {
    let folder: URL
    let rows: Int

    private static let columns = "id, email, city, age, score, active, created, first, last"

    /// The people that are written.
    private func people() -> [Person] {
        (1...rows).map { number in
            Person(
                id: PersonID(rawValue: number), first: "First\(number)", last: "Last \(number)",
                email: "person\(number)@example.com", city: "City \(number % 1000)", age: number % 90,
                score: Double(number) * 0.5, active: number % 2 == 1,
                created: Date(timeIntervalSinceReferenceDate: Double(number) * 1.25))
        }
    }

    private typealias PersonID = BenchmarksSchema.PersonID

    /// A new, empty store.
    private func empty() throws -> URL {
        let url = folder.appendingPathComponent("data.sqlite")
        for suffix in ["", "-journal", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
        var options = StoreOptions()
        options.journal = .delete
        _ = try Store(at: url, schema: BenchmarksSchema.self, options: options)
        return url
    }

    func run() throws {
        let people = people()
        let rawInsert = Variant(name: "C API", prepare: empty, run: { try Self.insert(people, into: $0) })
        try compare(
            "insert",
            Variant(
                name: "Store", prepare: empty,
                run: { url in
                    try Store(at: url, schema: BenchmarksSchema.self).write { try $0.insert(contentsOf: people) }
                }), against: rawInsert)
        try compare(
            "insert-one-by-one",
            Variant(
                name: "Store", prepare: empty,
                run: { url in
                    try Store(at: url, schema: BenchmarksSchema.self).write { transaction in
                        for person in people { try transaction.insert(person) }
                    }
                }), against: rawInsert)
        #if canImport(GRDB)
            try compareGRDB("insert", prepare: empty, against: rawInsert, people.map(Self.record)) { try $0.insert($1) }
        #endif

        let full = try empty()
        try Self.insert(people, into: full)
        let store = try Store(at: full, schema: BenchmarksSchema.self)
        let raw = Raw(full.path)
        func onFull(_ name: String, _ run: @escaping () throws -> Void) -> Variant {
            Variant(name: name, prepare: { full }, run: { _ in try run() })
        }
        let rawFetch = onFull("C API") {
            precondition(Self.fetch(raw, "SELECT \(Self.columns) FROM person").count == rows)
        }
        try compare(
            "fetch-all",
            onFull("Store") {
                let all = try store.read { try $0.fetch(Person.self) }
                precondition(all.count == rows)
            }, against: rawFetch)
        #if canImport(GRDB)
            try compareGRDB("fetch-all", prepare: { full }, against: rawFetch, ()) { grdb, _ in
                let count = try grdb.fetchAll()
                precondition(count == rows)
            }
        #endif

        let ids = (0..<100_000).map { ($0 &* 7919) % rows + 1 }
        let rawFind = onFull("C API") {
            raw.execute("BEGIN")
            let statement = raw.prepare("SELECT \(Self.columns) FROM person WHERE id = ?1")
            for id in ids {
                sqlite3_bind_int64(statement, 1, Int64(id))
                precondition(sqlite3_step(statement) == SQLITE_ROW)
                precondition(Self.person(statement).id.rawValue == id)
                sqlite3_reset(statement)
            }
            sqlite3_finalize(statement)
            raw.execute("COMMIT")
        }
        try compare(
            "find-100000",
            onFull("Store") {
                try store.read { transaction in
                    for id in ids {
                        let person = try transaction.find(Person.self, id: PersonID(rawValue: id))
                        precondition(person?.id.rawValue == id)
                    }
                }
            }, against: rawFind)
        #if canImport(GRDB)
            try compareGRDB("find-100000", prepare: { full }, against: rawFind, ids) { try $0.find($1) }
        #endif

        let rawSome = onFull("C API") {
            let names = cities.map { "'\($0)'" }.joined(separator: ", ")
            let some = Self.fetch(
                raw, "SELECT \(Self.columns) FROM person WHERE city IN (\(names)) AND active = 1 ORDER BY score DESC")
            precondition(some.count == rows / 100)
        }
        try compare(
            "fetch-some",
            onFull("Store") {
                let some = try store.read {
                    try $0.fetch(
                        Person.all.where { $0.city.isIn(cities) && $0.active == true }.orderBy { $0.score.descending })
                }
                precondition(some.count == rows / 100)
            }, against: rawSome)
        #if canImport(GRDB)
            try compareGRDB("fetch-some", prepare: { full }, against: rawSome, cities) { grdb, cities in
                let count = try grdb.fetchSome(of: cities)
                precondition(count == rows / 100)
            }
        #endif
    }

    /// Ten of a thousand cities, whose numbers are odd.
    private let cities = (0..<10).map { "City \($0 * 100 + 1)" }

    private static func person(_ statement: OpaquePointer) -> Person {
        func text(_ column: Int32) -> String {
            let bytes = UnsafeBufferPointer(
                start: sqlite3_column_text(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
            return String(decoding: bytes, as: UTF8.self)
        }
        return Person(
            id: PersonID(rawValue: Int(sqlite3_column_int64(statement, 0))), first: text(7), last: text(8),
            email: text(1), city: text(2), age: Int(sqlite3_column_int64(statement, 3)),
            score: sqlite3_column_double(statement, 4), active: sqlite3_column_int64(statement, 5) != 0,
            created: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 6)))
    }

    private static func fetch(_ raw: Raw, _ sql: String) -> [Person] {
        let statement = raw.prepare(sql)
        var people: [Person] = []
        while sqlite3_step(statement) == SQLITE_ROW { people.append(person(statement)) }
        sqlite3_finalize(statement)
        return people
    }

    private static func insert(_ people: [Person], into url: URL) throws {
        let raw = Raw(url.path)
        raw.execute("BEGIN IMMEDIATE")
        let statement = raw.prepare("INSERT INTO person (\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        func text(_ text: String, at index: Int32, _ next: () -> Void) {
            var text = text
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    _ = sqlite3_bind_text(statement, index, $0.baseAddress, Int32($0.count), nil)
                }
                next()
            }
        }
        for person in people {
            sqlite3_bind_int64(statement, 1, Int64(person.id.rawValue))
            sqlite3_bind_int64(statement, 4, Int64(person.age))
            sqlite3_bind_double(statement, 5, person.score)
            sqlite3_bind_int64(statement, 6, person.active ? 1 : 0)
            sqlite3_bind_double(statement, 7, person.created.timeIntervalSinceReferenceDate)
            text(person.email, at: 2) {
                text(person.city, at: 3) {
                    text(person.first, at: 8) {
                        text(person.last, at: 9) {
                            guard sqlite3_step(statement) == SQLITE_DONE else { fatalError("a row was not written") }
                        }
                    }
                }
            }
            sqlite3_reset(statement)
        }
        sqlite3_finalize(statement)
        raw.execute("COMMIT")
    }
}
