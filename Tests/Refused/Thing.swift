import Foundation
import Strata
/// A row with properties that compare in different ways.
struct Thing: StoredEntity {
    struct ID: RawEntityID { var rawValue: Int }
    struct Relationships: EntityRelationships {}
    struct Columns: EntityColumns {
        typealias Entity = Thing
        var id: Column<Thing, ID> { .init("id") }
        var text: Column<Thing, String> { .init("text") }
        var number: Column<Thing, Int?> { .init("number") }
        var price: Column<Thing, Decimal> { .init("price") }
        var tags: Column<Thing, [String]> { .init("tags") }
        var flag: Column<Thing, Bool> { .init("flag") }
    }
    static let table = EntityTable("t", key: ["id"], columns: ["id"])
    var id: ID
    static func id(of entity: Self) -> ID { entity.id }
    init(row: Row) throws { id = try row.id(0) }
    func bind(to statement: Statement) throws {}
    func compare(to other: Self, _ equality: inout Equality) {
        equality.compare(id, other.id)
    }
}
