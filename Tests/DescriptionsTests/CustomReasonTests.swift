import SchemaModel
import Testing

@testable import Descriptions

/// What only a person can say, and the reason that is given for it.
@Suite struct CustomReasonTests {
    private func reasons(_ files: [String: String]) throws -> [String] {
        try history(files).steps[0].customReasons
    }

    /// A property that was something else in version 1.0.
    private func changed(_ now: String, was: String) -> String {
        """
        { "name": "a", \(now), "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { \(was) } }] }
        """
    }

    private let author = """
        { "name": "author", "version_history": [{ "version": "1.0" }, { "version": "2.0" }], "identifier": { "type": "int" } }
        """

    @Test func `another association`() throws {
        let one = #""nullable": true, "property_type": { "entity_name": "author", "association": "to_one" }"#
        #expect(
            try reasons([
                "Book": book(changed(one, was: #""association": "to_many", "nullable": null"#)), "Author": author,
            ]) == ["`book.a` was stored elsewhere or was something else"])
    }

    @Test func `another target`() throws {
        for association in ["to_one", "to_many"] {
            let nullable = association == "to_one" ? #""nullable": true,"# : ""
            let now = #"\#(nullable) "property_type": { "entity_name": "author", "association": "\#(association)" }"#
            #expect(
                try reasons(["Book": book(changed(now, was: #""entity_name": "book""#)), "Author": author])
                    == ["`book.a` points at another entity"])
        }
    }

    @Test func `another key, of whatever kind, and all that points at it`() throws {
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
            (#"{ "type": "string" }"#, #"{ "type": "int" }"#, "`author.id` is another key"),
            (
                #"{ "type": "property", "property": "code" }"#, #"{ "type": "string" }"#,
                "`author` has another key"
            ),
            (
                #"{ "type": "properties", "properties": ["code", "year"] }"#,
                #"{ "type": "property", "property": "code" }"#, "`author` has another key"
            ),
            (
                #"{ "type": "int" }"#, #"{ "type": "property", "property": "year" }"#, "`author.id` is another key"
            ),
        ] {
            #expect(
                try reasons(["Author": text(now, was: was), "Book": pointing])
                    == [reason, "`book.by` points at another type of key"])
        }
        #expect(
            try reasons([
                "Author": text(#"{ "type": "int", "name": "no" }"#, was: #"{ "type": "int", "name": "number" }"#),
                "Book": pointing,
            ]) == [])
    }

    @Test func `another element of a list`() throws {
        #expect(
            try reasons(["Book": book(changed(#""property_type": "[double]""#, was: #""property_type": "[int]""#))])
                == ["`book.a` turns from [int] to [double]"])
        #expect(
            try reasons(["Book": book(changed(#""property_type": "[int]""#, was: #""property_type": "int""#))])
                == ["`book.a` turns from int to [int]"])
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
            "whose property `x` becomes mandatory"
        ),
        (
            #""properties": [{ "name": "x", "property_type": "string", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "property_type": "int" } }] }]"#,
            "whose property `x` turns from int to string"
        ),
    ])
    func `a subtype that changes, wherever it is used`(shape: String, reason: String) throws {
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
                "`book.a` is of type `kind`, \(reason)", "`book.b` is of type `kind`, \(reason)",
                "`book.c` is of type `outer`, whose property `inner` is of type `kind`, \(reason)",
            ])
    }

    @Test func `a subtype instead of another`() throws {
        #expect(
            try reasons([
                "Kind": #"{ "name": "kind", "cases": ["x"] }"#, "Sort": #"{ "name": "sort", "cases": ["x"] }"#,
                "Book": book(changed(#""property_type": "kind""#, was: #""property_type": "sort""#)),
            ]) == ["`book.a` turns from sort to kind"])
    }

    @Test func `an entity whose rows become rows of another`() throws {
        let gone = """
            { "name": "gone", "version_history": [{ "version": "1.0" }], "removed_at_version": "2.0", "merged_into": "book",
              "identifier": { "type": "int" } }
            """
        let step = try history(["Book": book(""), "Gone": gone]).steps[0]
        #expect(step.customReasons == ["`gone` is merged into `book`"])
        #expect(step.merged.map { [$0.old.name, $0.new.name] } == [["gone", "book"]])
    }
}
