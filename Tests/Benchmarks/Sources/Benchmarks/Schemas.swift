import Foundation
import Strata

/// Versions of one table of people, and of many tables beside it.
enum Columns {
    static let id = "\"id\" INTEGER PRIMARY KEY"
    static let rest = [
        "\"email\" TEXT NOT NULL", "\"city\" TEXT NOT NULL", "\"age\" INTEGER NOT NULL", "\"score\" REAL NOT NULL",
        "\"active\" INTEGER NOT NULL", "\"created\" REAL NOT NULL",
    ]
    static let first = Table("person", [id, "\"name\" TEXT NOT NULL"] + rest)
}

/// A schema whose second version does something to the table of the first.
protocol TwoVersions: Schema {
    static var second: Table { get }
    static var change: TableChange { get }
    static var code: (@Sendable (CustomStep) throws -> Void)? { get }
}

extension TwoVersions {
    static var name: String { "BenchmarkSchema" }
    static var fingerprint: UInt64 { 2 }
    static var versions: [SchemaVersion] {
        [
            SchemaVersion("1", fingerprint: 1, tables: [Columns.first]),
            SchemaVersion("2", fingerprint: 2, tables: [second]),
        ]
    }
    static var steps: [MigrationStep] { [MigrationStep(from: "1", to: "2", changes: [change], custom: code)] }
    static var code: (@Sendable (CustomStep) throws -> Void)? { nil }
}

/// The store that all of them begin with.
enum Old: Schema {
    static let name = "BenchmarkSchema"
    static let fingerprint: UInt64 = 1
    static let versions = [SchemaVersion("1", fingerprint: 1, tables: [Columns.first])]
    static let steps: [MigrationStep] = []
}

enum RenamedColumn: TwoVersions {
    static let second = Table("person", [Columns.id, "\"title\" TEXT NOT NULL"] + Columns.rest)
    static let change = TableChange.map(from: "person", to: "person", columns: ["title": "\"name\""])
}

enum RenamedTable: TwoVersions {
    static let second = Table("people", Columns.first.elements)
    static let change = TableChange.map(from: "person", to: "people")
}

enum AddedColumn: TwoVersions {
    static let second = Table("person", Columns.first.elements + ["\"stars\" INTEGER NOT NULL DEFAULT 3"])
    static let change = TableChange.map(from: "person", to: "person")
}

enum Rebuilt: TwoVersions {
    static let second = Columns.first
    static let change = TableChange.map(from: "person", to: "person", columns: ["age": "\"age\" + 1"])
}

/// Ten versions, each of which would rebuild the table.
enum RebuiltTenTimes: Schema {
    static let name = "BenchmarkSchema"
    static let fingerprint: UInt64 = 11
    static let versions = (1...11).map { SchemaVersion("\($0)", fingerprint: UInt64($0), tables: [Columns.first]) }
    static let steps = (1...10).map {
        MigrationStep(
            from: "\($0)", to: "\($0 + 1)",
            changes: [.map(from: "person", to: "person", columns: ["age": "\"age\" + 1"])])
    }
}

/// The name becomes two, by code.
enum Split: TwoVersions {
    static let second = Table(
        "person", [Columns.id, "\"first\" TEXT NOT NULL", "\"last\" TEXT NOT NULL"] + Columns.rest)
    static let change = TableChange.custom(from: "person", to: "person")
    static let code: (@Sendable (CustomStep) throws -> Void)? = { step in
        try step.migrate(OldPerson.self) { (old: OldPerson, _) -> Outcome<Person> in
            let parts = old.name.split(separator: " ", maxSplits: 1)
            let last = parts.count > 1 ? String(parts[1]) : ""
            return .keep(Person(id: old.id, first: String(parts[0]), last: last, details: old.details))
        }
        try step.followKeys()
    }
}

struct PersonID: RawEntityID { var rawValue: Int }

/// What stays of a person when the name is split.
struct Details: Hashable, Sendable {
    static let columns = ["email", "city", "age", "score", "active", "created"]
    var email: String
    var city: String
    var age: Int
    var score: Double
    var active: Bool
    var created: Date

    init(row: Row, from index: Int) throws {
        email = try row.string(index)
        city = try row.string(index + 1)
        age = try row.int(index + 2)
        score = try row.double(index + 3)
        active = try row.bool(index + 4)
        created = try row.date(index + 5)
    }

    func bind(to statement: Statement, from index: Int) throws {
        try statement.bind(email, at: index)
        try statement.bind(city, at: index + 1)
        try statement.bind(age, at: index + 2)
        try statement.bind(score, at: index + 3)
        try statement.bind(active, at: index + 4)
        try statement.bind(created, at: index + 5)
    }
}

struct OldPerson: StoredEntity {
    typealias ID = PersonID
    struct Relationships: EntityRelationships {}
    static let table = EntityTable("person", key: ["id"], columns: ["id", "name"] + Details.columns)
    var id: ID
    var name: String
    var details: Details
    static func id(of entity: OldPerson) -> ID { entity.id }
    init(row: Row) throws {
        id = try row.id(0)
        name = try row.string(1)
        details = try Details(row: row, from: 2)
    }
    func bind(to statement: Statement) throws { fatalError("nothing writes it") }
}

struct Person: StoredEntity {
    typealias ID = PersonID
    struct Relationships: EntityRelationships {}
    static let table = EntityTable("person", key: ["id"], columns: ["id", "first", "last"] + Details.columns)
    var id: ID
    var first: String
    var last: String
    var details: Details
    static func id(of entity: Person) -> ID { entity.id }
}

extension Person {
    init(row: Row) throws { fatalError("nothing reads it") }
    func bind(to statement: Statement) throws {
        try statement.bind(id, at: 1)
        try statement.bind(first, at: 2)
        try statement.bind(last, at: 3)
        try details.bind(to: statement, from: 4)
    }
}

/// A schema of many tables and versions, to be opened at its newest.
enum Wide: Schema {
    static let name = "WideSchema"
    static let fingerprint: UInt64 = 50
    static let versions = (1...50).map { version in
        SchemaVersion(
            "\(version)", fingerprint: UInt64(version),
            tables: (0..<100).map { Table("t\($0)", [Columns.id, "\"a\" TEXT"]) })
    }
    static let steps: [MigrationStep] = []
}
