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

/// A schema whose versions each change the one before in the same way.
protocol ChangedPeople: Schema {
    /// The versions, of which the first is that of the model. They are created once, as in a generated schema.
    static var history: VersionHistory { get }
}

extension ChangedPeople {
    static var name: String { BenchmarksSchema.name }
    static var fingerprint: UInt64 { versions[versions.count - 1].fingerprint }
    static var versions: [SchemaVersion] { history.versions }
    static var steps: [MigrationStep] { history.steps }

    /// Creates the versions.
    ///
    /// - Parameters:
    ///   - tables: The tables that differ from those of the version before.
    ///   - step: The step to each version.
    static func changed(_ tables: String, _ step: String, count: Int = 2) -> VersionHistory {
        var history = VersionHistory()
        history.version("1.0", fingerprint: Old.fingerprint, people)
        for number in 2...count {
            history.version("\(number).0", fingerprint: UInt64(number), tables)
            history.step(from: "\(number - 1).0", to: "\(number).0", step)
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

enum RenamedColumn: ChangedPeople {
    static let history = changed(
        """
        change person
          - name
          + title text after id
        """,
        """
        map person
          title = name
        """)
}

enum RenamedTable: ChangedPeople {
    static let history = changed("change person as people", "map person -> people")
}

enum AddedColumn: ChangedPeople {
    static let history = changed(
        """
        change person
          + stars integer = 3
        """, "map person")
}

enum Rebuilt: ChangedPeople {
    static let step = """
        map person
          age = clear(age, 1)
        """
    static let history = changed("", step)
}

/// Ten steps, each of which would rebuild the table.
enum RebuiltTenTimes: ChangedPeople {
    static let history = changed("", Rebuilt.step, count: 11)
}

/// The model's own step, with code that takes whole rows.
enum SplitByRows: Schema {
    static let name = BenchmarksSchema.name
    static let fingerprint = BenchmarksSchema.fingerprint
    static let versions = BenchmarksSchema.versions
    static let steps: [MigrationStep] = {
        var history = VersionHistory()
        history.step(from: "1.0", to: "2.0", "custom person", code: Splitting.self) { step, migration in
            try step.migrate(BenchmarksSchema.V1_0.Person.self) { try migration.value.migrate($0, .init($1)) }
        }
        return history.steps
    }()

    struct Splitting: CustomMigration {
        typealias OldVersion = BenchmarksSchema.V1_0
        typealias NewVersion = BenchmarksSchema.V2_0

        init() {}

        mutating func migrate(
            _ old: BenchmarksSchema.V1_0.Person, _ context: MigrationContext<OldVersion, NewVersion>
        ) throws -> Outcome<BenchmarksSchema.V2_0.Person> {
            let (first, last) = names(old.name)
            return .keep(BenchmarksSchema.V2_0.Person(migrating: old, first: first, last: last))
        }
    }
}

/// One rebuild of the table, and an index that the new table has.
enum RebuiltWithIndex: ChangedPeople {
    static let history = changed(
        """
        change person
          + index person_email_idx (email)
        """, Rebuilt.step)
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
