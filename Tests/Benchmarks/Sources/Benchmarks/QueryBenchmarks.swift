import Foundation
import Orders
import RawSQLite
import Strata

#if canImport(GRDB)
    import GRDB
#endif

/// A join of three tables and a grouped count, through a store, through the C API, and through GRDB.
struct QueryBenchmarks {
    let folder: URL
    let rows: Int

    /// An order as the join gives it.
    private struct Line {
        var number: String
        var amount: Int
        var customer: String
        var country: String
    }

    private static let join = """
        SELECT o.number, o.amount, c.name, n.name FROM "order" AS o JOIN customer AS c ON c.id = o.customer_id \
        JOIN country AS n ON n.id = c.country_id WHERE n.name = 'Country 7' AND o.amount < 1000
        """
    private static let groups = "SELECT state, count(*), sum(amount) FROM \"order\" GROUP BY state"

    /// A store with `rows` orders of `rows / 100` customers in 100 countries. A country has a hundredth of the orders.
    private func filled() throws -> URL {
        let url = folder.appendingPathComponent("orders.sqlite")
        _ = try Store(at: url, schema: OrdersSchema.self)
        Raw(url.path).execute(
            """
            BEGIN;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
            INSERT INTO country SELECT i, 'Country ' || i FROM n;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(max(100, rows / 100)) - 1)
            INSERT INTO customer SELECT i, 'Customer ' || i, i % 100 FROM n;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows) - 1)
            INSERT INTO "order" SELECT i, 'Number ' || i, i * 37 % 1000, 'State ' || (i % 20), i % \(max(100, rows / 100)) FROM n;
            COMMIT
            """)
        return url
    }

    func run() throws {
        let url = try filled()
        let store = try Store(at: url, schema: OrdersSchema.self)
        let raw = Raw(url.path)
        #if canImport(GRDB)
            let grdb = try DatabasePool(path: url.path)
        #endif
        func variant(_ name: String, _ run: @escaping () throws -> Int, expecting count: Int) -> Variant {
            Variant(
                name: name, prepare: { url },
                run: { _ in
                    let found = try run()
                    precondition(found == count, "\(found) instead of \(count)")
                })
        }

        let rawJoin = variant("C API", { Self.joined(raw).count }, expecting: rows / 100)
        let request = Order.all.where { $0.customer.country.name == "Country 7" && $0.amount < 1000 }
            .select { ($0.number, $0.amount, $0.customer.name, $0.customer.country.name) }
        try compare(
            "join", variant("Store", { try store.read { try $0.fetch(request) }.count }, expecting: rows / 100),
            against: rawJoin)
        #if canImport(GRDB)
            try compare(
                "join-grdb",
                variant(
                    "GRDB",
                    {
                        try grdb.read { database in
                            try Row.fetchCursor(database, sql: Self.join).map { row in
                                Line(number: row[0], amount: row[1], customer: row[2], country: row[3])
                            }.reduce(into: []) { $0.append($1) } as [Line]
                        }.count
                    }, expecting: rows / 100), against: rawJoin)
        #endif

        let rawGroups = variant("C API", { Self.grouped(raw).count }, expecting: 20)
        let groups = Order.all.grouped(by: \.state).select { ($0.key, $0.count, $0.sum(\.amount)) }
        try compare(
            "group", variant("Store", { try store.read { try $0.fetch(groups) }.count }, expecting: 20),
            against: rawGroups)
        #if canImport(GRDB)
            try compare(
                "group-grdb",
                variant(
                    "GRDB",
                    {
                        try grdb.read { database in
                            try Row.fetchCursor(database, sql: Self.groups).map { row -> (String, Int, Int) in
                                (row[0], row[1], row[2])
                            }.reduce(into: []) { $0.append($1) } as [(String, Int, Int)]
                        }.count
                    }, expecting: 20), against: rawGroups)
        #endif
    }

    static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        let bytes = UnsafeBufferPointer(
            start: sqlite3_column_text(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func joined(_ raw: Raw) -> [Line] {
        let statement = raw.prepare(join)
        defer { sqlite3_finalize(statement) }
        var lines: [Line] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            lines.append(
                Line(
                    number: text(statement, 0), amount: Int(sqlite3_column_int64(statement, 1)),
                    customer: text(statement, 2), country: text(statement, 3)))
        }
        return lines
    }

    private static func grouped(_ raw: Raw) -> [(String, Int, Int)] {
        let statement = raw.prepare(groups)
        defer { sqlite3_finalize(statement) }
        var rows: [(String, Int, Int)] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (
                    text(statement, 0), Int(sqlite3_column_int64(statement, 1)),
                    Int(sqlite3_column_int64(statement, 2))
                ))
        }
        return rows
    }
}
