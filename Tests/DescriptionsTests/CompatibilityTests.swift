import Descriptions
import SchemaDiff
import SchemaModel
import Testing

/// The changes after which apps of the older version can still use the store.
@Suite struct CompatibilityTests {
    /// The change that ends the compatibility of 2.0 with 1.0 as text; nil if it is compatible.
    private func end(_ properties: String, more: String = "", _ others: [String: String] = [:]) throws -> String? {
        let files = ["Book": book(properties, more: more)].merging(others) { first, _ in first }
        let step = try history(files).steps[0]
        return step.incompatibleChange.map { "\(step.subject(of: $0)): \(step.text(of: $0))" }
    }

    private static let title = #"{ "name": "title", "property_type": "string" }"#

    private static func item(_ previous: String, _ more: String = "") -> String {
        "\"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \(previous)\(more) }]"
    }

    private static func author(_ property: String) -> [String: String] {
        [
            "Author": """
            { "name": "author", "version_history": [{ "version": "2.0" }], "identifier": { "type": "int" },
              "properties": [\(property)] }
            """
        ]
    }

    private static func reference(_ name: String, to target: String, _ more: String) -> String {
        """
        { "name": "\(name)", "property_type": { "entity_name": "\(target)", "association": "to_one" } \(more) }
        """
    }

    @Test(arguments: [
        #"{ "name": "note", "property_type": "string", "nullable": true, "added_at_version": "2.0" }"#,
        #"{ "name": "stars", "property_type": "int", "default_value": 3, "indexed": true, "added_at_version": "2.0" }"#,
        #"{ "name": "label", "property_type": "string", "computed": "upper(title)", "added_at_version": "2.0" }"#,
        reference("sequel", to: "book", #", "nullable": true, "added_at_version": "2.0""#),
        #"{ "name": "similar", "property_type": { "entity_name": "book", "association": "to_many" }, "added_at_version": "2.0" }"#,
        #"{ "name": "a", "property_type": "int", "indexed": true, \#(item(#""previous": { "indexed": false }"#)) }"#,
        #"{ "name": "a", "property_type": "int", \#(item(#""previous": { "indexed": true }"#)) }"#,
    ])
    func `a new optional or defaulted property, and a plain index, are compatible`(property: String) throws {
        #expect(try end(Self.title + ", " + property) == nil)
    }

    @Test func `new indexes are compatible unless they are unique`() throws {
        func index(_ more: String) -> String { "\"indexes\": [{ \"properties\": [\"title\", \"n\"] \(more) }]," }
        let properties = Self.title + #", { "name": "n", "property_type": "int" }"#
        #expect(try end(properties, more: index(#", "added_at_version": "2.0""#)) == nil)
        #expect(try end(properties, more: index(#", "removed_at_version": "2.0""#)) == nil)
        #expect(try end(properties, more: index(#", "where": "n > 1", "added_at_version": "2.0""#)) == nil)
        #expect(
            try end(properties, more: index(#", "unique": true, "removed_at_version": "2.0""#))
                == "book: unique index on title, n removed")
        #expect(
            try end(
                properties,
                more: index(
                    #", "unique": true, "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "unique": false } }]"#
                ))
                != nil)
    }

    @Test(arguments: ["nullify", "cascade"])
    func `a new entity may refer to an old one if it does not keep rows from being deleted`(rule: String) throws {
        let nullable = rule == "nullify" ? #", "nullable": true"# : ""
        let reference = Self.reference("book", to: "book", "\(nullable), \"on_delete\": \"\(rule)\"")
        #expect(try end(Self.title, Self.author(reference)) == nil)
    }

    @Test(arguments: [
        #""#, #", "nullable": true, "on_delete": "deny""#, #", "nullable": true, "on_delete": "no_action""#,
    ])
    func `a new entity that keeps rows from being deleted is not compatible`(more: String) throws {
        #expect(try end(Self.title, Self.author(Self.reference("book", to: "book", more))) == "author: added")
    }

    @Test func `a new reference must become nil when a row is deleted`() throws {
        for rule in ["nullify", "deny", "cascade", "no_action"] {
            let reference = Self.reference(
                "author", to: "author",
                ", \"nullable\": true, \"on_delete\": \"\(rule)\", \"added_at_version\": \"2.0\"")
            #expect(try (end(Self.title + ", " + reference, Self.author("")) == nil) == (rule == "nullify"))
        }
    }

    @Test func `a new entity must not keep rows of another new entity from being deleted`() throws {
        let cascade = Self.reference("book", to: "book", ", \"on_delete\": \"cascade\"")
        for (rule, isCompatible) in [("cascade", true), ("deny", false)] {
            let pen = """
                { "name": "pen", "version_history": [{ "version": "2.0" }], "identifier": { "type": "int" },
                  "properties": [\(Self.reference("author", to: "author", ", \"on_delete\": \"\(rule)\""))] }
                """
            let others = Self.author(cascade).merging(["Pen": pen]) { first, _ in first }
            #expect(try (end(Self.title, others) == nil) == isCompatible)
        }
    }

    @Test(arguments: [
        (
            #"{ "name": "note", "property_type": "string", \#(item(#""previous_name": "text""#)) }"#,
            "book.note: renamed from text"
        ),
        (
            #"{ "name": "note", "property_type": "string", "nullable": true, \#(item(#""previous": { "nullable": false }"#)) }"#,
            "book.note: required becomes nullable"
        ),
        (
            #"{ "name": "note", "property_type": "string", \#(item(#""previous": { "nullable": true }"#, #", "fill": "a""#)) }"#,
            "book.note: nullable becomes required"
        ),
        (
            #"{ "name": "n", "property_type": "string", \#(item(#""previous": { "property_type": "int" }"#)) }"#,
            "book.n: type int becomes string"
        ),
        (
            #"{ "name": "n", "property_type": "int", "default_value": 2, \#(item(#""previous": { "default_value": 1 }"#)) }"#,
            "book.n: default 1 becomes 2"
        ),
        (
            #"{ "name": "n", "property_type": "int", "nullable": true, "removed_at_version": "2.0", "discard": true }"#,
            "book.n: removed"
        ),
        (
            #"{ "name": "n", "property_type": "int", "nullable": true, "unique": true, "added_at_version": "2.0" }"#,
            "book.n: added: int, nullable, unique"
        ),
        (
            #"{ "name": "n", "property_type": "int", "nullable": true, "minimum": 1, "added_at_version": "2.0" }"#,
            "book.n: added: int, nullable, minimum 1"
        ),
        (
            #"{ "name": "n", "property_type": "int", "maximum": 9, \#(item(#""previous": { "maximum": 8 }"#)) }"#,
            "book.n: maximum 8 becomes 9"
        ),
        (
            #"{ "name": "n", "property_type": "int", "version_history": [{ "version": "2.0", "fill": 1 }] }"#,
            "book.n: added: int, required"
        ),
        (
            #"{ "name": "n", "property_type": "int", "default_value": 1, "version_history": [{ "version": "2.0", "fill": 2 }] }"#,
            "book.n: added: int, required, default 1"
        ),
        (
            #"{ "name": "n", "property_type": "int", "nullable": true, "version_history": [{ "version": "2.0", "fill": 2 }] }"#,
            "book.n: added: int, nullable"
        ),
        (
            #"{ "name": "copy", "property_type": "string", "nullable": true, "version_history": [{ "version": "2.0", "fill_from": "title" }] }"#,
            "book.copy: added: string, nullable"
        ),
        (
            #"{ "name": "n", "property_type": "int", "nullable": true, "version_history": [{ "version": "2.0", "migration": "custom" }] }"#,
            "book.n: values change"
        ),
        (
            #"{ "name": "t", "property_type": "string", "collation": "nocase", \#(item(#""previous": { "collation": null }"#)) }"#,
            "book.t: collation nocase"
        ),
        (
            #"{ "name": "t", "property_type": "string", "computed": "upper(title)", \#(item(#""previous": { "computed": "lower(title)" }"#)) }"#,
            "book.t: computed lower(title) becomes upper(title)"
        ),
        (
            #"{ "name": "t", "property_type": "string", "computed": "title", "removed_at_version": "2.0" }"#,
            "book.t: removed"
        ),
        (
            reference("sequel", to: "book", #", "nullable": true, "on_delete": "cascade", "added_at_version": "2.0""#),
            "book.sequel: added: to_one book, nullable, on_delete cascade"
        ),
        (
            reference("sequel", to: "book", #", "nullable": true, "on_delete": "deny", "added_at_version": "2.0""#),
            "book.sequel: added: to_one book, nullable, on_delete deny"
        ),
        (
            reference(
                "sequel", to: "book",
                #", "nullable": true, "on_delete": "cascade", \#(item(#""previous": { "on_delete": "nullify" }"#))"#),
            "book.sequel: on_delete nullify becomes cascade"
        ),
    ])
    func `every other change of a property ends the compatibility`(property: String, change: String) throws {
        let end = try end(Self.title + ", " + property)
        #expect(end == change)
    }

    @Test func `changes of entities, checks, searches and subtypes end the compatibility`() throws {
        #expect(
            try end(
                Self.title, more: #""checks": [{ "name": "c", "where": "title <> ''", "added_at_version": "2.0" }],"#)
                == "book: check c where title <> '' added")
        #expect(
            try end(
                Self.title, more: #""checks": [{ "name": "c", "where": "title <> ''", "removed_at_version": "2.0" }],"#)
                != nil)
        func changed(_ previous: String, _ more: String = "") throws -> String? {
            let items = "{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \(previous) }"
            let step = try history(["Book": book(Self.title, history: items, more: more)]).steps[0]
            return step.incompatibleChange.map { "\(step.subject(of: $0)): \(step.text(of: $0))" }
        }
        #expect(try changed(#""previous_name": "novel""#) == "book: renamed from novel, table novel becomes book")
        #expect(try changed(#""previous": { "persisted_name": "b" }"#) == "book: table b becomes book")
        #expect(try changed(#""previous": { "search": null }"#, #""search": { "properties": ["title"] },"#) != nil)
        #expect(try changed(#""rows": "discard""#) == "book: all rows are deleted")
        #expect(try changed(#""migration": "custom""#) == "book: rows change")
        let removed =
            #"{ "name": "pen", "version_history": [{ "version": "1.0" }], "removed_at_version": "2.0", "discard": true, "identifier": { "type": "int" }, "properties": [] }"#
        #expect(try end(Self.title, ["Pen": removed]) == "pen: removed")
        func kind(_ cases: String) -> [String: String] { ["Kind": "{ \"name\": \"kind\", \"cases\": [\(cases)] }"] }
        let property = #", { "name": "kind", "property_type": "kind" }"#
        #expect(
            try end(Self.title + property, kind(#"{ "name": "a" }, { "name": "b", "added_at_version": "2.0" }"#))
                == "kind.b: added: the case \"b\"")
        let new = #", { "name": "kind", "property_type": "kind", "default_value": "a", "added_at_version": "2.0" }"#
        #expect(try end(Self.title + new, kind(#"{ "name": "a" }"#)) == nil)
    }

    @Test func `the oldest compatible version is the one after the last change that ends the compatibility`() throws {
        let versions = ["1.0", "1.1", "1.2", "2.0", "2.1"].map { "{ \"version\": \"\($0)\" }" }.joined(separator: ", ")
        func added(_ version: String) -> String {
            "{ \"name\": \"n\(version)\", \"property_type\": \"int\", \"nullable\": true, \"added_at_version\": \"\(version)\" }"
        }
        let renamed =
            #"{ "name": "title", "property_type": "string", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "name" }] }"#
        let files = [
            "Book": book(
                [added("1.1"), added("1.2"), added("2.1"), renamed].joined(separator: ", "), history: versions)
        ]
        let history = try history(files)
        let oldest = history.versions.map { history.compatibleSince($0.version).text }
        #expect(oldest == ["1.0", "1.0", "1.0", "2.0", "2.0"])
        let end = history.incompatibleStep(before: history.newest.version)
        #expect(end?.from.version.text == "1.2" && end?.to.version.text == "2.0")
        #expect(history.incompatibleStep(before: history.versions[1].version) == nil)
        let supported = history.supported(from: history.versions[1].version)
        #expect(supported.versions.map { supported.compatibleSince($0.version).text } == ["1.1", "1.1", "2.0", "2.0"])
        // A chain passes over a version, and stores of it are compared all the same.
        let chained = try DescriptionsTests.history(
            files, settings: #"{ "chain": { "1.0": "1.2" } }"#)
        #expect(chained.versions.map { chained.compatibleSince($0.version).text } == oldest)
    }
}
