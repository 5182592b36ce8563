import Foundation
import SchemaModel
import Strata
import Testing

/// The plan of a migration before it runs.
@Suite struct MigrationPlanTests {
    private static let files = [
        #"""
        { "name": "book", "identifier": { "type": "int" },
          "version_history": [{ "version": "1" }, { "version": "2" }, { "version": "3" }],
          "properties": [
            { "name": "title", "property_type": "string", "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "name" }] },
            { "name": "by", "nullable": true, "property_type": { "entity_name": "author", "association": "to_one" } }] }
        """#,
        #"""
        { "name": "author", "identifier": { "type": "int" }, "version_history": [{ "version": "1" }],
          "properties": [{ "name": "born", "property_type": "string", "nullable": true,
            "version_history": [{ "version": "1" }, { "version": "3", "previous": { "property_type": "int" } }] }] }
        """#,
        #"{ "name": "new", "identifier": { "type": "int" }, "version_history": [{ "version": "2" }] }"#,
        #"{ "name": "gone", "identifier": { "type": "int" }, "version_history": [{ "version": "1" }], "removed_at_version": "2", "discard": true }"#,
        #"{ "name": "same", "identifier": { "type": "int" }, "version_history": [{ "version": "1" }] }"#,
    ]

    private func withOldStore(_ rows: String, _ body: (URL, SchemaDefinition) throws -> Void) throws {
        let schema = SchemaDefinition(try history(Self.files))
        try withFile { url in
            try makeStore(at: url, schema, rows: rows)
            try body(url, schema)
        }
    }

    private let content = """
        INSERT INTO author VALUES (1, 1900), (2, NULL); INSERT INTO book VALUES (1, 'a', 1), (2, 'b', NULL), (3, 'c', 2);
        INSERT INTO gone VALUES (1)
        """

    @Test func `a plan lists the action for each table and writes nothing`() throws {
        try withOldStore(content) { url, schema in
            let before = try Data(contentsOf: url)
            let plan = try MigrationPlan(from: url, definition: schema)
            #expect(try Data(contentsOf: url) == before)
            #expect(plan.isPossible && !plan.isEmpty)
            #expect(
                plan.description.split(separator: "\n").dropLast() == [
                    "TestSchema: from version 1 to 3", "  steps: 1 -> 2, 2 -> 3", "  1. alter book",
                    "  1. rebuild author, 2 rows", "  1. create new", "  1. drop gone",
                ])
            #expect(try JSONDecoder().decode(MigrationPlan.self, from: JSONEncoder().encode(plan)) == plan)
            _ = try Store(at: url, definition: schema)
            let done = try MigrationPlan(from: url, definition: schema)
            #expect(
                done.isEmpty && done.tables.isEmpty && done.description == "TestSchema: version 3, which is the newest")
        }
    }

    @Test func `a stepwise plan lists the actions of each step`() throws {
        try withOldStore(content) { url, schema in
            var options = StoreOptions()
            options.migrationStrategy = .stepwise
            let plan = try MigrationPlan(from: url, definition: schema, options: options)
            #expect(
                plan.tables.map { $0.filter { $0.action != .keep }.map { "\($0.action) \($0.name) \($0.rows ?? -1)" } }
                    == [
                        ["alter book 0", "create new 0", "drop gone 0"], ["rebuild author 2"],
                    ])
        }
    }

    @Test func `the disk space covers the tables that a later step copies`() throws {
        let authors = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
        try withOldStore("\(authors) INSERT INTO author SELECT i, 1000000000 + i FROM n") { url, schema in
            var options = StoreOptions()
            options.migrationStrategy = .stepwise
            let plan = try MigrationPlan(from: url, definition: schema, options: options)
            _ = try Store(at: url, definition: schema, options: options)
            let size = try #require(try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int64)
            #expect(size > plan.databaseBytes && size - plan.databaseBytes <= plan.neededBytes)
        }
    }

    @Test func `the disk space contains the backup`() throws {
        try withOldStore(content) { url, schema in
            let plan = try MigrationPlan(from: url, definition: schema)
            var options = StoreOptions()
            options.backup = .automatic(keep: 1)
            let other = try MigrationPlan(from: url, definition: schema, options: options)
            #expect(other.neededBytes == plan.neededBytes + plan.databaseBytes)
            _ = try Store(at: url, definition: schema, options: options)
            let backup = try #require(try Store.backups(of: url).first)
            let size = try FileManager.default.attributesOfItem(atPath: backup.url.path)[.size] as? Int64
            #expect(size == plan.databaseBytes)
            #expect(try MigrationPlan(from: url, definition: schema, options: options).neededBytes == 0)
        }
    }

    @Test func `dangling foreign keys are reported and do not block the migration`() throws {
        try withOldStore(content) { url, schema in
            try Connection(path: url.path, mode: .readWrite).execute(
                "PRAGMA foreign_keys = OFF; INSERT INTO book VALUES (4, 'd', 99), (5, 'e', 98)")
            let plan = try MigrationPlan(from: url, definition: schema)
            #expect(
                plan.violations.map { "\($0.table): \($0.constraint), \($0.rows), \($0.handling)" } == [
                    "book: FOREIGN KEY, 2, kept"
                ])
            #expect(plan.isPossible)
            _ = try Store(at: url, definition: schema)
            #expect(try rows(url, "SELECT by_id FROM book WHERE id > 3") == [[.integer(99)], [.integer(98)]])
        }
    }

    @Test func `a store that cannot be opened has no plan`() throws {
        try withOldStore(content) { url, _ in
            #expect(throws: StoreError.otherSchema(found: "TestSchema", expected: "ShopSchema")) {
                _ = try MigrationPlan(from: url, to: Shop.self)
            }
        }
    }
}
