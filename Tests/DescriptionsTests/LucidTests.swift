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
                "Book.json:2:34: note: a store does not need these keys, so they are ignored: objc, key, match_exact_key, id_only",
                "Book.json:5:56: note: \"lazy\" makes the property nullable: nil is also a value that was not requested",
                "Book.json:7:31: note: \"lazy\" has no effect on a to_many: rows that were not requested are none",
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
            descriptions.messages == [
                "Book.json:2:78: note: \"current_date\" is not a constant, so the property has no default value; set the date of each new row"
            ])
    }

    // MARK: Keys that mean something else in Lucid

    /// The newest version of the entities, a line each, and the diagnostics.
    private func read(_ files: [String: String], isLucid: Bool?) -> (lines: [String], messages: [String]) {
        let sources = files.map { SourceFile(path: "\($0.key).json", bytes: Array($0.value.utf8)) }
        let read = ValidatedDescriptions(reading: sources, folder: "Model", schema: "Schema", isLucid: isLucid)
        let newest = read.history?.newest
        return (newest.map { $0.entities.map($0.logicalLine) } ?? [], read.diagnostics.map(\.description))
    }

    private func entity(_ properties: String, _ keys: String = #""persist": true, "identifier": { "type": "int" }"#)
        -> String
    {
        #"{ "name": "book", "version_history": [{ "version": "1.0" }], \#(keys), "properties": [\#(properties)] }"#
    }

    @Test func `"nil" is decided by strata.json where it may be a text`() {
        let text = entity(#"{ "name": "a", "property_type": "string", "nullable": true, "default_value": "nil" }"#)
        let undecided = read(["Book": text], isLucid: nil)
        #expect(
            undecided.messages == [
                """
                Book.json:1:204: error: "nil" means nil in Lucid, and the text "nil" in Strata; write in strata.json
                    "lucid": true    for nil, or
                    "lucid": false   for the text
                """
            ])
        #expect(read(["Book": text], isLucid: true).lines == ["book | key id: int | a: string?"])
        #expect(read(["Book": text], isLucid: false).lines == ["book | key id: int | a: string? = \"nil\""])
        let number = entity(#"{ "name": "a", "property_type": "int", "nullable": true, "default_value": "nil" }"#)
        for isLucid in [nil, true, false] {
            #expect(read(["Book": number], isLucid: isLucid).lines == ["book | key id: int | a: int?"])
        }
    }

    @Test func `an entity without "persist" is not stored in Lucid`() {
        let files = [
            "Book": entity(""),
            "Author":
                #"{ "name": "author", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" }, "properties": [] }"#,
        ]
        let undecided = read(files, isLucid: nil)
        #expect(
            undecided.messages == [
                """
                Author.json:1:1: error: Lucid does not store an entity without "persist", but Strata does; write in strata.json
                    "lucid": true    not to store it, or
                    "lucid": false   to store it
                """
            ])
        #expect(read(files, isLucid: false).lines == ["author | key id: int", "book | key id: int"])
        let lucid = read(files, isLucid: true)
        #expect(
            lucid.lines == ["book | key id: int"]
                && lucid.messages == [
                    "Author.json:1:1: note: \"persist\" is absent, which is false in Lucid, so this entity is not stored, and nothing is generated for it"
                ])
    }

    @Test func `"previous_name" needs no version in Lucid`() throws {
        let text = """
            { "name": "book", "persist": true, "identifier": { "type": "int" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0" }],
              "properties": [{ "name": "title", "previous_name": "name", "property_type": "string" }] }
            """
        #expect(
            read(["Book": text], isLucid: nil).messages.first?.contains("or write \"lucid\": true in strata.json")
                == true)
        let source = SourceFile(path: "Book.json", bytes: Array(text.utf8))
        let renamed = ValidatedDescriptions(reading: [source], folder: "Model", schema: "Schema", isLucid: true)
        let history = try #require(renamed.history)
        #expect(
            history.versions.map { $0.logicalLine($0.entities[0]) } == [
                "book | key id: int | name: string", "book | key id: int | title: string",
            ])
        #expect(
            renamed.diagnostics.map(\.description) == [
                "Book.json:3:54: note: the name changes in 2.0, the newest version of the entity; if it changed earlier, write \"previous_name\" in an item of \"version_history\""
            ])
        let single = read(
            ["Book": entity(#"{ "name": "title", "previous_name": "name", "property_type": "string" }"#)], isLucid: true
        )
        #expect(single.lines == ["book | key id: int | title: string"])
        #expect(
            single.messages.map { $0.suffix(65) } == [
                "the entity has only one version, so \"previous_name\" has no effect"
            ])
    }

    @Test func `primary keys of Lucid`() {
        let none = read(["Book": entity("", #""persist": true"#)], isLucid: true)
        #expect(none.lines == ["book | key id: int"])
        #expect(
            none.messages == [
                "Book.json:1:1: note: a row needs a primary key, so the entity gets an \"id\", which newID(of:) sets"
            ])
        #expect(
            read(["Book": entity("", #""persist": true, "identifier": { "key": "x" }"#)], isLucid: true).lines
                == none.lines)
        for (type, stored) in [("url", "string"), ("color", "string"), ("milliseconds", "int"), ("string", "string")] {
            let read = read(
                ["Book": entity("", #""persist": true, "identifier": { "type": "\#(type)", "key": "k" }"#)],
                isLucid: true)
            #expect(read.lines == ["book | key id: \(stored)"])
        }
        let real = read(["Book": entity("", #""persist": true, "identifier": { "type": "double" }"#)], isLucid: true)
        #expect(real.lines.isEmpty && real.messages.count == 1)
    }

    @Test func `a relationship to an entity that is not stored has its primary keys`() {
        let other =
            #"{ "name": "author", "persist": false, "identifier": { "type": "property", "property_name": "mail" }, "properties": [{ "name": "mail", "property_type": "string" }] }"#
        let text = entity(
            """
            { "name": "author", "property_type": { "entity_name": "author", "association": "to_one" }, "nullable": true },
            { "name": "readers", "property_type": { "entity_name": "author", "association": "to_many" } },
            { "name": "next", "property_type": { "entity_name": "book", "association": "to_many" }, "nullable": true }
            """)
        let read = read(["Book": text, "Author": other], isLucid: true)
        #expect(
            read.lines == ["book | key id: int | author: string? | next: to_many book stored | readers: [string]"])
        #expect(read.messages.count == 4 && read.messages.allSatisfy { $0.contains(": note: ") })
    }

    @Test func `durations of Lucid are numbers`() {
        let text = entity(
            """
            { "name": "a", "property_type": "seconds", "default_value": "3s" },
            { "name": "b", "property_type": "milliseconds", "default_value": "100ms" },
            { "name": "c", "property_type": "seconds", "default_value": "1500ms" },
            { "name": "d", "property_type": "milliseconds", "default_value": "0.5s" }
            """)
        #expect(
            read(["Book": text], isLucid: nil).lines == [
                "book | key id: int | a: seconds = 3.0 | b: milliseconds = 100 | c: seconds = 1.5 | d: milliseconds = 500"
            ])
        for (type, value) in [("milliseconds", "0.5ms"), ("seconds", "s"), ("seconds", "1h"), ("int", "3s")] {
            let text = entity(#"{ "name": "a", "property_type": "\#(type)", "default_value": "\#(value)" }"#)
            #expect(read(["Book": text], isLucid: true).lines.isEmpty)
        }
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
