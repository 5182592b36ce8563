import Foundation
import Strata

/// The table of people in the first version of the model.
private let people = """
    table person
      id integer key
      name text
      email text
      city text
      age integer
      score real
      active integer
      created real
    """

/// A schema whose second version differs from the first version of the model.
protocol TwoVersions: Schema {
    /// The tables of the second version that differ.
    static var second: String { get }
    /// The changes of the step.
    static var change: String { get }
    /// The number of versions, each of which changes the one before in the same way.
    static var count: Int { get }
}

extension TwoVersions {
    static var name: String { BenchmarksSchema.name }
    static var fingerprint: UInt64 { UInt64(count) }
    static var versions: [SchemaVersion] { history.versions }
    static var steps: [MigrationStep] { history.steps }
    static var count: Int { 2 }

    private static var history: VersionHistory {
        var history = VersionHistory()
        history.version("1.0", fingerprint: Old.fingerprint, people)
        for number in 2...count {
            history.version("\(number).0", fingerprint: UInt64(number), second)
            history.step(from: "\(number - 1).0", to: "\(number).0", change)
        }
        return history
    }
}

/// The store that all of them begin with.
enum Old: Schema {
    static let name = BenchmarksSchema.name
    static let fingerprint = BenchmarksSchema.versions[0].fingerprint
    static let versions = [BenchmarksSchema.versions[0]]
    static let steps: [MigrationStep] = []
}

enum RenamedColumn: TwoVersions {
    static let second = """
        change person
          - name
          + title text after id
        """
    static let change = """
        map person
          title = name
        """
}

enum RenamedTable: TwoVersions {
    static let second = "change person as people"
    static let change = "map person -> people"
}

enum AddedColumn: TwoVersions {
    static let second = """
        change person
          + stars integer = 3
        """
    static let change = "map person"
}

enum Rebuilt: TwoVersions {
    static let second = ""
    static let change = """
        map person
          age = clear(age, 1)
        """
}

/// Ten steps, each of which would rebuild the table.
enum RebuiltTenTimes: TwoVersions {
    static let second = Rebuilt.second
    static let change = Rebuilt.change
    static let count = 11
}

/// The model's own step, with code that takes whole rows.
enum SplitByRows: Schema {
    static let name = BenchmarksSchema.name
    static let fingerprint = BenchmarksSchema.fingerprint
    static let versions = BenchmarksSchema.versions
    static let steps: [MigrationStep] = {
        var history = VersionHistory()
        history.step(from: "1.0", to: "2.0", "custom person", code: Splitting.self) { step, migration in
            try step.migrate(BenchmarksSchema.V1_0.Person.self) { try migration.value.migrate($0, $1) }
        }
        return history.steps
    }()

    struct Splitting: CustomMigration {
        init() {}

        mutating func migrate(
            _ old: BenchmarksSchema.V1_0.Person, _ context: Context
        ) throws -> Outcome<BenchmarksSchema.V2_0.Person> {
            let (first, last) = names(old.name)
            return .keep(BenchmarksSchema.V2_0.Person(migrating: old, first: first, last: last))
        }
    }
}

/// One rebuild of the table, and an index that the new table has.
enum RebuiltWithIndex: TwoVersions {
    static let second = """
        change person
          + index person_email_idx (email)
        """
    static let change = Rebuilt.change
}

/// A schema of many tables and versions, to be opened at its newest.
enum Wide: Schema {
    static let name = "WideSchema"
    static let fingerprint: UInt64 = 50
    static let versions: [SchemaVersion] = {
        var history = VersionHistory()
        for version in 1...50 {
            let tables = (0..<100).map { "table t\($0)\n  id integer key\n  a text?" }
            history.version("\(version)", fingerprint: UInt64(version), tables.joined(separator: "\n"))
        }
        return history.versions
    }()
    static let steps: [MigrationStep] = []
}
