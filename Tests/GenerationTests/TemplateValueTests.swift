import Descriptions
import Foundation
import Mustache
import SchemaModel
import Templates
import Testing

@testable import Generation

@Suite struct TemplateValueTests {
    /// The kind of a value, as the documentation marks it.
    private enum Kind: String {
        case list = "*"
        case flag = "?"
        case other = ""
    }

    /// The documented values of each template, by path: `columns.member`.
    private func documented() throws -> [String: [String: Kind]] {
        var templates: [String: [String: Kind]] = [:]
        var template = ""
        var path: [String] = []
        for line in try Templates.values().split(separator: "\n") {
            if let title = line.wholeMatch(of: /## (.+)/) {
                template = String(title.1)
                templates[template] = [:]
            }
            guard let item = line.wholeMatch(of: /( *)- (`[^:]*)(?::.*)?/) else { continue }
            path = Array(path.prefix(item.1.count / 2))
            for name in item.2.matches(of: /`([A-Za-z]+)([*?]?)`/) {
                templates[template]?[(path + [String(name.1)]).joined(separator: ".")] = Kind(rawValue: String(name.2))
            }
            path.append(item.2.firstMatch(of: /[A-Za-z]+/).map { String($0.0) } ?? "")
        }
        templates["EntityHistory.swift"] = templates["Entity.swift"]?.filter { !$0.key.hasPrefix("newest") }
        templates["SubtypeHistory.swift"] = templates["Subtype.swift"]?.filter { !$0.key.hasPrefix("newest") }
        return templates
    }

    /// Adds the names in `value` and below to `kinds`.
    private func collect(_ value: Value, _ path: [String], into kinds: inout [String: Kind]) {
        let name = path.joined(separator: ".")
        switch value {
        case .object(let values):
            if kinds[name] == nil, !path.isEmpty { kinds[name] = .other }
            for (key, value) in values { collect(value, path + [key], into: &kinds) }
        case .list(let values):
            kinds[name] = .list
            for case .object(let members) in values {
                for (key, value) in members { collect(value, path + [key], into: &kinds) }
            }
        case .flag: kinds[name] = .flag
        case .text, .null: if kinds[name] == nil { kinds[name] = .other }
        }
    }

    /// Entities with custom migrations, which `EverythingModel` does not have.
    private static let custom = [
        "CustomRows.json": """
        { "name": "custom_rows", "identifier": { "type": "int" },
          "version_history": [{ "version": "1.0" }, { "version": "2.0", "migration": "custom" }],
          "properties": [
            { "name": "kept", "property_type": "int" },
            { "name": "gone", "property_type": "int", "removed_at_version": "2.0" },
            { "name": "added", "property_type": "int", "added_at_version": "2.0" } ] }
        """,
        "CustomColumns.json": """
        { "name": "custom_columns", "identifier": { "type": "int" },
          "version_history": [{ "version": "1.0" }, { "version": "2.0", "migration": "columns" }],
          "properties": [{ "name": "added", "property_type": "int", "added_at_version": "2.0" }] }
        """,
        "CustomMerge.json": """
        { "name": "custom_merge", "identifier": { "type": "int" }, "version_history": [{ "version": "1.0" }],
          "removed_at_version": "2.0", "merged_into": "custom_rows", "properties": [] }
        """,
    ]

    @Test func `every value of a template is documented, and every documented value exists`() throws {
        var configuration = try ConfigurationReader.read(
            SourceFile(
                path: "strata.json",
                bytes: Array(
                    #"{ "versions": [{ "version": "1.0", "was": "1" }, "2.0", "2.1"], "imported": { "from": "room" } }"#
                        .utf8)))
        let files = EverythingModel.files.filter { $0.key != "strata.json" }.merging(Self.custom) { own, _ in own }
        let descriptions = ValidatedDescriptions(
            reading: files.map { SourceFile(path: $0.key, bytes: Array($0.value.utf8)) }, folder: "Model",
            schema: "EverythingSchema", settings: configuration.versions(), imported: configuration.imported())
        #expect(descriptions.diagnostics.filter { $0.severity == .error }.map(\.description) == [])
        let history = try #require(descriptions.history)
        let generator = Generator(
            history: history, templates: try Templates.load(),
            options: GenerationOptions(
                module: "Everything", codingNames: .descriptions, sealedCount: 1, modelPath: "Sources/Everything"))
        let custom = history.steps.filter(\.isCustom)
        let values: [String: [Value]] = [
            "Entity.swift": history.entityLineages.compactMap(generator.entityValues),
            "EntityHistory.swift": history.entityLineages.compactMap(generator.entityHistoryValues),
            "Subtype.swift": history.subtypeLineages.compactMap(generator.subtypeValues),
            "SubtypeHistory.swift": history.subtypeLineages.compactMap(generator.subtypeHistoryValues),
            "Schema.swift": [generator.schemaValues()],
            "Migrations.swift": [generator.migrationsValues()],
            "MigrationStub.swift": custom.map(generator.stubValues),
            "Tests.swift": [generator.testsValues()],
            "Version.sql": history.versions.map(generator.versionSQLValues),
            "Step.sql": history.steps.map(generator.stepSQLValues),
        ]
        let documented = try documented()
        #expect(documented.keys.sorted() == values.keys.sorted())
        for (template, values) in values {
            var kinds: [String: Kind] = [:]
            for value in values { collect(value, [], into: &kinds) }
            let said = documented[template] ?? [:]
            #expect(kinds.filter { said[$0.key] != $0.value }.isEmpty, "\(template): other than documented")
            // The templates of superseded types get some values only from rare histories.
            if template.hasSuffix("History.swift") { continue }
            #expect(said.filter { kinds[$0.key] == nil }.isEmpty, "\(template): documented, but never passed")
        }
    }

    @Test func `every template states its format`() throws {
        for (name, text) in try Templates.load() {
            #expect(Templates.format(of: text) == Templates.format, "\(name)")
        }
        #expect(Templates.format(of: Templates.firstLine) == Templates.format)
        #expect(Templates.format(of: "{{! another comment }}") == nil)
    }
}
