import Foundation
import Strata
import Testing

@testable import Laundry
@testable import StrataTesting

/// The failures that are reported for edited fixtures.
@Suite struct FixtureTests {
    /// The fixtures in another folder, with unsealed files.
    private func unsealed(in folder: URL) -> Fixtures {
        var fixtures = LaundrySchemaMigrationTests.fixtures
        fixtures.folder = folder
        for place in fixtures.versions.indices { fixtures.versions[place].fingerprint = nil }
        return fixtures
    }

    /// The failures that are reported for the first version's fixture after the SQL `edit` ran on it.
    private func failures(after edit: String) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        var edited = unsealed(in: folder)
        let version = try #require(edited.versions.first)
        #expect(try edited.export(version).isEmpty)
        try Connection(path: edited.url(of: version).path, mode: .readWrite).execute(edit)
        edited.prepared = OncePerKey()
        return try edited.export(version).map(\.description)
    }

    @Test func `an unchanged fixture has no failures`() throws {
        #expect(try failures(after: "PRAGMA user_version").isEmpty)
    }

    @Test func `a fixture that cannot be written is reported`() throws {
        let folder = URL(fileURLWithPath: "/dev/null/Tests")
        let fixtures = unsealed(in: folder)
        for version in fixtures.versions {
            let failures = try fixtures.export(version).map(\.description)
            #expect(failures.count == 1)
            #expect(
                failures.first?.contains("it is missing, and \(fixtures.url(of: version).path) cannot be written")
                    == true)
            #expect(throws: FixtureError.self) { _ = try fixtures.database(of: version.name) }
        }
    }

    @Test func `a missing or changed sealed fixture must be restored and is never recreated`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let committed = LaundrySchemaMigrationTests.fixtures
        let version = try #require(committed.versions.first { $0.fingerprint != nil })
        var fixtures = committed
        fixtures.folder = folder
        #expect(try fixtures.export(version).map(\.description).first?.contains("is missing; restore") == true)
        #expect(throws: FixtureError.self) { _ = try fixtures.database(of: version.name) }

        fixtures.prepared = OncePerKey()
        let url = fixtures.url(of: version)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: committed.url(of: version), to: url)
        #expect(try fixtures.export(version).isEmpty)
        try Connection(path: url.path, mode: .readWrite).execute("UPDATE laundry SET name = 'another' WHERE name = 'a'")
        fixtures.prepared = OncePerKey()
        #expect(try fixtures.export(version).map(\.description).first?.contains("was changed; restore") == true)
    }

    @Test func `a fixture that is up to date is not written again`() throws {
        var fixtures = LaundrySchemaMigrationTests.fixtures
        for version in fixtures.versions {
            let path = fixtures.url(of: version).path
            #expect(try fixtures.export(version).isEmpty)
            fixtures.prepared = OncePerKey()
            let before = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
            #expect(try fixtures.export(version).isEmpty)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == before)
        }
    }

    @Test(arguments: [
        ("DELETE FROM laundry_item", "laundry_item has no row"),
        ("UPDATE laundry_item SET price = 1 WHERE price IS NULL", "laundry_item.price: no row has NULL"),
        ("UPDATE laundry_item SET price = NULL", "laundry_item.price: no row has a value"),
        ("UPDATE laundry_item SET price = 1 WHERE price = 9e999", "laundry_item.price: no row has infinity"),
        ("UPDATE laundry_item SET price = 1 WHERE price < 0", "laundry_item.price: no row has a negative number"),
        ("UPDATE laundry_item SET name = 'x' WHERE name = ''", "laundry_item.name: no row has an empty text"),
        (
            "UPDATE laundry_item SET name = 'x' WHERE length(CAST(name AS BLOB)) > length(name)",
            "laundry_item.name: no row has a text with U+0000"
        ),
        ("UPDATE laundry_item SET name = 'x' WHERE length(name) > 99", "laundry_item.name: no row has a long text"),
        ("UPDATE laundry SET favorite = 1", "laundry.favorite: no row has false"),
        (
            "UPDATE laundry_data SET code = 1 WHERE code > 99999",
            "laundry_data.code: no row has the greatest integer"
        ),
        ("UPDATE laundry_item SET master_id = NULL", "laundry_item.master: no row has a target"),
        (
            "INSERT INTO laundry_item (store_id, master_id) SELECT 5000 + row_number() OVER (), store_id FROM laundry",
            "laundry_item.master: every row of laundry has one"
        ),
        (
            "DELETE FROM laundry_item WHERE master_id IN (SELECT master_id FROM laundry_item GROUP BY 1 HAVING count(*) > 1)"
                + " AND store_id NOT IN (SELECT min(store_id) FROM laundry_item GROUP BY master_id)",
            "laundry_item.master: no row has the same target as another row"
        ),
        ("DROP INDEX laundry_master_id_idx", "differs from the version"),
        ("UPDATE strata_metadata SET value = 'x' WHERE key = 'version'", "it has version x"),
        (
            "PRAGMA foreign_keys = OFF; UPDATE laundry_item SET master_id = 77777",
            "has a dangling foreign key to laundry"
        ),
    ])
    func `the failure of an edited fixture names the problem`(edit: String, failure: String) throws {
        let failures = try failures(after: edit)
        #expect(failures.contains { $0.contains(failure) }, "\(failures)")
    }
}
