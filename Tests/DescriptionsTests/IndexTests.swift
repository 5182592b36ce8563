import SchemaDiff
import SQLSchema
import Testing

/// Indexes of some rows, and indexes in descending order.
@Suite struct IndexTests {
    private static let properties = """
        { "name": "state", "property_type": "string",
          "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "status" }] },
        { "name": "closed_at", "property_type": "date", "nullable": true },
        { "name": "is_open", "property_type": "bool" },
        { "name": "mood", "property_type": "mood" },
        { "name": "shelf", "property_type": { "entity_name": "book", "association": "to_one" }, "nullable": true }
        """

    private static let mood = """
        { "name": "mood", "cases": ["good", { "name": "bad", "value": "B'D" }] }
        """

    /// The statements that create the indexes in each version, without their names.
    private func statements(_ indexes: String) throws -> [[String]] {
        let history = try history([
            "Book": book(Self.properties, more: "\"indexes\": [\(indexes)],"), "Mood": Self.mood,
        ])
        return history.versions.map { version in
            version.tables[0].indexes.dropFirst().map { index in
                let text = SQLite.createIndex(index, on: "book")
                return String(text[(text.firstRange(of: " ON ")?.lowerBound ?? text.startIndex)...])
            }
        }
    }

    @Test(arguments: [
        (#"{ "state": "open" }"#, #""state" = 'open'"#),
        (#"{ "closed_at": null, "is_open": true }"#, #""closed_at" IS NULL AND "is_open" = 1"#),
        (#"{ "state": ["a", "b"] }"#, #""state" = 'a' OR "state" = 'b'"#), (#"{ "mood": "bad" }"#, #""mood" = 'B''D'"#),
        (#"{ "closed_at": "2001-01-01T00:00:01Z" }"#, #""closed_at" = 1.0"#),
        (#"{ "shelf": null }"#, #""shelf_id" IS NULL"#),
        (#""closed_at IS NOT NULL OR NOT is_open""#, #""closed_at" IS NOT NULL OR NOT "is_open""#),
        (#""length(state) > 3 AND shelf = id_of""#, ""),
    ])
    func `the rows of an index are given by values or by a condition`(rows: String, sql: String) throws {
        if sql.isEmpty {
            let text = book(
                Self.properties, more: "\"indexes\": [{ \"properties\": [\"state\"], \"where\": \(rows) }],")
            let found = try describe(["Book": text, "Mood": Self.mood]).diagnostics.map(\.description)
            #expect(
                found.count == 1 && found[0].hasSuffix("`book` has no property `id_of` in version 2.0"), "\(found)")
            return
        }
        let found = try statements("{ \"properties\": [\"state\"], \"where\": \(rows) }")
        #expect(found[1] == [#" ON "book" ("state") WHERE "# + sql])
        #expect(found[0] == [#" ON "book" ("status") WHERE "# + sql.replacing(#""state""#, with: #""status""#)])
    }

    @Test func `the order of each property is given by its name`() throws {
        let found = try statements(
            #"{ "properties": ["state desc", "closed_at ASC", "is_open DESC"], "unique": true }"#)
        #expect(found[1] == [#" ON "book" ("state" DESC, "closed_at", "is_open" DESC)"#])
    }

    @Test func `indexes with the same properties but other rows or orders are distinct`() throws {
        let text = book(
            Self.properties,
            more: """
                "indexes": [
                  { "properties": ["state"], "where": { "is_open": true } },
                  { "properties": ["state"], "where": { "is_open": false } },
                  { "properties": ["state desc"] }, { "properties": ["state"] }, { "properties": ["state"] }
                ],
                """)
        let indexes = try history(["Book": text, "Mood": Self.mood]).newest.tables[0].indexes
        #expect(
            indexes.map(\.name) == [
                "book_shelf_id_idx", "book_status_idx", "book_status_idx_2", "book_status_idx_3", "book_status_idx_4",
            ])
    }

    @Test func `indexes of two entities get different names`() throws {
        func entity(_ name: String, _ property: String) -> String {
            """
            {
              "name": "\(name)", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
              "properties": [{ "name": "\(property)", "property_type": "int", "indexed": true }]
            }
            """
        }
        let tables = try history(["A": entity("a", "b_c"), "AB": entity("a_b", "c")]).newest.tables
        #expect(tables.flatMap(\.indexes).map(\.name) == ["a_b_c_idx", "a_b_c_idx_2"])
    }

    @Test func `the lock has the rows and the orders`() throws {
        let text = book(
            Self.properties,
            more:
                #""indexes": [{ "properties": ["state", "closed_at desc"], "where": "state <> '|' || 'x'", "unique": true }],"#
        )
        let lines = try lines(["Book": text, "Mood": Self.mood])
        #expect(
            lines["1.0"]?[0].contains(#"| unique (status, closed_at desc) where "status <> '\u{7c}' || 'x'""#)
                == true)
        #expect(lines["2.0"]?[0].contains(#"| unique (state, closed_at desc) where "state <>"#) == true)
    }

    @Test(arguments: [
        // A unique index of all rows also holds for some of them, but not the other way around.
        (
            #"{ "properties": ["status"], "unique": true }"#,
            #"{ "properties": ["state"], "unique": true, "where": { "is_open": true } }"#, false
        ),
        (
            #"{ "properties": ["status"], "unique": true, "where": { "is_open": true } }"#,
            #"{ "properties": ["state"], "unique": true }"#, true
        ),
        (
            #"{ "properties": ["status"], "unique": true, "where": { "is_open": true } }"#,
            #"{ "properties": ["state"], "unique": true, "where": { "is_open": false } }"#, true
        ),
        (
            #"{ "properties": ["status"], "where": { "is_open": true } }"#,
            #"{ "properties": ["state desc"], "where": { "is_open": false } }"#, false
        ),
        (
            #"{ "properties": ["status"], "unique": true, "where": "is_open" }"#,
            #"{ "properties": ["state desc", "closed_at"], "unique": true, "where": "is_open" }"#, false
        ),
    ])
    func `an index of other rows needs a custom migration only if rows may be equal`(
        old: String, new: String, isCustom: Bool
    ) throws {
        let text = book(
            Self.properties,
            more: """
                "indexes": [
                  \(old.dropLast()), "removed_at_version": "2.0" }, \(new.dropLast()), "added_at_version": "2.0" }
                ],
                """)
        let reasons = try history(["Book": text, "Mood": Self.mood]).steps[0].customReasons
        #expect(reasons == (isCustom ? ["`book`: the unique index on `state` may find duplicates"] : []))
    }

    @Test func `a unique index of some rows needs a custom migration if rows may enter it`() throws {
        func step(_ property: String) throws -> [String] {
            let text = book(
                "{ \"name\": \"slug\", \"property_type\": \"string\" }, " + property,
                more: #""indexes": [{ "properties": ["slug"], "unique": true, "where": { "state": "open" } }],"#)
            return try history(["Book": text]).steps[0].customReasons
        }
        #expect(
            try step(
                """
                { "name": "state", "property_type": "string", "version_history": [
                  { "version": "1.0" }, { "version": "2.0", "previous": { "nullable": true }, "fill": "open" }] }
                """) == ["`book`: the unique index on `slug` may find duplicates"])
        #expect(
            try step(
                """
                { "name": "state", "property_type": "string",
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "status" }] }
                """) == [])
    }

    @Test func `a value that another version stores differently is refused`() throws {
        let mood = """
            { "name": "mood", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "cases": ["good", { "name": "bad",
              "value": "B", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "value": "bad" } }] }] }
            """
        func found(_ index: String) throws -> [String] {
            let text = book(
                "{ \"name\": \"mood\", \"property_type\": \"mood\" }, { \"name\": \"is_open\", \"property_type\": \"bool\" }",
                more: "\"indexes\": [\(index)],")
            return try describe(["Book": text, "Mood": mood]).diagnostics.map(\.description)
        }
        let refused = try found(#"{ "properties": ["mood"], "where": { "mood": "bad" } }"#)
        #expect(refused.count == 1)
        #expect(
            refused[0].contains(
                "\"where\" does not apply to version 1.0: `mood` cannot be 'B'; correct it, or add a history"
            ))
        #expect(
            try found(#"{ "properties": ["mood"], "where": "is_open = 'yes'" }"#)[0].contains(
                "`is_open` cannot be 'yes'"))
        let history = """
            { "properties": ["mood"], "where": { "mood": "bad" }, "version_history": [{ "version": "1.0" },
              { "version": "2.0", "previous": { "where": { "mood": "bad" } } }] }
            """
        #expect(try found(history) == [])
    }

    @Test func `a name may end with a word for the direction`() throws {
        let text = book(
            "{ \"name\": \"sort desc\", \"property_type\": \"int\" }, { \"name\": \"sort\", \"property_type\": \"int\" }",
            more: #""indexes": [{ "properties": ["sort desc", "sort  desc"] }, { "properties": ["sort desc desc"] }],"#)
        let indexes = try history(["Book": text]).newest.tables[0].indexes
        #expect(
            indexes.map { SQLite.createIndex($0, on: "book").split(separator: " ON ")[1] } == [
                #""book" ("sort desc", "sort" DESC)"#, #""book" ("sort desc" DESC)"#,
            ])
    }
}
