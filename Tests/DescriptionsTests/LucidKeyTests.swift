import Foundation
import SchemaModel
import Testing

@testable import Descriptions

/// Every key that Lucid's decoder of descriptions reads (`Codable.swift` of its code generator), and what Strata makes of it.
@Suite struct LucidKeyTests {
    /// What becomes of a key.
    enum Outcome: Sendable {
        /// The version has it. The text is part of its logical lines.
        case stored(String)
        /// A note says that a store does not need it.
        case ignored
        /// A note says what becomes of it, and the logical lines contain the text.
        case noted(String, String)
        /// It is an error.
        case refused(String)
    }

    /// A key in an object, with a value.
    struct Case: Sendable, CustomTestStringConvertible {
        let object: String
        let key: String
        let value: String
        let outcome: Outcome

        init(_ object: String, _ key: String, _ value: String, _ outcome: Outcome) {
            (self.object, self.key, self.value, self.outcome) = (object, key, value, outcome)
        }

        var testDescription: String { "\(object).\(key) \(value)" }
    }

    private static let entity: [Case] = [
        Case("entity", "persisted_name", #""TABLE""#, .stored("table TABLE")),
        Case("entity", "legacy_previous_name", #""older""#, .noted("only one version", "book |")),
        Case("entity", "previous_name", #""older""#, .noted("only one version", "book |")),
        Case("entity", "added_at_version", #""1.0""#, .stored("book |")),
        Case("entity", "version_history", #"[{ "version": "1.0" }]"#, .stored("book |")),
        Case("entity", "metadata", "[]", .ignored), Case("entity", "remote", "false", .ignored),
        Case("entity", "uid", #""b""#, .ignored), Case("entity", "system_properties", #"["is_synced"]"#, .ignored),
        Case("entity", "platforms", #"["ios"]"#, .ignored), Case("entity", "last_remote_read", "true", .ignored),
        Case("entity", "query_context", "true", .ignored), Case("entity", "client_queue_name", #""q""#, .ignored),
        Case("entity", "cache_size", #""small""#, .ignored), Case("entity", "sendable", "true", .ignored),
    ]
    private static let identifier: [Case] = [
        Case("identifier", "type", #""int""#, .stored("key id: int")),
        Case("identifier", "type", #""string""#, .stored("key id: string")),
        Case("identifier", "type", #""url""#, .noted("the primary key has the type", "key id: string")),
        Case("identifier", "type", #""color""#, .noted("the primary key has the type", "key id: string")),
        Case("identifier", "type", #""milliseconds""#, .noted("the primary key has the type", "key id: int")),
        Case("identifier", "type", #""date""#, .refused("date")),
        Case("identifier", "type", #""double""#, .refused("double")),
        Case("identifier", "type", #""float""#, .refused("float")),
        Case("identifier", "type", #""bool""#, .refused("bool")),
        Case("identifier", "type", #""seconds""#, .refused("seconds")),
        Case("identifier", "property_name", #""title""#, .stored("key (title)")),
        Case("identifier", "derived_from_relationships", #"["genre"]"#, .stored("key id: int")),
        Case("identifier", "key", #""k""#, .ignored), Case("identifier", "objc", "true", .ignored),
        Case("identifier", "atomic", "true", .ignored),
        Case("identifier", "equivalent_to_identifier_of", #""genre""#, .ignored),
    ]
    private static let property: [Case] = [
        Case("property", "persisted_name", #""P""#, .stored("persisted P")),
        Case("property", "property_type", #""date""#, .stored("p: date")),
        Case("property", "nullable", "true", .stored("p: string?")),
        Case("property", "optional", "true", .stored("p: string?")),
        Case("property", "default_value", #""x""#, .stored(#"p: string = "x""#)),
        Case("property", "previous_name", #""older""#, .noted("only one version", "p: string")),
        Case("property", "added_at_version", #""1.0""#, .stored("p: string")),
        Case("property", "lazy", "true", .noted("not requested", "p: string?")),
        Case("property", "extra", "true", .noted("not requested", "p: string?")),
        Case("property", "key", #""k""#, .ignored), Case("property", "match_exact_key", "true", .ignored),
        Case("property", "log_error", "false", .ignored), Case("property", "use_for_equality", "false", .ignored),
        Case("property", "mutable", "true", .ignored), Case("property", "objc", "true", .ignored),
        Case("property", "platforms", #"["ios"]"#, .ignored),
    ]
    private static let relationship: [Case] = [
        Case("relationship", "entity_name", #""genre""#, .stored("r: to_one genre?")),
        Case("relationship", "entity_name", #""remote""#, .noted("primary key", "r: int?")),
        Case("relationship", "association", #""to_many""#, .noted("never null", "r: to_many genre")),
        Case("relationship", "id_only", "true", .ignored), Case("relationship", "failable_items", "false", .ignored),
        Case("relationship", "platforms", "[]", .ignored),
    ]
    private static let item: [Case] = [
        Case("item of `version_history`", "version", #""1.1""#, .stored("book |")),
        Case("item of `version_history`", "previous_name", #""tome""#, .stored("book |")),
        Case("item of `version_history`", "ignore_migration_checks", "true", .noted("compare", "book |")),
        Case(
            "item of `version_history`", "ignore_property_migration_checks_on", #"["title"]"#,
            .noted("compare", "book |")),
    ]
    private static let subtype: [Case] = [
        Case("subtype", "cases", #"["a"]"#, .stored("kind | enum | case a")),
        Case("subtype", "unused_cases", #"["old"]"#, .stored("case old")),
        Case("subtype", "options", #"["a"]"#, .stored("kind | options | option a: bit 0")),
        Case("subtype", "unused_options", #"["old"]"#, .stored("option old: bit 1")),
        Case("subtype", "properties", #"[{ "name": "x", "property_type": "int" }]"#, .stored("kind | struct | x: int")),
        Case("subtype", "manual_implementations", #"["init_from_raw_value"]"#, .ignored),
        Case("subtype", "custom_decoder", "true", .ignored), Case("subtype", "objc", "true", .ignored),
        Case("subtype", "objc_none_case", "true", .ignored), Case("subtype", "platforms", "[]", .ignored),
        Case("subtype", "sendable", "true", .ignored),
    ]
    private static let member: [Case] = [
        Case("property of a struct", "property_type", #""{string:int}""#, .stored("m: {string:int}")),
        Case("property of a struct", "nullable", "true", .stored("m: string?")),
        Case("property of a struct", "optional", "true", .stored("m: string?")),
        Case("property of a struct", "default_value", #""x""#, .stored(#"m: string = "x""#)),
        Case("property of a struct", "unused", "true", .stored("kind | struct | x: int")),
        Case("property of a struct", "key", #""k""#, .ignored), Case("property of a struct", "objc", "true", .ignored),
        Case("property of a struct", "log_error", "false", .ignored),
        Case("property of a struct", "platforms", "[]", .ignored),
    ]
    static let cases = entity + identifier + property + relationship + item + subtype + member

    /// The descriptions with a key in them.
    private func files(_ each: Case) -> [String: String] {
        func object(_ pairs: KeyValuePairs<String, String>, in object: String) -> String {
            var members = pairs.filter { each.object != object || $0.key != each.key }.map {
                #""\#($0.key)": \#($0.value)"#
            }
            if each.object == object { members.append(#""\#(each.key)": \#(each.value)"#) }
            return "{ " + members.joined(separator: ", ") + " }"
        }
        let isProperty = each.key == "property_name"
        let identifier = object(["type": isProperty ? #""property""# : #""int""#], in: "identifier")
        let relationship = object(["entity_name": #""genre""#, "association": #""to_one""#], in: "relationship")
        let items =
            each.object.hasPrefix("item")
            ? #"[{ "version": "1.0" }, \#(object(["version": #""1.1""#], in: each.object))]"#
            : #"[{ "version": "1.0" }]"#
        let property = object(["name": #""p""#, "property_type": #""string""#], in: "property")
        let book = object(
            [
                "name": #""book""#, "persist": "true", "version_history": items, "identifier": identifier,
                "properties": """
                [{ "name": "title", "property_type": "string" }, \(property),
                 { "name": "r", "property_type": \(relationship), "nullable": true },
                 { "name": "k", "property_type": "kind", "nullable": true }]
                """,
            ], in: "entity")
        let member = object(["name": #""m""#, "property_type": #""string""#], in: "property of a struct")
        let isStruct = each.object == "property of a struct" || each.key == "properties"
        var kind: KeyValuePairs = ["name": #""kind""#, "cases": #"["b"]"#]
        if isStruct {
            kind = ["name": #""kind""#, "properties": #"[{ "name": "x", "property_type": "int" }, \#(member)]"#]
        }
        if each.key == "unused_options" { kind = ["name": #""kind""#, "options": #"["b"]"#] }
        if each.key == "options" { kind = ["name": #""kind""#] }
        let history = #""version_history": [{ "version": "1.0" }]"#
        return [
            "Book": book, "Kind": object(kind, in: "subtype"),
            "Genre":
                #"{ "name": "genre", "persist": true, \#(history), "identifier": { "type": "int" }, "properties": [] }"#,
            "Remote":
                #"{ "name": "remote", "persist": false, \#(history), "identifier": { "type": "int" }, "properties": [] }"#,
        ]
    }

    @Test(arguments: cases) func `a key of Lucid has the outcome that the guide says`(each: Case) throws {
        let sources = files(each).map { SourceFile(path: "\($0.key).json", bytes: Array($0.value.utf8)) }
        let read = ValidatedDescriptions(reading: sources, folder: "Model", schema: "Schema", isLucid: true)
        let messages = read.diagnostics.map(\.description).filter { !$0.hasPrefix("Remote.json") }
        let lines = read.history?.newest.logicalLines.joined(separator: "\n") ?? ""
        switch each.outcome {
        case .stored(let text):
            #expect(messages == [])
            #expect(lines.contains(text))
        case .ignored:
            #expect(messages.count == 1 && messages[0].hasSuffix("so they are ignored: " + each.key))
            #expect(!lines.isEmpty)
        case .noted(let note, let text):
            #expect(messages.contains { $0.contains("note: ") && $0.contains(note) }, "\(messages)")
            #expect(lines.contains(text))
        case .refused(let text):
            #expect(lines == "" && messages.contains { $0.contains("error: ") && $0.contains(text) }, "\(messages)")
        }
    }

    @Test func `the guide has each key in the row of its object`() throws {
        let guide = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(
                "Sources/Runtime/Strata/Strata.docc/ComingFrom/ComingFromLucid.md")
        let text = try String(contentsOf: guide, encoding: .utf8)
        let table = try #require(text.split(separator: "## All keys").last)
        var object = ""
        var rows: [String: [(keys: Substring, meaning: Substring)]] = [:]
        for line in table.split(separator: "\n") where line.hasPrefix("|") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            let name = cells[1].trimmingCharacters(in: .whitespaces)
            if !name.isEmpty { object = name }
            rows[object, default: []].append((cells[2], cells[3]))
        }
        for each in Self.cases {
            let row = rows[each.object]?.first { row in
                row.keys.contains("`\(each.key)`")
                    && (each.key != "type" || row.keys.contains("`\(each.value.dropFirst().dropLast())`"))
            }
            guard let row else {
                Issue.record("the guide lacks \(each.testDescription)")
                continue
            }
            if case .ignored = each.outcome { #expect(row.meaning.contains("ignored"), "\(each.testDescription)") }
            if case .refused = each.outcome { #expect(row.meaning.contains("refused"), "\(each.testDescription)") }
        }
    }
}
