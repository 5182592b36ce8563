import Foundation
@testable import Laundry
import Strata
import StrataTesting
import Testing

/// `justclean-corestore.md`: a demo of CoreStore with two versions, line by line. `Tests/Consumers/FromCoreStore` imports its
/// sources and converts its store.
@Suite("justclean-corestore.md") struct JustCleanTests {
    typealias V1 = LaundrySchema.V1_0
    typealias V2 = LaundrySchema.V2_0

    private func store() throws -> Store { try Store(inMemory: LaundrySchema.self) }

    // MARK: Version 1

    private func withOldStore<Result>(_ body: (URL, Store) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("seed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Modern.justclean.sqlite")
        return try body(url, try Store(at: url, schema: LaundrySchema.self, options: Self.versionOne))
    }

    private static var versionOne: StoreOptions {
        var options = StoreOptions()
        options.newestVersion = "1.0"
        return options
    }

    @Test func `line 26: an optional property may have no value`() throws {
        let item = V1.LaundryItem(storeID: 1)
        #expect(item.name == nil && item.price == nil && item.masterID == nil)
    }

    @Test func `line 36: a property of an entity may be called id`() {
        let laundry = V1.Laundry(storeID: 1, id: 3456)
        #expect(laundry.id == 3456 && laundry.storeID.rawValue == 1)
    }

    @Test func `line 42: a property has its default value`() {
        #expect(V1.Laundry(storeID: 1).favorite == false && Laundry(storeID: 1).favorite == false)
    }

    @Test func `line 43: a relationship to many has an inverse`() throws {
        let store = try store()
        try store.write { transaction in
            try transaction.insert(Laundry(storeID: 1))
            try transaction.insert(contentsOf: (1...3).map { LaundryItem(storeID: .init(rawValue: $0), masterID: 1) })
            let laundry = try #require(try transaction.find(Laundry.self, id: 1))
            #expect(try transaction.related(laundry, \.items).count == 3)
            let item = try #require(try transaction.find(LaundryItem.self, id: 2))
            #expect(try transaction.related(item, \.master) == laundry)
        }
    }

    @Test func `line 44: the list of version 1 keeps its order`() throws {
        try withOldStore { _, store in
            let laundry = V1.Laundry(storeID: 1)
            try store.write { transaction in
                try transaction.insert(laundry)
                try transaction.insert(contentsOf: (1...3).map { V1.LaundryItem(storeID: .init(rawValue: $0)) })
                try transaction.setRelated(laundry, \.items, to: [3, 1, 2])
            }
            #expect(try store.read { try $0.related(laundry, \.items).map(\.storeID) } == [3, 1, 2])
        }
    }

    @Test func `line 47: a relationship to one may be empty`() throws {
        let store = try store()
        try store.write { try $0.insert(Laundry(storeID: 1)) }
        #expect(try store.read { try $0.related(Laundry(storeID: 1), \.master) } == nil)
    }

    @Test func `line 52: an answer has a code and a status in version 1`() throws {
        let data = V1.LaundryData(storeID: 1, code: 200, status: "suc")
        #expect(data.code == 200 && data.status == "suc")
    }

    @Test func `line 58: in version 1, an answer has its laundries itself`() throws {
        try withOldStore { _, store in
            try store.write { transaction in
                try transaction.insert(V1.LaundryData(storeID: 1))
                try transaction.insert(V1.Laundry(storeID: 5, masterID: 1))
            }
            let laundries = try store.read { try $0.fetch(V1.Laundry.all.where { $0.masterID == 1 }) }
            #expect(laundries.map(\.storeID) == [5])
        }
    }

    // MARK: Version 2

    @Test func `line 69: an entity that does not change has one type for both versions`() {
        #expect(V1.LaundryItem.self == V2.LaundryItem.self)
    }

    @Test func `line 97: a failure has a number and a date`() {
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
        let failure = LaundryFailure(storeID: 1, id: 7, date: date)
        #expect(failure.id == 7 && failure.date == date)
    }

    @Test func `line 112: a relationship has its inverse on both sides, one to one`() throws {
        let store = try store()
        try store.write { transaction in
            let detail = LaundryDetail(storeID: 1)
            try transaction.insert(detail)
            try transaction.insert(LaundryFailure(storeID: 2, masterID: 1))
            #expect(try transaction.related(detail, \.failure)?.storeID == 2)
            try transaction.setRelated(detail, \.failure, to: nil)
            #expect(try transaction.find(LaundryFailure.self, id: 2)?.masterID == nil)
        }
    }

    @Test func `line 109: a detail has the laundries of an answer, and its failure`() throws {
        let store = try store()
        try store.write { transaction in
            let detail = LaundryDetail(storeID: 1)
            try transaction.insert(detail)
            try transaction.insert(Laundry(storeID: 2, masterID: 1))
            #expect(try transaction.related(detail, \.success).map(\.storeID) == [2])
            #expect(try transaction.related(detail, \.failure) == nil)
        }
    }

    @Test func `line 109: the list of version 2 keeps its order`() throws {
        let store = try store()
        let detail = LaundryDetail(storeID: 1)
        try store.write { transaction in
            try transaction.insert(detail)
            try transaction.insert(contentsOf: (1...3).map { Laundry(storeID: .init(rawValue: $0)) })
            try transaction.setRelated(detail, \.success, to: [3, 1, 2])
        }
        #expect(try store.read { try $0.related(detail, \.success).map(\.storeID) } == [3, 1, 2])
    }

    @Test func `line 123: an answer has one detail, and no status any more`() throws {
        let store = try store()
        try store.write { transaction in
            let data = LaundryData(storeID: 1, code: 200)
            try transaction.insert(data)
            try transaction.insert(LaundryDetail(storeID: 2, masterID: 1))
            #expect(try transaction.related(data, \.data)?.storeID == 2)
        }
        #expect(!LaundryData.table.columns.contains("status"))
    }

    // MARK: The migration chain

    @Test func `line 142: a version lists its entities`() {
        #expect(
            LaundrySchema.versions.map { $0.tables.map(\.name).sorted() } == [
                ["laundry", "laundry_data", "laundry_item"],
                ["laundry", "laundry_data", "laundry_detail", "laundry_failure", "laundry_item"],
            ])
    }

    @Test func `line 147: a version is locked by its hash`() throws {
        let lock = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Entities/Laundry/strata.lock")
        let version = try #require(LaundrySchema.versions.first)
        #expect(
            try String(contentsOf: lock, encoding: .utf8)
                .contains(String(version.fingerprint, radix: 16).suffix(8)))
    }

    @Test func `line 147: a locked version that is edited is an error`() throws {
        let model = try ScratchModel(["Note": Self.note("string")])
        model.run("generate")
        #expect(model.run("release", "--untested").isSuccess)
        try model.write(Self.note("int"), to: "Note.json")
        let run = model.run("generate")
        #expect(!run.isSuccess && run.output.contains("1.0"), "\(run.output)")
    }

    @Test func `line 171: the versions are in the order of the chain`() {
        #expect(LaundrySchema.versions.map(\.name) == ["1.0", "2.0"])
        #expect(LaundrySchema.steps.map { "\($0.from) \($0.to)" } == ["1.0 2.0"])
    }

    @Test func `line 177: opening migrates the file`() throws {
        try withOldStore { url, store in
            try store.write { try $0.insert(V1.LaundryData(storeID: 1, code: 200, status: "suc")) }
            try store.close()
            let new = try Store(at: url, schema: LaundrySchema.self)
            #expect(try new.read { try $0.find(LaundryData.self, id: 1)?.code } == 200)
        }
    }

    @Test func `line 175: opening has an asynchronous form, which the document recommends`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("seed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try await Store.open(at: folder.appendingPathComponent("a.sqlite"), schema: LaundrySchema.self)
        #expect(try await store.read { try $0.count(Laundry.self) } == 0)
    }

    @Test func `line 179: the file has the name that you give it`() throws {
        try withOldStore { url, store in
            try store.close()
            let names = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
            #expect(names.filter { $0.hasSuffix(".sqlite") } == ["Modern.justclean.sqlite"])
        }
    }

    /// Opens the demo's store of version 1 with a schema that cannot open it, and then with `recreatesOnMismatch`.
    private func expectRecreated(by schema: any Schema.Type, after error: StoreError) throws {
        try withOldStore { url, store in
            try writeDemo(to: store)
            let laundries = try store.read { try $0.fetch(V1.Laundry.self) }
            try store.close()
            #expect(throws: error) { _ = try Store(at: url, schema: schema) }
            var options = StoreOptions()
            options.recreatesOnMismatch = true
            let new = try Store(at: url, schema: schema, options: options)
            #expect(try new.read { try $0.count(Laundry.self) } == 0)
            let old = try Store(at: try #require(new.setAside), schema: LaundrySchema.self, options: Self.versionOne)
            #expect(try old.read { try $0.fetch(V1.Laundry.self) } == laundries)
        }
    }

    @Test func `line 180: a store of another schema is created again, and the old file keeps its rows`() throws {
        try expectRecreated(by: OtherSchema.self, after: .otherSchema(found: "LaundrySchema", expected: "Other"))
    }

    @Test func `line 180: a store of an unknown version is created again, and the old file keeps its rows`() throws {
        try expectRecreated(by: OtherVersions.self, after: .unknownVersion(found: "1.0", newest: "2.0"))
    }

    // MARK: The data of the demo

    /// The data of the demo in version 1: an answer with ten laundries of six items.
    private func writeDemo(to store: Store) throws {
        try store.write { transaction in
            let data = V1.LaundryData(storeID: 1, code: 200, status: "suc")
            try transaction.insert(data)
            for index in 0...9 {
                let laundry = V1.Laundry(
                    storeID: .init(rawValue: index), id: 3456, name: "dubai mall \(index * 7)",
                    photo: index % 2 == 0 ? "laundry1" : "laundry2", masterID: data.storeID, masterPosition: index)
                try transaction.insert(laundry)
                for item in 0...5 {
                    try transaction.insert(
                        V1.LaundryItem(
                            storeID: .init(rawValue: index * 6 + item), name: "laundryItem\(item)",
                            price: Double(item) * 2, masterID: laundry.storeID, masterPosition: item))
                }
            }
        }
    }

    @Test func `line 212: the data of version 1 is written in one transaction`() throws {
        try withOldStore { _, store in
            try writeDemo(to: store)
            #expect(try store.read { try $0.count(V1.Laundry.self) } == 10)
            #expect(try store.read { try $0.count(V1.LaundryItem.self) } == 60)
        }
    }

    @Test func `line 243: a transaction reports its error`() async throws {
        let store = try store()
        try await store.write { try $0.insert(Laundry(storeID: 1)) }
        await #expect(throws: SQLiteError.self) { try await store.write { try $0.insert(Laundry(storeID: 1)) } }
    }

    @Test func `line 209: with version 1, a type of version 2 is refused`() throws {
        _ = try withOldStore { _, store in
            #expect(throws: StoreError.older(found: "1.0", newest: "2.0")) {
                try store.read { try $0.count(LaundryDetail.self) }
            }
        }
    }

    @Test func `line 248: with version 2, a property of version 1 is refused, and the error names it`() throws {
        try withOldStore { url, old in
            try old.close()
            let store = try Store(at: url, schema: LaundrySchema.self)
            try store.write { try $0.insert(V2.LaundryData(storeID: 1, code: 200)) }
            let reading = #expect(throws: SQLiteError.self) { try store.read { try $0.fetch(V1.LaundryData.self) } }
            let writing = #expect(throws: SQLiteError.self) {
                try store.write { try $0.insert(V1.LaundryData(storeID: 2, code: 200, status: "suc")) }
            }
            #expect(try #require(reading).message.contains(/no such column: .*status/))
            #expect(try #require(writing).message.hasSuffix("has no column named status"))
            #expect(try store.read { try $0.fetch(V2.LaundryData.self).map(\.storeID) } == [1])
        }
    }

    @Test func `line 248: with version 2, the types without a version in their names are its types`() {
        #expect(LaundryData.self == V2.LaundryData.self && LaundryData.self != V1.LaundryData.self)
    }

    @Test func `line 251: a transaction in the background, with the data of version 2`() async throws {
        let store = try store()
        try await store.write { transaction in
            try transaction.insert(LaundryData(storeID: 1, code: 200))
            try transaction.insert(LaundryDetail(storeID: 1, masterID: 1))
            for index in 0...9 {
                try transaction.insert(
                    Laundry(
                        storeID: .init(rawValue: index), id: 3456, name: "dubai mall \(index * 7)",
                        photo: index % 2 == 0 ? "laundry1" : "laundry2"))
            }
            try transaction.setRelated(
                LaundryDetail(storeID: 1), \.success, to: (0...9).map { Laundry.ID(rawValue: $0) })
        }
        let names = try await store.read { transaction in
            let data = try #require(try transaction.find(LaundryData.self, id: 1))
            let detail = try #require(try transaction.related(data, \.data))
            return try transaction.related(detail, \.success).map(\.name)
        }
        #expect(names == (0...9).map { "dubai mall \($0 * 7)" })
    }

    @Test func `line 212: the demo's data of version 1 is migrated, and every row compared`() throws {
        try withOldStore { url, store in
            try writeDemo(to: store)
            let old = try store.read { (try $0.fetch(V1.Laundry.self), try $0.fetch(V1.LaundryItem.self)) }
            try store.close()
            let new = try Store(at: url, schema: LaundrySchema.self)
            try new.read { transaction in
                let data = try #require(try transaction.find(LaundryData.self, id: 1))
                let detail = try #require(try transaction.related(data, \.data))
                let laundries = try transaction.related(detail, \.success)
                #expect(data.code == 200 && laundries.count == 10)
                for (laundry, old) in zip(laundries, old.0) {
                    #expect(laundry.storeID == old.storeID && laundry.id == 3456 && laundry.name == old.name)
                    #expect(laundry.photo == old.photo && laundry.favorite == old.favorite)
                }
                #expect(try transaction.fetch(LaundryItem.self) == old.1)
                #expect(try transaction.count(LaundryFailure.self) == 0)
            }
        }
    }

    // MARK: User interface

    @Test func `line 290: an interface follows the store`() async throws {
        let store = try store()
        var counts = store.observe(Laundry.all).makeAsyncIterator()
        #expect(try await counts.next()?.count == 0)
        try await store.write { try $0.insert(Laundry(storeID: 1)) }
        #expect(try await counts.next()?.count == 1)
    }

    private static func note(_ type: String) -> String {
        """
        { "name": "note", "version_history": [{ "version": "1.0" }], "identifier": { "type": "int" },
          "properties": [{ "name": "title", "property_type": "\(type)" }] }
        """
    }
}

/// The schema with another name.
private enum OtherSchema: Schema {
    static let name = "Other"
    static let fingerprint = LaundrySchema.fingerprint
    static let versions = LaundrySchema.versions
    static let steps = LaundrySchema.steps
}

/// The schema, with a version 0.5 instead of 1.0.
private enum OtherVersions: Schema {
    static let name = LaundrySchema.name
    static let fingerprint = LaundrySchema.fingerprint
    static let versions =
        [SchemaVersion("0.5", fingerprint: 5, tables: [])] + LaundrySchema.versions.filter { $0.name == "2.0" }
    static let steps: [MigrationStep] = []
}
