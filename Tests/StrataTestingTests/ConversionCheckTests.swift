import Foundation
import SQLSchema
import Strata
import StrataConversionTesting
import Testing

@testable import StrataTesting

/// The generated test of policies for rows that do not fit.
@Suite struct ConversionCheckTests {
    private enum Notes: Schema {
        @TaskLocal static var policy = ImportedInvalidRows.Policy.drop
        static let name = "NotesSchema"
        static let fingerprint: UInt64 = 1
        static let steps: [MigrationStep] = []
        static var versions: [SchemaVersion] {
            var history = VersionHistory()
            history.version(
                "1.0", fingerprint: 1,
                """
                table note
                  id integer key
                  text text
                """)
            return history.versions
        }
        static var imported: ImportedFormat? {
            var format = ImportedFormat(.sqlite, formerNames: ["1.0": "1"])
            format.invalidRows = [ImportedInvalidRows("note", policy, versions: 0...0)]
            return format
        }
    }

    private func failures(_ policy: ImportedInvalidRows.Policy) throws -> [String] {
        try Notes.$policy.withValue(policy) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("check-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            var fixtures = Fixtures(of: Notes.self, in: folder, checksConversions: true)
            fixtures.add(FixtureTable("note", columns: [.key("id", .int), .value("text", .string)]))
            fixtures.version("1.0", sealed: false) { _ in }
            #expect(fixtures.convertedVersions.map(\.name) == ["1.0"])
            return try fixtures.checkConversion(of: fixtures.versions[0]).map(\.description)
        }
    }

    @Test(arguments: [
        ImportedInvalidRows.Policy.setAside, .drop, .refuse, .fill(["text": "'unknown'"]),
    ]) func `a policy is carried out`(policy: ImportedInvalidRows.Policy) throws {
        #expect(try failures(policy) == [])
    }

    @Test func `a policy that cannot be carried out is found`() throws {
        let failures = try failures(.fill(["text": "NULL"]))
        #expect(failures.count == 1)
        #expect(failures.first?.contains("note with an invalid text: the row is") == true)
    }
}
