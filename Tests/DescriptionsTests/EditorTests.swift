import Foundation
import JSONText
import SchemaModel
import Testing

@testable import DescriptionEditing
@testable import Descriptions

/// The JSON Schemas for editors, and the canonical layout of files.
@Suite struct EditorTests {
    private static let tables: [KeyTable] = [
        .entity, .property, .index, .subtype, .subtypeCase, .option, .member, .item, .identifier, .relationship,
        .check, .search,
        .configuration,
    ]

    @Test func `a key is in a table once, and its text is a sentence`() {
        for table in Self.tables {
            #expect(Set(table.keys.map(\.name)).count == table.keys.count, "\(table.kind)")
            for key in table.keys {
                #expect(!key.summary.contains("doc:") && !key.summary.contains("see *"), "\(key.summary)")
                #expect(key.summary.hasSuffix("."), "\(key.summary)")
            }
        }
    }

    @Test(arguments: FileSchema.allCases)
    func `a schema is JSON, and every reference in it has a definition`(schema: FileSchema) throws {
        let json = try JSONParser.parse(Array(schema.text.utf8))
        let value = JSONOutput(json)
        #expect(value["$schema"]?.string == "http://json-schema.org/draft-07/schema#")
        let names = Set(value["definitions"]?.members.map(\.key) ?? [])
        let references = schema.text.matches(of: /"#\/definitions\/(\w+)"/).map { String($0.1) }
        #expect(Set(references) == names)
    }

    private func formatted(_ text: String, _ name: String = "Book.json") throws -> String {
        let file = SourceFile(path: name, bytes: Array(text.utf8))
        return try Formatting.format(file, isConfiguration: name == "strata.json")
    }

    @Test func `keys get their canonical order and spelling, and lists one element a line`() throws {
        let text = """
            {"properties":[{"propertyType":{"association":"to_one","entityName":"book"},"name":"next","optional":true},
            {"name":"note","property_type":"string","version_history":[{"previous":{"nullable":null,"name":"x"},"version":"2.0"}]}
            ],"uid": "b","indexes":[{"unique":true,"properties":["note"]}],"$schema":"s","identifier":{"name":"id","type":"int"},
            "versionHistory":[{"version":"1.0"}],"name":"b\\u006fok"}
            """
        let expected = """
            {
              "$schema": "s",
              "name": "book",
              "version_history": [{ "version": "1.0" }],
              "identifier": { "type": "int", "name": "id" },
              "properties": [
                { "name": "next", "property_type": { "entity_name": "book", "association": "to_one" }, "nullable": true },
                {
                  "name": "note",
                  "property_type": "string",
                  "version_history": [{ "version": "2.0", "previous": { "name": "x", "nullable": null } }]
                }
              ],
              "indexes": [{ "properties": ["note"], "unique": true }],
              "uid": "b"
            }

            """
        #expect(try formatted(text) == expected)
        #expect(try formatted(expected) == expected)
    }

    @Test func `other files are formatted too`() throws {
        #expect(try formatted("{}", "strata.json") == "{}\n")
        #expect(
            try formatted(#"{"versions":["1.0",{"was":"A","version":"2.0"}],"mode":"build"}"#, "strata.json") == """
                {
                  "mode": "build",
                  "versions": [
                    "1.0",
                    { "was": "A", "version": "2.0" }
                  ]
                }

                """)
        #expect(
            try formatted(#"{"cases":["a",{"value":"B","name":"b"}],"name":"kind"}"#) == """
                {
                  "name": "kind",
                  "cases": [
                    "a",
                    { "name": "b", "value": "B" }
                  ]
                }

                """)
    }

    @Test(arguments: [
        #"{ "name": "book", "identifier": { "type": "int" }, "colour": 1 }"#, "{ \"name\": ", "[]",
        #"{ "name": "book", "identifier": { "type": "int" }, "properties": [{ "name": "a", "property_type": "int", "x": 1 }] }"#,
    ])
    func `a file with errors is not formatted`(text: String) {
        #expect(throws: Formatting.FileDiagnostics.self) { try formatted(text) }
        #expect(throws: Formatting.FileDiagnostics.self) { try formatted(#"{ "shcema": "x" }"#, "strata.json") }
    }

    /// The models of this package and of its consumers.
    private static let models: [URL] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return ["Entities", "Tests/Consumers", "Tests/Benchmarks"].flatMap { folder -> [URL] in
            let url = root.appendingPathComponent(folder)
            let paths = (try? FileManager.default.subpathsOfDirectory(atPath: url.path)) ?? []
            return paths.filter { $0.hasSuffix("strata.json") && !$0.contains(".build") }
                .map { url.appendingPathComponent($0).deletingLastPathComponent() }
        }
    }()

    @Test(arguments: models) func `formatting changes no version, and formatting again changes nothing`(folder: URL)
        throws
    {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") && !$0.hasSuffix("strata.json") && !$0.hasPrefix("Migrations/") }
        let files = try paths.map { path in
            SourceFile(path: path, bytes: [UInt8](try Data(contentsOf: folder.appendingPathComponent(path))))
        }
        let texts = try files.map { SourceFile(path: $0.path, bytes: Array(try Formatting.format($0).utf8)) }
        for file in texts { #expect(try Formatting.format(file) == String(decoding: file.bytes, as: UTF8.self)) }
        let settings = folder.appendingPathComponent("strata.json")
        var configuration = try ConfigurationReader.read(
            SourceFile(path: settings.path, bytes: [UInt8](try Data(contentsOf: settings))))
        let versions = configuration.versions()
        let before = ValidatedDescriptions(reading: files, folder: "", schema: "TestSchema", settings: versions)
        let after = ValidatedDescriptions(reading: texts, folder: "", schema: "TestSchema", settings: versions)
        func shape(_ descriptions: ValidatedDescriptions) throws -> [[String]] {
            let history = try #require(descriptions.history)
            return history.versions.map { [$0.version.text, "\($0.fingerprint)"] + $0.logicalLines }
        }
        #expect(try shape(before) == shape(after))
    }
}
