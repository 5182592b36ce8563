import Descriptions
import SchemaDiff
import SchemaModel
import SQLSchema
import Testing

/// The history of computed properties.
@Suite struct ComputedPropertyTests {
    private func history(_ property: String, value: String = "given || last") throws -> SchemaHistory {
        let properties = """
            { "name": "given", "property_type": "string",
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "first" }] },
            { "name": "last", "property_type": "string" },
            { "name": "label", "property_type": "string", "computed": "\(value)" \(property) }
            """
        return try DescriptionsTests.history(["Book": book(properties)])
    }

    private func item(_ previous: String) -> String {
        ", \"version_history\": [{ \"version\": \"1.0\" }, { \"version\": \"2.0\", \(previous) }]"
    }

    @Test(arguments: [
        (#""previous": { "computed": "first" }"#, "computed given becomes given || last"),
        (#""previous": { "indexed": true }"#, "no longer indexed"),
        (#""previous_name": "title""#, "renamed from title"),
        (
            #""previous": { "property_type": "int", "computed": "length(first)" }"#,
            "type int becomes string, computed length(given) becomes given || last"
        ),
        (#""previous": { "persisted_name": "LABEL" }"#, "no longer column LABEL"),
    ])
    func `a change is inferred and reported`(previous: String, text: String) throws {
        let step = try history(item(previous)).steps[0]
        #expect(!step.isCustom)
        let changes = step.changes.filter { step.subject(of: $0) == "book.label" }
        #expect(changes.map(step.text) == [text])
        #expect(changes.map(\.handling) == [.inferred])
    }

    @Test func `a property that is added or removed needs no value and no discard`() throws {
        let added = try history(#", "added_at_version": "2.0", "indexed": true"#).steps[0]
        #expect(!added.isCustom)
        #expect(added.changes.map(added.text).contains("added: string, computed given || last, indexed"))
        // Its names are those of its last version.
        let removed = try history(#", "removed_at_version": "2.0""#, value: "first || last")
        #expect(!removed.steps[0].isCustom)
        #expect(removed.steps[0].changes.map(removed.steps[0].text).contains("removed"))
        #expect(removed.versions[0].tables[0].computed.map(\.name) == ["label"])
        #expect(removed.newest.tables[0].computed.isEmpty)
    }

    @Test func `a renamed property is no change of a value that is computed from it`() throws {
        let step = try history("").steps[0]
        #expect(step.changes.map(step.subject) == ["book.given"])
        let statements = StepStatements(from: step.from.tables, to: step.to.tables, changes: step.tableChanges)
        #expect(statements.actions.map(\.action) == [.alter])
    }

    @Test(arguments: ["int", "double", "float", "date", "seconds", "milliseconds", "bool"])
    func `zero and one are values of every type of numbers`(type: String) throws {
        for value in ["coalesce(span, 0)", "max(span, 1)", "CASE WHEN span IS NULL THEN 0 ELSE span END"] {
            let properties = """
                { "name": "span", "property_type": "\(type)", "nullable": true },
                { "name": "copy", "property_type": "\(type)", "computed": "\(value)" }
                """
            let history = try DescriptionsTests.history(["Book": book(properties)])
            #expect(history.newest.entities[0].computed.count == 1, "\(value)")
        }
    }
}
