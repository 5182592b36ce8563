import Foundation
import SchemaModel
import SQLSchema
import Strata
import Testing

/// Several migration steps fused into one pass: the same result as step by step, at a lower cost.
@Suite struct FusionTests {
    /// Five versions that contain every inferred change, some of them repeatedly on the same column.
    private static let files = [
        #"""
        { "name": "kind", "cases": [
            { "name": "a", "value": "A4", "version_history": [
                { "version": "1" }, { "version": "2", "previous": { "value": "A2" } }, { "version": "3", "previous": { "value": "A3" } }] },
            { "name": "b", "value": "A2", "version_history": [{ "version": "1" }, { "version": "2", "previous": { "value": "b" } }] },
            { "name": "c", "removed_at_version": "4", "replaced_by": "b" }] }
        """#,
        #"""
        { "name": "place", "properties": [
            { "name": "z", "property_type": "double", "version_history": [
                { "version": "1" }, { "version": "2", "previous_name": "x" }, { "version": "4", "previous_name": "y" }] },
            { "name": "x", "property_type": "kind", "default_value": "b", "added_at_version": "3" },
            { "name": "gone", "property_type": "int", "removed_at_version": "3", "discard": true }] }
        """#,
        #"""
        { "name": "book", "identifier": { "type": "int" },
          "version_history": [{ "version": "1" }, { "version": "3", "previous_name": "tome" }, { "version": "5" }],
          "indexes": [{ "properties": ["title", "kind"], "version_history": [{ "version": "1" }, { "version": "2", "previous": { "properties": ["kind"] } }] }],
          "properties": [
            { "name": "title", "property_type": "string", "indexed": true, "version_history": [
                { "version": "1" }, { "version": "2", "previous_name": "name" }, { "version": "3", "previous_name": "heading" },
                { "version": "4", "previous": { "nullable": true }, "fill": "none" }] },
            { "name": "kind", "property_type": "kind" },
            { "name": "kinds", "property_type": "[kind]" },
            { "name": "place", "property_type": "place", "nullable": true },
            { "name": "flag", "property_type": "string", "version_history": [
                { "version": "1" }, { "version": "2", "previous": { "property_type": "bool" } },
                { "version": "3", "previous": { "property_type": "int" } }] },
            { "name": "late", "property_type": "int", "default_value": 9, "version_history": [
                { "version": "2" }, { "version": "3", "previous": { "default_value": 5 } }] },
            { "name": "from", "property_type": "string", "nullable": true, "version_history": [{ "version": "3", "fill_from": "heading" }] },
            { "name": "ratio", "property_type": "double", "default_value": 0.5, "added_at_version": "4" },
            { "name": "short", "property_type": "int", "nullable": true, "added_at_version": "2", "removed_at_version": "4", "discard": true },
            { "name": "short", "property_type": "int", "nullable": true, "added_at_version": "4" },
            { "name": "author", "property_type": { "entity_name": "author", "association": "to_many" },
              "version_history": [{ "version": "1" }, { "version": "3", "previous": { "association": "to_one", "nullable": true } }] },
            { "name": "editor", "nullable": true, "property_type": { "entity_name": "author", "association": "to_one" },
              "version_history": [{ "version": "1" }, { "version": "4", "previous_name": "writer" }] } ] }
        """#,
        #"""
        { "name": "author", "identifier": { "type": "string", "name": "key" },
          "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "person" }],
          "properties": [{ "name": "friends", "property_type": { "entity_name": "author", "association": "to_many", "inverse": "friends" } }] }
        """#,
        #"{ "name": "cache", "identifier": { "type": "int" }, "version_history": [{ "version": "1" }, { "version": "3", "rows": "discard" }] }"#,
        #"{ "name": "gone", "identifier": { "type": "int" }, "version_history": [{ "version": "1" }], "removed_at_version": "3", "discard": true }"#,
    ]

    private static let content = """
        INSERT INTO person VALUES ('p'), ('q');
        INSERT INTO person_friends VALUES ('p', 'q', 0);
        INSERT INTO cache VALUES (1);
        INSERT INTO gone VALUES (1);
        INSERT INTO tome (id, name, kind, kinds, place, flag, author_id, writer_id) VALUES
            (1, 'one', 'A2', '["A2","b","c"]', '{"x":1.50,"gone":2}', 0, 'p', 'q'),
            (2, 'two', 'b', '[]', NULL, 1, NULL, NULL),
            (3, NULL, 'c', '["c"]', '{"x":-0.0,"gone":2}', 1, 'q', 'q');
        """

    /// The rows of version 1 after the migration to version 5.
    private static let answer = [
        "author": ["'p'", "'q'"],
        "author_friends": ["'p' | 'q' | 0"],
        "book": [
            #"1 | 'one' | 'A4' | '["A4","A2","A2"]' | '{"x":"A2","z":1.50}' | '0' | 'q' | 5 | 'one' | 0.5 | NULL"#,
            "2 | 'two' | 'A2' | '[]' | NULL | '1' | NULL | 5 | 'two' | 0.5 | NULL",
            #"3 | 'none' | 'A2' | '["A2"]' | '{"x":"A2","z":-0.0}' | '1' | 'q' | 5 | NULL | 0.5 | NULL"#,
        ],
        "book_author": ["1 | 'p' | 0", "3 | 'q' | 0"],
        "cache": [],
    ]

    /// All rows of all tables, in the order of the newest version's columns.
    private func contents(of url: URL, _ version: Strata.SchemaVersion) throws -> [String: [String]] {
        let connection = try Connection(path: url.path, mode: .readWrite)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        var contents: [String: [String]] = [:]
        for table in version.tables {
            var rows: [String] = []
            try connection.query("SELECT \(SQL.list(table.columnNames)) FROM \(SQL.quoted(table.name))") {
                row in
                rows.append(row.values.map(text).joined(separator: " | "))
            }
            contents[table.name] = rows.sorted()
        }
        return contents
    }

    @Test(arguments: [StoreOptions.MigrationStrategy.fused, .stepwise], 0..<4)
    func `every version migrates to the same contents`(strategy: StoreOptions.MigrationStrategy, start: Int) throws {
        for mode in [StoreOptions.MigrationMode.oneTransaction, .resumable] { try check(strategy, start, mode) }
    }

    private func check(
        _ strategy: StoreOptions.MigrationStrategy, _ start: Int, _ mode: StoreOptions.MigrationMode
    ) throws {
        let history = try history(Self.files)
        #expect(history.steps.map(\.customReasons) == [[], [], [], []])
        let schema = SchemaDefinition(history)
        try withFile { url in
            try makeStore(at: url, schema, rows: Self.content)
            // The store is first migrated to the version of the test, and from there with the strategy of the test.
            var options = StoreOptions()
            options.migrationStrategy = .stepwise
            if start > 0 { _ = try Store(at: url, definition: schema.upTo(start), options: options) }
            options.migrationStrategy = strategy
            options.migration = mode
            try openInterrupted(at: url, schema, options)
            #expect(try contents(of: url, #require(schema.versions.last)) == Self.answer)
        }
    }

    @Test func `renames, additions and removals rebuild no table across several versions`() throws {
        let files = [
            #"""
            { "name": "shop", "identifier": { "type": "int", "name": "number" },
              "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "store" },
                { "version": "3", "previous": { "identifier": { "type": "int" } } }],
              "indexes": [{ "properties": ["title", "open"], "unique": true }],
              "properties": [
                { "name": "title", "property_type": "string", "version_history": [
                    { "version": "1" }, { "version": "2", "previous_name": "name" }, { "version": "3", "previous_name": "label" }] },
                { "name": "open", "property_type": "bool", "indexed": true, "collation": null,
                  "version_history": [{ "version": "1" }, { "version": "3", "previous": { "indexed": null } }] },
                { "name": "stars", "property_type": "int", "default_value": 3, "added_at_version": "2" },
                { "name": "note", "property_type": "string", "default_value": "it's, REFERENCES \"x\" (", "added_at_version": "3" },
                { "name": "raw", "property_type": "data", "default_value": "AAE=", "added_at_version": "3" },
                { "name": "gone", "property_type": "int", "removed_at_version": "3", "discard": true },
                { "name": "best", "nullable": true, "added_at_version": "3",
                  "property_type": { "entity_name": "shop", "association": "to_one" } } ] }
            """#,
            #"""
            { "name": "item", "identifier": { "type": "properties", "properties": ["shop", "place"] },
              "version_history": [{ "version": "1" }],
              "properties": [
                { "name": "shop", "property_type": { "entity_name": "shop", "association": "to_one" },
                  "version_history": [{ "version": "1" }, { "version": "3", "previous_name": "store" }] },
                { "name": "place", "property_type": "int" },
                { "name": "next", "nullable": true, "property_type": { "entity_name": "item", "association": "to_one" } },
                { "name": "shops", "property_type": { "entity_name": "shop", "association": "to_many" } } ] }
            """#,
        ]
        let history = try history(files)
        let schema = SchemaDefinition(history)
        try withFile { url in
            try makeStore(
                at: url, schema,
                rows: """
                    INSERT INTO store VALUES (7, 'a', 1, 0), (8, 'b', 0, 0);
                    INSERT INTO item VALUES (7, 1, 7, 2), (7, 2, NULL, NULL);
                    INSERT INTO item_shops VALUES (7, 1, 8, 0);
                    """)
            let before = try rows(url, "SELECT rootpage FROM sqlite_schema WHERE type = 'table' ORDER BY 1")
            _ = try Store(at: url, definition: schema)
            #expect(
                try rows(url, "SELECT rootpage FROM sqlite_schema WHERE type = 'table' ORDER BY 1") == before)
            #expect(try rows(url, "SELECT rows FROM strata_migrations") == [[.integer(0)]])
            #expect(try rows(url, "PRAGMA foreign_key_check") == [])
            #expect(try rows(url, "PRAGMA integrity_check") == [[.text("ok")]])
            #expect(
                try contents(of: url, #require(schema.versions.last)) == [
                    "shop": [
                        "7 | 'a' | 1 | 3 | 'it's, REFERENCES \"x\" (' | 0001 | NULL",
                        "8 | 'b' | 0 | 3 | 'it's, REFERENCES \"x\" (' | 0001 | NULL",
                    ],
                    "item": ["7 | 1 | 7 | 2", "7 | 2 | NULL | NULL"],
                    "item_shops": ["7 | 1 | 8 | 0"],
                ])
        }
    }

    @Test func `fusing many steps never builds an expression that SQLite cannot parse`() throws {
        let versions = (1...12).map { #"{ "version": "\#($0)" }"# }.joined(separator: ", ")
        let members = (2...12).map {
            #"{ "name": "p\#($0)", "property_type": "string", "default_value": "", "added_at_version": "\#($0)" }"#
        }
        let names = (2...12).map { #"{ "version": "\#($0)", "previous_name": "n\#($0 - 1)" }"# }
        let files = [
            #"""
            { "name": "adds", "properties": [{ "name": "n12", "property_type": "int" }, \#(members.joined(separator: ", "))] }
            """#,
            #"""
            { "name": "renames", "properties": [
                { "name": "n12", "property_type": "int", "version_history": [{ "version": "1" }, \#(names.joined(separator: ", "))] }] }
            """#,
            #"""
            { "name": "book", "identifier": { "type": "int" }, "version_history": [\#(versions)],
              "properties": [{ "name": "a", "property_type": "[adds]" }, { "name": "b", "property_type": "renames" }] }
            """#,
        ]
        let schema = SchemaDefinition(try history(files))
        try withFile { url in
            try makeStore(at: url, schema, rows: #"INSERT INTO book VALUES (1, '[{"n12":5}]', '{"n1":6}')"#)
            _ = try Store(at: url, definition: schema)
            let answer = try rows(url, "SELECT a ->> '$[0].n12', b ->> '$.n12', json_array_length(a), a FROM book")
            #expect(answer.first?.prefix(3) == [.integer(5), .integer(6), .integer(1)])
            #expect(answer.first.map { "\($0[3])".contains("p2") } == true)
        }
    }

    /// SQLite parses every fused expression, because Strata's limits on depth and size are low enough.
    @Test func `fused expressions of every kind stay within the limits of SQLite`() throws {
        let table = Table("t", ["id integer key", "a text?", "b text?"])
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute(SQLite.createTable(table))
        func change(_ depth: Int = 0) -> ValueChange {
            switch Int.random(in: 0..<(depth > 2 ? 4 : 7)) {
            case 0: return .scalar(.uuid, .string)
            case 1: return .scalar(.bool, .string)
            case 2: return .cases(["a": "b", "c": "d"], merged: true)
            case 3: return .options(cleared: 3)
            case 4: return .elements(change(depth + 1), isJSON: .random())
            case 5: return .values(change(depth + 1), isJSON: .random())
            default:
                return .members([
                    .added("x", value: "[1]"), .removed("y"), .renamed("a", to: "b", nil, isJSON: false),
                    .renamed("c", to: "d", change(depth + 1), isJSON: .random()),
                    .changed("e", change(depth + 1), isJSON: .random()),
                ])
            }
        }
        var lengths: [Int] = []
        for _ in 0..<300 {
            var mapping = TableMapping(of: [table])
            while true {
                let first = ValueExpression.changed(.column("a"), change())
                let columns = ["a": Bool.random() ? first : .coalesce(.changed(.column("b"), change()), first)]
                guard let next = mapping.followed(by: [.map(from: "t", to: "t", columns: columns)], to: [table]) else {
                    break
                }
                mapping = next
            }
            guard case .rows(_, let columns, _)? = mapping.origins["t"], let value = columns["a"] else { continue }
            let sql = SQLite.expression(value)
            lengths.append(sql.utf8.count)
            #expect(throws: Never.self) { _ = try connection.prepare("SELECT \(sql) FROM t") }
        }
        #expect(lengths.count > 100)
        #expect((lengths.max() ?? 0) < 16_384)
    }
}
