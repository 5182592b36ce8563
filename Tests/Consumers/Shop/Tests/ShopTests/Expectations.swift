import StrataTesting

@testable import Shop

extension ShopSchemaStep_1_1_to_2_0 {
    /// An order that orders nothing goes; of each other one only the total is new.
    static func expected(_ old: V1_1.Order, _ rows: StepRows) throws -> Expected<V2_0.Order> {
        if old.quantity == 0 { return .dropped }
        let product = try old.productID.flatMap { try rows.old.find(V1_1.Product.self, id: $0) }
        return .kept(.init(migrating: old, total: (product?.price ?? 0) * Double(old.quantity)))
    }
}
