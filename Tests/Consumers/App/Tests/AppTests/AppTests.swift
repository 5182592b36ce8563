import Foundation
import Strata
import StrataTesting
import Testing

@testable import App

@Suite struct AppTests {
    @Test func `a store is written and read`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("app.sqlite")
        let department = Department(id: .init(rawValue: UUID()), name: "Dispatch")
        let users = ["ada", "bob"].map { User(login: .init(rawValue: $0), fullName: $0.capitalized) }
        do {
            let store = try openStore(at: url)
            try store.write { transaction in
                try transaction.insert(department)
                for user in users { try transaction.insert(user) }
                try transaction.setRelated(department, \.users, to: users.map(\.login))
            }
        }
        let store = try openStore(at: url)
        let found = try store.read { try $0.related(department, \.users) }
        #expect(found.map(\.fullName) == ["Ada", "Bob"])
        #expect(try store.read { try $0.related(found[0], \.department) } == department)
        #expect(try store.read { try $0.find(User.self, id: "bob") }?.level == 0)
    }

    @Test func `the quick start of the README works`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("app.sqlite")
        let store = try Store(at: url, schema: AppSchema.self)
        try store.write { try $0.insert(Note(id: 1, title: "Buy tea")) }
        let open = try store.read { try $0.fetch(Note.all.where { $0.isDone == false }.orderBy { $0.title.ascending }) }
        #expect(open.map(\.title) == ["Buy tea"])
    }

    @Test(arguments: ["1.0", "1.1"]) func `both names are in the full name`(name: String) throws {
        let old = try AppSchemaMigrationTests.fixtures.database(of: name)
        let new = try old.migrated()
        let users = try new.store().read { try $0.fetch(User.self) }
        let grace = try #require(users.first { $0.login == "grace" })
        #expect(grace.fullName == "Grace Hopper")
        #expect(grace.level == 1)
        #expect(grace.account == "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
    }

    @Test func `a store of any version is filled, and migrated to any later one`() throws {
        let old = try AppSchemaMigrationTests.fixtures.emptyDatabase(of: "1.0")
        var ada = try AppSchema.sample(AppSchema.V1_0.User.self)
        ada.firstname = "Ada"
        let bob = try AppSchema.sample(AppSchema.V1_0.User.self, 1)
        try old.store().write { try $0.insert(contentsOf: [ada, bob]) }

        let between = try old.migrated(to: "1.1")
        let users = try between.store().read { try $0.fetch(AppSchema.V1_1.User.self) }
        #expect(users.map(\.firstname) == ["Ada", bob.firstname])
        #expect(users.map(\.bornOn) == [nil, nil])

        let new = try between.migrated()
        #expect(try new.store().read { try $0.find(User.self, id: ada.login)?.fullName } == "Ada \(ada.surname)")
        // The old store has not changed.
        #expect(try old.store().read { try $0.count(AppSchema.V1_0.User.self) } == 2)
    }

    @Test func `the first model of the tutorial is written and read`() throws {
        #expect(try AppSchema.V1_0.firstUsers().map(\.surname) == ["Lovelace"])
    }
}

extension AppSchema.V1_0 {
    /// Writes and reads a store as the app of version 1.0 did.
    static func firstUsers() throws -> [User] {
        let store = try AppSchemaMigrationTests.fixtures.emptyDatabase(of: "1.0").store()
        try store.write { try $0.insert(User(login: "ada", firstname: "Ada", surname: "Lovelace")) }
        let users = try store.read { try $0.fetch(User.self) }
        return users
    }
}
