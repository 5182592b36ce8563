import SchemaModel
import Testing

@testable import Descriptions

/// The rules of the history for enums, option sets, structs and lists.
@Suite struct SubtypeResolutionTests {
    @Test func `cases have a history of their names and values`() throws {
        let kind = """
            { "name": "kind", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "sort" }],
              "cases": ["first",
                { "name": "second", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "other" }] },
                { "name": "third", "value": "3", "version_history": [{ "version": "2.0" }, { "version": "3.0", "previous": { "value": "III" } }] },
                { "name": "fourth", "removed_at_version": "3.0", "replaced_by": "first" }] }
            """
        let text = book(
            #"{ "name": "kind", "property_type": "kind", "default_value": "second" }"#,
            history: #"{ "version": "1.0" }, { "version": "2.0" }, { "version": "3.0" }"#)
        let files = ["Kind": kind, "Book": text]
        #expect(
            try lines(files) == [
                "1.0": [
                    #"book | key id: int | kind: sort = "other""#,
                    #"sort | enum | case first: "first" | case fourth: "fourth" | case other: "other""#,
                ],
                "2.0": [
                    #"book | key id: int | kind: kind = "second""#,
                    #"kind | enum | case first: "first" | case fourth: "fourth" | case second: "second" | case third: "III""#,
                ],
                "3.0": [
                    #"book | key id: int | kind: kind = "second""#,
                    #"kind | enum | case first: "first" | case second: "second" | case third: "3""#,
                ],
            ])
        let steps = try history(files).steps
        #expect(steps.flatMap(\.customReasons) == [])
        // A renamed case and a case with another value change the rows of the property.
        #expect(
            steps.map(\.tableChanges) == [
                [
                    .map(
                        from: "book", to: "book",
                        columns: ["kind": .changed(.column("kind"), .cases(["other": "second"], merged: false))])
                ],
                [
                    .map(
                        from: "book", to: "book",
                        columns: [
                            "kind": .changed(
                                .column("kind"), .cases(["III": "3", "fourth": "first"], merged: true))
                        ])
                ],
            ])
    }

    @Test func `options keep their bits when other options are added or removed`() throws {
        let flags = """
            { "name": "flags", "options": ["a", { "name": "b", "removed_at_version": "2.0", "discard": true },
                { "name": "c", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "d" }] },
                { "name": "e", "added_at_version": "2.0" }] }
            """
        let text = book(#"{ "name": "flags", "property_type": "flags", "default_value": ["a", "c"] }"#)
        #expect(
            try lines(["Flags": flags, "Book": text]) == [
                "1.0": [
                    #"book | key id: int | flags: flags = 5"#,
                    "flags | options | option a: bit 0 | option b: bit 1 | option d: bit 2",
                ],
                "2.0": [
                    #"book | key id: int | flags: flags = 5"#,
                    "flags | options | option a: bit 0 | option c: bit 2 | option e: bit 3",
                ],
            ])
    }

    @Test func `structs contain structs, lists and enums, whose changes rewrite the rows`() throws {
        let files = [
            "Kind":
                #"{ "name": "kind", "cases": ["x", { "name": "y", "removed_at_version": "2.0", "replaced_by": "x" }] }"#,
            "Part":
                #"""
            { "name": "part", "properties": [
                { "name": "kind", "property_type": "kind", "default_value": "x" },
                { "name": "weights", "property_type": "[double]" }] }
            """#,
            "Whole":
                #"{ "name": "whole", "properties": [{ "name": "parts", "property_type": "[part]" }, { "name": "main", "property_type": "part", "nullable": true }] }"#,
            "Book": book(#"{ "name": "whole", "property_type": "whole" }, { "name": "n", "property_type": "int" }"#),
        ]
        #expect(
            try lines(files)["2.0"] == [
                "book | key id: int | n: int | whole: whole",
                #"kind | enum | case x: "x""#,
                #"part | struct | kind: kind = "x" | weights: [double]"#,
                "whole | struct | main: part? | parts: [part]",
            ])
        let step = try history(files).steps[0]
        #expect(step.customReasons == [])
        #expect(step.tableChanges.count == 1)
        #expect(
            step.changes.map { "\($0.handling) \(step.subject(of: $0)): \(step.text(of: $0))" } == [
                "inferred kind.y: removed, and replaced by x"
            ])
    }

    @Test func `an entity and a subtype of different versions can have the same name`() throws {
        let files = [
            "Kind":
                #"{ "name": "kind", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" }], "removed_at_version": "2.0", "discard": true }"#,
            "NewKind": #"{ "name": "kind", "version_history": [{ "version": "2.0" }], "cases": ["x"] }"#,
            "Book": book(
                #"{ "name": "kind", "property_type": "kind", "default_value": "x", "added_at_version": "2.0" }"#),
        ]
        #expect(
            try lines(files) == [
                "1.0": ["book | key id: int", "kind | key id: int"],
                "2.0": [#"book | key id: int | kind: kind = "x""#, #"kind | enum | case x: "x""#],
            ])
    }

    @Test func `an unused subtype is reported`() throws {
        let descriptions = try describe([
            "Kind": #"{ "name": "kind", "cases": ["x"] }"#, "Book": book(""),
        ])
        #expect(
            descriptions.messages == [
                "Kind.json:1:1: warning: no property has the type `kind`; if it should be an entity, add an \"identifier\""
            ]
        )
        #expect(descriptions.history != nil)
    }
}
