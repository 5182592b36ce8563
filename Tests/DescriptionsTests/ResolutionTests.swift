import SchemaModel
import SQLSchema
import Testing

@testable import Descriptions

/// The rules of the history, by their numbers in the reference, checked on the logical lines of each version.
@Suite struct ResolutionTests {
    @Test func `rule 1: previous holds former values, the earliest later item wins, and null means absent`()
        throws
    {
        let text = book(
            """
            { "name": "title", "property_type": "string", "default_value": "c", "version_history": [
                { "version": "1.0" },
                { "version": "2.0", "previous": { "default_value": "a", "unique": true } },
                { "version": "3.0", "previous": { "default_value": null } },
                { "version": "4.0", "previous_name": "name" } ] }
            """)
        #expect(
            try lines(["Book": text]) == [
                "1.0": [#"book | key id: int | name: string = "a" unique"#],
                "2.0": ["book | key id: int | name: string"],
                "3.0": [#"book | key id: int | name: string = "c""#],
                "4.0": [#"book | key id: int | title: string = "c""#],
            ])
    }

    @Test func `rule 1: previous names each field of a relationship separately`() throws {
        let text = book(
            """
            { "name": "next", "property_type": { "entity_name": "book", "association": "to_many" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "association": "to_one", "nullable": true } }] }
            """)
        #expect(
            try lines(["Book": text]) == [
                "1.0": ["book | key id: int | next: to_one book? on_delete nullify"],
                "2.0": ["book | key id: int | next: to_many book stored"],
            ])
    }

    @Test func `rule 2: an item or added_at_version adds a property, and with previous_name renames it`() throws {
        let text = book(
            """
            { "name": "a", "property_type": "int", "version_history": [{ "version": "2.0" }] },
            { "name": "b", "property_type": "int", "added_at_version": "2.0" },
            { "name": "c", "property_type": "int", "added_at_version": "2.0", "previous_name": "old" },
            { "name": "d", "property_type": "int" },
            { "name": "e", "property_type": "int", "version_history": [{ "version": "2.0", "fill": 7 }] },
            { "name": "f", "property_type": "int", "removed_at_version": "2.0" }
            """)
        #expect(
            try lines(["Book": text]) == [
                "1.0": ["book | key id: int | d: int | f: int | old: int"],
                "2.0": ["book | key id: int | a: int | b: int | c: int | d: int | e: int"],
            ])
    }

    @Test func `rule 2: added_at_version with previous_name is a rename if an item adds the property`() throws {
        let text = book(
            """
            { "name": "c", "property_type": "int", "nullable": true, "added_at_version": "2.0", "previous_name": "old",
              "version_history": [{ "version": "1.5" }] }
            """)
        #expect(
            try lines(["Book": text]) == [
                "1.0": ["book | key id: int"], "1.5": ["book | key id: int | old: int?"],
                "2.0": ["book | key id: int | c: int?"],
            ])
    }

    @Test func `rule 3: two properties swap their names, and one of them changes its type`() throws {
        let text = book(
            """
            { "name": "a", "property_type": "int", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "b" }] },
            { "name": "b", "property_type": "string", "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous": { "name": "a", "property_type": "double" } }] }
            """)
        let history = try history(["Book": text])
        #expect(
            history.versions.map { $0.logicalLine($0.entities[0]) } == [
                "book | key id: int | a: double | b: int", "book | key id: int | a: int | b: string",
            ])
        let step = history.steps[0]
        #expect(step.customReasons == ["`book.b` changes from double to string"])
        #expect(step.entities[0].columns[1].origin.expression == .column("b"))
    }

    @Test func `rule 4: a reference uses the names of its version and follows renames`() throws {
        let author = """
            { "name": "writer", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "author" }],
              "identifier": { "type": "int" },
              "properties": [{ "name": "works", "property_type": { "entity_name": "book", "association": "to_many", "inverse": "writer" },
                "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "books" }] }] }
            """
        let text = book(
            """
            { "name": "writer", "nullable": true,
              "property_type": { "entity_name": "writer", "association": "to_one", "inverse": "works" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "author" }] },
            { "name": "editor", "nullable": true, "property_type": { "entity_name": "writer", "association": "to_one" },
              "version_history": [{ "version": "1.0" }, { "version": "3.0", "previous": { "entity_name": "book" } }] },
            { "name": "ghost", "nullable": true, "removed_at_version": "2.0", "discard": true,
              "property_type": { "entity_name": "author", "association": "to_one" } }
            """)
        let history = try history(["Book": text, "Writer": author])
        #expect(
            history.versions.map { version in version.entities.map(version.logicalLine) } == [
                [
                    "book | key id: int | author: to_one author? inverse books on_delete nullify | editor: to_one book? on_delete nullify | ghost: to_one author? on_delete nullify",
                    "author | key id: int | books: to_many book inverse author",
                ],
                [
                    "book | key id: int | editor: to_one book? on_delete nullify | writer: to_one writer? inverse works on_delete nullify",
                    "writer | key id: int | works: to_many book inverse writer",
                ],
                [
                    "book | key id: int | editor: to_one writer? on_delete nullify | writer: to_one writer? inverse works on_delete nullify",
                    "writer | key id: int | works: to_many book inverse writer",
                ],
            ])
        #expect(history.steps[0].customReasons == [])
        #expect(history.steps[1].customReasons == ["`book.editor` refers to another entity"])
    }

    @Test func `rule 6: a property that is added again is new and gets no old values`() throws {
        let text = book(
            """
            { "name": "title", "property_type": "string", "removed_at_version": "2.0", "discard": true },
            { "name": "title", "property_type": "string", "nullable": true, "added_at_version": "2.0" }
            """)
        let step = try history(["Book": text]).steps[0]
        #expect(step.customReasons == [])
        #expect(step.tableChanges == [.map(from: "book", to: "book", columns: ["title": .null])])
    }

    @Test func `rule 6: an attribute that becomes a relationship needs a custom migration`() throws {
        let text = book(
            """
            { "name": "next", "property_type": { "entity_name": "book", "association": "to_one" }, "nullable": true,
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "property_type": "int" } }] },
            { "name": "rest", "property_type": { "entity_name": "book", "association": "to_many" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "property_type": "int" } }] }
            """)
        let history = try history(["Book": text])
        #expect(
            history.versions[0].logicalLine(history.versions[0].entities[0])
                == "book | key id: int | next: int? | rest: int")
        #expect(
            history.steps[0].customReasons == [
                "`book.next` changes between attribute and relationship",
                "`book.rest` was an attribute and becomes a relationship",
            ])
    }

    @Test func `a property that loses its column needs a custom migration`() throws {
        let author = """
            { "name": "author", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" },
              "properties": [{ "name": "book", "nullable": true, "added_at_version": "2.0",
                "property_type": { "entity_name": "book", "association": "to_one", "inverse": "authors" } }] }
            """
        for previous in [
            #"{ "association": "to_one", "inverse": null, "nullable": true }"#, #"{ "property_type": "int" }"#,
        ] {
            let text = book(
                """
                { "name": "authors", "property_type": { "entity_name": "author", "association": "to_many", "inverse": "book" },
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": \(previous) }] }
                """)
            #expect(
                try history(["Book": text, "Author": author]).steps[0].customReasons
                    == ["`book.authors` will be stored elsewhere"])
        }
    }

    @Test func `rule 7: a removal without discard needs a custom migration`() throws {
        let gone = """
            { "name": "gone", "version_history": [{ "version": "1.0" }], "removed_at_version": "2.0",
              "identifier": { "type": "int" } }
            """
        let text = book(#"{ "name": "title", "property_type": "string", "removed_at_version": "2.0" }"#)
        #expect(
            try history(["Book": text, "Gone": gone]).steps[0].customReasons == [
                "`book.title` is removed without \"discard\": true", "`gone` is removed without \"discard\": true",
            ])
    }

    @Test func `rule 8: the versions are all versions that an element names, in numerical order`() throws {
        let text = book(
            """
            { "name": "a", "property_type": "int", "added_at_version": "1.10", "removed_at_version": "3", "discard": true },
            { "name": "b", "property_type": "int", "added_at_version": "1.9", "default_value": 0 }
            """, history: #"{ "version": "1.0" }, { "version": "2.0.0" }, { "version": "3.0" }"#)
        #expect(try history(["Book": text]).versions.map(\.version.text) == ["1.0", "1.9", "1.10", "2.0.0", "3"])
    }

    @Test func `rule 9: a property that becomes required is backfilled, and rows discard deletes all rows`() throws {
        let text = book(
            """
            { "name": "title", "property_type": "string" },
            { "name": "subtitle", "property_type": "string",
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "nullable": true }, "fill_from": "title" }] },
            { "name": "pages", "property_type": "int",
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "nullable": true }, "fill": -1 }] }
            """)
        let cache = """
            { "name": "cache", "version_history": [{ "version": "1.0" }, { "version": "2.0", "rows": "discard" }],
              "identifier": { "type": "int" },
              "properties": [{ "name": "value", "property_type": "int", "added_at_version": "2.0" }] }
            """
        let step = try history(["Book": text, "Cache": cache]).steps[0]
        #expect(step.customReasons == [])
        #expect(
            step.tableChanges == [
                .map(
                    from: "book", to: "book",
                    columns: [
                        "subtitle": .coalesce(.column("subtitle"), .column("title")),
                        "pages": .coalesce(.column("pages"), .literal(.integer(-1))),
                    ]),
                .drop("cache"), .create("cache"),
            ])
    }

    @Test func `rule 9: references to discarded rows become NULL or need a custom migration`() throws {
        let cache = """
            { "name": "cache", "version_history": [{ "version": "1.0" }, { "version": "2.0", "rows": "discard" }],
              "identifier": { "type": "int" },
              "properties": [{ "name": "books", "ordered": true,
                "property_type": { "entity_name": "book", "association": "to_many", "inverse": "cache" } }] }
            """
        func text(_ more: String) -> String {
            book(
                """
                { "name": "cache", "property_type": { "entity_name": "cache", "association": "to_one", "inverse": "books" }, \(more) },
                { "name": "others", "property_type": { "entity_name": "cache", "association": "to_many" } }
                """)
        }
        let step = try history(["Book": text(#""nullable": true"#), "Cache": cache]).steps[0]
        #expect(step.customReasons == [])
        #expect(
            step.tableChanges == [
                .map(from: "book", to: "book", columns: ["cache_id": .null, "cache_position": .null]),
                .drop("book_others"), .create("book_others"), .drop("cache"), .create("cache"),
            ])
        for more in [#""nullable": true, "on_delete": "cascade""#, #""on_delete": "deny""#] {
            #expect(
                try history(["Book": text(more), "Cache": cache]).steps[0].customReasons
                    == ["`book.cache` refers to rows that are discarded"])
        }
    }

    @Test func `rule 9: a backfill from a property that cannot be converted needs a custom migration`() throws {
        let text = book(
            """
            { "name": "s", "property_type": "string", "nullable": true },
            { "name": "b", "property_type": "int", "default_value": 5, "version_history": [{ "version": "2.0", "fill_from": "s" }] },
            { "name": "b", "property_type": "int", "removed_at_version": "2.0", "discard": true }
            """)
        #expect(try history(["Book": text]).steps[0].customReasons == ["`book.b` cannot take the values of `s`"])
    }

    @Test func `rule 6: a changed inverse of a relationship with a join table needs a custom migration`() throws {
        let other = """
            { "name": "other", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" },
              "properties": [
                { "name": "p", "removed_at_version": "2.0", "discard": true,
                  "property_type": { "entity_name": "book", "association": "to_many", "inverse": "others" } },
                { "name": "q", "added_at_version": "2.0",
                  "property_type": { "entity_name": "book", "association": "to_many", "inverse": "others" } }] }
            """
        let text = book(
            """
            { "name": "others", "stored": true, "property_type": { "entity_name": "other", "association": "to_many", "inverse": "q" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "inverse": "p" } }] }
            """)
        #expect(
            try history(["Book": text, "Other": other]).steps[0].customReasons == ["`book.others` has another inverse"])
    }

    @Test func `two versions with equal entities have different fingerprints`() throws {
        let text = book(#"{ "name": "a", "property_type": "int" }"#)
        let versions = try history(["Book": text]).versions
        #expect(versions[0].entities.map(versions[0].logicalLine) == versions[1].entities.map(versions[1].logicalLine))
        #expect(versions[0].fingerprint != versions[1].fingerprint)
    }

    @Test func `a version keeps the spelling in which it was released`() throws {
        let source = SourceFile(
            path: "Book.json", bytes: Array(book("", history: #"{ "version": "1" }, { "version": "2.0.0" }"#).utf8))
        let sealed = try ["1.0", "2.0"].map { try #require(Version($0)) }
        let descriptions = ValidatedDescriptions(
            reading: [source], folder: "Model", schema: "TestSchema", sealed: sealed)
        #expect(descriptions.history?.versions.map(\.version.text) == ["1.0", "2.0"])
    }

    @Test func `rule 10: an item needs no change, and migration custom asks for a custom migration`() throws {
        let text = book(
            """
            { "name": "title", "property_type": "string", "version_history": [{ "version": "1.0" }, { "version": "2.0", "migration": "custom" }] }
            """)
        let other = """
            { "name": "other", "version_history": [{ "version": "1.0" }, { "version": "2.0" }, { "version": "3.0", "migration": "custom" }],
              "identifier": { "type": "int" } }
            """
        let steps = try history(["Book": text, "Other": other]).steps
        #expect(steps[0].customReasons == ["`book.title` asks for a custom migration"])
        #expect(steps[1].customReasons == ["`other` asks for a custom migration"])
        #expect(steps[0].customEntities.map(\.new.name) == ["book"])
        let unstored = book(
            """
            { "name": "sequels", "property_type": { "entity_name": "book", "association": "to_many" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "migration": "custom" }] }
            """)
        #expect(
            try history(["Book": unstored]).steps[0].customReasons == ["`book.sequels` asks for a custom migration"])
    }

    @Test func `rows of a merged entity are migrated before the rows that refer to them`() throws {
        let files = [
            "Review": """
            { "name": "review", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" },
              "properties": [{ "name": "of", "nullable": true, "property_type": { "entity_name": "work", "association": "to_one" },
                "version_history": [{ "version": "1.0" },
                  { "version": "2.0", "previous": { "property_type": { "entity_name": "tape", "association": "to_one" } } }] }] }
            """,
            "Tape": """
            { "name": "tape", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
              "removed_at_version": "2.0", "merged_into": "work" }
            """,
            "Work": #"{ "name": "work", "version_history": [{ "version": "1.0" }], "identifier": { "type": "uuid" } }"#,
        ]
        let steps = try history(files).steps
        let rows = steps[0].customRows.map { rows in
            switch rows {
            case .entity(let step): step.new.name
            case .merged(let old, let new): "\(old.name) into \(new.name)"
            }
        }
        #expect(rows == ["tape into work", "review"])
    }

    @Test func `a new index does not get the name of an existing index`() throws {
        let text = book(
            """
            { "name": "title", "property_type": "string", "indexed": true,
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "name" }] },
            { "name": "name", "property_type": "string", "indexed": true, "nullable": true, "added_at_version": "2.0" }
            """)
        #expect(
            try history(["Book": text]).newest.tables[0].indexes == [
                Table.Index("book_name_idx", IndexShape(["title"])),
                Table.Index("book_name_idx_2", IndexShape(["name"])),
            ])
    }

    @Test func `an index follows a renamed property and keeps its name`() throws {
        let text = book(
            """
            { "name": "title", "property_type": "string", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "name" }] },
            { "name": "year", "property_type": "int" }
            """, more: #""indexes": [{ "properties": ["year", "title"] }],"#)
        let history = try history(["Book": text])
        #expect(
            history.versions.map { $0.tables[0].indexes } == [
                [Table.Index("book_year_name_idx", IndexShape(["year", "name"]))],
                [Table.Index("book_year_name_idx", IndexShape(["year", "title"]))],
            ])
        #expect(history.steps[0].customReasons == [])
    }

    @Test func `an added property never reorders the columns`() throws {
        let text = book(
            """
            { "name": "late", "property_type": "int", "nullable": true, "added_at_version": "2.0" },
            { "name": "early", "property_type": "int" }
            """)
        #expect(try history(["Book": text]).newest.tables[0].columnNames == ["id", "early", "late"])
    }

    @Test func `an item without a change is noted, unless a part of its element changes`() throws {
        func notes(_ files: [String: String]) throws -> [String] {
            try describe(files).diagnostics.map(\.description)
        }
        let plain = #""version_history": [{ "version": "1.0" }, { "version": "2.0" }]"#
        let property = #"{ "name": "a", "property_type": "int", \#(plain) }"#
        #expect(
            try notes(["Book": book("")]) == [
                "Book.json:1:74: note: nothing changes here in 2.0, so this item has no effect"
            ])
        let added = #"{ "name": "b", "property_type": "int", "nullable": true, "added_at_version": "2.0" }"#
        #expect(try notes(["Book": book(added)]) == [])
        let unchanged = try notes(["Book": book(added + "," + property)])
        #expect(unchanged.count == 1 && unchanged[0].hasPrefix("Book.json:2:"))
        let other =
            #"{ "name": "other", "version_history": [{ "version": "2.0" }], "identifier": { "type": "int" }, "properties": [] }"#
        #expect(try notes(["Book": book(""), "Other": other]).count == 1)
        let fill = #"{ "name": "a", "property_type": "int", "version_history": [{ "version": "2.0", "fill": 3 }] }"#
        #expect(try notes(["Book": book(fill)]) == [])
    }
}
