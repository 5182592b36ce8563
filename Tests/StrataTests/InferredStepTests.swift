import Foundation
import SchemaModel
import SQLSchema
import Strata
import Testing

/// Every inferred change in the documentation's table of changes: the SQL, and the rows that it produces in a store of
/// the previous version.
@Suite struct InferredStepTests {
    /// One change, from version 1 to version 2.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        /// The texts of the model's descriptions.
        let files: [String]
        /// SQL that inserts rows into the store of version 1.
        let rows: String
        /// The statements of the step, except the ones that create and drop tables.
        let sql: [String]
        /// A query on the store of version 2.
        let query: String
        /// The answer to the query, one string for each row, with quoted values.
        let answer: [String]

        var testDescription: String { name }
    }

    private static let changes: [Change] = [rows, nulls, types, indexes, relationships, subtypes, lists].flatMap(\.self)

    @Test(arguments: changes)
    func `an inferred change produces the expected SQL and rows`(_ change: Change) throws {
        let history = try history(change.files)
        let step = try #require(history.steps.first)
        #expect(step.customReasons == [])
        let statements = StepStatements(from: step.from.tables, to: step.to.tables, changes: step.tableChanges)
        let sql =
            statements.fill + statements.alter.filter { !$0.hasPrefix("DROP TABLE ") }
            + statements.finish.filter { $0.contains(" INDEX ") }
        #expect(sql == change.sql)

        let schema = SchemaDefinition(history)
        try withFile { url in
            try makeStore(at: url, schema, rows: change.rows)
            _ = try Store(at: url, definition: schema)
            let connection = try Connection(path: url.path, mode: .readWrite)
            var answer: [String] = []
            try connection.query(change.query) { row in
                answer.append(row.values.map(text).joined(separator: " | "))
            }
            #expect(answer == change.answer)
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
        }
    }

    /// The description of an entity that exists in both versions.
    private static func entity(
        _ name: String, _ properties: String, item: String = "", more: String = ""
    ) -> String {
        """
        { "name": "\(name)", "identifier": { "type": "int" }, \(more)
          "version_history": [{ "version": "1" }, { "version": "2"\(item) }],
          "properties": [\(properties)] }
        """
    }

    /// A property that differed in version 1.
    private static func changed(_ name: String, _ now: String, was: String, more: String = "") -> String {
        """
        { "name": "\(name)", \(now),
          "version_history": [{ "version": "1" }, { "version": "2", "previous": { \(was) }\(more) }] }
        """
    }

    private static func type(_ from: String, _ to: String, rows: [String], sql: String?, answer: [String]) -> Change {
        Change(
            name: "\(from) to \(to)",
            files: [
                entity(
                    "t",
                    changed("a", #""property_type": "\#(to)", "nullable": true"#, was: #""property_type": "\#(from)""#))
            ],
            rows: "INSERT INTO t VALUES "
                + rows.enumerated().map { "(\($0.offset + 1), \($0.element))" }.joined(separator: ", "),
            sql: sql.map { ["INSERT INTO \"strata_new_t\" (\"id\", \"a\")\nSELECT \"id\", \($0) FROM \"t\""] } ?? [],
            query: "SELECT a FROM t ORDER BY id", answer: answer)
    }

    // MARK: Entities and properties

    static let rows: [Change] = [
        Change(
            name: "an entity is added",
            files: [
                entity("t", ""),
                #"{ "name": "new", "identifier": { "type": "int" }, "version_history": [{ "version": "2" }] }"#,
            ],
            rows: "INSERT INTO t VALUES (1)", sql: [],
            query: "SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM new)", answer: ["1 | 0"]),
        Change(
            name: "an entity is renamed, and what points at it stays",
            files: [
                entity("shop", "", item: #", "previous_name": "store""#),
                entity(
                    "t", #"{ "name": "shop", "property_type": { "entity_name": "shop", "association": "to_one" } }"#),
            ],
            rows: "INSERT INTO store VALUES (7); INSERT INTO t VALUES (1, 7)",
            sql: ["ALTER TABLE \"store\" RENAME TO \"shop\""],
            query: "SELECT shop.id, t.id FROM t JOIN shop ON shop.id = t.shop_id", answer: ["7 | 1"]),
        Change(
            name: "an entity is removed with discard",
            files: [
                entity("t", ""),
                #"""
                { "name": "gone", "identifier": { "type": "int" }, "version_history": [{ "version": "1" }],
                  "removed_at_version": "2", "discard": true }
                """#,
            ],
            rows: "INSERT INTO gone VALUES (1)", sql: [],
            query: "SELECT name FROM sqlite_schema WHERE name IN ('gone', 't')", answer: ["'t'"]),
        Change(
            name: "rows are discarded",
            files: [entity("t", #"{ "name": "a", "property_type": "int" }"#, item: #", "rows": "discard""#)],
            rows: "INSERT INTO t VALUES (1, 2)", sql: [], query: "SELECT count(*) FROM t", answer: ["0"]),
        Change(
            name: "properties are added, nullable, with a default and with a fill",
            files: [
                entity(
                    "t",
                    #"""
                    { "name": "a", "property_type": "string" },
                    { "name": "b", "property_type": "int", "nullable": true, "added_at_version": "2" },
                    { "name": "c", "property_type": "string", "default_value": "it's", "added_at_version": "2" },
                    { "name": "d", "property_type": "double", "version_history": [{ "version": "2", "fill": 0.5 }] },
                    { "name": "e", "property_type": "string", "version_history": [{ "version": "2", "fill_from": "a" }] }
                    """#)
            ],
            rows: "INSERT INTO t VALUES (1, 'x'), (2, '')",
            sql: [
                "INSERT INTO \"strata_new_t\" (\"id\", \"a\", \"d\", \"e\")\nSELECT \"id\", \"a\", 0.5, \"a\" FROM \"t\""
            ],
            query: "SELECT * FROM t",
            answer: ["1 | 'x' | NULL | 'it's' | 0.5 | 'x'", "2 | '' | NULL | 'it's' | 0.5 | ''"]),
        Change(
            name: "properties are renamed, two of them into one another, and removed with discard",
            files: [
                entity(
                    "t",
                    #"""
                    { "name": "b", "property_type": "int", "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "a" }] },
                    { "name": "a", "property_type": "int", "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "b" }] },
                    { "name": "c", "property_type": "int", "removed_at_version": "2", "discard": true }
                    """#)
            ],
            rows: "INSERT INTO t (id, a, b, c) VALUES (1, 10, 20, 30)",
            sql: [
                "INSERT INTO \"strata_new_t\" (\"id\", \"b\", \"a\")\nSELECT \"id\", \"a\", \"b\" FROM \"t\""
            ],
            query: "SELECT id, a, b FROM t", answer: ["1 | 20 | 10"]),
    ]

    // MARK: Null and defaults

    static let nulls: [Change] = [
        Change(
            name: "mandatory becomes nullable, nullable becomes required, and a default changes",
            files: [
                entity(
                    "t",
                    [
                        changed("a", #""property_type": "int", "nullable": true"#, was: #""nullable": false"#),
                        changed(
                            "b", #""property_type": "int", "default_value": 5"#,
                            was: #""nullable": true, "default_value": null"#),
                        changed("c", #""property_type": "int""#, was: #""nullable": true"#, more: #", "fill": 6"#),
                        changed("d", #""property_type": "int", "default_value": 8"#, was: #""default_value": 7"#),
                    ].joined(separator: ", "))
            ],
            rows: "INSERT INTO t (id, a, b, c) VALUES (1, 0, NULL, NULL), (2, 0, 0, 0)",
            sql: [
                "INSERT INTO \"strata_new_t\" (\"id\", \"a\", \"b\", \"c\", \"d\")\nSELECT \"id\", \"a\", coalesce(\"b\", 5), coalesce(\"c\", 6), \"d\" FROM \"t\""
            ],
            query: "SELECT * FROM t", answer: ["1 | 0 | 5 | 6 | 7", "2 | 0 | 0 | 0 | 7"]),
        Change(
            name: "nullable becomes required while its type changes",
            files: [
                entity(
                    "t",
                    changed(
                        "a", #""property_type": "string""#, was: #""property_type": "bool", "nullable": true"#,
                        more: #", "fill": "?""#))
            ],
            rows: "INSERT INTO t VALUES (1, 1), (2, 0), (3, NULL)",
            sql: [
                "INSERT INTO \"strata_new_t\" (\"id\", \"a\")\nSELECT \"id\", coalesce(CASE \"a\" WHEN 0 THEN 'false' WHEN 1 THEN 'true' END, '?') FROM \"t\""
            ],
            query: "SELECT a FROM t", answer: ["'true'", "'false'", "'?'"]),
    ]

    // MARK: Types

    static let types: [Change] = [
        type("bool", "int", rows: ["0", "1", "NULL"], sql: nil, answer: ["0", "1", "NULL"]),
        type(
            "int", "decimal", rows: ["9223372036854775807", "-1", "NULL"], sql: "CAST(\"a\" AS TEXT)",
            answer: ["'9223372036854775807'", "'-1'", "NULL"]),
        type("float", "double", rows: ["0.1", "NULL"], sql: nil, answer: ["0.1", "NULL"]),
        type(
            "bool", "string", rows: ["0", "1", "NULL"],
            sql: "CASE \"a\" WHEN 0 THEN 'false' WHEN 1 THEN 'true' END", answer: ["'false'", "'true'", "NULL"]),
        type(
            "int", "string", rows: ["-9223372036854775808", "0", "NULL"], sql: "CAST(\"a\" AS TEXT)",
            answer: ["'-9223372036854775808'", "'0'", "NULL"]),
        type(
            "url", "string", rows: ["'https://example.com/%20'", "NULL"], sql: nil,
            answer: ["'https://example.com/%20'", "NULL"]),
        type("color", "string", rows: ["'#00FF00'", "NULL"], sql: nil, answer: ["'#00FF00'", "NULL"]),
        type(
            "uuid", "string", rows: ["x'0123456789abcdef0123456789ABCDEF'", "NULL"],
            sql:
                "CASE WHEN \"a\" IS NOT NULL THEN substr(hex(\"a\"), 1, 8) || '-' || substr(hex(\"a\"), 9, 4) || '-' || substr(hex(\"a\"), 13, 4) || '-' || substr(hex(\"a\"), 17, 4) || '-' || substr(hex(\"a\"), 21, 12) END",
            answer: ["'01234567-89AB-CDEF-0123-456789ABCDEF'", "NULL"]),
    ]

    // MARK: Indexes

    static let indexes: [Change] = [
        Change(
            name: "indexes are added and removed without a copy",
            files: [
                entity(
                    "t",
                    [
                        changed("a", #""property_type": "int", "indexed": true"#, was: #""indexed": false"#),
                        changed("b", #""property_type": "int""#, was: #""unique": true"#),
                    ].joined(separator: ", "),
                    more:
                        #""indexes": [{ "properties": ["a", "b"], "version_history": [{ "version": "2" }] }, { "properties": ["b", "a"], "removed_at_version": "2" }],"#
                )
            ],
            rows: "INSERT INTO t VALUES (1, 2, 3)",
            sql: [
                "DROP INDEX \"t_b_key\"", "DROP INDEX \"t_b_a_idx\"", "CREATE INDEX \"t_a_idx\" ON \"t\" (\"a\")",
                "CREATE INDEX \"t_a_b_idx\" ON \"t\" (\"a\", \"b\")",
            ],
            query: "SELECT *, (SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name = 't') FROM t",
            answer: ["1 | 2 | 3 | 2"]),
        Change(
            name: "a unique index is widened",
            files: [
                entity(
                    "t", #"{ "name": "a", "property_type": "int" }, { "name": "b", "property_type": "int" }"#,
                    more:
                        #""indexes": [{ "properties": ["a", "b"], "unique": true, "version_history": [{ "version": "1" }, { "version": "2", "previous": { "properties": ["a"] } }] }],"#
                )
            ],
            rows: "INSERT INTO t VALUES (1, 2, 3)",
            sql: ["DROP INDEX \"t_a_key\"", "CREATE UNIQUE INDEX \"t_a_b_key\" ON \"t\" (\"a\", \"b\")"],
            query: "INSERT INTO t VALUES (2, 2, 4) RETURNING id", answer: ["2"]),
        Change(
            name: "a collation changes",
            files: [
                entity(
                    "t", changed("a", #""property_type": "string", "collation": "nocase""#, was: #""collation": null"#))
            ],
            rows: "INSERT INTO t VALUES (1, 'A'), (2, 'a')",
            sql: ["INSERT INTO \"strata_new_t\" (\"id\", \"a\")\nSELECT \"id\", \"a\" FROM \"t\""],
            query: "SELECT id FROM t WHERE a = 'a'", answer: ["1", "2"]),
    ]

    // MARK: Relationships

    static let relationships: [Change] = [
        Change(
            name: "what happens when the target goes changes",
            files: [
                entity("u", ""),
                entity(
                    "t",
                    changed(
                        "u",
                        #""nullable": true, "on_delete": "cascade", "property_type": { "entity_name": "u", "association": "to_one" }"#,
                        was: #""on_delete": "nullify""#)),
            ],
            rows: "INSERT INTO u VALUES (1), (2); INSERT INTO t VALUES (10, 1), (20, 2)",
            sql: [
                "INSERT INTO \"strata_new_t\" (\"id\", \"u_id\")\nSELECT \"id\", \"u_id\" FROM \"t\"",
                "CREATE INDEX \"t_u_id_idx\" ON \"t\" (\"u_id\")",
            ],
            query:
                "SELECT id, u_id FROM t UNION ALL SELECT count(*), sql LIKE '%CASCADE%' FROM sqlite_schema WHERE name = 't'",
            answer: ["10 | 1", "20 | 2", "1 | 1"]),
        Change(
            name: "the other end becomes ordered",
            files: [
                entity(
                    "u",
                    changed(
                        "ts",
                        #""ordered": true, "property_type": { "entity_name": "t", "association": "to_many", "inverse": "u" }"#,
                        was: #""ordered": false"#)),
                entity(
                    "t",
                    #"{ "name": "u", "nullable": true, "property_type": { "entity_name": "u", "association": "to_one", "inverse": "ts" } }"#
                ),
            ],
            rows: "INSERT INTO u VALUES (1); INSERT INTO t VALUES (10, 1)",
            sql: ["ALTER TABLE \"t\" ADD COLUMN \"u_position\" INTEGER"],
            query: "SELECT id, u_id, u_position FROM t", answer: ["10 | 1 | NULL"]),
        Change(
            name: "a to_one becomes a to_many in a join table",
            files: [
                entity("u", ""),
                entity(
                    "t",
                    changed(
                        "u", #""property_type": { "entity_name": "u", "association": "to_many" }"#,
                        was: #""association": "to_one", "nullable": true"#)),
            ],
            rows: "INSERT INTO u VALUES (1); INSERT INTO t VALUES (10, 1), (20, NULL)",
            sql: [
                "INSERT INTO \"strata_new_t\" (\"id\")\nSELECT \"id\" FROM \"t\"",
                "INSERT INTO \"strata_new_t_u\" (\"source_id\", \"target_id\", \"position\")\nSELECT \"id\", \"u_id\", 0 FROM \"t\" WHERE \"u_id\" IS NOT NULL",
                "CREATE INDEX \"t_u_target_id_idx\" ON \"t_u\" (\"target_id\")",
            ],
            query: "SELECT t.id, j.target_id, j.position FROM t LEFT JOIN t_u AS j ON j.source_id = t.id ORDER BY t.id",
            answer: ["10 | 1 | 0", "20 | NULL | NULL"]),
        Change(
            name: "the inverse of a join table becomes ordered",
            files: [
                entity("u", changed("ts", #""ordered": true, \#(inverse)"#, was: #""ordered": false"#)), storedInverse,
            ],
            rows: "INSERT INTO u VALUES (1); INSERT INTO t VALUES (10); INSERT INTO t_us VALUES (10, 1, 0)",
            sql: ["ALTER TABLE \"t_us\" ADD COLUMN \"inverse_position\" INTEGER"],
            query: "SELECT source_id, target_id, position, inverse_position FROM t_us", answer: ["10 | 1 | 0 | NULL"]),
        Change(
            name: "the inverse of a join table is no longer ordered",
            files: [entity("u", changed("ts", inverse, was: #""ordered": true"#)), storedInverse],
            rows: "INSERT INTO u VALUES (1); INSERT INTO t VALUES (10); INSERT INTO t_us VALUES (10, 1, 0, 5)",
            sql: ["ALTER TABLE \"t_us\" DROP COLUMN \"inverse_position\""],
            query: "SELECT * FROM t_us", answer: ["10 | 1 | 0"]),
        Change(
            name: "an ordered to_many whose inverse becomes to_many keeps its order",
            files: [
                entity("u", #"{ "name": "ts", "ordered": true, \#(inverse) }"#),
                entity(
                    "t",
                    changed(
                        "us",
                        #""stored": true, "property_type": { "entity_name": "u", "association": "to_many", "inverse": "ts" }"#,
                        was: #""stored": false, "association": "to_one", "nullable": true"#)),
            ],
            rows: "INSERT INTO u VALUES (1); INSERT INTO t VALUES (10, 1, 1), (20, 1, 0), (30, NULL, NULL)",
            sql: [
                "INSERT INTO \"strata_new_t\" (\"id\")\nSELECT \"id\" FROM \"t\"",
                "INSERT INTO \"strata_new_t_us\" (\"source_id\", \"target_id\", \"position\", \"inverse_position\")\nSELECT \"id\", \"us_id\", 0, \"us_position\" FROM \"t\" WHERE \"us_id\" IS NOT NULL",
                "CREATE INDEX \"t_us_target_id_idx\" ON \"t_us\" (\"target_id\")",
            ],
            query: "SELECT * FROM t_us ORDER BY inverse_position", answer: ["20 | 1 | 0 | 0", "10 | 1 | 0 | 1"]
        ),
    ]

    private static let inverse =
        #""property_type": { "entity_name": "t", "association": "to_many", "inverse": "us" }"#
    private static let storedInverse = entity(
        "t",
        #"{ "name": "us", "stored": true, "property_type": { "entity_name": "u", "association": "to_many", "inverse": "ts" } }"#
    )

    // MARK: Subtypes

    private static func color(_ cases: String) -> String { #"{ "name": "color", "cases": [\#(cases)] }"# }

    private static func subtype(
        _ name: String, _ subtype: String, type: String = "s", rows: String, sql: String?, answer: [String]
    ) -> Change {
        Change(
            name: name,
            files: [
                subtype,
                entity("t", #"{ "name": "a", "nullable": true, "property_type": "\#(type)" }"#),
            ],
            rows: "INSERT INTO t VALUES \(rows)",
            sql: sql.map { ["INSERT INTO \"strata_new_t\" (\"id\", \"a\")\nSELECT \"id\", \($0) FROM \"t\""] } ?? [],
            query: "SELECT a FROM t ORDER BY id", answer: answer)
    }

    static let subtypes: [Change] = [
        Change(
            name: "an enum becomes a string",
            files: [
                #"{ "name": "s", "cases": ["open", { "name": "done", "value": "d" }] }"#,
                entity(
                    "t", changed("a", #""property_type": "string", "nullable": true"#, was: #""property_type": "s""#)),
            ],
            rows: "INSERT INTO t VALUES (1, 'open'), (2, 'd'), (3, NULL)",
            sql: [], query: "SELECT a FROM t", answer: ["'open'", "'d'", "NULL"]),
        subtype(
            "a case is added",
            #"{ "name": "s", "cases": ["open", { "name": "done", "added_at_version": "2" }] }"#,
            rows: "(1, 'open'), (2, NULL)", sql: nil, answer: ["'open'", "NULL"]),
        subtype(
            "a case is removed with another in its place",
            #"{ "name": "s", "cases": ["open", { "name": "done", "removed_at_version": "2", "replaced_by": "open" }] }"#,
            rows: "(1, 'open'), (2, 'done'), (3, NULL)",
            sql: "CASE \"a\" WHEN 'done' THEN 'open' ELSE \"a\" END", answer: ["'open'", "'open'", "NULL"]),
        subtype(
            "cases swap their values",
            #"""
            { "name": "s", "cases": [
                { "name": "a", "value": "2", "version_history": [{ "version": "1" }, { "version": "2", "previous": { "value": "1" } }] },
                { "name": "b", "value": "1", "version_history": [{ "version": "1" }, { "version": "2", "previous": { "value": "2" } }] }] }
            """#,
            rows: "(1, '1'), (2, '2'), (3, NULL)",
            sql: "CASE \"a\" WHEN '1' THEN '2' WHEN '2' THEN '1' ELSE \"a\" END", answer: ["'2'", "'1'", "NULL"]),
        subtype(
            "an option is added",
            #"{ "name": "s", "options": ["new", { "name": "hot", "bit": 1, "added_at_version": "2" }] }"#,
            rows: "(1, 1), (2, NULL)", sql: nil, answer: ["1", "NULL"]),
        subtype(
            "an option is removed with discard",
            #"{ "name": "s", "options": ["new", { "name": "hot", "removed_at_version": "2", "discard": true }] }"#,
            rows: "(1, 1), (2, 2), (3, 3), (4, NULL)", sql: "\"a\" & ~2", answer: ["1", "0", "1", "NULL"]),
        subtype(
            "a struct's property is added, nullable",
            #"""
            { "name": "s", "properties": [{ "name": "x", "property_type": "int" },
                { "name": "y", "property_type": "int", "nullable": true, "added_at_version": "2" }] }
            """#,
            rows: #"(1, '{"x":1}'), (2, NULL)"#, sql: nil, answer: [#"'{"x":1}'"#, "NULL"]),
        subtype(
            "a struct's property is added with a default",
            #"""
            { "name": "s", "properties": [{ "name": "x", "property_type": "double" },
                { "name": "y", "property_type": "string", "default_value": "it's", "added_at_version": "2" }] }
            """#,
            rows: #"(1, '{"x":0.10000000000000000001}'), (2, NULL)"#,
            sql: #"json_insert("a", '$."y"', json('"it''s"'))"#,
            answer: [#"'{"x":0.10000000000000000001,"y":"it's"}'"#, "NULL"]),
        subtype(
            "a struct's properties swap their names, and one is removed with discard",
            #"""
            { "name": "s", "properties": [
                { "name": "x", "property_type": "double", "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "y" }] },
                { "name": "y", "property_type": "double", "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "x" }] },
                { "name": "z", "property_type": "int", "nullable": true, "removed_at_version": "2", "discard": true }] }
            """#,
            rows: #"(1, '{"x":1.50,"y":2e0,"z":3}'), (2, NULL)"#,
            sql:
                #"json_set(json_remove("a", '$."y"', '$."x"', '$."z"'), '$."x"', json(substr(json_remove(json_extract("a", '$."y"', '$."y"'), '$[1]'), 2, length(json_remove(json_extract("a", '$."y"', '$."y"'), '$[1]')) - 2)), '$."y"', json(substr(json_remove(json_extract("a", '$."x"', '$."x"'), '$[1]'), 2, length(json_remove(json_extract("a", '$."x"', '$."x"'), '$[1]')) - 2)))"#,
            answer: [#"'{"x":2e0,"y":1.50}'"#, "NULL"]),
    ]

    // MARK: Lists

    static let lists: [Change] = [
        subtype(
            "the elements of a list follow their type",
            #"{ "name": "s", "cases": ["open", { "name": "done", "removed_at_version": "2", "replaced_by": "open" }] }"#,
            type: "[s]", rows: #"(1, '["done","open","done"]'), (2, '[]'), (3, NULL)"#,
            sql:
                "CASE WHEN \"a\" IS NOT NULL THEN (SELECT json_group_array(CASE each0.value WHEN 'done' THEN 'open' ELSE each0.value END) FROM (SELECT each0.value FROM (SELECT \"a\" AS list) AS list0, json_each(list0.list) AS each0 ORDER BY each0.key) AS each0) END",
            answer: [#"'["open","open","open"]'"#, "'[]'", "NULL"]),
        subtype(
            "the structs of a list of lists follow their type",
            #"""
            { "name": "s", "properties": [{ "name": "x", "property_type": "int",
                "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "y" }] }] }
            """#,
            type: "[[s]]", rows: #"(1, '[[{"y":1},{"y":2}],[]]'), (2, '[]'), (3, NULL)"#,
            sql:
                #"CASE WHEN "a" IS NOT NULL THEN (SELECT json_group_array(json(CASE WHEN each0.value IS NOT NULL THEN (SELECT json_group_array(json(json_set(json_remove(each1.value, '$."y"'), '$."x"', json(substr(json_remove(json_extract(each1.value, '$."y"', '$."y"'), '$[1]'), 2, length(json_remove(json_extract(each1.value, '$."y"', '$."y"'), '$[1]')) - 2))))) FROM (SELECT each1.value FROM (SELECT each0.value AS list) AS list1, json_each(list1.list) AS each1 ORDER BY each1.key) AS each1) END)) FROM (SELECT each0.value FROM (SELECT "a" AS list) AS list0, json_each(list0.list) AS each0 ORDER BY each0.key) AS each0) END"#,
            answer: [#"'[[{"x":1},{"x":2}],[]]'"#, "'[]'", "NULL"]),
        Change(
            name: "lists are called as the columns of SQLite's own functions are",
            files: [
                #"{ "name": "s", "cases": ["open", { "name": "done", "removed_at_version": "2", "replaced_by": "open" }] }"#,
                entity(
                    "t",
                    #"{ "name": "value", "property_type": "[s]" }, { "name": "key", "property_type": "[s]" }, { "name": "list", "property_type": "[s]" }"#
                ),
            ],
            rows: #"INSERT INTO t VALUES (1, '["done"]', '["open"]', '["done","done"]')"#,
            sql: [
                "INSERT INTO \"strata_new_t\" (\"id\", \"value\", \"key\", \"list\")\nSELECT \"id\", "
                    + ["value", "key", "list"].map { name in
                        "CASE WHEN \"\(name)\" IS NOT NULL THEN (SELECT json_group_array(CASE each0.value WHEN 'done' THEN 'open' ELSE each0.value END) FROM (SELECT each0.value FROM (SELECT \"\(name)\" AS list) AS list0, json_each(list0.list) AS each0 ORDER BY each0.key) AS each0) END"
                    }.joined(separator: ", ") + " FROM \"t\""
            ],
            query: "SELECT value, key, list FROM t",
            answer: [#"'["open"]' | '["open"]' | '["open","open"]'"#]),
    ]
}
