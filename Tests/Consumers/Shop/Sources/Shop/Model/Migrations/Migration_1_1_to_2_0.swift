import Strata

/// An order that orders nothing goes; of each other one the total is told.
struct Migration_1_1_to_2_0: ShopSchema.CustomMigration_1_1_to_2_0 {
    mutating func migrate(_ old: V1_1.Order, _ context: Context) throws -> Outcome<V2_0.Order> {
        if old.quantity == 0 { return .drop }
        let price = try context.related(old, \.product)?.price ?? 0
        let new = V2_0.Order(
            id: old.id,
            comment: old.comment,
            greeting: old.greeting,
            quantity: old.quantity,
            placedAt: old.placedAt,
            total: price * Double(old.quantity),
            customerID: old.customerID,
            customerPosition: old.customerPosition,
            productID: old.productID)
        return .keep(new)
    }

    mutating func didMigrate(_ context: Context) throws {
        // Nothing is left to be done.
    }
}
