import Foundation
import Strata
import Testing

/// Custom SQL queries and statements.
@Suite struct QueryRowTests {
    private func withStore(_ body: (WriteTransaction) throws -> Void) throws {
        let store = try Store(inMemory: Things.self)
        try store.write { transaction in
            for id in 1...5 {
                var thing = Thing(id: id)
                thing.number = id == 5 ? nil : id % 2
                thing.text = "thing \(id)"
                try transaction.insert(thing)
            }
            try body(transaction)
        }
    }

    @Test func `entities are read by column name, in any order of columns`() throws {
        try withStore { (t: WriteTransaction) throws in
            let all = try t.fetch(Thing.self)
            let found: [Thing] = try t.rows(
                "SELECT * FROM thing WHERE id > ? AND text <> ? ORDER BY id", [1, "thing 3"])
            #expect(found == [all[1], all[3], all[4]])
            let backwards = Thing.table.columns.reversed().map { "\"\($0)\"" }.joined(separator: ", ")
            let sql = "SELECT 7 AS other, \(backwards) FROM thing ORDER BY id;\n"
            #expect(try t.rows(sql, as: Thing.self) == all)
            try t.insert(Place("a", 1))
            let places = try t.rows("SELECT number, shelf FROM place", as: Place.self)
            #expect(places == [Place("a", 1)])
        }
    }

    @Test func `a row returns values and entities by column name`() throws {
        try withStore { (t: WriteTransaction) throws in
            let rows = try t.rows(
                "SELECT thing.*, count(*) OVER () AS n, number + 0.5 AS half FROM thing WHERE number IS ? ORDER BY id",
                [nil]
            ) { row in
                (
                    try row.entity(Thing.self), try row.value("n", as: Int.self),
                    try row.value("half", as: Double?.self), row.names.last, try row.values().last
                )
            }
            #expect(rows.count == 1 && rows[0].0.id == 5 && rows[0].1 == 1 && rows[0].2 == nil)
            #expect(rows[0].3 == "half" && rows[0].4 == .null)
            let keys = try t.rows("SELECT 1 AS one, 's' AS shelf, 4 AS number") {
                try $0.value("shelf", as: Place.ID.self)
            }
            #expect(keys == [Place("s", 4).id])
        }
    }

    @Test func `each argument is bound with the SQLite type of its value`() throws {
        try withStore { (t: WriteTransaction) throws in
            let uuid = UUID()
            let arguments: [(any ColumnStorable)?] = [
                1, 2.5, "a'b", true, nil, Data([1]), uuid, Date(timeIntervalSinceReferenceDate: 3), Kind.small,
                Decimal(3), SQLiteValue.integer(7), Thing.ID(rawValue: 8), Place("p", 9).id, ["a"],
            ]
            let parameters = (0...arguments.count).map { _ in "?" }.joined(separator: ", ")
            let values = try t.rows("SELECT \(parameters)", arguments) { try $0.values() }
            let expected: [SQLiteValue] = [
                .integer(1), .real(2.5), .text("a'b"), .integer(1), .null, .blob(Data([1])), SQLiteValue(uuid),
                .real(3), .text("small"), .text("3"), .integer(7), .integer(8), .text("p"), .integer(9),
                .text("[\"a\"]"),
            ]
            #expect(values == [expected])
        }
    }

    @Test func `execute returns the number of changed rows`() throws {
        let store = try Store(inMemory: Things.self)
        let changed = try store.write { t in
            try t.insert(contentsOf: (1...3).map { Thing(id: $0) })
            return try t.execute("UPDATE thing SET text = ? WHERE id > ?", ["x", 1])
        }
        #expect(changed == 2)
        let texts = try store.write { try $0.rows("DELETE FROM thing WHERE id < 3 RETURNING text") { try $0.values() } }
        #expect(Set(texts) == [[.text("")], [.text("x")]])
        #expect(try store.read { try $0.count(Thing.self) } == 1)
    }

    @Test func `invalid SQL is refused with a reason and changes nothing`() throws {
        try withStore { (t: WriteTransaction) throws in
            func error<T>(_ body: () throws -> T) -> String {
                do {
                    _ = try body()
                    return "nothing thrown"
                } catch {
                    return "\(error)"
                }
            }
            let lacking = error { try t.rows("SELECT id FROM thing", as: Thing.self) }
            #expect(lacking == "there is no column number\nin SELECT id FROM thing")
            let unknown = error { try t.rows("SELECT id FROM thing") { try $0.value("ID", as: Int.self) } }
            #expect(unknown == "there is no column ID\nin SELECT id FROM thing")
            let short = error { try t.rows("SELECT 's' AS shelf") { try $0.value("shelf", as: Place.ID.self) } }
            #expect(short == "there is no column after shelf\nin SELECT 's' AS shelf")
            let few = error { try t.rows("SELECT ?, ?", [1]) { try $0.values() } }
            #expect(few == "1 values for 2 parameters\nin SELECT ?, ?")
            let confined = "it sets a pragma, attaches a database, or begins or ends a transaction"
            for sql in [
                "COMMIT", "ROLLBACK", "SAVEPOINT a", "BEGIN IMMEDIATE", "ATTACH ':memory:' AS b",
                "PRAGMA foreign_keys = OFF", "/* */ PRAGMA query_only(1)", "EXPLAIN PRAGMA query_only = 1",
                "PRAGMA application_id = 0",
            ] {
                let executed = error { try t.execute(sql) }
                let read = error { try t.rows(sql) { try $0.values() } }
                #expect(executed == "\(confined)\nin \(sql)" && read == executed)
            }
            let version = try t.rows("PRAGMA user_version") { try $0.values() }
            #expect(version.count == 1)
            #expect(error { try t.execute("SELECT 1") } == "it changes no rows\nin SELECT 1")
            #expect(
                error { try t.rows("DELETE FROM place") { try $0.values() } }
                    == "it gives no rows\nin DELETE FROM place")
            let two = "DELETE FROM thing; DELETE FROM place"
            #expect(error { try t.execute(two) }.hasPrefix("it is more than one statement"))
            #expect(error { try t.execute(" ") }.contains("the SQL contains no statement"))
            #expect(error { try t.execute("DELETE FROM nowhere") }.contains("no such table: nowhere"))
            #expect(try t.count(Thing.self) == 5)
            let malformed = error {
                try t.rows("SELECT *, 'x' AS number FROM (SELECT id, ratio FROM thing)") {
                    try $0.value("number", as: Int.self)
                }
            }
            #expect(malformed == "the value in number is not an integer")
        }
    }

    @Test func `the error for a malformed value names its column, in any order of columns`() throws {
        try withStore { (t: WriteTransaction) throws in
            let names = Thing.table.columns.dropFirst().map { $0 == "ratio" ? "'x' AS ratio" : "\"\($0)\"" }
            do {
                _ = try t.rows("SELECT \(names.joined(separator: ", ")), id FROM thing", as: Thing.self)
                Issue.record("nothing was thrown")
            } catch let error as MalformedValue {
                #expect(error.description == "the value in thing.ratio is not a real number")
            }
        }
    }

    @Test func `a read transaction cannot write with SQL, whatever the store`() throws {
        try withFile { (url: URL) throws in
            var options = StoreOptions()
            options.journal = .delete
            let stores = [
                try Store(at: url, schema: Things.self), try Store(inMemory: Things.self),
                try Store(at: url.appendingPathExtension("2"), schema: Things.self, options: options),
            ]
            for store in stores {
                try store.write { try $0.insert(Thing(id: 1)) }
                let read = { try store.read { try $0.rows("DELETE FROM thing RETURNING id") { try $0.values() } } }
                #expect(throws: QueryError.self) { try read() }
                #expect(try store.read { try $0.count(Thing.self) } == 1)
            }
        }
    }

    @Test func `duplicate column names are refused, and aliases with a prefix separate them`() throws {
        try withStore { (t: WriteTransaction) throws in
            var child = Thing(id: 6)
            child.parent = 1
            try t.insert(child)
            let from = "FROM thing JOIN thing AS parent ON parent.id = thing.parent_id"
            #expect(throws: QueryError.self) { try t.rows("SELECT * \(from)") { try $0.entity(Thing.self) } }
            let parents = Thing.table.columns.map { "parent.\"\($0)\" AS parent_\($0)" }.joined(separator: ", ")
            let pairs = try t.rows("SELECT thing.*, \(parents) \(from)".replacingOccurrences(of: "thing.*", with: own))
            {
                (try $0.entity(Thing.self, prefix: "own_"), try $0.entity(Thing.self, prefix: "parent_"))
            }
            #expect(pairs.map(\.0) == [child] && pairs.map(\.1.id) == [1])
        }
    }

    /// The columns of a thing, each with the prefix `own_`.
    private let own = Thing.table.columns.map { "thing.\"\($0)\" AS own_\($0)" }.joined(separator: ", ")

    @Test func `a repeated query returns the current column names`() throws {
        try withStore { (t: WriteTransaction) throws in
            func values() throws -> [[String]] {
                try t.rows("SELECT * FROM v") { [$0.names.joined(), "\(try $0.value("a", as: Int.self))"] }
            }
            #expect(try t.execute("CREATE VIEW v AS SELECT 1 AS a, 2 AS b") == 0)
            let before = try values()
            try t.execute("DROP VIEW v")
            try t.execute("CREATE VIEW v AS SELECT 2 AS b, 1 AS a")
            let after = try values()
            #expect(before == [["ab", "1"]] && after == [["ba", "1"]])
        }
    }

    @Test func `text that is not UTF-8 is refused and is not repaired`() throws {
        try withStore { (t: WriteTransaction) throws in
            #expect(throws: MalformedValue.self) { try t.rows("SELECT CAST(X'ff' AS TEXT) AS a") { try $0.values() } }
        }
    }

    @Test func `the error for a value of the wrong type names its column`() throws {
        try withStore { (t: WriteTransaction) throws in
            do {
                try t.execute("UPDATE thing SET number = ?", ["x"])
                Issue.record("nothing was thrown")
            } catch let error as SQLiteError {
                #expect(error.columns == ["thing.number"])
            }
        }
    }

    @Test func `the statement cache removes old statements`() throws {
        struct Kept {
            weak var statement: Statement?
        }
        let connection = try Connection(path: ":memory:", mode: .create)
        let first = Kept(statement: try connection.cached("SELECT 0"))
        #expect(first.statement != nil)
        for number in 1...2_500 { _ = try connection.cached("SELECT \(number)") }
        #expect(first.statement == nil)
    }
}
