import Foundation
import MigrationFaults
import SQLSchema
import Strata
import Testing

@testable import StrataTesting

/// Migrations that convert values wrongly, lose rows or change them. The check of migrations has to find each of them.
@Suite struct ConversionFaultTests {
    private enum Converted: Schema {
        @TaskLocal static var step = Self.right
        static let name = "ConvertedSchema"
        static let fingerprint: UInt64 = 2
        static var versions: [SchemaVersion] { history.versions }
        static var steps: [MigrationStep] { history.steps }

        /// The step from 1.0 to 2.0 without a fault.
        static let right = #"""
            map item
              code = int_to_string(code)
              amount = int_to_decimal(amount)
              flag = bool_to_string(flag)
              token = uuid_to_string(token)
              kind = cases(kind, 'small', 'tiny')
              rights = clear(rights, 2)
              place = members(place, remove('gone'), rename('x', 'y'), add('z', '[1]'))
              kinds = each(kinds, cases('small', 'tiny'))
              rank = replaced(rank, 'value >= 1', 1)
              title = coalesce(title, 'none')
            map item_others
            """#

        private static var history: VersionHistory {
            var history = VersionHistory()
            history.version(
                "1.0", fingerprint: 1,
                """
                table item
                  id integer key
                  text text
                  note text?
                  data blob?
                  number integer
                  size real?
                  day real
                  code integer?
                  amount integer
                  flag integer?
                  token blob
                  kind text
                  rights integer
                  place text?
                  kinds text
                  rank integer?
                  title text?
                  item_id integer? -> item(id) nullify
                  item_position integer?
                  index item_item_id_idx (item_id)
                join table item_others
                  source_id integer -> item(id) cascade
                  target_id integer -> item(id) cascade
                  position integer
                  key (source_id, target_id)
                  index item_others_target_id_idx (target_id)
                """)
            history.version(
                "2.0", fingerprint: 2,
                """
                table item
                  id integer key
                  text text
                  note text?
                  data blob?
                  number integer
                  size real?
                  day real
                  code text?
                  amount text
                  flag text?
                  token text
                  kind text
                  rights integer
                  place text?
                  kinds text
                  rank integer?
                  title text
                  item_id integer? -> item(id) cascade
                  item_position integer?
                  index item_item_id_idx (item_id)
                  check item_rank_minimum 'rank >= 1'
                """)
            history.step(from: "1.0", to: "2.0", step)
            return history
        }
    }

    private static func item(_ columns: [FixtureColumn], onDelete rule: DeleteRule) -> FixtureTable {
        FixtureTable(
            "item",
            columns: [
                .key("id", .int), .value("text", .string), .value("note", .string, nullable: true),
                .value("data", .data, nullable: true), .value("number", .int),
                .value("size", .double, nullable: true), .value("day", .date),
            ] + columns + [
                .reference("item", ["item_id"], to: "item", onDelete: rule, nullable: true),
                .position("item", "item_position"),
            ], indexes: [FixtureIndex(["item_id"])])
    }

    /// The fixtures in a folder. The expected values of the step are right.
    private func fixtures(in folder: URL, results: SealedResults? = nil) -> Fixtures {
        var fixtures = Fixtures(of: Converted.self, in: folder)
        fixtures.add(
            Self.item(
                [
                    .value("code", .int, nullable: true), .value("amount", .int), .value("flag", .bool, nullable: true),
                    .value("token", .uuid), .value("kind", .texts(["small", "large"])),
                    .value("rights", .integers([0, 1, 2, 7])),
                    .value("place", .texts([#"{"x":1.50,"gone":"a"}"#, #"{"w":"\r\n\ufeff"}"#]), nullable: true),
                    .value("kinds", .texts(["[]", #"["small","large"]"#])), .value("rank", .int, nullable: true),
                    .value("title", .string, nullable: true),
                ], onDelete: .nullify))
        fixtures.add(FixtureJoinTable("item_others", of: "item.others", from: "item", to: "item"))
        fixtures.version("1.0", sealed: false) { _ in }
        let new = Self.item(
            [
                .value("code", .string, nullable: true), .value("amount", .decimal),
                .value("flag", .string, nullable: true), .value("token", .string),
                .value("kind", .texts(["tiny", "large"])), .value("rights", .integers([0, 1, 5])),
                .value("place", .texts([#"{"y":1.50,"z":[1]}"#, #"{"w":"\r\n\ufeff","z":[]}"#]), nullable: true),
                .value("kinds", .texts(["[]", #"["tiny","large"]"#])),
                .value("rank", .limited(.int, [.minimum(.integer(1))]), nullable: true), .value("title", .string),
            ], onDelete: .cascade)
        fixtures.add(new.checks([FixtureCheck("item_rank_minimum", on: ["rank"], #""rank" >= 1"#)]))
        fixtures.version("2.0", sealed: false) { _ in }
        fixtures.expect(
            "item", kept: ["id", "text", "note", "data", "number", "size", "day", "item_id", "item_position"],
            changed: [
                "code": .converted(.column("code"), .scalar(.int, to: .string)),
                "amount": .converted(.column("amount"), .scalar(.int, to: .decimal)),
                "flag": .converted(.column("flag"), .scalar(.bool, to: .string)),
                "token": .converted(.column("token"), .scalar(.uuid, to: .string)),
                "kind": .converted(.column("kind"), .cases(["small": "tiny"])),
                "rights": .converted(.column("rights"), .options(cleared: 2)),
                "place": .converted(
                    .column("place"), .members([.removed("gone"), .renamed("x", to: "y"), .added("z", json: "[1]")])),
                "kinds": .converted(.column("kinds"), .elements(.cases(["small": "tiny"]))),
                "rank": .limited(.column("rank"), [.minimum(.integer(1))], otherwise: .integer(1)),
                "title": .first(.column("title"), .value(.text("none"))),
            ])
        fixtures.expect("item_others", join: true)
        fixtures.step(from: "1.0", to: "2.0", results: results)
        return fixtures
    }

    private func failures(_ step: String) throws -> [String] {
        try withFolder { folder in
            try Converted.$step.withValue(step) {
                let fixtures = fixtures(in: folder)
                let version = try #require(fixtures.versions.first)
                return try fixtures.checkRandomMigration(of: version).map(\.description)
            }
        }
    }

    private func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("faulty-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    @Test func `the results of conversions are written, and then compared`() throws {
        try withFolder { folder in
            func failures(_ results: SealedResults, _ step: String = Converted.right) throws -> [String] {
                try Converted.$step.withValue(step) {
                    let fixtures = fixtures(in: folder, results: results)
                    return try fixtures.checkMigration(of: try #require(fixtures.versions.first)).map(\.description)
                }
            }
            let faulty = Converted.right.replacing("int_to_string(code)", with: "int_to_string(amount)")
            #expect(faulty != Converted.right)
            let draft = folder.appendingPathComponent("Fixtures/ConvertedSchema/draft-1.0-2.0.rows")
            let file = folder.appendingPathComponent("Fixtures/ConvertedSchema/1.0-2.0.rows")
            // Nothing is written for a step that is wrong.
            #expect(try !failures(.unsealed, faulty).isEmpty && !FileManager.default.fileExists(atPath: draft.path))
            #expect(try failures(.unsealed) == [])
            let text = try String(contentsOf: draft, encoding: .utf8)
            #expect(text.contains(#/\nitem 0 \| code ("[-0-9]+"|NULL) \| amount "[-0-9]+" \| flag /#))
            #expect(!text.contains(" | title ") && !text.contains("item_others"))

            try FileManager.default.moveItem(at: draft, to: file)
            let sealed = SealedResults.sealed(FNV1a(text.utf8).value)
            #expect(try failures(sealed) == [])
            let differences = try failures(sealed, faulty).filter { $0.contains("the step is released") }
            #expect(differences.count == 1)
            #expect(differences[0].contains(#/\nitem [-0-9]+: code was ("[-0-9]+"|NULL), and is "[-0-9]+" now\n/#))
            #expect(
                differences[0].contains("generate --release --step 1.0-2.0, swift test and generate\n")
                    && differences[0].contains("more"))

            try Data((text + " ").utf8).write(to: file)
            #expect(try failures(sealed).contains { $0.contains("1.0-2.0.rows was changed: restore it") })
            try FileManager.default.removeItem(at: file)
            #expect(try failures(sealed).contains { $0.contains("1.0-2.0.rows is missing: restore it") })
        }
    }

    @Test func `a migration without a fault has no failures`() throws {
        for _ in 0..<3 { #expect(try failures(Converted.right) == []) }
    }

    @Test(arguments: [
        ("int_to_string(code)", "int_to_string(number)", "item.code"),
        ("int_to_decimal(amount)", "int_to_decimal(clear(amount, 1))", "item.amount"),
        ("bool_to_string(flag)", "coalesce(bool_to_string(flag), 'false')", "item.flag"),
        ("uuid_to_string(token)", "int_to_string(amount)", "item.token"),
        ("'small', 'tiny')\n  rights", "'small', 'large')\n  rights", "item.kind"),
        ("clear(rights, 2)", "clear(rights, 3)", "item.rights"),
        ("remove('gone'), ", "", "item.place"),
        ("rename('x', 'y')", "rename('w', 'y')", "item.place"),
        ("add('z', '[1]')", "add('z', '[2]')", "item.place"),
        ("each(kinds, cases('small', 'tiny'))", "kinds", "item.kinds"),
        ("'value >= 1', 1)", "'value >= 1', 2)", "item.rank"),
        ("coalesce(title, 'none')", "coalesce(title, '')", "item.title"),
    ])
    func `a wrong conversion is found`(right: String, wrong: String, place: String) throws {
        let failures = try failures(Converted.right.replacing(right, with: wrong))
        #expect(failures.contains { $0.contains(": \(place): row ") }, "\(failures)")
    }

    @Test func `every fault of values, rows and positions is found, and changes something`() throws {
        try withFolder { folder in
            let (missed, withoutEffect) = try MigrationFaults.run(on: fixtures(in: folder))
            #expect(missed == [])
            #expect(withoutEffect == [])
        }
    }
}
