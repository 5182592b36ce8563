import SQLSchema
import SchemaDiff
import Testing

/// New entities that get copies of the rows of other ones.
@Suite struct EntityCopyTests {
    private static let book = """
        { "name": "tome", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "book" }],
          "identifier": { "type": "int" }, "indexes": [{ "properties": ["isbn", "size"], "unique": true }],
          "properties": [
            { "name": "title", "property_type": "string" },
            { "name": "note", "property_type": "string", "nullable": true, "removed_at_version": "2.0", "discard": true },
            { "name": "isbn", "property_type": "string", "nullable": true, "unique": true },
            { "name": "size", "property_type": "int", "nullable": true, "minimum": 1 },
            { "name": "tags", "property_type": { "entity_name": "tome", "association": "to_many" } },
            { "name": "part_of", "property_type": { "entity_name": "tome", "association": "to_one" }, "nullable": true } ] }
        """

    /// The step to a version with an entity `detail` with these properties.
    private func step(
        _ properties: String, key: String = #"{ "type": "int" }"#, more: String = "", item: String = ""
    ) throws -> SchemaStep {
        let detail = """
            { "name": "detail", "version_history": [{ "version": "2.0", "fill_from": "book"\(item) }], "identifier": \(key),
              \(more) "properties": [\(properties)] }
            """
        return try #require(try history(["Tome": Self.book, "Detail": detail]).steps.first)
    }

    private static func filled(_ name: String, from source: String, _ type: String, _ more: String = "") -> String {
        """
        { "name": "\(name)", "property_type": \(type), "version_history": [{ "version": "2.0", "fill_from": "\(source)" }] \(more) }
        """
    }

    private static let tome = #"{ "entity_name": "tome", "association": "to_one" }"#

    @Test func `columns get the values of the properties that they name, or that have their names`() throws {
        let step = try step(
            """
            \(Self.filled("text", from: "note", #""string""#)),
            { "name": "title", "property_type": "string" },
            \(Self.filled("length", from: "size", #""double""#, #", "nullable": true"#)),
            { "name": "tome", "property_type": \(Self.tome), "nullable": true },
            { "name": "part_of", "property_type": \(Self.tome), "nullable": true },
            { "name": "count", "property_type": "int", "default_value": 4 }
            """)
        #expect(step.customReasons == [])
        #expect(
            step.tableChanges.first { $0.result == "detail" }
                == .map(
                    from: "book", to: "detail",
                    columns: [
                        "text": .column("note"), "length": .changed(.column("size"), .scalar(.int, .double)),
                        "tome_id": .column("id"),
                    ], requiring: [.column("note")]))
        let change = try #require(step.changes.first { step.subject(of: $0) == "detail" })
        #expect(step.text(of: change) == "added, with the rows of book")
        #expect(change.handling == .inferred)
    }

    @Test func `rows without a required value are copied where it has a default value or a fill`() throws {
        let step = try step(
            """
            { "name": "isbn", "property_type": "string", "default_value": "-" },
            { "name": "note", "property_type": "string", "version_history": [{ "version": "2.0", "fill": "none" }] },
            { "name": "size", "property_type": "int", "default_value": 1 }
            """)
        #expect(step.customReasons == [])
        let none = ValueExpression.literal(.text("none"))
        #expect(
            step.tableChanges.first { $0.result == "detail" }
                == .map(
                    from: "book", to: "detail",
                    columns: [
                        "isbn": .coalesce(.column("isbn"), .literal(.text("-"))), "note": none,
                        "size": .coalesce(.column("size"), .literal(.integer(1))),
                    ]))
    }

    /// The properties and the key of `detail`, and the reasons for a custom migration.
    static let custom: [(properties: String, key: String, more: String, reasons: [String])] = [
        (
            #"{ "name": "note", "property_type": "int" }"#, #"{ "type": "int" }"#, "",
            ["`detail.note` changes from string to int"]
        ),
        (
            #"{ "name": "name", "property_type": "string" }"#, #"{ "type": "int" }"#, "",
            ["`detail.name` is new and has neither a default nor a \"fill\""]
        ),
        (
            #"{ "name": "title", "property_type": "string", "unique": true }"#, #"{ "type": "int" }"#, "",
            ["`detail`: the unique index on `title` may find duplicates"]
        ),
        (
            #"{ "name": "size", "property_type": "int", "nullable": true, "minimum": 2 }"#, #"{ "type": "int" }"#, "",
            ["`detail.size` may violate \"minimum\": 2 and has no \"fill\""]
        ),
        (
            #"{ "name": "size", "property_type": "int", "nullable": true }"#, #"{ "type": "int" }"#,
            #""checks": [{ "name": "big", "where": "size > 10" }],"#,
            ["`detail`: rows may violate the check `big`, which is size > 10"]
        ),
        (
            #"{ "name": "title", "property_type": "string" }"#, #"{ "type": "property", "property": "title" }"#, "",
            ["`detail` has another primary key"]
        ),
        (
            #"{ "name": "title", "property_type": "string" }"#, #"{ "type": "uuid" }"#, "",
            ["`detail.id` is another primary key"]
        ),
        (
            filled("note", from: "note", #""string""#) + "," + filled("isbn", from: "isbn", #""string""#),
            #"{ "type": "int" }"#, "", ["`detail.isbn` becomes required and has neither a default nor a \"fill\""]
        ),
    ]

    @Test(arguments: custom)
    func `a copy that may fail needs a custom migration`(
        properties: String, key: String, more: String, reasons: [String]
    ) throws {
        let step = try step(properties, key: key, more: more)
        #expect(step.customReasons == reasons)
        #expect(step.tableChanges.contains(.create("detail")))
    }

    @Test func `a reference to an original whose key changes, or that is discarded, is not copied`() throws {
        func reasons(_ book: String, isNullable: Bool) throws -> [String] {
            let detail = """
                { "name": "detail", "version_history": [{ "version": "2.0", "fill_from": "book" }], "identifier": { "type": "int" },
                  "properties": [{ "name": "of", "property_type": { "entity_name": "book", "association": "to_one" },
                    "nullable": \(isNullable), "on_delete": "cascade" }] }
                """
            return try history(["Book": book, "Detail": detail]).steps[0].customReasons.filter { $0.contains("detail") }
        }
        let emptied =
            #"{ "name": "book", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" }, { "version": "2.0", "rows": "discard" }] }"#
        #expect(try reasons(emptied, isNullable: true) == [])
        #expect(try reasons(emptied, isNullable: false) == ["`detail.of` refers to rows that are discarded"])
        let rekeyed =
            #"{ "name": "book", "identifier": { "type": "string" }, "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "identifier": { "type": "int" } } }] }"#
        #expect(try reasons(rekeyed, isNullable: true) == ["`detail.of` refers to a primary key of another type"])
    }

    @Test func `a row of a key that refers to the copied entity is its copy`() throws {
        let step = try step(
            #"{ "name": "tome", "property_type": \#(Self.tome) }, { "name": "isbn", "property_type": "string", "nullable": true, "unique": true }"#,
            key: #"{ "type": "property", "property": "tome" }"#)
        #expect(step.customReasons == [])
        #expect(
            step.tableChanges.first { $0.result == "detail" }
                == .map(from: "book", to: "detail", columns: ["tome_id": .column("id")]))
    }
}
