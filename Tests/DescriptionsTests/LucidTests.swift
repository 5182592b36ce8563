import Foundation
import SchemaModel
import Testing

@testable import Descriptions

/// Descriptions in the format of Lucid, on which Strata's format is based.
@Suite struct LucidTests {
    @Test func `camelCase keys and Lucid's older keywords are read`() throws {
        let text = """
            { "name": "book", "versionHistory": [{ "version": "1.0" }, { "version": "2.0", "previousName": "tome" }],
              "identifier": { "type": "Int", "objc": true },
              "properties": [
                { "name": "length", "propertyType": "TIME", "optional": true, "addedAtVersion": "2.0" },
                { "name": "cover", "propertyType": "URL", "extra": true, "key": "cover_url", "matchExactKey": true },
                { "name": "next", "nullable": true, "propertyType": { "entityName": "book", "association": "one_to_one", "idOnly": true } },
                { "name": "rest", "lazy": true, "propertyType": { "entityName": "book", "association": "one_to_many" } },
                { "name": "gone", "propertyType": "whatever", "unused": true } ] }
            """
        let descriptions = try describe(["Book": text])
        let history = try #require(descriptions.history)
        #expect(
            history.versions.map { $0.logicalLine($0.entities[0]) } == [
                "tome | key id: int | cover: url? | next: to_one tome? on_delete nullify | rest: to_many tome stored",
                "book | key id: int | cover: url? | length: seconds? | next: to_one book? on_delete nullify | rest: to_many book stored",
            ])
        #expect(
            descriptions.diagnostics.map(\.description) == [
                "Book.json:2:34: note: a store does not need these keys, so they are ignored: objc, key, match_exact_key, id_only"
            ])
    }

    @Test func `an entity that is not persisted is left out with a note`() throws {
        let descriptions = try describe([
            "Book":
                #"{ "name": "book", "versionHistory": [{ "version": "1.0" }], "identifier": { "type": "int" }, "properties": [] }"#,
            "Remote": #"{ "name": "remote", "persist": false, "properties": [{ "nonsense": 1 }] }"#,
        ])
        #expect(descriptions.history?.sources == ["Book"])
        #expect(descriptions.history?.unpersisted == ["Remote"])
        #expect(
            descriptions.diagnostics.map(\.description) == [
                "Remote.json:1:32: note: \"persist\" is false, so this entity is not stored, and nothing is generated for it"
            ])
    }

    @Test func `persisted_name sets the names of tables and columns`() throws {
        let text = """
            { "name": "book", "persisted_name": "BOOKS", "identifier": { "type": "int" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "persisted_name": null } }],
              "properties": [
                { "name": "title", "property_type": "string", "persisted_name": "TITLE" },
                { "name": "next", "nullable": true, "persisted_name": "NEXT",
                  "property_type": { "entity_name": "book", "association": "to_one" } },
                { "name": "rest", "persisted_name": "REST", "property_type": { "entity_name": "book", "association": "to_many" } } ] }
            """
        let history = try #require(try describe(["Book": text]).history)
        #expect(history.versions.map { $0.tables.map(\.name) } == [["book", "REST"], ["BOOKS", "REST"]])
        #expect(history.newest.tables[0].columnNames == ["id", "TITLE", "NEXT"])
        #expect(history.newest.columns(of: history.newest.entities[0]).map(\.member) == ["id", "title", "nextID"])
        #expect(history.steps[0].customReasons == [])
    }

    @Test func `ignored migration checks are skipped with a note`() throws {
        let text = """
            { "name": "book", "identifier": { "type": "int" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "ignore_migration_checks": true },
                { "version": "3.0", "ignore_property_migration_checks_on": ["title"] }],
              "properties": [{ "name": "title", "property_type": "string" }] }
            """
        let descriptions = try describe(["Book": text])
        let history = try #require(descriptions.history)
        #expect(history.steps.map(\.instructions.unchecked) == [[.init(entity: 0)], [.init(entity: 0, property: 0)]])
        #expect(descriptions.diagnostics.map(\.severity) == [.note, .note])
    }

    @Test func `a default value that is not a constant is left out with a note`() throws {
        let descriptions = try describe([
            "Book": book(#"{ "name": "made", "property_type": "date", "default_value": "current_date" }"#)
        ])
        #expect(
            descriptions.history.map { $0.newest.logicalLine($0.newest.entities[0]) }
                == "book | key id: int | made: date")
        #expect(
            descriptions.diagnostics.map(\.description) == [
                "Book.json:2:78: note: \"current_date\" is not a constant, so the property has no default value; set the date of each new row"
            ])
    }

    static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/corpus/lucid")

    @Test(.enabled(if: FileManager.default.fileExists(atPath: corpus.path)))
    func `Lucid's own sample is read without changes`() throws {
        let files = try FileManager.default.contentsOfDirectory(at: Self.corpus, includingPropertiesForKeys: nil)
        let sources = try files.map { SourceFile(path: $0.lastPathComponent, bytes: [UInt8](try Data(contentsOf: $0))) }
        let descriptions = ValidatedDescriptions(reading: sources, folder: "lucid", schema: "MovieSchema")
        let history = try #require(descriptions.history)
        #expect(
            history.newest.entities.map(history.newest.logicalLine) == [
                "genre | key id: int | name: string",
                "movie | key id: int | genres: to_many genre stored | overview: string | popularity: double | poster_path: url | title: string",
            ])
    }
}
