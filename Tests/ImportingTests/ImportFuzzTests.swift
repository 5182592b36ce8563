import Foundation
import SchemaDiff
import SchemaModel
import SQLSchema
import Strata
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

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

    /// An element that a source declares: a table or an entity, and a column or a property of it.
    private struct Element: Hashable, CustomStringConvertible {
        let table: String
        var column: String?
        /// The entity whose table has the column, if it is another one.
        var root: String?

        var description: String { table + (column.map { "." + $0 } ?? "") }
    }

    /// Returns the elements of a database, its views and its triggers.
    private static func elements(of connection: Connection) throws -> [Element] {
        var elements: [Element] = []
        for name in try connection.texts(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        {
            elements.append(Element(table: name))
            for column in try connection.texts("SELECT name FROM pragma_table_xinfo(\(SQL.literal(name)))") {
                elements.append(Element(table: name, column: column))
            }
        }
        let others = try connection.texts("SELECT name FROM sqlite_schema WHERE type IN ('view', 'trigger')")
        return elements + others.map { Element(table: $0) }
    }

    /// Returns the elements of the source's newest version. They are found without the code of the import.
    private static func elements(
        of format: String, in workspace: Workspace, _ names: [String]
    ) throws -> [Element] {
        func object(_ value: Any?) -> [String: Any] { value as? [String: Any] ?? [:] }
        func list(_ value: Any?) -> [[String: Any]] { value as? [[String: Any]] ?? [] }
        /// The last file; empty if Foundation cannot represent one of its numbers.
        func json() throws -> [String: Any] {
            let file = workspace.url.appendingPathComponent(try #require(names.max()))
            return object(try? JSONSerialization.jsonObject(with: Data(contentsOf: file)))
        }
        switch format {
        case "sql":
            let connection = try Connection(path: ":memory:", mode: .readWrite)
            connection.acceptQuotedStrings()
            for file in names { try connection.execute(try workspace.text(file)) }
            return try elements(of: connection)
        case "sqlite":
            return try elements(of: Connection(path: workspace.path("app.sqlite"), mode: .readOnly))
        case "room":
            let connection = try Connection(path: ":memory:", mode: .readWrite)
            connection.acceptQuotedStrings()
            for entity in list(object(try json()["database"])["entities"]) {
                guard let sql = entity["createSql"] as? String, let table = entity["tableName"] as? String else {
                    continue
                }
                try connection.execute(sql.replacing("${TABLE_NAME}", with: table))
            }
            return try elements(of: connection)
        case "drift":
            return list(try json()["entities"]).flatMap { entity -> [Element] in
                let data = object(entity["data"])
                guard entity["type"] as? String == "table", let table = data["name"] as? String else { return [] }
                return [Element(table: table)]
                    + list(data["columns"]).compactMap { $0["name"] as? String }.map {
                        Element(table: table, column: $0)
                    }
            }
        case "core-data": return try XMLElements.read(Data(contentsOf: workspace.url.appendingPathComponent(names[0])))
        default:
            // The properties that a line of the newest version declares, whichever class they belong to. The plan may leave a
            // version out.
            if try workspace.text("out/IMPORT.md").contains("declares SchemaV2, which no version lists") { return [] }
            let text = try workspace.text("source/V2.swift")
            return text.matches(of: /(?m)^ {8,}(?:@\w+(?:\([^\n]*?\))? +|private\(set\) +)*var (\w+)[:=? ][^{\n]*$/).map
            {
                Element(table: String($0.1))
            }
        }
    }

    /// The entities and properties in the file of a Core Data model.
    private final class XMLElements: NSObject, XMLParserDelegate {
        private var open: [String] = []
        private var entity = ""
        private var parents: [String: String] = [:]
        private var elements: [Element] = []

        static func read(_ data: Data) -> [Element] {
            let delegate = XMLElements()
            let parser = XMLParser(data: data)
            parser.delegate = delegate
            _ = parser.parse()
            return delegate.elements.map { element in
                var element = element
                while let parent = delegate.parents[element.root ?? element.table] { element.root = parent }
                return element
            }
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            open.append(name)
            if open == ["model", "entity"] {
                entity = attributes["name"] ?? ""
                parents[entity] = attributes["parentEntity"]
                elements.append(Element(table: entity))
            } else if open.dropLast() == ["model", "entity"],
                ["attribute", "relationship", "fetchedProperty"].contains(name)
            {
                elements.append(Element(table: entity, column: attributes["name"]))
            }
        }

        func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
            open.removeLast()
        }
    }

    /// Returns the elements of the source that are neither in the newest version nor in the report.
    private static func missing(
        _ elements: [Element], in workspace: Workspace, _ history: SchemaHistory
    ) throws -> [Element] {
        let report = try workspace.text("out/IMPORT.md").lowercased()
        let files = try FileManager.default.contentsOfDirectory(atPath: workspace.path("out"))
        let texts = try files.filter { $0.hasSuffix(".json") }.map { try workspace.text("out/" + $0).lowercased() }
            .joined()
        var known: Set<String> = []
        for table in history.newest.tables {
            known.insert(table.name.lowercased())
            for column in table.columnNames + table.computed.map(\.name) {
                known.insert("\(table.name).\(column)".lowercased())
            }
        }
        // Properties without a column are relationships.
        for entity in history.newest.entities {
            for property in entity.properties { known.insert("\(entity.name).\(property.name)".lowercased()) }
        }
        return elements.filter { element in
            let name = "\(element)".lowercased()
            let inRoot = element.root.flatMap { root in element.column.map { "\(root).\($0)".lowercased() } } ?? name
            // Entities that share a table are cases of an enum; `strata.json` names columns that have other names; a struct
            // becomes a property for each of its parts.
            return !known.contains(name) && !known.contains(inRoot) && !report.contains(name)
                && !texts.contains("\"\(name)\"") && !texts.contains("\"\(name)_")
        }
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
                let elements = try Self.elements(of: format, in: workspace, names)
                for element in try Self.missing(elements, in: workspace, history) {
                    Issue.record("\(format), seed \(seed): nothing says what became of \(element)")
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
