import Foundation
import Strata
import Testing

/// SQL of one's own.
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

    @Test func `entities are found by the names of their columns, wherever those stand`() throws {
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

    @Test func `a row has values of any type, and entities, by name`() throws {
        try withStore { (t: WriteTransaction) throws in
            let rows = try t.rows(
                "SELECT thing.*, count(*) OVER () AS n, number + 0.5 AS half FROM thing WHERE number IS ? ORDER BY id",
                [nil]
            ) { row in
                (
                    try row.entity(Thing.self), try row.value("n", as: Int.self),
                    try row.value("half", as: Double?.self), row.names.last, row.values.last
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

    @Test func `values are bound in the type that they have`() throws {
        try withStore { (t: WriteTransaction) throws in
            let uuid = UUID()
            let arguments: [(any ColumnEquatable)?] = [
                1, 2.5, "a'b", true, nil, Data([1]), uuid, Date(timeIntervalSinceReferenceDate: 3), Kind.small,
                Decimal(3),
            ]
            let parameters = arguments.map { _ in "?" }.joined(separator: ", ")
            let values = try t.rows("SELECT \(parameters)", arguments) { $0.values }
            let expected: [SQLiteValue] = [
                .integer(1), .real(2.5), .text("a'b"), .integer(1), .null, .blob(Data([1])), SQLiteValue(uuid),
                .real(3), .text("small"), .text("3"),
            ]
            #expect(values == [expected])
        }
    }

    @Test func `rows are changed, and the number of them told`() throws {
        let store = try Store(inMemory: Things.self)
        let changed = try store.write { t in
            try t.insert(contentsOf: (1...3).map { Thing(id: $0) })
            return try t.execute("UPDATE thing SET text = ? WHERE id > ?", ["x", 1])
        }
        #expect(changed == 2)
        let texts = try store.write { try $0.rows("DELETE FROM thing WHERE id < 3 RETURNING text") { $0.values } }
        #expect(Set(texts) == [[.text("")], [.text("x")]])
        #expect(try store.read { try $0.count(Thing.self) } == 1)
    }

    @Test func `what is wrong is told, and nothing of it is done`() throws {
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
            let few = error { try t.rows("SELECT ?, ?", [1]) { $0.values } }
            #expect(few == "1 values for 2 parameters\nin SELECT ?, ?")
            for sql in ["COMMIT", "ROLLBACK", "SAVEPOINT a", "ATTACH ':memory:' AS b", "SELECT 1"] {
                #expect(error { try t.execute(sql) } == "it changes no rows\nin \(sql)")
            }
            #expect(error { try t.rows("COMMIT") { $0.values } } == "it gives no rows\nin COMMIT")
            let two = "DELETE FROM thing; DELETE FROM place"
            #expect(error { try t.execute(two) }.hasPrefix("it is more than one statement"))
            #expect(error { try t.execute(" ") }.contains("there is no statement"))
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

    @Test func `a malformed value is named by its own column, wherever that stands`() throws {
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

    @Test func `a reader cannot write by SQL of its own`() throws {
        try withFile { (url: URL) throws in
            let store = try Store(at: url, schema: Things.self)
            try store.write { try $0.insert(Thing(id: 1)) }
            #expect(throws: SQLiteError.self) {
                try store.read { try $0.rows("DELETE FROM thing RETURNING id") { $0.values } }
            }
            #expect(try store.read { try $0.count(Thing.self) } == 1)
        }
    }

    @Test func `texts that never come twice do not fill the memory`() throws {
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
