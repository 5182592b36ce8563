import Foundation
import SQLSchema
import Strata
import Testing

/// Imports sources with random faults. An import may refuse one, but neither crash nor hang, and what it writes is read back
/// and compared by the import itself.
///
/// `STRATA_FUZZ` is the number of inputs of each format, 60 by default.
@Suite struct ImportFuzzTests {
    /// A source of each format: its files by name, and the arguments of `import`.
    static let sources: [(format: String, path: String, files: [String: String])] = [
        ("swiftdata", "source", SwiftDataTests.sources.mapKeys { "source/" + $0 }),
        (
            "sql", "source",
            [
                "source/1.sql":
                    "CREATE TABLE a (id INTEGER PRIMARY KEY, n TEXT DEFAULT 'x', CHECK (n <> ''));\nCREATE INDEX i ON a (n DESC) WHERE n > 'a';",
                "source/2.sql":
                    "CREATE TABLE b (k TEXT PRIMARY KEY, a INTEGER REFERENCES a(id) ON DELETE CASCADE, s INT AS (a + 1)) WITHOUT ROWID;\nALTER TABLE a RENAME COLUMN n TO m;",
                "source/3.sql":
                    "CREATE TABLE c (id INTEGER PRIMARY KEY, m TEXT);\nINSERT INTO c (id, m) SELECT id, m FROM a;\nDROP TABLE a;\nALTER TABLE c RENAME TO a;\nCREATE VIEW leftover AS SELECT 1;",
            ]
        ),
        (
            "room", "source",
            Dictionary(
                uniqueKeysWithValues: (1...3).map { number in
                    (
                        "source/\(number).json",
                        TableImportTests.room(
                            number,
                            [
                                ("a", "`id` INTEGER PRIMARY KEY, `n\(number)` TEXT DEFAULT 'x'"),
                                ("b", "`k` TEXT PRIMARY KEY"),
                            ],
                            indexes: ["CREATE INDEX i ON `${TABLE_NAME}` (`id`)"])
                    )
                })
        ),
        (
            "drift", "source",
            [
                "source/drift_schema_v1.json": """
                { "_meta": { "version": "1.2.0" }, "options": { "store_date_time_values_as_text": true }, "entities": [
                  { "id": 0, "references": [], "type": "table", "data": { "name": "a", "is_virtual": false, "columns": [
                    { "name": "id", "getter_name": "id", "moor_type": "int", "nullable": false, "customConstraints": null,
                      "defaultConstraints": "PRIMARY KEY AUTOINCREMENT", "default_dart": null, "dsl_features": ["auto-increment"] },
                    { "name": "day", "getter_name": "day", "moor_type": "dateTime", "nullable": true, "default_dart": "const Constant('x')" }
                  ], "without_rowid": false, "constraints": [], "unique_keys": [["day"]] } },
                  { "id": 1, "references": [0], "type": "index", "data": { "on": 0, "name": "i", "columns": ["day"], "unique": false } }] }
                """
            ]
        ),
        (
            "core-data", "Journal.xcdatamodeld",
            [
                "Journal.xcdatamodeld/Journal.xcdatamodel/contents":
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model>\n\(Journal.first)\n</model>\n",
                "Journal.xcdatamodeld/Journal 2.xcdatamodel/contents":
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model>\n\(Journal.second)\n</model>\n",
            ]
        ),
        (
            "sqlite", "app.sqlite",
            [
                "app.sql":
                    "CREATE TABLE a (id INTEGER PRIMARY KEY, n TEXT, d DATE);\nINSERT INTO a VALUES (1, 'x', '2020-01-01');"
            ]
        ),
    ]

    /// Texts that mean something in one of the formats.
    private static let pieces = [
        "{", "}", "[", "]", "(", ")", "\"", "'", "`", ",", ";", ":", "\\", "--", "/*", "*/", "<", ">", "/>", "@Model",
        "#if",
        "#Unique", "var", "class", "enum", "CREATE TABLE", "DROP TABLE", "ALTER TABLE", "NULL", "null", "-1", "1e999",
        "99999999999999999999", "\u{0}", "\u{1F469}\u{200D}", "é", "\r\n", "sqlite_x", "strata_x", "id", "kind",
    ]

    /// Returns a text with some of its words and symbols exchanged, doubled or removed.
    private static func shuffled(_ text: String, _ random: inout Random) -> [UInt8] {
        var parts = text.matches(of: /\w+|\s+|[^\w\s]/).map { String($0.output) }
        for _ in 0...Int.random(in: 0..<3, using: &random) {
            let place = Int.random(in: 0..<parts.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: parts[place] = random.pick(parts)
            case 1: parts.insert(contentsOf: [" ", random.pick(parts), " "], at: place)
            case 2: parts[place] = random.pick(pieces)
            default: parts[place] = ""
            }
        }
        return Array(parts.joined().utf8)
    }

    /// Returns a text with some of its bytes changed, doubled or removed.
    private static func damaged(_ text: String, _ random: inout Random) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0...Int.random(in: 0..<3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 0..<24, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.removeSubrange(place..<end)
            case 1: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
            case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 3: bytes = Array(bytes[..<place])
            case 4 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            default: bytes.replaceSubrange(place..<end, with: Array(random.pick(pieces).utf8))
            }
        }
        return bytes
    }

    /// Returns the tables and columns of a database that has run the files, which are neither in the newest version nor in the
    /// report.
    private static func missing(in workspace: Workspace, _ files: [String], _ tables: [Table]) throws -> [String] {
        let connection = try Connection(path: ":memory:", mode: .readWrite)
        connection.acceptQuotedStrings()
        for file in files { try connection.execute(try workspace.text(file)) }
        let report = try workspace.text("out/IMPORT.md").lowercased()
        var missing: [String] = []
        for name in try connection.texts(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        {
            guard let table = tables.first(where: { $0.name.lowercased() == name.lowercased() }) else {
                if !report.contains(name.lowercased()) { missing.append(name) }
                continue
            }
            let columns = Set((table.columnNames + table.computed.map(\.name)).map { $0.lowercased() })
            for column in try connection.texts("SELECT name FROM pragma_table_xinfo(\(SQL.literal(name)))")
            where !columns.contains(column.lowercased()) && !report.contains("\(name).\(column)".lowercased()) {
                missing.append("\(name).\(column)")
            }
        }
        for name in try connection.texts("SELECT name FROM sqlite_schema WHERE type IN ('view', 'trigger')")
        where !report.contains(name.lowercased()) {
            missing.append(name)
        }
        return missing
    }

    @Test(arguments: sources.map(\.format)) func `a faulty source is imported completely or refused`(format: String)
        throws
    {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["STRATA_FUZZ"].flatMap { Int($0) } ?? 60
        let first = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 1
        let source = try #require(Self.sources.first { $0.format == format })
        var accepted = 0
        for seed in first..<(first + UInt64(count)) {
            var random = Random(state: seed &* 0x9E37_79B9_7F4A_7C15)
            let workspace = try Workspace()
            let names = source.files.keys.sorted()
            let chosen = names[Int.random(in: 0..<names.count, using: &random)]
            for name in names {
                let text = source.files[name] ?? ""
                if format == "sqlite" {
                    // The file itself has the fault, not its SQL.
                    try workspace.makeDatabase("app.sqlite", text)
                    let file = workspace.url.appendingPathComponent("app.sqlite")
                    var bytes = [UInt8](try Data(contentsOf: file))
                    for _ in 0...Int.random(in: 0..<8, using: &random) {
                        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                            in: 0...255, using: &random)
                    }
                    try Data(bytes).write(to: file)
                } else {
                    try workspace.write("", to: name)
                    var bytes = Array(text.utf8)
                    if name == chosen {
                        let isShuffled = Int.random(in: 0..<3, using: &random) > 0
                        bytes = isShuffled ? Self.shuffled(text, &random) : Self.damaged(text, &random)
                    }
                    try Data(bytes).write(to: workspace.url.appendingPathComponent(name))
                }
            }
            let start = Date()
            let result = workspace.run("import", format, workspace.path(source.path), "--into", workspace.path("out"))
            #expect(Date().timeIntervalSince(start) < 60, "\(format), seed \(seed)")
            if result.code == .success {
                accepted += 1
                let history = try workspace.history("out")
                if format == "sql" {
                    for name in try Self.missing(in: workspace, names, history.newest.tables) {
                        Issue.record("\(format), seed \(seed): nothing says what became of \(name)")
                    }
                }
            } else {
                let text = result.complaints.joined(separator: "\n")
                #expect(result.code == .diagnostics && !text.isEmpty, "\(format), seed \(seed)")
                #expect(!text.contains("please report"), "\(format), seed \(seed): \(text)")
            }
        }
        #expect(accepted > 0)
    }
}

extension Dictionary where Key == String {
    fileprivate func mapKeys(_ transform: (String) -> String) -> [String: Value] {
        Dictionary(uniqueKeysWithValues: map { (transform($0.key), $0.value) })
    }
}
