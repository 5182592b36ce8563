import Foundation
import SQLSchema
import Strata

/// The kind of a thing, stored as text.
enum Kind: String, StoredEnum { case small, large }

/// A row with properties of most types.
struct Thing: StoredEntity {
    struct ID: RawEntityID, ExpressibleByIntegerLiteral { var rawValue: Int }
    struct Relationships: EntityRelationships {}
    typealias Columns = PropertyColumns<Thing>
    static let table = EntityTable(
        Self.self, "thing", key: ["id"],
        columns: [
            "id": \.id, "number": \.number, "ratio": \.ratio, "text": \.text, "note": \.note, "date": \.date,
            "kind": \.kind, "uuid": \.uuid, "price": \.price, "parent_id": \.parent, "flag": \.flag,
        ])
    var id: ID
    var number: Int?
    var ratio = 0.0
    var text = ""
    var note: String?
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var kind: Kind?
    var uuid = UUID()
    var price: Decimal = 0
    var parent: ID?
    var flag = false

    static func id(of entity: Self) -> ID { entity.id }

    init(id: Int) { self.id = ID(rawValue: id) }

    init(row: Row) throws {
        id = try row.id(0)
        number = try row.optionalInt(1)
        ratio = try row.double(2)
        text = try row.string(3)
        note = try row.optionalString(4)
        date = try row.date(5)
        kind = try row.optionalValue(6)
        uuid = try row.uuid(7)
        price = try row.decimal(8)
        parent = try row.optionalID(9)
        flag = try row.bool(10)
    }

    func bind(to statement: Statement) throws {
        try statement.bind(id, at: 1)
        try statement.bind(number, at: 2)
        try statement.bind(ratio, at: 3)
        try statement.bind(text, at: 4)
        try statement.bind(note, at: 5)
        try statement.bind(date, at: 6)
        try statement.bind(kind, at: 7)
        try statement.bind(uuid, at: 8)
        try statement.bind(price, at: 9)
        try statement.bind(parent, at: 10)
        try statement.bind(flag, at: 11)
    }
}

/// A row with a composite primary key.
struct Place: StoredEntity {
    struct ID: EntityID {
        static let columnCount = 2
        static func == (left: Self, right: Self) -> Bool {
            var equality = Equality()
            equality.compare(left.shelf, right.shelf)
            equality.compare(left.number, right.number)
            return equality.holds
        }
        var shelf: String
        var number: Int
        init(shelf: String, number: Int) {
            self.shelf = shelf
            self.number = number
        }
        init(row: Row, at index: Int) throws {
            self.init(shelf: try row.string(index), number: try row.int(index + 1))
        }
        func bind(to statement: Statement, at index: Int) throws {
            try statement.bind(shelf, at: index)
            try statement.bind(number, at: index + 1)
        }
    }
    struct Relationships: EntityRelationships {}
    typealias Columns = PropertyColumns<Place>
    static let table = EntityTable(
        Self.self, "place", key: ["shelf", "number"], columns: ["shelf": \.id, "number": \.id])
    var id: ID
    static func id(of entity: Self) -> ID { entity.id }
    init(_ shelf: String, _ number: Int) { id = ID(shelf: shelf, number: number) }
    init(row: Row) throws { id = try row.id(0) }
    func bind(to statement: Statement) throws { try statement.bind(id, at: 1) }
}

extension PropertyColumns<Place> {
    /// The second part of the primary key.
    var number: Column<Place, Int> { .init("number") }
}

/// A schema with the tables of `Thing` and `Place`.
enum Things: Schema {
    static let name = "ThingSchema"
    static let fingerprint: UInt64 = 1
    static let versions = [
        SchemaVersion(
            "1", fingerprint: 1,
            tables: [
                Table(
                    "thing",
                    [
                        "id integer key", "number integer?", "ratio real",
                        "text text", "note text?", "date real", "kind text?",
                        "uuid blob", "price text", "parent_id integer?",
                        "flag integer", "index thing_text_idx (text)",
                    ]),
                Table(
                    "place",
                    [
                        "shelf text", "number integer", "key (shelf, number)",
                    ]),
            ])
    ]
    static let steps: [MigrationStep] = []
}
