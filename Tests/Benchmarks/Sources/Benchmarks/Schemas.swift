import Foundation
import Strata

/// The table of people in the first version of the model.
let people = BenchmarksSchema.versions[0].tables[0]

/// A schema whose second version does something to the table of the first.
protocol TwoVersions: Schema {
    static var second: Table { get }
    static var change: TableChange { get }
}

extension TwoVersions {
    static var name: String { BenchmarksSchema.name }
    static var fingerprint: UInt64 { 2 }
    static var versions: [SchemaVersion] {
        [BenchmarksSchema.versions[0], SchemaVersion("2.0", fingerprint: 2, tables: [second])]
    }
    static var steps: [MigrationStep] { [MigrationStep(from: "1.0", to: "2.0", changes: [change])] }
}

/// The store that all of them begin with.
enum Old: Schema {
    static let name = BenchmarksSchema.name
    static let fingerprint = BenchmarksSchema.versions[0].fingerprint
    static let versions = [BenchmarksSchema.versions[0]]
    static let steps: [MigrationStep] = []
}

enum RenamedColumn: TwoVersions {
    static let second = Table(
        people.name, people.elements.map { $0 == "\"name\" TEXT NOT NULL" ? "\"title\" TEXT NOT NULL" : $0 })
    static let change = TableChange.map(from: "person", to: "person", columns: ["title": "\"name\""])
}

enum RenamedTable: TwoVersions {
    static let second = Table("people", people.elements)
    static let change = TableChange.map(from: "person", to: "people")
}

enum AddedColumn: TwoVersions {
    static let second = Table(people.name, people.elements + ["\"stars\" INTEGER NOT NULL DEFAULT 3"])
    static let change = TableChange.map(from: "person", to: "person")
}

enum Rebuilt: TwoVersions {
    static let second = people
    static let change = TableChange.map(from: "person", to: "person", columns: ["age": "\"age\" + 1"])
}

/// Ten versions, each of which would rebuild the table.
enum RebuiltTenTimes: Schema {
    static let name = BenchmarksSchema.name
    static let fingerprint: UInt64 = 11
    static let versions =
        [BenchmarksSchema.versions[0]]
        + (2...11).map { SchemaVersion("\($0).0", fingerprint: UInt64($0), tables: [people]) }
    static let steps = (1...10).map {
        MigrationStep(
            from: "\($0).0", to: "\($0 + 1).0",
            changes: [.map(from: "person", to: "person", columns: ["age": "\"age\" + 1"])])
    }
}

/// The model's own step, with code that takes whole rows.
enum SplitByRows: Schema {
    static let name = BenchmarksSchema.name
    static let fingerprint = BenchmarksSchema.fingerprint
    static let versions = BenchmarksSchema.versions
    static let steps = BenchmarksSchema.steps.map { step in
        MigrationStep(from: step.from, to: step.to, changes: step.changes) { step in
            var migration = RowMigration()
            try migration.migrate(BenchmarksSchema.V1_0.Person.self, in: step)
            try step.followKeys()
        }
    }
}

/// A schema of many tables and versions, to be opened at its newest.
enum Wide: Schema {
    static let name = "WideSchema"
    static let fingerprint: UInt64 = 50
    static let versions = (1...50).map { version in
        SchemaVersion(
            "\(version)", fingerprint: UInt64(version),
            tables: (0..<100).map { Table("t\($0)", ["\"id\" INTEGER PRIMARY KEY", "\"a\" TEXT"]) })
    }
    static let steps: [MigrationStep] = []
}
