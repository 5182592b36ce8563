import Foundation
import Orders
import RawSQLite
import Strata

/// Searches in reviews, through a store, and through the C API in a plain FTS5 table with the same texts.
struct SearchBenchmarks {
    let folder: URL
    let rows: Int

    /// A store with `rows` reviews. Every tenth one contains "common", and every thousandth one "rare".
    private func filled() throws -> URL {
        let url = folder.appendingPathComponent("reviews.sqlite")
        _ = try Store(at: url, schema: OrdersSchema.self)
        Raw(url.path).execute(
            """
            BEGIN;
            CREATE VIRTUAL TABLE bare USING fts5 (title, text);
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows) - 1)
            INSERT INTO review (id, title, text)
            SELECT i, 'Review ' || i || iif(i % 1000, '', ' rare'), 'word' || (i * 37 % 997) || ' of item' || (i * 91 % 5003)
                || iif(i % 10, '', ' common') || ' and some other words' FROM n;
            INSERT INTO bare (rowid, title, text) SELECT id, title, text FROM review;
            COMMIT
            """)
        return url
    }

    func run() throws {
        let url = try filled()
        let store = try Store(at: url, schema: OrdersSchema.self)
        let raw = Raw(url.path)
        func variant(_ name: String, expecting count: Int, _ run: @escaping () throws -> Int) -> Variant {
            Variant(
                name: name, prepare: { url },
                run: { _ in
                    let found = try run()
                    precondition(found == count, "\(found) instead of \(count)")
                })
        }
        let all = Review.all.matching("rare")
        try compare(
            "search", variant("Store", expecting: rows / 1000) { try store.read { try $0.fetch(all) }.count },
            against: variant("C API", expecting: rows / 1000) { Self.found(raw, "rare", limit: -1) })
        let best = Review.all.matching("common").limit(20)
        try compare(
            "search-best", variant("Store", expecting: 20) { try store.read { try $0.fetch(best) }.count },
            against: variant("C API", expecting: 20) { Self.found(raw, "common", limit: 20) })
        let count = Review.all.matching("common")
        try compare(
            "search-count", variant("Store", expecting: 1) { try store.read { try $0.count(count) } / (rows / 10) },
            against: variant("C API", expecting: 1) {
                let statement = raw.prepare("SELECT count(*) FROM bare WHERE bare MATCH 'common'")
                defer { sqlite3_finalize(statement) }
                sqlite3_step(statement)
                return Int(sqlite3_column_int64(statement, 0)) / (rows / 10)
            })
    }

    private static func found(_ raw: Raw, _ word: String, limit: Int) -> Int {
        let statement = raw.prepare(
            "SELECT rowid, title, text FROM bare WHERE bare MATCH '\(word)' ORDER BY rank LIMIT \(limit)")
        defer { sqlite3_finalize(statement) }
        var found: [(Int64, String, String)] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            found.append(
                (
                    sqlite3_column_int64(statement, 0), QueryBenchmarks.text(statement, 1),
                    QueryBenchmarks.text(statement, 2)
                ))
        }
        return found.count
    }
}
