import Foundation
import Movies
@testable import Seeds
import Strata
import StrataTesting
import Testing

/// `database.md`: a package for work with Core Data, line by line.
@Suite("database.md") struct DatabaseTests {
    private let fixtures = SeedsSchemaMigrationTests.fixtures

    private func user(
        _ number: Int, _ name: String, age: Int = 42, in department: String = "dev-ios", tag: String? = nil
    )
        -> User
    {
        User(storeID: .init(rawValue: number), fullName: name, age: age, department: department, tag: tag)
    }

    private func store(_ users: User...) throws -> Store {
        let store = try Store(inMemory: SeedsSchema.self)
        try store.write { try $0.insert(contentsOf: users) }
        return store
    }

    /// The names of the users for which a condition is true.
    private func names(_ condition: Condition<User>) throws -> [String] { try names { _ in condition } }

    /// The names of the users for which a condition is true.
    private func names(_ condition: (User.Columns) -> Condition<User>) throws -> [String] {
        let store = try store(
            user(1, "John", age: 42, in: "dev-ios", tag: "tag1"), user(2, "Jane", age: 31, in: "dev_web", tag: "tag2"),
            user(3, "Ann", age: 30, in: "dev-web"), user(4, "john", age: 7, in: "sales", tag: "tag3"))
        return try store.read { try $0.fetch(User.self, where: condition).map(\.fullName).sorted() }
    }

    // MARK: Usage example

    @Test func `line 11: writeSync creates an object`() throws {
        let store = try store()
        try store.write { try $0.insert(user(1, "John")) }
        #expect(try store.read { try $0.count(User.self) } == 1)
    }

    @Test func `line 12: an object whose key exists is an error, and nothing of the block is written`() throws {
        let store = try store(user(1, "John"))
        #expect(throws: SQLiteError.self) {
            try store.write { transaction in
                try transaction.insert(user(2, "Jane"))
                try transaction.insert(user(1, "Ann"))
            }
        }
        #expect(try store.read { try $0.fetch(User.self).map(\.fullName) } == ["John"])
    }

    @Test func `line 13: what a block has written is saved when it ends`() throws {
        let database = try fixtures.emptyDatabase(of: "4.0")
        let store = try Store(at: database.url, schema: SeedsSchema.self)
        try store.write { try $0.insert(user(1, "John")) }
        try store.close()
        let again = try Store(at: database.url, schema: SeedsSchema.self)
        #expect(try again.read { try $0.find(User.self, id: 1)?.fullName } == "John")
    }

    @Test func `line 17: an asynchronous write ends when its rows are saved, or throws its error`() async throws {
        let store = try store()
        let john = user(1, "John")
        try await store.write { try $0.insert(john) }
        #expect(try await store.read { try $0.fetch(User.self) } == [john])
        await #expect(throws: SQLiteError.self) { try await store.write { try $0.insert(john) } }
    }

    @Test func `line 19: several objects are created at once`() async throws {
        let store = try store()
        let users = (1...100).map { user($0, "User \($0)") }
        try await store.write { try $0.insert(contentsOf: users) }
        #expect(try await store.read { try $0.fetch(User.self) } == users)
    }

    @Test func `line 25: fetchSync returns all objects of a type`() throws {
        let users = [user(1, "John"), user(2, "Jane")]
        let store = try store(users[0], users[1])
        #expect(try store.read { try $0.fetch(User.self) } == users)
    }

    @Test func `line 30: a request filters by a key path`() throws {
        #expect(try names { $0.fullName == "John" } == ["John"])
    }

    @Test func `line 30: a request can be built before it is used, and changed`() throws {
        var request = User.all
        request = request.where { $0.fullName.hasPrefix("J") }
        request = request.where { $0.age > 40 }
        let store = try store(user(1, "John"), user(2, "Jane", age: 31), user(3, "Ann"))
        #expect(try store.read { try $0.fetch(request).map(\.fullName) } == ["John"])
    }

    @MainActor @Test func `line 32: an asynchronous read runs on another thread than its caller`() async throws {
        let store = try store(user(1, "John"))
        let isFree = try await store.read { _ in isMainActorFree() }
        #expect(isFree)
    }

    @Test func `line 35: an asynchronous read returns the rows of its request, or throws its error`() async throws {
        let store = try store(user(1, "John"), user(2, "Jane"))
        let request = User.all.where { $0.fullName == "John" }
        let johns = try await store.read { try $0.fetch(request) }
        #expect(johns.map(\.storeID) == [1])
        await #expect(throws: SQLiteError.self) {
            try await store.read { try $0.fetch(SeedsSchema.V1_0.User.self) }
        }
    }

    // MARK: Models

    @Test func `line 44: an entity is described, not drawn`() throws {
        let model = try ScratchModel(["User": Self.description()])
        #expect(model.run("generate").isSuccess)
        #expect(model.text("SQL/1.0.sql").contains(#"CREATE TABLE "user""#))
    }

    @Test func `line 45: the type of an entity is generated`() throws {
        let model = try ScratchModel(["User": Self.description()])
        model.run("generate")
        #expect(model.text("Generated/User.strata.swift").contains("public struct User"))
    }

    /// An app's own type.
    private struct Person: PersistableEntity {
        var storeId: User.ID
        var name: String

        init(_ number: Int, _ name: String) { (storeId, self.name) = (.init(rawValue: number), name) }

        init(stored: User) { (storeId, name) = (stored.storeID, stored.fullName) }

        func stored(over old: User?) -> User {
            var user = old ?? User(storeID: storeId, fullName: name, age: 0, department: "")
            user.fullName = name
            return user
        }
    }

    @Test func `line 47: a PersistableEntity is converted to the generated type, and back`() throws {
        let store = try store(user(1, "John", tag: "tag1"))
        var people = try store.read { try $0.fetch(Person.self) }
        people[0].name = "Johnny"
        try store.write { [people] in
            try $0.update(people[0])
            try $0.insert(Person(2, "Jane"))
        }
        #expect(try store.read { try $0.fetch(Person.self).map(\.name) } == ["Johnny", "Jane"])
        #expect(try store.read { try $0.find(User.self, id: 1)?.tag } == "tag1")
    }

    @Test func `line 49: every entity has a storeId, also if its model is not unique`() throws {
        let store = try store()
        try store.write { transaction in
            for _ in 1...2 {
                let id = try transaction.newID(of: User.self)
                try transaction.insert(User(storeID: id, fullName: "John", age: 42, department: "dev-ios"))
            }
        }
        #expect(try store.read { Set(try $0.fetch(User.self).map(\.storeID)).count } == 2)
    }

    @Test func `line 50: generated code that was edited is an error of the next build`() throws {
        let model = try ScratchModel(["User": Self.description()])
        model.run("generate")
        try model.write(model.text("Generated/User.strata.swift") + "// mine\n", to: "Generated/User.strata.swift")
        let check = model.run("check")
        #expect(!check.isSuccess && check.output.contains("User.strata.swift: it is stale"))
    }

    // MARK: Migration process

    /// A store of 1.0 with a user.
    private func oldDatabase() throws -> VersionDatabase {
        let old = try fixtures.emptyDatabase(of: "1.0")
        try old.store().write {
            try $0.insert(
                SeedsSchema.V1_0.User(
                    storeID: 1, firstname: "John", surname: "Appleseed", age: 42, unit: "dev-ios", tag: "tag1"))
        }
        return old
    }

    @Test func `line 54: a migration goes through all versions`() throws {
        let old = try oldDatabase()
        let plan = try MigrationPlan(from: old.url, to: SeedsSchema.self)
        #expect(plan.steps.map(\.from) == ["1.0", "2.0", "3.0"] && plan.steps.map(\.to) == ["2.0", "3.0", "4.0"])
        let store = try Store(at: old.url, schema: SeedsSchema.self)
        #expect(store.migrationReport?.from == "1.0" && store.migrationReport?.to == "4.0")
    }

    @Test func `line 59: a new version is an item of a history`() throws {
        let model = try ScratchModel(["User": Self.description(Self.age)], released: "1.0")
        #expect(model.run("generate").isSuccess)
        #expect(model.text("SQL/1.0-2.0.sql").contains("age"))
    }

    @Test func `line 60: without a mapping, values of the same name are kept`() throws {
        let new = try oldDatabase().migrated(to: "2.0")
        let user = try #require(try new.store().read { try $0.find(SeedsSchema.V2_0.User.self, id: 1) })
        #expect(user.firstname == "John" && user.surname == "Appleseed" && user.age == 42 && user.tag == "tag1")
    }

    @Test func `line 61: a renamed property keeps its values`() throws {
        let new = try oldDatabase().migrated(to: "2.0")
        #expect(try new.store().read { try $0.find(SeedsSchema.V2_0.User.self, id: 1)?.department } == "dev-ios")
    }

    @Test func `line 63: code maps values where a change requires it, and only there`() throws {
        let old = try oldDatabase()
        let plan = try MigrationPlan(from: old.url, to: SeedsSchema.self)
        #expect(plan.steps.map(\.isCustom) == [true, true, false])
        let model = try ScratchModel(["User": Self.description(Self.name)], released: "1.0")
        #expect(
            model.run("generate").output.contains("Migration_1_0_to_2_0.swift: note: this migration is not written"))
    }

    @Test func `line 63: code splits a model into two`() throws {
        let database = try fixtures.emptyDatabase(of: "2.0")
        try database.store().write {
            try $0.insert(
                SeedsSchema.V2_0.User(
                    storeID: 1, firstname: "John", surname: "Appleseed", age: 42, department: "dev-ios"))
        }
        let store = try Store(at: database.url, schema: SplittingUsers.self)
        let (users, entities) = try store.read { (try $0.fetch(User.self), try $0.fetch(MyEntity.self)) }
        #expect(users == [user(1, "John Appleseed")])
        #expect(entities == [MyEntity(id: 1, title: "dev-ios", firstName: "John", lastName: "Appleseed")])
    }

    @Test func `line 73: a policy begins with the values that can be mapped, and the compiler asks for the others`()
        throws
    {
        let model = try ScratchModel(["User": Self.description(Self.name)], released: "1.0")
        model.run("generate")
        #expect(
            model.text("Migrations/Migration_1_0_to_2_0.swift").contains(".keep(.init(migrating: old, fullName: …))"))
    }

    @Test func `line 89: the full name is made of the first name and the surname`() throws {
        let old = try oldDatabase()
        let store = try Store(at: old.url, schema: SeedsSchema.self)
        let user = try #require(try store.read { try $0.find(User.self, id: 1) })
        #expect(user.fullName == "John Appleseed" && user.age == 42 && user.department == "dev-ios" && user.isActive)
    }

    @Test func `line 97: a store of each version is opened as the last one`() throws {
        for version in ["1.0", "2.0", "3.0", "4.0"] {
            let database = try fixtures.database(of: version)
            let store = try Store(at: database.url, schema: SeedsSchema.self)
            #expect(try StoreInspection(of: database.url).version == "4.0")
            #expect(try store.read { try $0.count(User.self) } > 10)
        }
    }

    @Test func `line 97: a store of a version that is not known yet is an error`() throws {
        let database = try fixtures.database(of: "4.0")
        var options = StoreOptions()
        options.newestVersion = "2.0"
        #expect(throws: StoreError.newer(found: "4.0", newest: "2.0")) {
            _ = try Store(at: database.url, schema: SeedsSchema.self, options: options)
        }
    }

    @Test func `line 100: the type of an entity that has changed is generated again, and its old one is kept`() throws {
        let model = try ScratchModel(["User": Self.description()])
        model.run("generate", "--release", "--untested")
        #expect(!model.text("Generated/User.strata.swift").contains("public var age"))
        try model.write(Self.description(Self.age), to: "User.json")
        model.run("generate")
        #expect(model.text("Generated/User.strata.swift").contains("public var age: Int"))
        let old = model.text("Generated/User.strata.history.swift")
        #expect(old.contains("extension AppSchema.V1_0") && !old.contains("var age"))
    }

    // MARK: NSPredicate

    @Test func `line 108: a number is equal`() throws {
        #expect(try names { $0.age == 42 } == ["John"])
    }

    @Test func `line 108: a filter compares the property of a key path with a number`() throws {
        #expect(try names(.filter(\.age, equalTo: 42)) == ["John"])
    }

    @Test func `line 109: a filter compares the property of a key path with a text`() throws {
        #expect(try names(.filter(\.fullName, equalTo: "John")) == ["John"])
    }

    @Test func `line 109: a text is equal, letter by letter`() throws {
        #expect(try names { $0.fullName == "John" } == ["John"])
        #expect(try names { $0.fullName == "JOHN" } == [])
    }

    @Test func `line 112: conditions are joined by AND`() throws {
        #expect(try names { $0.age > 30 && $0.department.hasPrefix("dev-") } == ["John"])
    }

    @Test func `line 112: filters are compounded by AND`() throws {
        #expect(
            try names(.all(of: [.filter(\.age, moreThan: 30), .filter(\.department, beginsWith: "dev-")])) == ["John"])
    }

    @Test func `line 113: a filter finds greater numbers`() throws {
        #expect(try names(.filter(\.age, moreThan: 30)) == ["Jane", "John"])
    }

    @Test func `line 113: a number is greater, and the limit itself is not`() throws {
        #expect(try names { $0.age > 30 } == ["Jane", "John"])
    }

    @Test func `line 114: a text begins with another, whose signs have no other meaning`() throws {
        #expect(try names { $0.department.hasPrefix("dev-") } == ["Ann", "John"])
        #expect(try names { $0.department.hasPrefix("dev_") } == ["Jane"])
    }

    @Test func `line 114: a filter finds texts that begin with another`() throws {
        #expect(try names(.filter(\.department, beginsWith: "dev-")) == ["Ann", "John"])
    }

    @Test func `line 118: a filter is reversed`() throws {
        #expect(try names(.filter(\.tag, in: ["tag1", "tag2"])) == ["Jane", "John"])
        #expect(try names(.not(.filter(\.tag, in: ["tag1", "tag2"]))) == ["Ann", "john"])
    }

    @Test func `line 118: a condition is reversed, and holds for rows without a value`() throws {
        #expect(try names { !$0.tag.isIn(["tag1", "tag2"]) } == ["Ann", "john"])
    }

    @Test func `line 118: a value is one of several`() throws {
        #expect(try names { $0.tag.isIn(["tag1", "tag2"]) } == ["Jane", "John"])
    }

    /// A description of a user with a surname, and with another property in version 2.0.
    private static func description(_ other: String? = nil) -> String {
        let history = other == nil ? "" : #", { "version": "2.0" }"#
        return """
            { "name": "user", "version_history": [{ "version": "1.0" }\(history)], "identifier": { "type": "int" },
              "properties": [{ "name": "surname", "property_type": "string" }\(other.map { ", " + $0 } ?? "")] }
            """
    }

    private static let age =
        #"{ "name": "age", "property_type": "int", "default_value": 0, "added_at_version": "2.0" }"#
    private static let name = #"{ "name": "full_name", "property_type": "string", "added_at_version": "2.0" }"#
}

/// The schema, with a migration that creates a second row for each user, with its names and its department.
private enum SplittingUsers: ChangedSeeds {
    static let changedStep = "2.0"

    static func migrate(_ step: CustomStep) throws {
        var migration = Migration_2_0_to_3_0()
        try step.migrate(SeedsSchema.V2_0.MyEntity.self) { try migration.migrate($0, .init($1)) }
        try step.migrate(SeedsSchema.V2_0.User.self) { (old, access) -> Outcome<SeedsSchema.V3_0.User> in
            let context = Migration_2_0_to_3_0.Context(access)
            try context.insert(
                SeedsSchema.V3_0.MyEntity(
                    id: context.newID(of: SeedsSchema.V3_0.MyEntity.self), title: old.department,
                    firstName: old.firstname, lastName: old.surname))
            return try migration.migrate(old, context)
        }
    }
}
