import Foundation
import RawSQLite
import Strata

/// The same migrations by several libraries, as a table in Markdown. `Tests/Benchmarks/migrations` prints it.
struct MigrationTable {
    let rows: Int
    /// The old store.
    let old: URL
    let copy: (URL) throws -> URL

    private static let reference = "SQLite by hand"
    private static let rounds = 5

    /// A migration, and the seconds that it takes by each library.
    struct Line {
        let name: String
        let seconds: [(library: String, median: Double)]
    }

    /// Runs the migrations, and prints the table.
    ///
    /// - Parameters:
    ///   - rebuild: The rebuild of the table by hand.
    ///   - loop: The custom migration by hand.
    ///   - newPeople: The statement that creates the new table of the custom migration.
    func print(rebuild: Variant, loop: Variant, creating newPeople: String) throws {
        let addition = "ALTER TABLE person ADD COLUMN stars INTEGER NOT NULL DEFAULT 3"
        let index = "CREATE INDEX person_email_idx ON person (email)"
        let rebuilding = """
            CREATE TABLE new_person (
                id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, city TEXT NOT NULL, age INTEGER NOT NULL,
                score REAL NOT NULL, active INTEGER NOT NULL, created REAL NOT NULL) STRICT;
            INSERT INTO new_person SELECT id, name, email, city, age & ~1, score, active, created FROM person;
            DROP TABLE person;
            ALTER TABLE new_person RENAME TO person
            """
        var lines: [Line] = []
        lines.append(try line("a column with a default value", bySQL(addition, AddedColumn.self)))
        lines.append(try line("an index", bySQL(index, Indexed.self)))
        lines.append(
            try line(
                "a new value in each row, by SQL",
                [(Self.reference, rebuild), strata(Rebuilt.self)] + grdb(rebuilding)))
        var code: [(String, Variant)] = []
        #if canImport(GRDB)
            for (name, way) in [("GRDB by hand", GRDBWay.byHand), ("GRDB, Codable", .codable)] {
                code.append((name, variant { try way.migrate($0, creating: newPeople) }))
            }
        #endif
        lines.append(
            try line(
                "a name split in two, by code, whole rows", [(Self.reference, loop), strata(SplitByRows.self)] + code))
        lines.append(
            try line("the same, single columns", [(Self.reference, loop), strata(BenchmarksSchema.self)] + code))
        #if canImport(CoreData)
            lines.append(try appleLine())
        #endif
        show(lines)
    }

    private func variant(_ run: @escaping (URL) throws -> Void) -> Variant {
        Variant(name: "", prepare: { try copy(old) }, run: run)
    }

    /// A store with the default options: a large one is migrated in batches.
    private func strata(_ schema: any Schema.Type) -> (String, Variant) {
        ("Strata", variant { _ = try Store(at: $0, schema: schema) })
    }

    private func bySQL(_ sql: String, _ schema: any Schema.Type) -> [(String, Variant)] {
        let byHand = variant { Raw($0.path).execute("BEGIN IMMEDIATE; \(sql); COMMIT") }
        return [(Self.reference, byHand), strata(schema)] + grdb(sql)
    }

    private func grdb(_ sql: String) -> [(String, Variant)] {
        #if canImport(GRDB)
            [("GRDB by hand", variant { try GRDBWay.migrate($0, sql) })]
        #else
            []
        #endif
    }

    /// Times the libraries in turn, in an order that is shuffled each round.
    private func line(_ name: String, _ variants: [(library: String, variant: Variant)]) throws -> Line {
        var times = [[Double]](repeating: [], count: variants.count)
        for _ in 0..<Self.rounds {
            for index in variants.indices.shuffled() { times[index].append(try seconds(variants[index].variant)) }
        }
        return Line(
            name: name,
            seconds: zip(variants, times).map { ($0.library, $1.sorted()[Self.rounds / 2]) })
    }

    private func show(_ lines: [Line]) {
        var libraries: [String] = []
        for line in lines {
            for (library, _) in line.seconds where !libraries.contains(library) { libraries.append(library) }
        }
        Swift.print("| \(rows) rows | \(libraries.joined(separator: " | ")) |")
        Swift.print("| --- |" + String(repeating: " --- |", count: libraries.count))
        for line in lines {
            let times = Dictionary(uniqueKeysWithValues: line.seconds.map { ($0.library, $0.median) })
            let reference = times[Self.reference]
            let cells = libraries.map { library -> String in
                guard let time = times[library] else { return "" }
                let ratio = reference.map { String(format: "%.2f", time / $0) }
                let seconds = time < 0.01 ? String(format: "%.1f ms", time * 1_000) : String(format: "%.2f s", time)
                return ratio.map { library == Self.reference ? "1 (\(seconds))" : $0 } ?? seconds
            }
            Swift.print("| \(line.name) | \(cells.joined(separator: " | ")) |")
        }
    }
}

/// A new index, for which no row is copied.
private enum Indexed: ChangedPeople {
    static let history = changed(
        """
        change person
          + index person_email_idx (email)
        """, "map person")
}
