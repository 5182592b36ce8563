import Strata

/// A table of hand-made rows.
protocol HandMadeTable {
    static var name: String { get }
    /// The columns; the first one is the primary key.
    static var columns: [String] { get }
}

/// The table `s`, which most migrations of the tests change.
enum TableS: HandMadeTable {
    static let name = "s"
    static let columns = ["id", "v"]
}

/// A row with a primary key alone.
struct KeyRow<Stored: HandMadeTable, Raw: IdentifierValue>: StoredEntity {
    struct ID: RawEntityID { var rawValue: Raw }
    struct Relationships: EntityRelationships {}
    static var table: EntityTable { EntityTable(Stored.name, key: [Stored.columns[0]], columns: Stored.columns) }
    var id: ID
    static func id(of entity: Self) -> ID { entity.id }
    init(id: ID) { self.id = id }
    init(row: Row) throws { self.init(id: try row.id(0)) }
    func bind(to statement: Statement) throws { try statement.bind(id, at: 1) }
}

/// A row with a primary key and a value.
struct HandMadeRow<
    Stored: HandMadeTable, Raw: IdentifierValue, Value: ColumnStorable & Hashable & Sendable
>: StoredEntity {
    struct ID: RawEntityID { var rawValue: Raw }
    struct Relationships: EntityRelationships {}
    static var table: EntityTable { EntityTable(Stored.name, key: [Stored.columns[0]], columns: Stored.columns) }
    var id: ID
    var v: Value
    static func id(of entity: Self) -> ID { entity.id }
    init(id: ID, v: Value) { (self.id, self.v) = (id, v) }
    init(row: Row) throws { self.init(id: try row.id(0), v: try Value(row: row, at: 1)) }
    func bind(to statement: Statement) throws {
        try statement.bind(id, at: 1)
        try statement.bind(v, at: 2)
    }
}

extension KeyRow.ID: ExpressibleByIntegerLiteral where Raw == Int {}
extension HandMadeRow.ID: ExpressibleByIntegerLiteral where Raw == Int {}

/// A row of the table `s` with a text.
typealias ValuedRow<Raw: IdentifierValue> = HandMadeRow<TableS, Raw, String>
