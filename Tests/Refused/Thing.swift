import Foundation
import Strata
/// A row with properties that compare in different ways.
struct Thing: StoredEntity {
    struct ID: RawEntityID { var rawValue: Int }
    enum State: String, StoredEnum { case open, done }
    struct Relationships: EntityRelationships {}
    typealias Columns = PropertyColumns<Thing>
    static let table = EntityTable(
        Self.self, "t", key: ["id"],
        columns: [
            "id": \.id, "text": \.text, "number": \.number, "price": \.price, "tags": \.tags, "flag": \.flag,
            "state": \.state,
        ])
    var id: ID
    var text = ""
    var number: Int?
    var price: Decimal = 0
    var tags: [String] = []
    var flag = false
    var state = State.open
    var title: String { text }
    static func id(of entity: Self) -> ID { entity.id }
    init(row: Row) throws { id = try row.id(0) }
    func bind(to statement: Statement) throws {}
}
