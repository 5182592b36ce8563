import Commands
import Foundation
import SchemaDiff
import SQLSchema
import StoreConversion
import Strata
import Testing

/// Conversions that copy a table with one statement, and row by row where a row does not fit.
@Suite struct BulkCopyTests {
    private static let table = "CREATE TABLE t (id INT PRIMARY KEY, x AMOUNT, s TEXT, day DATETIME);"

    /// Imports the table, creates a database of it, and runs a body.
    private func withDatabase(_ sql: String, _ body: (Workspace, SchemaDefinition) throws -> Void) throws {
        let workspace = try Workspace()
        try workspace.write(Self.table, to: "migrations/1.sql")
        let result = workspace.run("import", "sql", workspace.path("migrations"), "--into", workspace.path("out"))
        #expect(result.code == .success, "\(result.complaints)")
        try workspace.makeDatabase("app.sqlite", Self.table + sql)
        try body(
            workspace, SchemaDefinition(try #require(ModelFolder.all(below: workspace.path("out")).first).loaded()))
    }

    private func exchange(_ value: inout Bool, with new: Bool) -> Bool {
        defer { value = new }
        return value
    }

    private static func rows(_ workspace: Workspace) throws -> [String] {
        let store = try Connection(path: workspace.path("app.strata"), mode: .readOnly)
        return try store.texts(
            "SELECT quote(id) || ' ' || quote(x) || ' ' || quote(s) || ' ' || quote(day) FROM t ORDER BY id")
    }

    @Test(arguments: [
        ("(2, 9007199254740993, 'b', NULL)", "2: x is 9007199254740993, which a floating-point number does not hold"),
        ("(NULL, 1, 'b', NULL)", "NULL: id is not an integer, and it is the primary key"),
        ("('two', 1, 'b', NULL)", "two: id is not an integer, and it is the primary key"),
        ("(2, 1, CAST(X'FF' AS TEXT), NULL)", "2: s is not valid UTF-8 text"),
        ("(2, 1, 'b', 'tomorrow')", "2: day is \"tomorrow\""),
        ("(2, 'much', 'b', NULL)", "2:"),
    ])
    func `one row that does not fit is set aside, and the others are copied`(row: String, reason: String) throws {
        try withDatabase(
            "INSERT INTO t VALUES (1, 2, 'a', '2001-01-01 00:00:10'), (3, 0.5, '', NULL); INSERT INTO t VALUES \(row);"
        ) { (workspace, _) throws in
            let result = workspace.run(
                "convert", workspace.path("app.sqlite"), "--model", workspace.path("out"), "--to",
                workspace.path("app.strata"))
            #expect(result.code == .success, "\(result.complaints)")
            #expect(
                result.said.contains {
                    $0.hasPrefix("set aside: t ") && $0.contains(reason.split(separator: ":").last ?? "")
                })
            #expect(try Self.rows(workspace) == ["1 2.0 'a' 10.0", "3 0.5 '' NULL"])
        }
    }

    /// With `DESC`, SQLite treats the key as any other column, which can be NULL. A column of real numbers can hold texts.
    @Test(arguments: ["(NULL, 1)", "('two', 2)", "(3, 'many')"])
    func `a key that is not the row number, and a real column, are checked`(row: String) throws {
        let table = "CREATE TABLE d (id INTEGER PRIMARY KEY DESC, x REAL);"
        let workspace = try Workspace()
        try workspace.write(table, to: "migrations/1.sql")
        let result = workspace.run("import", "sql", workspace.path("migrations"), "--into", workspace.path("out"))
        #expect(result.code == .success, "\(result.complaints)")
        try workspace.makeDatabase(
            "app.sqlite", table + "INSERT INTO d VALUES (4, 5), (9, 0.5), \(row);")
        let schema = SchemaDefinition(try #require(ModelFolder.all(below: workspace.path("out")).first).loaded())
        let report = try Store.convert(
            URL(fileURLWithPath: workspace.path("app.sqlite")), to: URL(fileURLWithPath: workspace.path("app.strata")),
            definition: schema)
        #expect(report.rows == ["d": 2] && report.unconverted == ["d": 1])
        let store = try Connection(path: workspace.path("app.strata"), mode: .readOnly)
        #expect(try store.texts("SELECT id || ' ' || x FROM d ORDER BY id") == ["4 5.0", "9 0.5"])
    }

    /// Each connection of the conversion has to wait, whichever of them meets the lock.
    @Test func `a conversion waits for another connection that locks the database again and again`() throws {
        try withDatabase("INSERT INTO t VALUES (1, 2, 'a', NULL);") { (workspace, schema) throws in
            let source = URL(fileURLWithPath: workspace.path("app.sqlite"))
            let hasEnded = Locked(false)
            let other = Thread {
                guard let connection = try? Connection(path: source.path, mode: .readWrite) else { return }
                while !hasEnded.withLock(\.self) {
                    _ = try? connection.transaction("BEGIN EXCLUSIVE") { usleep(3_000) }
                    usleep(3_000)
                }
            }
            other.start()
            defer { hasEnded.withLock { $0 = true } }
            for round in 1...20 {
                let report = try Store.convert(
                    source, to: URL(fileURLWithPath: workspace.path("\(round).strata")), definition: schema)
                #expect(report.rows == ["t": 1])
            }
        }
    }

    @Test(arguments: ["WAL", "DELETE"])
    func `a conversion has the rows of its beginning, although another connection writes`(journal: String) throws {
        try withDatabase("INSERT INTO t VALUES (1, 2, 'a', NULL);") { (workspace, schema) throws in
            let source = workspace.path("app.sqlite")
            let writer = try Connection(path: source, mode: .readWrite)
            _ = try writer.text("PRAGMA journal_mode = \(journal)")
            writer.setBusyTimeout(0)
            var options = StoreOptions()
            let isFirst = Locked(true)
            options.setUp = { _ in
                guard isFirst.withLock({ exchange(&$0, with: false) }) else { return }
                // The versions have been compared already. Without a write-ahead log, the writer has to wait.
                let other = try Connection(path: source, mode: .readWrite)
                try? other.execute("INSERT INTO t VALUES (2, 3, 'late', NULL)")
            }
            _ = try Store.convert(
                URL(fileURLWithPath: source), to: URL(fileURLWithPath: workspace.path("app.strata")),
                definition: schema,
                options: options)
            #expect(try Self.rows(workspace) == ["1 2.0 'a' NULL"])
            #expect(try writer.integer("SELECT count(*) FROM t") == (journal == "WAL" ? 2 : 1))
        }
    }

    @Test func `a cancelled conversion leaves no store`() throws {
        try withDatabase(
            "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT i, i, 'x', NULL FROM n;"
        ) { (workspace, schema) throws in
            var options = ConversionOptions()
            options.isCancelled = { true }
            #expect(throws: CancellationError.self) {
                _ = try Store.convert(
                    URL(fileURLWithPath: workspace.path("app.sqlite")),
                    to: URL(fileURLWithPath: workspace.path("app.strata")), definition: schema, conversion: options)
            }
            #expect(!FileManager.default.fileExists(atPath: workspace.path("app.strata")))
        }
    }
}
