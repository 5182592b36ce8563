import Foundation
import SQLSchema
@testable import Seeds
import Strata
@testable import StrataTesting
import Testing

/// `lucid-core-data.md`: Lucid's use of Core Data, line by line.
@Suite("lucid-core-data.md") struct LucidTests {
    private let fixtures = SeedsSchemaMigrationTests.fixtures

    // MARK: CoreDataManager

    @Test func `line 20: nothing of the database is visible in a type`() {
        let entity = MyEntity(id: 1, title: "Title", firstName: "Ada", lastName: "Lovelace")
        #expect(
            Mirror(reflecting: entity).children.compactMap(\.label) == ["id", "title", "firstName", "lastName", "kind"])
    }

    @Test func `line 24: one object keeps the connections, and every part of an app may use it`() async throws {
        let database = try fixtures.emptyDatabase(of: "4.0")
        let store = try Store(at: database.url, schema: SeedsSchema.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                group.addTask {
                    try await store.write {
                        try $0.insert(MyEntity(id: .init(rawValue: number), title: "", firstName: "", lastName: ""))
                    }
                    _ = try await store.read { try $0.count(MyEntity.self) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.read { try $0.count(MyEntity.self) } == 20)
    }

    @Test func `line 26: a store is opened when it is first used`() throws {
        let database = try fixtures.database(of: "1.0")
        let store = Store(lazilyAt: database.url, schema: SeedsSchema.self)
        #expect(try StoreInspection(of: database.url).version == "1.0")
        #expect(try store.read { try $0.count(MyEntity.self) } > 10)
        #expect(try StoreInspection(of: database.url).version == "4.0")
    }

    @Test func `line 26: requests that come meanwhile are only delayed`() async throws {
        let database = try fixtures.database(of: "1.0")
        let store = Store(lazilyAt: database.url, schema: SeedsSchema.self)
        async let first = store.read { try $0.count(MyEntity.self) }
        async let second = store.read { try $0.count(MyEntity.self) }
        let counts = try await (first, second)
        #expect(counts.0 > 10 && counts.0 == counts.1)
    }

    // MARK: Migrations

    private func migrationOf(_ change: String) throws -> (isInferred: Bool, output: String) {
        let model = try ScratchModel(
            [
                "Note": """
                { "name": "note", "version_history": [{ "version": "1.0" }, { "version": "2.0" }],
                  "identifier": { "type": "int" },
                  "properties": [\(change), { "name": "kind", "property_type": "kind", "default_value": "a" }] }
                """,
                "Kind": """
                { "name": "kind", "cases": ["a",
                    { "name": "b"\(change.contains("case") ? #", "removed_at_version": "2.0""# : "") }] }
                """,
            ], released: "1.0")
        let run = model.run("generate")
        #expect(run.isSuccess, "\(run.output)")
        return (model.text("Migrations/Migration_1_0_to_2_0.swift").isEmpty, run.output)
    }

    @Test func `line 34: a renamed property is lightweight`() throws {
        let change = """
            { "name": "title", "property_type": "string",
              "version_history": [{ "version": "1.0" }, { "version": "2.0", "previous_name": "name" }] }
            """
        #expect(try migrationOf(change).isInferred)
    }

    @Test func `line 34: a property that is added with a default value is lightweight`() throws {
        let change =
            #"{ "name": "title", "property_type": "string", "default_value": "", "added_at_version": "2.0" }"#
        #expect(try migrationOf(change).isInferred)
    }

    @Test func `line 35: a property that is added without a default value is heavy`() throws {
        let change = #"{ "name": "title", "property_type": "string", "added_at_version": "2.0" }"#
        #expect(try !migrationOf(change).isInferred)
    }

    @Test func `line 35: a removed case of an enum is heavy`() throws {
        #expect(try !migrationOf(#"{ "name": "case", "property_type": "string" }"#).isInferred)
    }

    @Test func `line 35: what is heavy, and why, is said where the migration is written`() throws {
        let model = try Self.titled(in: "2.0")
        model.run("generate")
        #expect(
            model.text("Migrations/Migration_1_0_to_2_0.swift").contains(
                #"`note.title` is new and has neither a default nor a "fill""#))
    }

    /// A note that has a title from a version on.
    private static func titled(in version: String) throws -> ScratchModel {
        try ScratchModel(
            [
                "Note": """
                { "name": "note", "version_history": [{ "version": "1.0" }, { "version": "\(version)" }],
                  "identifier": { "type": "int" },
                  "properties": [{ "name": "title", "property_type": "string", "added_at_version": "\(version)" }] }
                """
            ], released: "1.0")
    }

    // MARK: Writing a heavy migration

    @Test func `line 39: a lightweight migration has no code to write`() throws {
        #expect(SeedsSchema.steps.last?.to == "4.0")
        let database = try fixtures.database(of: "3.0")
        let plan = try MigrationPlan(from: database.url, to: SeedsSchema.self)
        #expect(plan.steps.map(\.isCustom) == [false])
    }

    @Test func `line 41: migrations need no registration: the step names its type`() throws {
        let model = try Self.titled(in: "1.1")
        model.run("generate")
        #expect(model.text("Generated/Strata.schema.swift").contains("code: Migration_1_0_to_1_1.self"))
    }

    @Test func `line 49: a migration belongs to a version, and runs once`() throws {
        let database = try fixtures.emptyDatabase(of: "1.0")
        try database.store().write {
            try $0.insert(SeedsSchema.V1_0.MyEntity(id: 1, title: "mcDonald", name: "Ada Lovelace"))
        }
        let store = try Store(at: database.url, schema: SeedsSchema.self)
        try store.write { try $0.update(MyEntity.all) { $0.title.set(to: "as it is") } }
        try store.close()
        let again = try Store(at: database.url, schema: SeedsSchema.self)
        #expect(try again.read { try $0.find(MyEntity.self, id: 1)?.title } == "as it is")
    }

    // MARK: Data migration

    @Test func `line 57: a migration is possible although the model has not changed`() throws {
        let database = try fixtures.database(of: "1.0")
        let plan = try MigrationPlan(from: database.url, to: SeedsSchema.self)
        #expect(plan.steps.first?.isCustom == true)
        func columns(_ version: Int) -> [String]? {
            SeedsSchema.versions[version].tables.first { $0.name == "my_entity" }?.columns.map(\.name)
        }
        #expect(columns(0) == columns(1))
    }

    /// A database with three rows, two of which have the same name.
    private func namesakes<Entity: StoredEntity>(of version: String, _ row: (Int, String) -> Entity) throws
        -> VersionDatabase
    {
        let database = try fixtures.emptyDatabase(of: version)
        let rows = ["Ada", "Ada", "Grace"].enumerated().map { row($0 + 1, $1) }
        try database.store().write { try $0.insert(contentsOf: rows) }
        return database
    }

    @Test func `line 64: a migration fetches the stored rows`() throws {
        let database = try namesakes(of: "1.0") {
            SeedsSchema.V1_0.MyEntity(id: .init(rawValue: $0), title: "", name: $1)
        }
        let store = try Store(at: database.url, schema: CountingTitles.self)
        #expect(try store.read { try $0.fetch(MyEntity.self).map(\.title) } == ["1 of 3", "2 of 3", "3 of 3"])
    }

    @Test func `line 67: stored titles are capitalized`() throws {
        let database = try fixtures.emptyDatabase(of: "1.0")
        try database.store().write {
            try $0.insert(SeedsSchema.V1_0.MyEntity(id: 1, title: "the mirror", name: "Andrei Tarkovsky"))
        }
        let new = try database.migrated(to: "2.0").store().read { try $0.fetch(SeedsSchema.V2_0.MyEntity.self) }
        #expect(new.map(\.title) == ["The Mirror"] && new.map(\.name) == ["Andrei Tarkovsky"])
    }

    @Test func `line 70: an error of a migration is the error of opening`() throws {
        let database = try fixtures.database(of: "1.0")
        #expect(throws: SeedError.self) { _ = try Store(at: database.url, schema: FailingTitles.self) }
        #expect(try StoreInspection(of: database.url).version == "1.0")
    }

    // MARK: Data model migration

    @Test func `line 79: a new version is written in the entity's description`() throws {
        let model = try ScratchModel(["MyEntity": Self.description], released: "1.0")
        #expect(model.run("generate").isSuccess)
        #expect(model.text("SQL/1.0-1.1.sql").contains("first_name"))
    }

    @Test func `line 81: each version of an entity has its own type`() throws {
        let model = try ScratchModel(["MyEntity": Self.description], released: "1.0")
        model.run("generate")
        #expect(model.text("Generated/MyEntity.strata.history.swift").contains("extension AppSchema.V1_0"))
        #expect(model.text("Generated/MyEntity.strata.swift").contains("extension AppSchema.V1_1"))
    }

    @Test func `line 83: the version history of the document is accepted as it is`() throws {
        #expect(Self.description.contains(Self.history))
        #expect(try ScratchModel(["MyEntity": Self.description], released: "1.0").run("generate").isSuccess)
    }

    /// The rows of a store with an entity, after its migration from 2.0 to 3.0.
    private func migrated(_ name: String, kind: SeedsSchema.V1_0.Kind = .article) throws -> [SeedsSchema.V3_0.MyEntity]
    {
        let database = try fixtures.emptyDatabase(of: "2.0")
        try database.store().write {
            try $0.insert(SeedsSchema.V2_0.MyEntity(id: 7, title: "A Title", name: name, kind: kind))
        }
        return try database.migrated(to: "3.0").store().read { try $0.fetch(SeedsSchema.V3_0.MyEntity.self) }
    }

    @Test func `line 97: a migration fetches rows of the old version by a property that the new version lacks`() throws
    {
        let database = try namesakes(of: "2.0") {
            SeedsSchema.V2_0.MyEntity(id: .init(rawValue: $0), title: "", name: $1)
        }
        let store = try Store(at: database.url, schema: CountingNamesakes.self)
        #expect(try store.read { try $0.fetch(MyEntity.self).map(\.lastName) } == ["of 2", "of 2", "of 1"])
    }

    @Test func `line 100: the row of the new version is made from the one of the old version`() throws {
        #expect(try migrated("Ada Lovelace").count == 1)
    }

    @Test func `line 103: the values that have not changed are filled in`() throws {
        let new = try migrated("Ada Lovelace", kind: .page)
        #expect(new.map(\.id) == [7] && new.map(\.title) == ["A Title"] && new.map(\.kind) == [.page])
    }

    @Test func `line 106: the first name is the first word of the name`() throws {
        #expect(try migrated("Ada King Lovelace").map(\.firstName) == ["Ada"])
    }

    @Test func `line 107: the last name is the last word of the name`() throws {
        #expect(try migrated("Ada King Lovelace").map(\.lastName) == ["Lovelace"])
    }

    @Test func `line 110: a row that cannot be migrated can be dropped`() throws {
        let database = try fixtures.emptyDatabase(of: "2.0")
        try database.store().write {
            try $0.insert(SeedsSchema.V2_0.MyEntity(id: 1, title: "", name: ""))
            try $0.insert(SeedsSchema.V2_0.MyEntity(id: 2, title: "", name: "Ada Lovelace"))
        }
        let store = try Store(at: database.url, schema: DroppingNames.self)
        #expect(try store.read { try $0.fetch(MyEntity.self).map(\.id) } == [2])
        #expect(store.migrationReport?.droppedRows["my_entity"] == 1)
    }

    @Test func `line 113: a migration that has run does not run again`() throws {
        let database = try fixtures.database(of: "1.0")
        _ = try Store(at: database.url, schema: SeedsSchema.self)
        #expect(try Store(at: database.url, schema: SeedsSchema.self).migrationReport == nil)
    }

    @Test func `line 115: no table of the old version is left`() throws {
        let database = try fixtures.database(of: "1.0")
        let store = try Store(at: database.url, schema: SeedsSchema.self)
        let tables = try store.read { transaction in
            try transaction.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'strata%'") {
                try $0.value("name", as: String.self)
            }
        }
        #expect(Set(tables) == ["user", "my_entity"])
    }

    // MARK: Migrations' tests

    @Test func `line 127: a heavy change that is mistaken for a lightweight one fails, and no row is lost`() throws {
        let database = try fixtures.database(of: "2.0")
        let before = try Data(contentsOf: database.url)
        let plan = try MigrationPlan(from: database.url, to: LightweightNames.self)
        #expect(plan.steps.map(\.isCustom) == [false, false] && !plan.isPossible)
        let error = #expect(throws: SQLiteError.self) { _ = try Store(at: database.url, schema: LightweightNames.self) }
        #expect(try #require(error).message.contains("NOT NULL constraint failed"))
        #expect(try Data(contentsOf: database.url) == before)
    }

    @Test func `line 127: a heavy migration that is not written is an error of check`() throws {
        let model = try ScratchModel(["MyEntity": Self.description], released: "1.0")
        model.run("generate")
        let check = model.run("check")
        #expect(!check.isSuccess)
        #expect(check.output.contains("Migration_1_0_to_1_1.swift: error: this migration is not written yet"))
    }

    @Test func `line 129: there are tests of the migrations of every version`() {
        #expect(fixtures.versions.map(\.name) == ["1.0", "2.0", "3.0", "4.0"])
    }

    @Test func `line 129: the tests migrate a database of each version to the newest`() throws {
        for version in fixtures.versions { #expect(try fixtures.checkMigration(of: version).isEmpty) }
    }

    @Test func `line 129: the tests are generated again with each version`() throws {
        let model = try ScratchModel(["MyEntity": Self.description], released: "1.0")
        model.run("generate")
        let tests = "../../../Tests/AppTests/Generated/AppMigrationTests.strata.swift"
        #expect(model.text(tests).contains(#"fixtures.step(from: "1.0", to: "1.1""#))
    }

    @Test func `line 131: a test exports a database of the present version, with rows`() throws {
        try fixtures.withFolder { folder in
            var fixtures = fixtures
            fixtures.folder = folder
            let version = try #require(fixtures.versions.last)
            #expect(try fixtures.export(version).isEmpty)
            let inspection = try StoreInspection(of: fixtures.url(of: version))
            #expect(inspection.version == SeedsSchema.versions.last?.name)
            #expect(inspection.tables.count == 2 && inspection.tables.allSatisfy { $0.rows ?? 0 > 10 })
        }
    }

    @Test func `line 131: each released version keeps its database`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/SeedsSchema")
        for version in ["1.0", "2.0", "3.0"] {
            #expect(try StoreInspection(of: folder.appendingPathComponent(version + ".sqlite")).version == version)
        }
        for version in fixtures.versions { #expect(try fixtures.export(version).isEmpty) }
    }

    private static let history = """
        "version_history": [
          {
            "version": "1.0"
          },
          {
            "version": "1.1"
          }
        ]
        """
    private static let description = """
        { "name": "my_entity", \(history), "identifier": { "type": "int" },
          "properties": [
            { "name": "name", "property_type": "string", "removed_at_version": "1.1", "discard": true },
            { "name": "first_name", "property_type": "string", "added_at_version": "1.1" },
            { "name": "last_name", "property_type": "string", "added_at_version": "1.1" }] }
        """
}

/// The schema, with a migration of titles that fails.
private enum FailingTitles: ChangedSeeds {
    static let changedStep = "1.0"

    static func migrate(_ step: CustomStep) throws {
        try step.migrate(SeedsSchema.V1_0.MyEntity.self) { (old, _) -> Outcome<SeedsSchema.V2_0.MyEntity> in
            throw SeedError(row: old.title)
        }
    }
}

/// The schema, with a migration that drops rows without a name.
private enum DroppingNames: ChangedSeeds {
    static let changedStep = "2.0"

    static func migrate(_ step: CustomStep) throws {
        var migration = Migration_2_0_to_3_0()
        try step.migrate(SeedsSchema.V2_0.User.self) { try migration.migrate($0, .init($1)) }
        try step.migrate(SeedsSchema.V2_0.MyEntity.self) { old, access in
            old.name.isEmpty ? .drop : try migration.migrate(old, .init(access))
        }
    }
}

/// The schema, with a migration that fetches all rows, and writes their number into each title.
private enum CountingTitles: ChangedSeeds {
    static let changedStep = "1.0"

    static func migrate(_ step: CustomStep) throws {
        try step.migrate(SeedsSchema.V1_0.MyEntity.self) { (old, access) -> Outcome<SeedsSchema.V2_0.MyEntity> in
            let rows = try Migration_1_0_to_2_0.Context(access).old.fetch(SeedsSchema.V1_0.MyEntity.self)
            var new = SeedsSchema.V2_0.MyEntity(migrating: old)
            new.title = "\(old.id.rawValue) of \(rows.count)"
            return .keep(new)
        }
    }
}

/// The schema, with a migration that fetches the old rows with the same name, and writes their number into each last name.
private enum CountingNamesakes: ChangedSeeds {
    static let changedStep = "2.0"

    static func migrate(_ step: CustomStep) throws {
        var migration = Migration_2_0_to_3_0()
        try step.migrate(SeedsSchema.V2_0.User.self) { try migration.migrate($0, .init($1)) }
        try step.migrate(SeedsSchema.V2_0.MyEntity.self) { (old, access) -> Outcome<SeedsSchema.V3_0.MyEntity> in
            let context = Migration_2_0_to_3_0.Context(access)
            let namesakes = try context.old.fetch(SeedsSchema.V2_0.MyEntity.all.where { $0.name == old.name })
            return .keep(.init(migrating: old, firstName: "", lastName: "of \(namesakes.count)", kind: .article))
        }
    }
}

/// The schema, with a heavy step that is carried out as a lightweight one.
private enum LightweightNames: Schema {
    static let name = SeedsSchema.name
    static let fingerprint = SeedsSchema.fingerprint
    static let versions = SeedsSchema.versions
    static let steps = SeedsSchema.steps.map { step in
        step.from != "2.0"
            ? step
            : MigrationStep(
                from: step.from, to: step.to,
                changes: [.map(from: "my_entity", to: "my_entity"), .map(from: "user", to: "user")])
    }
}
