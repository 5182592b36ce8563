import Foundation
import RawSQLite
import Strata

private let schemas: [String: any Schema.Type] = [
    "rebuild": Rebuilt.self, "index": RebuiltWithIndex.self, "columns": BenchmarksSchema.self, "rows": SplitByRows.self,
]

/// Migrates the store at a path, as an app does: `PATH SCHEMA MODE`. Prints the seconds of the last transaction.
func migrateAlone(_ arguments: [String]) throws -> Never {
    var options = StoreOptions()
    options.migration = StoreOptions.MigrationMode(rawValue: arguments[2]) ?? .resumable
    options.erasesDeletedContent = false
    let commits = Commits()
    options.trace = { if $0.sql == "COMMIT" { commits.note() } }
    guard let schema = schemas[arguments[1]] else { exit(2) }
    _ = try Store(at: URL(fileURLWithPath: arguments[0]), schema: schema, options: options)
    print(commits.last)
    exit(0)
}

/// The times of the commits of a migration.
private final class Commits: @unchecked Sendable {
    private let lock = NSLock()
    private var times: [Double] = []

    func note() { lock.withLock { times.append(Date().timeIntervalSince1970) } }
    /// The seconds from the last but one to the last.
    var last: Double { lock.withLock { times.count > 1 ? times[times.count - 1] - times[times.count - 2] : 0 } }
}

/// Migrations that are killed: each one ends, with the result of a migration in one transaction.
struct Interruptions {
    /// The old store.
    let old: URL
    let copy: (URL) throws -> URL

    /// A migration that took several runs.
    private struct Outcome {
        var seconds = 0.0
        var runs = 0
        var flip = 0.0
        var digest: [String] = []
    }

    func run() throws {
        for name in schemas.keys.sorted() {
            let expected = try migrate(name, "oneTransaction") { _ in nil }
            let whole = try migrate(name) { _ in nil }
            let second = try migrate(name) { _ in 1 }
            let random = try migrate(name) { $0 < 50 ? Double.random(in: 0.01...max(0.05, whole.seconds / 20)) : nil }
            let isEqual = [whole, second, random].allSatisfy { $0.digest == expected.digest }
            print(
                name.padding(toLength: 8, withPad: " ", startingAt: 0),
                String(
                    format:
                        "%.2f s (one transaction %.2f s), the last transaction %.1f %%; killed each second: %.2f x, %d runs; "
                        + "killed at random: %d runs; ", whole.seconds, expected.seconds,
                    100 * whole.flip / whole.seconds,
                    second.seconds / whole.seconds, second.runs, random.runs) + (isEqual ? "equal" : "DIFFERENT"))
        }
    }

    /// Migrates a copy of the store.
    ///
    /// - Parameter limit: Returns the seconds after which a run is killed, by its number; nil for never.
    private func migrate(_ name: String, _ mode: String = "resumable", _ limit: (Int) -> Double?) throws -> Outcome {
        let url = try copy(old)
        var outcome = Outcome()
        while true {
            let limit = limit(outcome.runs)
            outcome.runs += 1
            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = ["--migrate", url.path, name, mode]
            let output = Pipe()
            process.standardOutput = output
            let start = Date()
            try process.run()
            if let limit {
                DispatchQueue.global().asyncAfter(deadline: .now() + limit) { kill(process.processIdentifier, SIGKILL) }
            }
            process.waitUntilExit()
            outcome.seconds += Date().timeIntervalSince(start)
            if process.terminationReason == .exit {
                let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                outcome.flip = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
                outcome.digest = try digest(url)
                return outcome
            }
        }
    }

    /// A summary of all rows.
    private func digest(_ url: URL) throws -> [String] {
        let raw = Raw(url.path)
        var digest: [String] = []
        let tables = raw.prepare("SELECT group_concat(name) FROM pragma_table_info('person')")
        guard sqlite3_step(tables) == SQLITE_ROW, let names = sqlite3_column_text(tables, 0) else { return [] }
        let columns = String(cString: names)
        sqlite3_finalize(tables)
        let sums = columns.split(separator: ",").map { "sum(id * length(\($0))), total(id * \($0)), max(\($0))" }
        for sql in ["SELECT count(*), \(sums.joined(separator: ", ")) FROM person", "PRAGMA integrity_check"] {
            let statement = raw.prepare(sql)
            while sqlite3_step(statement) == SQLITE_ROW {
                for column in 0..<sqlite3_column_count(statement) {
                    digest.append(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL")
                }
            }
            sqlite3_finalize(statement)
        }
        return digest
    }
}
