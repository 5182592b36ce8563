import Commands
import Foundation
import SchemaDiff
import SQLSchema
import StoreConversion
import Strata
import Testing

/// Conversions that are interrupted, and go on.
@Suite struct InterruptedConversionTests {
    private static let tables = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, x AMOUNT, s TEXT NOT NULL);
        CREATE TABLE b (k TEXT PRIMARY KEY, n INT) WITHOUT ROWID;
        CREATE TABLE c (id INTEGER PRIMARY KEY, a INT REFERENCES a(id), t TEXT);
        """
    /// Five rows do not fit: the numbers of rows 50 and 120 of `a`, the text of row 9 of `c`, and the references of its rows 50 and 70.
    private static let rows = """
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
          INSERT INTO a SELECT i * 3 - 100, CASE WHEN i IN (50, 120) THEN 9007199254740993 ELSE i END, 'row ' || i FROM n;
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80) INSERT INTO b SELECT 'k' || i, i FROM n;
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
          INSERT INTO c SELECT i, CASE i WHEN 70 THEN 1 ELSE i * 3 - 100 END, CASE i WHEN 9 THEN CAST(X'FF' AS TEXT) END
          FROM n;
        """

    private struct Source {
        let workspace: Workspace
        let schema: SchemaDefinition
        var database: URL { URL(fileURLWithPath: workspace.path("app.sqlite")) }

        /// Converts the database. Each row is a transaction of its own.
        func convert(to name: String, _ conversion: ConversionOptions = ConversionOptions()) throws -> ConversionReport
        {
            try MigrationBatches.$duration.withValue(.zero) {
                try Store.convert(
                    database, to: URL(fileURLWithPath: workspace.path(name)), definition: schema, conversion: conversion
                )
            }
        }

        /// Converts the database and cancels the conversion after some rows, again and again.
        ///
        /// - Parameter between: Is called after each cancelled conversion, with its number.
        /// - Returns: The report, and the number of cancelled conversions.
        func convertWithPauses(
            to name: String, options: ConversionOptions = ConversionOptions(), between: (Int) throws -> Void = { _ in }
        ) throws -> (report: ConversionReport, pauses: Int) {
            for attempt in 0..<1000 {
                let calls = Locked(Int.random(in: 2...20))
                var options = options
                options.isCancelled = {
                    calls.withLock { calls in
                        calls -= 1
                        return calls < 0
                    }
                }
                do {
                    return (try convert(to: name, options), attempt)
                } catch is CancellationError {
                    #expect(!FileManager.default.fileExists(atPath: workspace.path(name)))
                    try between(attempt)
                }
            }
            throw CancellationError()
        }

        /// The rows of all tables.
        func contents(_ name: String) throws -> [String] {
            let store = try Connection(path: workspace.path(name), mode: .readOnly)
            #expect(try store.text("PRAGMA integrity_check") == "ok")
            var lines: [String] = []
            for table in try store.texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1") {
                try store.query("SELECT * FROM \(SQL.quoted(table)) ORDER BY 1, 2") { row in
                    lines.append("\(table): \(row.values)")
                }
            }
            return lines
        }

        var drafts: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: workspace.url.path).filter {
                    $0.hasPrefix(".") && $0.contains(".strata-")
                }
            }
        }
    }

    private func withSource(_ body: (Source) throws -> Void) throws {
        let workspace = try Workspace()
        try workspace.write(Self.tables, to: "migrations/1.sql")
        let result = workspace.run("import", "sql", workspace.path("migrations"), "--into", workspace.path("out"))
        #expect(result.code == .success, "\(result.complaints)")
        try workspace.makeDatabase("app.sqlite", Self.tables + Self.rows)
        let schema = SchemaDefinition(try #require(ModelFolder.all(below: workspace.path("out")).first).loaded())
        try body(Source(workspace: workspace, schema: schema))
    }

    private func withoutTime(_ report: ConversionReport) -> ConversionReport {
        var report = report
        report.seconds = 0
        return report
    }

    @Test(arguments: ConversionOptions.InvalidRows.allCases.filter { $0 != .refuse })
    func `a conversion that is interrupted many times gives the store of one that is not`(
        invalidRows: ConversionOptions.InvalidRows
    ) throws {
        try withSource { (source) throws in
            var options = ConversionOptions()
            options.invalidRows = invalidRows
            let report = try source.convert(to: "whole.strata", options)
            #expect(report.rows == ["a": 118, "b": 80, "c": 89] && report.invalidRowCount == 5)
            let reported = Locked<[Int]>([])
            options.progress = { progress in reported.withLock { $0.append(progress.completedRows) } }
            let (other, pauses) = try source.convertWithPauses(to: "paused.strata", options: options) { (_) throws in
                #expect(try source.drafts.count == 1)
            }
            #expect(pauses > 5)
            #expect(withoutTime(other) == withoutTime(report))
            #expect(try source.contents("paused.strata") == source.contents("whole.strata"))
            #expect(try source.drafts == [])
            // No conversion began with the first row again.
            let rows = reported.withLock(\.self)
            #expect(rows == rows.sorted() && rows.last == 290)
        }
    }

    @Test func `a conversion of rows that are refused goes on too, and then fails`() throws {
        try withSource { (source) throws in
            var options = ConversionOptions()
            options.invalidRows = .refuse
            #expect {
                _ = try source.convertWithPauses(to: "app.strata", options: options)
            } throws: { error in
                guard case .invalidRows(let report) = error as? ConversionError else { return false }
                return report.invalidRowCount == 5
            }
            #expect(try source.drafts == [])
        }
    }

    @Test func `a conversion begins again if the database has changed`() throws {
        try withSource { (source) throws in
            let (report, pauses) = try source.convertWithPauses(to: "app.strata") { attempt in
                if attempt == 4 {
                    try Connection(path: source.database.path, mode: .readWrite).execute(
                        "UPDATE a SET s = 'changed'; DELETE FROM b WHERE n < 5")
                }
            }
            #expect(pauses > 5)
            #expect(report.rows == ["a": 118, "b": 76, "c": 89])
            let store = try Connection(path: source.workspace.path("app.strata"), mode: .readOnly)
            #expect(try store.integer("SELECT count(*) FROM a WHERE s = 'changed'") == 118)
        }
    }

    @Test func `a conversion begins again with other options`() throws {
        try withSource { (source) throws in
            let calls = Locked(0)
            var options = ConversionOptions()
            // Row 50 has been set aside then.
            options.isCancelled = {
                calls.withLock { calls in
                    calls += 1
                    return calls == 60
                }
            }
            #expect(throws: CancellationError.self) { _ = try source.convert(to: "app.strata", options) }
            options.invalidRows = .drop
            let report = try source.convert(to: "app.strata", options)
            #expect(report.unconverted.isEmpty && report.invalidRowCount == 5)
            #expect(try source.drafts == [])
        }
    }

    /// The tables of both versions are those of the database, and only the older one accepts all rows.
    @Test func `a conversion that tries several versions goes on too`() throws {
        let workspace = try Workspace()
        let table = "CREATE TABLE a (id INTEGER PRIMARY KEY, s TEXT);"
        try workspace.write(table, to: "migrations/1.sql")
        try workspace.write(
            "CREATE TABLE b (id INTEGER PRIMARY KEY, s TEXT NOT NULL DEFAULT 'none'); INSERT INTO b SELECT id, s FROM a; DROP TABLE a;"
                + "ALTER TABLE b RENAME TO a;", to: "migrations/2.sql")
        let result = workspace.run("import", "sql", workspace.path("migrations"), "--into", workspace.path("out"))
        #expect(result.code == .success, "\(result.complaints)")
        try workspace.makeDatabase(
            "app.sqlite",
            table
                + "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO a SELECT i, nullif(i, 90) FROM n;"
        )
        let schema = SchemaDefinition(try #require(ModelFolder.all(below: workspace.path("out")).first).loaded())
        let (report, pauses) = try Source(workspace: workspace, schema: schema).convertWithPauses(to: "app.strata")
        #expect(report.version == "1.0" && report.rows == ["a": 100] && pauses > 10)
    }

    @Test func `the progress of a conversion does not go back at a row that does not fit`() throws {
        try withSource { (source) throws in
            try Connection(path: source.database.path, mode: .readWrite).execute(
                "DELETE FROM c; DELETE FROM a; WITH n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)"
                    + "INSERT INTO a SELECT i, 1, CASE i WHEN 3500 THEN CAST(X'FF' AS TEXT) ELSE 'x' END FROM n")
            let reported = Locked<[Int]>([])
            var options = ConversionOptions()
            options.progress = { progress in reported.withLock { $0.append(progress.completedRows) } }
            // The progress is reported at most twenty times a second.
            options.isCancelled = {
                usleep(60_000)
                return false
            }
            _ = try Store.convert(
                source.database, to: URL(fileURLWithPath: source.workspace.path("app.strata")),
                definition: source.schema,
                conversion: options)
            let rows = reported.withLock(\.self)
            #expect(rows == rows.sorted() && rows.count > 6)
        }
    }

    @Test func `a conversion does not go on in the draft of one that is running`() throws {
        try withSource { (source) throws in
            let calls = Locked(0)
            var options = ConversionOptions()
            let (database, schema) = (source.database, source.schema)
            let destination = URL(fileURLWithPath: source.workspace.path("app.strata"))
            options.isCancelled = {
                let isTenth = calls.withLock { calls in
                    calls += 1
                    return calls == 10
                }
                if isTenth {
                    _ = try? Store.convert(database, to: destination, definition: schema)
                }
                return false
            }
            #expect(throws: MigrationError.destinationExists(source.workspace.path("app.strata"))) {
                _ = try source.convert(to: "app.strata", options)
            }
            _ = try source.convert(to: "other.strata")
            #expect(try source.contents("app.strata") == source.contents("other.strata"))
            #expect(try source.drafts == [])
        }
    }
}
