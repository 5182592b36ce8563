import Foundation
import SchemaModel
import SQLSchema
import Strata
import Testing

/// Schema histories of public apps, if a folder beside the project contains them, and the histories of
/// `Tests/Measures/Histories`, which were made for the formats that the folder lacks.
@Suite struct CorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/corpus")

    /// The format and the path of each history.
    static let histories: [[String]] = ["core-data", "room", "drift"].flatMap { format in
        let folder = corpus.appendingPathComponent(format).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { [format, "\(folder)/\($0)"] }
    }

    /// The format and the path of each history that was made.
    static let made: [[String]] = ["sql", "sqlite", "swiftdata"].flatMap { format in
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Measures/Histories/\(format)").standardizedFileURL.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { [format, "\(folder)/\($0)"] }
    }

    /// Returns the arguments that import a history. The databases of a history are created from their SQL.
    static func arguments(_ history: [String], in workspace: Workspace) throws -> [String] {
        guard history[0] == "sqlite" else {
            return history + (history[1].hasSuffix("/Rooms") ? ["--complete"] : [])
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: history[1]) {
            let sql = try String(contentsOfFile: "\(history[1])/\(name)", encoding: .utf8)
            try FileManager.default.createDirectory(
                atPath: workspace.path("databases"), withIntermediateDirectories: true)
            try workspace.makeDatabase("databases/\(name).sqlite", sql)
        }
        return ["sqlite", workspace.path("databases")]
    }

    /// Creates the newest database of a history of SQL, with rows in every table. Foreign keys refer to rows with the same number.
    private static func makeDatabase(of history: [String], in workspace: Workspace) throws -> [String: Int] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: history[1]).filter { name in
            (name.hasSuffix(".sql") || name.hasSuffix(".sqm")) && !name.hasSuffix("down.sql") && !name.hasPrefix("R__")
        }.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
        let areComplete = history[0] == "sqlite" || history[1].hasSuffix("/Rooms")
        var sql = ""
        for name in areComplete ? Array(files.suffix(1)) : files {
            let text = try String(contentsOfFile: "\(history[1])/\(name)", encoding: .utf8)
            sql += (text.firstMatch(of: /(?im)^--.*down/).map { String(text[..<$0.range.lowerBound]) } ?? text) + ";\n"
        }
        try workspace.makeDatabase("app.sqlite", sql)
        let connection = try Connection(path: workspace.path("app.sqlite"), mode: .readWrite)
        try connection.execute("PRAGMA foreign_keys = OFF")
        var counts: [String: Int] = [:]
        for table in try connection.texts(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        where !ReservedNames.ofLibraries.contains(table) {
            var columns: [(name: String, type: String)] = []
            try connection.query(
                "SELECT name, upper(type) FROM pragma_table_xinfo(\(SQL.literal(table))) WHERE hidden = 0"
            ) {
                columns.append((try $0.string(0), try $0.string(1)))
            }
            for number in 1...9 {
                let values = columns.map { column -> String in
                    if column.type.contains("DATE") || column.type.contains("TIME") {
                        return "'2024-01-0\(number) 10:00:00'"
                    }
                    if column.type.contains("BOOL") { return "\(number % 2)" }
                    if column.type.contains("INT") { return "\(number)" }
                    if ["REAL", "DOUB", "DEC"].contains(where: column.type.contains) { return "\(number).5" }
                    return column.type.contains("BLOB") ? "x'0\(number)'" : "'text \(number) é'"
                }
                try connection.execute(
                    "INSERT OR IGNORE INTO \(SQL.quoted(table)) (\(SQL.list(columns.map(\.name)))) "
                        + "VALUES (\(values.joined(separator: ", ")))")
            }
            counts[table] = try connection.count(table)
        }
        return counts
    }

    @Test(arguments: made.filter { $0[0] != "swiftdata" })
    func `the rows of a made history are converted without an exception`(history: [String]) throws {
        let workspace = try Workspace()
        let model = workspace.path("Sources/App/Model")
        #expect(
            workspace.run(all: ["import"] + (try Self.arguments(history, in: workspace)) + ["--into", model]).code
                == .success)
        let counts = try Self.makeDatabase(of: history, in: workspace)
        let result = workspace.run(
            "convert", workspace.path("app.sqlite"), "--model", model, "--to", workspace.path("app.strata"))
        #expect(result.code == .success && !result.said.contains { $0.contains("set aside") }, "\(result)")
        let store = try Connection(path: workspace.path("app.strata"), mode: .readOnly)
        #expect(counts.values.allSatisfy { $0 > 0 } && !counts.isEmpty)
        let source = try Connection(path: workspace.path("app.sqlite"), mode: .readOnly)
        for (table, count) in counts {
            #expect(try store.count(table) == count, "\(table)")
            let own = Set(try store.texts("SELECT name FROM pragma_table_xinfo(\(SQL.literal(table)))"))
            let all = try source.texts("SELECT name FROM pragma_table_xinfo(\(SQL.literal(table)))")
            let columns = all.filter(own.contains)
            #expect(columns.count == all.count, "\(table): \(Set(all).subtracting(own))")
            let found = try Self.rows(of: table, columns, in: store)
            let expected = try Self.rows(of: table, columns, in: source)
            #expect(found == expected, "\(table): \(found.first ?? ""), not \(expected.first ?? "")")
        }
    }

    /// The seconds since 2001-01-01 of a date such as `2024-01-02 03:04:05.678`; nil if the text is something else.
    private static func seconds(_ text: String) -> Double? {
        guard let match = text.wholeMatch(of: /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?/) else { return nil }
        let date = try? Date("\(match.1)T\(match.2)Z", strategy: .iso8601)
        return date.map { $0.timeIntervalSinceReferenceDate + (match.3.flatMap { Double("0\($0)") } ?? 0) }
    }

    /// The rows of a table as texts, in an order of their own. A date is a number of seconds, and a number has three decimals, however it is written.
    private static func rows(of table: String, _ columns: [String], in connection: Connection) throws -> [String] {
        var rows: [String] = []
        try connection.query("SELECT \(SQL.list(columns)) FROM \(SQL.quoted(table))") { row in
            let values = row.values.map { value in
                switch value {
                case .integer(let number): String(format: "%.3f", Double(number))
                case .real(let number): String(format: "%.3f", number)
                case .text(let text): (Self.seconds(text) ?? Double(text)).map { String(format: "%.3f", $0) } ?? text
                default: "\(value)"
                }
            }
            rows.append(values.joined(separator: " | "))
        }
        return rows.sorted()
    }

    @Test func `histories of all formats were made`() { #expect(Self.made.count >= 12) }

    @Test(arguments: histories + made)
    func `every version is imported unchanged, generated, and created by SQLite`(history: [String]) throws {
        let workspace = try Workspace()
        // The import compares each version with the schema that it read.
        let result = workspace.run(
            all: ["import"] + (try Self.arguments(history, in: workspace)) + [
                "--into", workspace.path("Sources/App/Model"),
            ])
        #expect(result.code == .success, "\(result.complaints)")
        let generated = workspace.run("generate", workspace.path("Sources/App/Model"))
        #expect(generated.code == .success, "\(generated.complaints)")
        let formatted = workspace.run("format", workspace.path("Sources/App/Model"))
        #expect(formatted.said == ["App: every file has the canonical layout"], "\(formatted.complaints)")
        let resolved = try workspace.history("Sources/App/Model")
        #expect(resolved.versions.count == resolved.formerNames.count)
        for version in resolved.versions {
            let connection = try Connection(path: ":memory:", mode: .readWrite)
            for table in version.tables {
                for statement in SQLite.create(table) { try connection.execute(statement) }
            }
        }
    }

    @Test(.enabled(if: !histories.isEmpty), arguments: histories)
    func `a history is the same whether it is imported in one pass or in several`(history: [String]) throws {
        guard history[0] != "core-data" else { return }
        let workspace = try Workspace()
        let files = try FileManager.default.contentsOfDirectory(atPath: history[1]).sorted { left, right in
            left.compare(right, options: .numeric) == .orderedAscending
        }
        for (count, file) in files.enumerated() {
            try workspace.write(String(contentsOfFile: "\(history[1])/\(file)", encoding: .utf8), to: "schemas/\(file)")
            // To save time, the import runs once for every five files.
            guard count % 5 == 0 || count == files.count - 1 else { continue }
            let result = workspace.run(
                "import", history[0], workspace.path("schemas"), "--into", workspace.path("grown"))
            #expect(result.code == .success, "\(result.complaints)")
        }
        workspace.run("import", history[0], workspace.path("schemas"), "--into", workspace.path("whole"))
        let (grown, whole) = (try workspace.history("grown"), try workspace.history("whole"))
        #expect(grown.versions.map(\.version) == whole.versions.map(\.version))
        for (one, other) in zip(grown.versions, whole.versions) {
            #expect(one.logicalLines == other.logicalLines)
        }
        #expect(grown.steps.map { $0.customReasons.sorted() } == whole.steps.map { $0.customReasons.sorted() })
    }
}
