import SchemaDiff
import SchemaModel
import Testing

@testable import Descriptions

/// The changes that need a custom migration, each with its reason.
@Suite struct CustomReasonTests {
    @Test(arguments: [
        ("true", "null", []), ("null", "true", ["`book.next` may contain a row several times, and must not any more"]),
    ])
    func `only the end of duplicates needs a custom migration`(now: String, was: String, reasons: [String]) throws {
        let history = try history([
            "Book": book(
                """
                { "name": "next", "property_type": { "entity_name": "book", "association": "to_many" }, "duplicates": \(now),
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "duplicates": \(was) } }] }
                """)
        ])
        #expect(history.steps[0].customReasons == reasons)
        let key = ["source_id", "target_id"]
        #expect(
            history.versions.map { $0.tables[1].primaryKey }
                == (now == "true" ? [key, key + ["position"]] : [key + ["position"], key]))
        let lines = history.versions.map { $0.logicalLines[0] }
        #expect(lines.map { $0.contains("next: to_many book duplicates stored") } == [now == "null", now == "true"])
        #expect(
            history.steps[0].changes.map(history.steps[0].text) == [
                now == "true" ? "duplicates" : "no longer duplicates"
            ])
    }

    private func reasons(_ files: [String: String]) throws -> [String] {
        try history(files).steps[0].customReasons
    }

    /// A property `a` that changes in version 2.0. `was` are its former values.
    private func changed(_ now: String, was: String) -> String {
        """
        { "name": "a", \(now), "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { \(was) } }] }
        """
    }

    private let author = """
        { "name": "author", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" } }
        """

    @Test func `a change that is too deep for an expression of SQLite needs a custom migration`() throws {
        let state = """
            { "name": "state", "cases": ["old", { "name": "new", "value": "fresh",
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "value": "new" } }] }] }
            """
        func reasons(_ depth: Int) throws -> [String] {
            let type = String(repeating: "[", count: depth) + "state" + String(repeating: "]", count: depth)
            return try self.reasons(["Book": book(#"{ "name": "a", "property_type": "\#(type)" }"#), "State": state])
        }
        #expect(try reasons(4) == [])
        #expect(try reasons(5) == ["`book.a` changes in more members or deeper lists than one SQL expression can have"])
    }

    @Test func `a change from to-many to to-one needs a custom migration`() throws {
        let one = #""nullable": true, "property_type": { "entity_name": "author", "association": "to_one" }"#
        #expect(
            try reasons([
                "Book": book(changed(one, was: #""association": "to_many", "nullable": null"#)), "Author": author,
            ]) == ["`book.a` was stored elsewhere, or had other values"])
    }

    @Test func `a relationship to another entity needs a custom migration`() throws {
        for association in ["to_one", "to_many"] {
            let nullable = association == "to_one" ? #""nullable": true,"# : ""
            let now = #"\#(nullable) "property_type": { "entity_name": "author", "association": "\#(association)" }"#
            #expect(
                try reasons(["Book": book(changed(now, was: #""entity_name": "book""#)), "Author": author])
                    == ["`book.a` refers to another entity"])
        }
    }

    @Test func `a changed primary key and every relationship to it need a custom migration`() throws {
        func text(_ now: String, was: String) -> String {
            """
            { "name": "author", "identifier": \(now),
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "identifier": \(was) } }],
              "properties": [{ "name": "code", "property_type": "string" }, { "name": "year", "property_type": "int" }] }
            """
        }
        let pointing = book(
            #"{ "name": "by", "property_type": { "entity_name": "author", "association": "to_one" } }"#)
        for (now, was, reason) in [
            (#"{ "type": "string" }"#, #"{ "type": "int" }"#, "`author.id` is another primary key"),
            (
                #"{ "type": "property", "property": "code" }"#, #"{ "type": "string" }"#,
                "`author` has another primary key"
            ),
            (
                #"{ "type": "properties", "properties": ["code", "year"] }"#,
                #"{ "type": "property", "property": "code" }"#, "`author` has another primary key"
            ),
            (
                #"{ "type": "int" }"#, #"{ "type": "property", "property": "year" }"#,
                "`author.id` is another primary key"
            ),
        ] {
            #expect(
                try reasons(["Author": text(now, was: was), "Book": pointing])
                    == [reason, "`book.by` refers to a primary key of another type"])
        }
        #expect(
            try reasons([
                "Author": text(#"{ "type": "int", "name": "no" }"#, was: #"{ "type": "int", "name": "number" }"#),
                "Book": pointing,
            ]) == [])
    }

    @Test func `a change of type to a list needs a custom migration`() throws {
        #expect(
            try reasons(["Book": book(changed(#""property_type": "[double]""#, was: #""property_type": "[int]""#))])
                == ["`book.a` changes from [int] to [double]"])
        #expect(
            try reasons(["Book": book(changed(#""property_type": "[int]""#, was: #""property_type": "int""#))])
                == ["`book.a` changes from int to [int]"])
    }

    @Test(arguments: [
        (
            #""cases": ["x", { "name": "y", "removed_at_version": "2.0" }]"#,
            "whose case `y` is removed without \"replaced_by\""
        ),
        (
            #""options": ["x", { "name": "y", "removed_at_version": "2.0" }]"#,
            "whose option `y` is removed without \"discard\": true"
        ),
        (
            #""options": ["x", { "name": "y", "bit": 5, "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "bit": 4 } }] }]"#,
            "whose option `y` has another bit"
        ),
        (
            #""properties": [{ "name": "x", "property_type": "int" }, { "name": "y", "property_type": "int", "added_at_version": "2.0" }]"#,
            "whose property `y` is new and has no default"
        ),
        (
            #""properties": [{ "name": "x", "property_type": "int" }, { "name": "y", "property_type": "int", "removed_at_version": "2.0" }]"#,
            "whose property `y` is removed without \"discard\": true"
        ),
        (
            #""properties": [{ "name": "x", "property_type": "int", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "nullable": true } }] }]"#,
            "whose property `x` becomes required"
        ),
        (
            #""properties": [{ "name": "x", "property_type": "string", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "property_type": "int" } }] }]"#,
            "whose property `x` changes from int to string"
        ),
    ])
    func `a changed subtype needs a custom migration wherever it is used`(shape: String, reason: String) throws {
        let files = [
            "Kind":
                #"{ "name": "kind", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], \#(shape) }"#,
            "Outer":
                #"{ "name": "outer", "properties": [{ "name": "inner", "property_type": "kind", "nullable": true }] }"#,
            "Book": book(
                #"""
                { "name": "a", "property_type": "kind" }, { "name": "b", "property_type": "[kind]" },
                { "name": "c", "property_type": "outer" }, { "name": "d", "property_type": "int" }
                """#),
        ]
        #expect(
            try reasons(files) == [
                "`book.a` has the type `kind`, \(reason)", "`book.b` has the type `kind`, \(reason)",
                "`book.c` has the type `outer`, whose property `inner` has the type `kind`, \(reason)",
            ])
    }

    @Test func `a change to another subtype needs a custom migration`() throws {
        #expect(
            try reasons([
                "Kind": #"{ "name": "kind", "cases": ["x"] }"#, "Sort": #"{ "name": "sort", "cases": ["x"] }"#,
                "Book": book(changed(#""property_type": "kind""#, was: #""property_type": "sort""#)),
            ]) == ["`book.a` changes from sort to kind"])
    }

    @Test func `an entity that is merged into another needs a custom migration`() throws {
        let gone = """
            { "name": "gone", "version_history": [{ "version": "1.0" }], "removed_at_version": "2.0", "merged_into": "book",
              "identifier": { "type": "int" } }
            """
        let step = try history(["Book": book(""), "Gone": gone]).steps[0]
        #expect(step.customReasons == ["`gone` is merged into `book`"])
        #expect(step.merged.map { [$0.old.name, $0.new.name] } == [["gone", "book"]])
    }

    @Test func `a changed target or type needs a custom migration even if the target's rows are discarded`() throws {
        let cache = """
            { "name": "cache", "version_history": [{ "version": "1.0" }, { "version": "2.0", "rows": "discard" }], "identifier": { "type": "int" } }
            """
        let now = #""nullable": true, "property_type": { "entity_name": "cache", "association": "to_one" }"#
        for (was, reason) in [
            (#""property_type": "int""#, "`book.a` changes between attribute and relationship"),
            (#""entity_name": "book""#, "`book.a` refers to another entity"),
        ] {
            #expect(try reasons(["Book": book(changed(now, was: was)), "Cache": cache]) == [reason])
        }
    }

    @Test func `a changed inverse on the side without a column needs a custom migration`() throws {
        let shelf = """
            { "name": "shelf", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" },
              "properties": [{ "name": "books", "property_type": { "entity_name": "book", "association": "to_many", "inverse": "second" },
                "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "inverse": "first" } }] }] }
            """
        let text = book(
            """
            { "name": "first", "nullable": true, "property_type": { "entity_name": "shelf", "association": "to_one" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "inverse": "books" } }] },
            { "name": "second", "nullable": true, "property_type": { "entity_name": "shelf", "association": "to_one", "inverse": "books" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "inverse": null } }] }
            """)
        #expect(try reasons(["Book": text, "Shelf": shelf]) == ["`shelf.books` has another inverse"])
    }

    @Test(arguments: ["to_one", "to_many"])
    func `a relationship that becomes its own inverse needs a custom migration`(association: String) throws {
        let nullable = association == "to_one" ? #""nullable": true, "# : ""
        let now =
            nullable + #""property_type": { "entity_name": "book", "association": "\#(association)", "inverse": "a" }"#
        #expect(
            try reasons(["Book": book(changed(now, was: #""inverse": null"#))]).contains(
                "`book.a` becomes its own inverse"))
        let same = nullable + #""property_type": { "entity_name": "book", "association": "\#(association)" }"#
        #expect(try reasons(["Book": book(changed(same, was: #""inverse": "a""#))]) == [])
    }

    @Test func `removing an ordered relationship needs discard or a custom migration`() throws {
        func author(_ more: String) -> String {
            """
            { "name": "author", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" },
              "properties": [{ "name": "books", "ordered": true, "removed_at_version": "2.0"\(more),
                "property_type": { "entity_name": "book", "association": "to_many", "inverse": "by" } }] }
            """
        }
        let text = book(
            """
            { "name": "by", "nullable": true, "property_type": { "entity_name": "author", "association": "to_one" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "inverse": "books" } }] }
            """)
        #expect(
            try reasons(["Book": text, "Author": author("")])
                == ["`author.books` is removed without \"discard\": true"])
        #expect(try reasons(["Book": text, "Author": author(#", "discard": true"#)]) == [])
        // The inverse may have a join table.
        let joined = book(
            """
            { "name": "by", "property_type": { "entity_name": "author", "association": "to_many" },
              "version_history": [{ "version": "1.0" },
                { "version": "2.0", "previous": { "inverse": "books", "stored": true } }] }
            """)
        #expect(
            try reasons(["Book": joined, "Author": author("")])
                == ["`author.books` is removed without \"discard\": true"])
        #expect(try reasons(["Book": joined, "Author": author(#", "discard": true"#)]) == [])
    }

    @Test func `a primary key with another collation needs a custom migration`() throws {
        let text = """
            { "name": "book", "identifier": { "type": "property", "property": "a" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0" }],
              "properties": [\(changed(#""property_type": "string", "collation": "nocase""#, was: #""collation": null"#))] }
            """
        #expect(try reasons(["Book": text]) == ["`book.a` is part of the primary key and gets another collation"])
    }

    @Test func `a requested custom migration is required even if nothing else needs one`() throws {
        let new = """
            { "name": "new", "identifier": { "type": "int" }, "added_at_version": "2.0",
              "version_history": [{ "version": "2.0", "migration": "custom" }] }
            """
        let other = """
            { "name": "other", "identifier": { "type": "int" }, "version_history": [{ "version": "2.0" }],
              "properties": [{ "name": "a", "property_type": "int", "added_at_version": "2.0", "version_history": [{ "version": "2.0", "migration": "custom" }] }] }
            """
        let cache = """
            { "name": "cache", "version_history": [{ "version": "1.0" }, { "version": "2.0", "rows": "discard" }], "identifier": { "type": "int" },
              "properties": [{ "name": "a", "property_type": "int", "version_history": [{ "version": "1.0" }, { "version": "2.0", "migration": "custom" }] },
                { "name": "b", "property_type": "int", "added_at_version": "2.0", "version_history": [{ "version": "2.0", "migration": "custom" }] }] }
            """
        #expect(
            Set(try reasons(["Book": book(""), "New": new, "Other": other, "Cache": cache])) == [
                "`new` asks for a custom migration", "`other.a` asks for a custom migration",
                "`cache.a` asks for a custom migration", "`cache.b` asks for a custom migration",
            ])
    }

    @Test func `a backfill value of a skipped version must still be a value of the property's type`() throws {
        let kind = """
            { "name": "kind", "cases": ["p", { "name": "q", "value": "Q", "version_history": [
                { "version": "1.0" }, { "version": "3.0", "previous": { "value": "q" } }] }] }
            """
        let text = book(
            """
            { "name": "m", "property_type": "kind", "version_history": [{ "version": "2.0", "fill": "q" }] },
            { "name": "n", "property_type": "string", "version_history": [
                { "version": "1.0" }, { "version": "2.0", "previous": { "nullable": true }, "fill": true },
                { "version": "3.0", "previous": { "property_type": "bool" } }] }
            """, history: #"{ "version": "1.0" }, { "version": "2.0" }, { "version": "3.0" }"#)
        let history = try history(["Book": text, "Kind": kind], settings: #"{ "chain": { "1.0": "3.0" } }"#)
        #expect(
            history.steps[0].customReasons == ["`book.n` has a \"fill\" that is not a value of its type any more"])
        #expect(
            history.steps[0].entities[0].columns.first { $0.column.name == "m" }?.origin.expression
                == .literal(.text("Q")))
    }

    @Test func `replaced_by names a case by its old name, or by its new name if the case is new`() throws {
        let kind = """
            { "name": "kind", "cases": [
                { "name": "w", "value": "W", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "x" }] },
                { "name": "y", "removed_at_version": "2.0", "replaced_by": "x" },
                { "name": "z", "removed_at_version": "2.0", "replaced_by": "n" },
                { "name": "x", "added_at_version": "2.0" }, { "name": "n", "added_at_version": "2.0" }] }
            """
        let step = try history(["Kind": kind, "Book": book(#"{ "name": "a", "property_type": "kind" }"#)]).steps[0]
        #expect(
            step.tableChanges == [
                .map(
                    from: "book", to: "book",
                    columns: ["a": .changed(.column("a"), .cases(["y": "W", "z": "n"], merged: true))])
            ])
    }

    @Test func `an explicit null in a struct's default value overrides the member's default value`() throws {
        let place = """
            { "name": "place", "properties": [{ "name": "x", "property_type": "int", "nullable": true, "default_value": 5 },
                { "name": "y", "property_type": "int", "default_value": 6 }] }
            """
        let lines = try lines([
            "Place": place, "Book": book(#"{ "name": "a", "property_type": "place", "default_value": { "x": null } }"#),
        ])
        #expect(lines["2.0"]?.first == #"book | key id: int | a: place = "{\"x\":null,\"y\":6}""#)
    }

    @Test func `a case named nil can be the default value of a nullable property`() throws {
        let kind = #"{ "name": "kind", "cases": ["nil", "some"] }"#
        let text = book(#"{ "name": "a", "property_type": "kind", "nullable": true, "default_value": "nil" }"#)
        #expect(try lines(["Kind": kind, "Book": text])["2.0"]?.first == #"book | key id: int | a: kind? = "nil""#)
    }
}
