import Foundation
import Strata

/// A migration of data: the model does not change, the titles do.
struct Migration_1_0_to_2_0: SeedsSchema.CustomMigration_1_0_to_2_0 {
    mutating func migrate(_ old: V1_0.MyEntity, _ context: Context) throws -> Outcome<V2_0.MyEntity> {
        var new = V2_0.MyEntity(migrating: old)
        new.title = old.title.capitalized
        return .keep(new)
    }
}
