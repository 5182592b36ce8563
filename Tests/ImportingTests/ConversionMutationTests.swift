import Foundation
import SQLSchema
import Strata
import Testing

/// Puts random faults into a Core Data store. The conversion must refuse it, or convert every value correctly.
///
/// `STRATA_MUTATIONS=5000` in the environment sets the number of faulty stores, and `STRATA_SEED` the first seed.
@Suite struct ConversionMutationTests {
    /// The columns of each table of the source, and the primary keys of its rows.
    private static let columns: [(table: String, keys: [Int], columns: [String])] = [
        (
            "ZMEDIA", [1, 2, 3, 4],
            ["ZPAGES", "ZSHELF", "Z_FOK_SHELF", "ZADDED", "ZRATING", "ZTITLE", "ZNOTE", "ZSUBTITLE", "ZNOTE1"]
        ),
        ("ZTAG", [10, 20], ["ZNAME", "ZKEY"]), ("ZSHELF", [1, 2], ["ZISOPEN", "ZPRICE", "ZCOVER", "ZSITE"]),
        ("ZPERSON", [1, 2], ["ZPASSPORT"]), ("ZPASSPORT", [7], ["ZPERSON"]),
    ]
    private static let values = [
        "NULL", "0", "1", "7", "-1", "9007199254740993", "9223372036854775807", "1.5", "9e999", "'x'", "''", "'12'",
        "X''", "X'01AA'", "X'0203'", "CAST(X'E9' AS TEXT)", "'nul' || char(0)", "randomblob(16)",
    ]

    /// A fault as SQL, and whether the tables still match the version.
    private static func fault(_ random: inout Random) -> (sql: String, keepsTables: Bool) {
        let (table, keys, columns) = random.pick(Self.columns)
        let (column, key) = (random.pick(columns), random.pick(keys))
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return ("ALTER TABLE \(table) ADD COLUMN ZNEW\(random.next() % 9) INTEGER;", false)
        case 1: return ("ALTER TABLE \(table) DROP COLUMN \(column);", false)
        case 2: return ("ALTER TABLE \(table) RENAME COLUMN \(column) TO \(column)2;", false)
        case 3: return ("CREATE TABLE ZNEW\(random.next() % 9) (Z_PK INTEGER PRIMARY KEY);", false)
        case 4: return ("DROP TABLE \(random.pick(["ZTAG", "ZMEDIA", "Z_1TAGS", "Z_5FRIENDS"]));", false)
        case 5: return ("DELETE FROM \(table) WHERE Z_PK = \(key);", true)
        case 6: return ("INSERT OR IGNORE INTO Z_1TAGS VALUES (\(key), \(random.pick([10, 20, 99])), 1);", true)
        case 7: return ("INSERT OR IGNORE INTO Z_5FRIENDS VALUES (\(key), \(random.pick([1, 2, 99])));", true)
        default: return ("UPDATE \(table) SET \(column) = \(random.pick(Self.values)) WHERE Z_PK = \(key);", true)
        }
    }

    /// A condition that a converted value equals its source. A number may become text of its digits, and text a number.
    private static func isSame(_ here: String, _ there: String) -> String {
        "(\(here) IS \(there) OR CAST(\(here) AS TEXT) IS CAST(\(there) AS TEXT)"
            + " OR typeof(\(there)) IN ('integer', 'real') AND \(here) = \(there)"
            + " OR typeof(\(here)) = 'real' AND \(here) = CAST(\(there) AS REAL))"
    }

    /// The tables of the source, their converted tables, and each converted column with its value in the source.
    private static let pairs: [(source: String, table: String, values: [(String, String)])] = [
        (
            "ZMEDIA", "Media",
            [
                ("kind", "CASE s.Z_ENT WHEN 2 THEN 'Book' WHEN 3 THEN 'Film' END"), ("title", "s.ZTITLE"),
                ("added", "s.ZADDED"),
                ("pages", "s.ZPAGES"), ("rating", "s.ZRATING"), ("Book_note", "iif(s.Z_ENT = 2, s.ZNOTE, NULL)"),
                ("Film_note", "iif(s.Z_ENT = 3, s.ZNOTE1, NULL)"), ("subtitle", "coalesce(s.ZSUBTITLE, s.ZSUBTITLE1)"),
                ("shelf_id", "iif(s.ZSHELF IN (SELECT id FROM main.Shelf), s.ZSHELF, NULL)"),
            ]
        ),
        ("ZTAG", "Tag", [("name", "s.ZNAME"), ("key", "s.ZKEY")]),
        (
            "ZSHELF", "Shelf",
            [
                ("isOpen", "s.ZISOPEN"), ("price", "CAST(s.ZPRICE AS REAL)"), ("site", "s.ZSITE"),
                ("cover", "iif(hex(substr(s.ZCOVER, 1, 1)) = '01', substr(s.ZCOVER, 2), s.ZCOVER)"),
            ]
        ),
        ("ZPERSON", "Person", []),
        (
            "ZPASSPORT", "Passport",
            [("person_id", "iif(s.ZPERSON IN (SELECT id FROM main.Person), s.ZPERSON, NULL)")]
        ),
    ]

    @Test func `a faulty store is refused, or all of its values are converted correctly`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["STRATA_MUTATIONS"].flatMap { Int($0) } ?? 150
        let first = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 1
        let workspace = try Workspace()
        try workspace.writeCoreData("Journal", [Journal.first, Journal.second])
        workspace.run("import", "core-data", workspace.path("Journal.xcdatamodeld"), "--into", workspace.path("model"))
        var accepted = 0
        for seed in first..<(first + UInt64(count)) {
            var random = Random(state: seed)
            let faults = (0...Int.random(in: 0..<4, using: &random)).map { _ in Self.fault(&random) }
            let source = workspace.path("journal.sqlite")
            let target = workspace.path("out.strata")
            for path in [source, target] { try? FileManager.default.removeItem(atPath: path) }
            do {
                try workspace.makeDatabase("journal.sqlite", Journal.store + faults.map(\.sql).joined())
            } catch {
                // One fault dropped a table or a column that another fault changes.
                continue
            }
            let result = workspace.run("convert", source, "--model", workspace.path("model"), "--to", target)
            let told = "seed \(seed): \(faults.map(\.sql)): \(result)"
            guard result.code == .success else {
                // A fault in a row does not prevent the conversion. Only a fault in the tables does.
                #expect(faults.contains { !$0.keepsTables }, "\(told)")
                continue
            }
            #expect(!faults.contains { !$0.keepsTables }, "\(told)")
            accepted += 1
            let connection = try Connection(path: target, mode: .readWrite)
            try connection.execute("ATTACH DATABASE '\(source)' AS source")
            let hasUnconverted = result.said.contains { $0.contains("strata_unconverted") }
            for (table, name, values) in Self.pairs {
                // No row is lost. Each row is converted or set aside.
                let aside =
                    hasUnconverted ? "SELECT key FROM strata_unconverted WHERE \"table\" = '\(name)'" : "SELECT NULL"
                let lost = "SELECT count(*) FROM source.\(table) WHERE Z_PK NOT IN (SELECT id FROM \(name))"
                #expect(
                    try connection.integer("\(lost) AND CAST(Z_PK AS TEXT) NOT IN (\(aside))") == 0, "\(name): \(told)")
                for (column, value) in values {
                    let isSame = Self.isSame("h.\(column)", "(\(value))")
                    let isNumber = column == "price" ? "OR CAST(h.price AS REAL) = CAST(s.ZPRICE AS REAL)" : ""
                    let differing = try connection.integer(
                        "SELECT count(*) FROM \(name) AS h JOIN source.\(table) AS s ON s.Z_PK = h.id WHERE NOT (\(isSame) \(isNumber))"
                    )
                    #expect(differing == 0, "\(name).\(column): \(told)")
                }
            }
            #expect(try connection.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0, "\(told)")
            #expect(try connection.text("PRAGMA integrity_check") == "ok", "\(told)")
        }
        // A conversion that refuses every store would prove nothing.
        #expect(accepted > count / 4)
    }
}
