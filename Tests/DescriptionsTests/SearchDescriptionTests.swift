import Descriptions
import SchemaDiff
import SchemaModel
import SQLSchema
import Testing

/// The search of an entity.
@Suite struct SearchDescriptionTests {
    private static let title = #"{ "name": "title", "property_type": "string" }"#

    private static let lines = ["id integer key", "title text", "\"search\" text", "notes text?", "pages integer"]

    private func step(_ search: String, was: String, _ properties: String = title) throws -> SchemaStep {
        let text = """
            { "name": "book", "identifier": { "type": "int" }, "search": \(search),
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "search": \(was) } }],
              "properties": [\(properties)] }
            """
        return try #require(try history(["Book": text]).steps.first)
    }

    @Test(arguments: [
        (#"{ "properties": ["title"] }"#, "null", "search (title) unicode61"),
        (
            #"{ "properties": ["title"], "tokenizer": "porter" }"#, #"{ "properties": ["title"] }"#,
            "search (title) unicode61 becomes (title) porter"
        ),
        ("null", #"{ "properties": ["title"] }"#, "no longer search (title) unicode61"),
    ])
    func `a search has a history, and its changes are inferred`(now: String, was: String, change: String) throws {
        let step = try step(now, was: was)
        #expect(!step.isCustom)
        #expect(step.changes.map(step.text) == [change])
        for (version, search) in [(step.from, was), (step.to, now)] {
            #expect(version.tables[0].search?.columns == (search == "null" ? nil : ["title"]))
            let line = version.logicalLines[0]
            #expect(line.contains("| search (title) ") == (search != "null"), "\(line)")
        }
    }

    @Test func `a search follows a renamed property`() throws {
        let renamed = """
            { "name": "title", "property_type": "string",
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "name" }] }
            """
        let step = try step(#"{ "properties": ["title"] }"#, was: #"{ "properties": ["name"] }"#, renamed)
        #expect(step.changes.map(step.text) == ["renamed from name"])
        #expect(step.from.tables[0].search?.columns == ["name"])
        #expect(step.to.tables[0].search?.columns == ["title"])
    }

    @Test func `a search follows a property with another name for its column`() throws {
        let step = try step(
            #"{ "properties": ["rank"], "tokenizer": "trigram" }"#, was: "null",
            #"{ "name": "rank", "property_type": "string", "persisted_name": "grade" }"#)
        #expect(step.to.tables[0].search == TextSearch(["grade"], .trigram))
    }

    @Test func `the text of tables has the search`() throws {
        let plain = Table("book", Self.lines)
        let searched = Table("book", Self.lines + ["search (title, \"search\") porter"])
        let other = Table("book", Self.lines + ["search (notes) trigram"])
        #expect(searched.search == TextSearch(["title", "search"], .porter))
        for (before, after) in [(plain, searched), (searched, plain), (searched, other)] {
            let lines = try #require(SchemaText.lines(of: after, changedFrom: before))
            #expect(lines.count <= 3)
            #expect(try SchemaText.tables(lines.joined(separator: "\n"), after: [before]) == [after])
        }
    }
}
