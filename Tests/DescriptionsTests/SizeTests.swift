import SQLSchema
import Testing

@testable import Descriptions

/// Descriptions at the limits of SQLite.
@Suite struct SizeTests {
    private func errors(
        _ properties: [String], _ rest: String = "", identifier: String = #"{ "type": "int" }"#, others: [String] = []
    ) -> [String] {
        let note = """
            {
              "name": "note", "version_history": [{ "version": "1.0" }], "identifier": \(identifier),
              "properties": [\(properties.joined(separator: ","))]\(rest)
            }
            """
        let files = ([note] + others).enumerated().map { SourceFile(path: "file\($0).json", bytes: Array($1.utf8)) }
        return ValidatedDescriptions(reading: files, folder: "", schema: "Test", settings: nil, lint: []).diagnostics
            .map(\.description)
    }

    private func texts(_ count: Int, _ more: String = "") -> [String] {
        (0..<count).map { #"{"name": "p\#($0)", "property_type": "string", "nullable": true\#(more)}"# }
    }

    @Test func `a table has at most as many columns as SQLite allows`() {
        #expect(errors(texts(SQLiteLimits.columns - 1)) == [])
        #expect(
            errors(texts(SQLiteLimits.columns)) == [
                "file0.json:2:11: error: the table of `note` has 2001 columns, and SQLite on devices allows at most 2000; "
                    + "move properties to a struct, or to another entity"
            ])
    }

    @Test func `computed properties are columns too`() {
        let computed = [#"{"name": "shown", "property_type": "string", "computed": "upper(p1)"}"#]
        #expect(errors(texts(SQLiteLimits.columns - 2) + computed) == [])
        #expect(errors(texts(SQLiteLimits.columns - 1) + computed).count == 1)
    }

    @Test func `a search has at most as many properties as FTS5 allows`() {
        func search(_ count: Int) -> [String] {
            let names = (0..<count).map { "\"p\($0)\"" }.joined(separator: ",")
            return errors(texts(count), ", \"search\": {\"properties\": [\(names)]}")
        }
        #expect(search(SQLiteLimits.searchedColumns) == [])
        #expect(search(SQLiteLimits.searchedColumns + 1).count == 1)
    }

    @Test func `a primary key has at most 100 columns`() {
        func key(_ count: Int) -> [String] {
            let names = (0..<count).map { "\"p\($0)\"" }.joined(separator: ",")
            return errors(
                (0..<count).map { #"{"name": "p\#($0)", "property_type": "int"}"# },
                identifier: #"{"type": "properties", "properties": [\#(names)]}"#)
        }
        #expect(key(SQLiteLimits.keyColumns) == [])
        #expect(key(SQLiteLimits.keyColumns + 1).count == 1)
    }

    @Test func `a default value fits into a statement, and all of a table do`() {
        func value(_ count: Int) -> String { ", \"default_value\": \"\(String(repeating: "x", count: count))\"" }
        #expect(errors(texts(1, value(SQLiteLimits.constant))) == [])
        #expect(errors(texts(1, value(SQLiteLimits.constant + 1))).count == 1)
        #expect(errors(texts(9, value(SQLiteLimits.constant))) == [])
        #expect(errors(texts(10, value(SQLiteLimits.constant))).count == 1)
    }

    @Test func `an index has a condition that the app can read`() {
        func index(_ count: Int) -> [String] {
            let values = (0..<count).map { "\"v\($0)\"" }.joined(separator: ",")
            return errors(texts(1), #", "indexes": [{"properties": ["p0"], "where": {"p0": [\#(values)]}}]"#)
        }
        #expect(index(125) == [])
        #expect(index(126).count == 1)
    }

    @Test(.timeLimit(.minutes(1))) func `thousands of cases and members are read`() {
        let cases = (0..<3_000).map { "{\"name\": \"c\($0)\"}" }.joined(separator: ",")
        let members = texts(1_000).joined(separator: ",")
        #expect(
            errors(
                [#"{"name": "a", "property_type": "kind"}"#, #"{"name": "b", "property_type": "part"}"#],
                others: [
                    "{\"name\": \"kind\", \"cases\": [\(cases)]}", "{\"name\": \"part\", \"properties\": [\(members)]}",
                ]) == [])
    }
}
