import SchemaModel
import Testing

@testable import Descriptions

/// Pins the output of `strata diff`.
@Suite struct DiffTests {
    private func changes(_ files: [String: String]) throws -> [String] {
        try history(files).steps.flatMap { step in
            step.changes.map { change in
                let reason = step.reason(for: change).map { " (\($0))" } ?? ""
                return "\(change.handling) \(step.subject(of: change)): \(step.text(of: change))\(reason)"
            }
        }
    }

    @Test func `every kind of change is reported with its handling and its reason`() throws {
        let book = """
            { "name": "book", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "tome" }],
              "identifier": { "type": "int" },
              "indexes": [
                { "properties": ["title", "year"] },
                { "properties": ["year"], "unique": true, "version_history": [{ "version": "2.0" }] },
                { "properties": ["pages"], "removed_at_version": "2.0" } ],
              "properties": [
                { "name": "title", "property_type": "string", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "name" }] },
                { "name": "year", "property_type": "int" },
                { "name": "pages", "property_type": "int", "default_value": 1, "indexed": true,
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "nullable": true, "default_value": null, "indexed": null } }] },
                { "name": "weight", "property_type": "double", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "property_type": "string" } }] },
                { "name": "isbn", "property_type": "string", "added_at_version": "2.0" },
                { "name": "note", "property_type": "string", "nullable": true, "added_at_version": "2.0" },
                { "name": "copy", "property_type": "int", "version_history": [{ "version": "2.0", "fill_from": "year" }] },
                { "name": "kept", "property_type": "int", "version_history": [{ "version": "1.0" }, { "version": "2.0", "migration": "custom" }] },
                { "name": "gone", "property_type": "int", "removed_at_version": "2.0", "discard": true },
                { "name": "lost", "property_type": "int", "removed_at_version": "2.0" },
                { "name": "next", "nullable": true, "property_type": { "entity_name": "book", "association": "to_one" },
                  "on_delete": "cascade", "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "on_delete": null } }] },
                { "name": "rest", "property_type": { "entity_name": "book", "association": "to_many" } } ] }
            """
        let other = """
            { "name": "other", "version_history": [{ "version": "1.0" }, { "version": "2.0", "rows": "discard" }], "identifier": { "type": "int" } }
            """
        let new = #"{ "name": "new", "version_history": [{ "version": "2.0" }], "identifier": { "type": "int" } }"#
        let old = """
            { "name": "old", "version_history": [{ "version": "1.0" }], "removed_at_version": "2.0", "identifier": { "type": "int" } }
            """
        #expect(
            try changes(["Book": book, "Other": other, "New": new, "Old": old]) == [
                "inferred book: renamed from tome, table tome becomes book",
                "inferred book.title: renamed from name",
                "inferred book.pages: nullable becomes required, default 1, indexed (rows get coalesce(\"pages\", 1))",
                "custom book.weight: type string becomes double (`book.weight` changes from string to double)",
                "custom book.kept: values change (`book.kept` asks for a custom migration)",
                "inferred book.next: on_delete nullify becomes cascade",
                "custom book.isbn: added: string, required (`book.isbn` is new and has neither a default nor a \"fill\")",
                "inferred book.note: added: string, nullable (rows get NULL)",
                "inferred book.copy: added: int, required (rows get \"year\")",
                "discarding tome.gone: removed",
                "custom tome.lost: removed (`tome.lost` is removed without \"discard\": true)",
                "custom book: unique index on year added (`book`: the unique index on `year` may find duplicates)",
                "inferred book: index on pages removed",
                "inferred new: added",
                "discarding other: all rows are deleted",
                "custom old: removed (`old` is removed without \"discard\": true)",
            ])
    }

    @Test func `a reason is reported at the element that it concerns, and subtypes list every change`() throws {
        let book = """
            { "name": "book", "identifier": { "type": "string" },
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "identifier": { "type": "int" } } }],
              "properties": [
                { "name": "code", "property_type": "string", "unique": true,
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "unique": null } }] },
                { "name": "labels", "property_type": { "entity_name": "book", "association": "to_many" },
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "name": "tags", "property_type": "[string]" } }] },
                { "name": "place", "property_type": "place" }] }
            """
        let place = """
            { "name": "place", "properties": [
                { "name": "x", "property_type": "int", "default_value": 2,
                  "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous": { "default_value": 1 } }] },
                { "name": "y", "property_type": "int", "removed_at_version": "2.0", "discard": true },
                { "name": "y", "property_type": "bool", "default_value": true, "added_at_version": "2.0" }] }
            """
        #expect(
            try changes(["Book": book, "Place": place]) == [
                "custom book: key id: int becomes id: string (`book.id` is another primary key)",
                "custom book.code: unique (`book`: the unique index on `code` may find duplicates)",
                "custom book.labels: renamed from tags, type [string] becomes to_many book (`book.labels` was an attribute and becomes a relationship)",
                "inferred place.x: int with the default 1 becomes int with the default 2",
                "inferred place.y: added: bool with the default true",
                "discarding place.y: removed",
            ])
    }
}
