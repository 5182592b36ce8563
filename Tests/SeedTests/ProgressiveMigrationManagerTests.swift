import Foundation
import SQLSchema
@testable import Seeds
import Strata
import StrataTesting
import Testing

/// `alo7-progressive-migration-manager.md`: lightweight and heavyweight steps in one migration, line by line.
@Suite("alo7-progressive-migration-manager.md") struct ProgressiveMigrationManagerTests {
    private let fixtures = SeedsSchemaMigrationTests.fixtures

    private func plan(from version: String) throws -> MigrationPlan {
        let database = try fixtures.database(of: version)
        return try MigrationPlan(from: database.url, to: SeedsSchema.self)
    }

    @Test func `line 9: a lightweight migration needs no code`() throws {
        let plan = try plan(from: "3.0")
        #expect(plan.steps.map(\.isCustom) == [false])
        let old = try fixtures.database(of: "3.0")
        let users = try old.store().read { try $0.fetch(SeedsSchema.V3_0.User.self) }
        let store = try Store(at: old.url, schema: SeedsSchema.self)
        let new = try store.read { try $0.fetch(User.self) }
        #expect(users.count > 10 && new.map(\.fullName) == users.map(\.fullName) && new.allSatisfy(\.isActive))
    }

    @Test func `line 9: a heavyweight migration runs your code for each row`() throws {
        let old = try fixtures.database(of: "2.0")
        let users = try old.store().read { try $0.fetch(SeedsSchema.V2_0.User.self) }
        let new = try old.migrated(to: "3.0").store().read { try $0.fetch(SeedsSchema.V3_0.User.self) }
        #expect(users.count > 10 && new.map(\.fullName) == users.map { "\($0.firstname) \($0.surname)" })
    }

    @Test func `line 11: no version needs a migration of its own to the newest one`() throws {
        for (version, steps) in [("1.0", 3), ("2.0", 2), ("3.0", 1), ("4.0", 0)] {
            #expect(try plan(from: version).steps.count == steps)
        }
        #expect(SeedsSchema.steps.count == 3)
    }

    @Test func `line 11: version 2 reaches version 4 by a heavyweight and a lightweight step`() throws {
        let plan = try plan(from: "2.0")
        #expect(plan.steps.map(\.to) == ["3.0", "4.0"] && plan.steps.map(\.isCustom) == [true, false])
        let old = try fixtures.database(of: "2.0")
        let names = try old.store().read {
            try $0.fetch(SeedsSchema.V2_0.User.self).map { "\($0.firstname) \($0.surname)" }
        }
        let store = try Store(at: old.url, schema: SeedsSchema.self)
        #expect(try store.read { try $0.fetch(User.self).map(\.fullName) } == names)
    }

    @Test func `line 13: mixed steps in one opening give what the steps give one by one`() throws {
        let old = try fixtures.database(of: "1.0")
        let atOnce = try old.migrated().store().read { (try $0.fetch(User.self), try $0.fetch(MyEntity.self)) }
        let stepwise = try old.migrated(to: "2.0").migrated(to: "3.0").migrated().store().read {
            (try $0.fetch(User.self), try $0.fetch(MyEntity.self))
        }
        #expect(atOnce.0.count > 10 && atOnce.1.count > 10)
        #expect(atOnce.0 == stepwise.0 && atOnce.1 == stepwise.1)
    }

    @Test func `line 15: the file says which version it has`() throws {
        for version in ["1.0", "2.0", "3.0", "4.0"] {
            let database = try fixtures.database(of: version)
            #expect(try StoreInspection(of: database.url, comparedWith: SeedsSchema.self).version == version)
        }
    }

    @Test func `line 15: the steps follow one another until the newest version`() throws {
        let steps = try plan(from: "1.0").steps
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.to == $1.from } && steps.last?.to == "4.0")
    }

    @Test func `line 15: a file of the newest version is opened as it is`() throws {
        let database = try fixtures.database(of: "4.0")
        let before = try Data(contentsOf: database.url)
        let store = try Store(at: database.url, schema: SeedsSchema.self)
        #expect(store.migrationReport == nil)
        try store.close()
        #expect(try Data(contentsOf: database.url) == before)
    }

    @Test func `line 18: a package is the only thing to install`() throws {
        let manifest = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Package.swift")
        #expect(try !String(contentsOf: manifest, encoding: .utf8).contains(".package("))
    }

    @Test func `line 28: the file at a URL is migrated with all its rows`() throws {
        let old = try fixtures.database(of: "1.0")
        let users = try old.store().read { try $0.fetch(SeedsSchema.V1_0.User.self) }
        _ = try Store(at: old.url, schema: SeedsSchema.self)
        let migrated = try Store(at: old.url, schema: SeedsSchema.self).read { try $0.fetch(User.self) }
        let expected = users.map {
            User(
                storeID: $0.storeID, fullName: "\($0.firstname) \($0.surname)", age: $0.age, department: $0.unit,
                tag: $0.tag)
        }
        #expect(users.count > 10 && migrated == expected)
    }

    @Test func `line 30: a migration ends at the version that is asked for`() throws {
        let database = try fixtures.database(of: "1.0")
        var options = StoreOptions()
        options.newestVersion = "3.0"
        let store = try Store(at: database.url, schema: SeedsSchema.self, options: options)
        #expect(store.migrationReport?.to == "3.0")
    }

    @Test func `line 31: an error says what is wrong, and leaves the file as it was`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("seed-\(UUID().uuidString).sqlite")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data("no database".utf8).write(to: url)
        #expect(throws: StoreError.notADatabase) { _ = try Store(at: url, schema: SeedsSchema.self) }
        #expect(try Data(contentsOf: url) == Data("no database".utf8))
    }

    /// The versions of a schema, in the order in which a store takes them.
    private func order(_ versions: String...) throws -> ScratchModel {
        let properties = versions.enumerated().map { number, version in
            #"{ "name": "p\#(number)", "property_type": "int", "default_value": 0, "added_at_version": "\#(version)" }"#
        }
        let items = versions.map { #"{ "version": "\#($0)" }"# }.joined(separator: ", ")
        return try ScratchModel(
            [
                "Note": """
                { "name": "note", "version_history": [{ "version": "1" }, \(items)], "identifier": { "type": "int" },
                  "properties": [\(properties.joined(separator: ", "))] }
                """
            ], released: versions[0])
    }

    /// The versions to which a rule leads from version 1, and the way that the row of the store has taken.
    private func way(_ rule: StoreOptions.Chain?) throws -> [String] {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("seed-\(UUID().uuidString).sqlite")
        defer { try? FileManager.default.removeItem(at: url) }
        var options = StoreOptions()
        options.journal = .delete
        options.newestVersion = "1"
        let old = try Store(at: url, schema: TwoWays.self, options: options)
        try old.write { _ = try $0.execute("INSERT INTO note (id, way) VALUES (1, 'none')") }
        try old.close()
        options.newestVersion = nil
        options.chain = rule
        let plan = try MigrationPlan(from: url, to: TwoWays.self, options: options)
        let store = try Store(at: url, schema: TwoWays.self, options: options)
        defer { try? store.close() }
        let rows = try store.read { try $0.rows("SELECT way FROM note") { try $0.value("way", as: String.self) } }
        return plan.steps.map(\.to) + rows
    }

    @Test func `line 34: a rule of your own finds the next version`() throws {
        #expect(try way { _, _ in "2" } == ["2", "3", "by 2"])
        #expect(try way { _, _ in "3" } == ["3", "straight"])
    }

    @Test func `line 39: the rule gets the version, and those that may follow it`() throws {
        let taken = try way { version, choices in version == "1" && choices == ["3", "2"] ? choices.last : nil }
        #expect(taken == ["2", "3", "by 2"])
    }

    @Test func `line 39: the versions that may follow another are listed in strata.json`() throws {
        let model = try order("9", "10")
        try model.write(#"{ "chain": { "1": ["10", "9"] } }"#, to: "strata.json")
        #expect(model.run("generate").isSuccess)
        #expect(model.text("SQL/1-10.sql").contains("p1") && !model.text("SQL/1-9.sql").contains("p1"))
        let schema = model.text("Generated/Strata.schema.swift")
        #expect(schema.contains(#"step(from: "1", to: "10""#) && schema.contains(#"step(from: "1", to: "9""#))
    }

    @Test func `line 43: a rule that leads to another version is an error`() throws {
        #expect(throws: MigrationError.noStep(from: "1", to: "4")) { try way { _, _ in "4" } }
    }

    @Test func `line 45: the rule is optional, and without it the first version of the list is the next`() throws {
        #expect(try way(nil) == ["3", "straight"])
        #expect(try way { _, _ in nil } == ["3", "straight"])
    }

    @Test func `line 45: the order of the versions is that of their numbers`() throws {
        let model = try order("9", "10")
        #expect(model.run("generate").isSuccess)
        #expect(model.text("SQL/1-9.sql").contains("p0") && model.text("SQL/9-10.sql").contains("p1"))
        #expect(model.text("SQL/1-10.sql").isEmpty)
    }

    @Test func `line 45: the numbers of versions may leave some out`() throws {
        let model = try order("3", "7.2")
        #expect(model.run("generate").isSuccess)
        #expect(model.text("SQL/3-7.2.sql").contains("p1"))
    }

    @Test func `line 45: a number that is set wrong is an error, not another order`() throws {
        let model = try order("3", "2")
        let run = model.run("generate")
        #expect(!run.isSuccess && run.output.contains("Note.json:1:"), "\(run.output)")
    }
}

/// A schema with two ways from version 1 to version 3. Rows tell the way that they have taken.
private enum TwoWays: Schema {
    static let name = "TwoWays"
    static let fingerprint: UInt64 = 3
    static let versions = [
        SchemaVersion("1", fingerprint: 1, tables: [Table("note", ["id integer key", "way text"])]),
        SchemaVersion("2", fingerprint: 2, tables: [Table("note", ["id integer key", "way text", "two text?"])]),
        SchemaVersion("3", fingerprint: 3, tables: [Table("note", ["id integer key", "way text", "three text?"])]),
    ]
    static let steps = [
        step(from: "1", to: "3", ["way": .literal(.text("straight"))]),
        step(from: "1", to: "2", ["way": .literal(.text("by 2"))]),
        step(from: "2", to: "3"),
    ]

    private static func step(from: String, to: String, _ columns: [String: ValueExpression] = [:]) -> MigrationStep {
        MigrationStep(from: from, to: to, changes: [.map(from: "note", to: "note", columns: columns)])
    }
}
