import Strata

/// An answer used to hold its laundries itself; from 2.0 on they stand under a detail of it.
struct Migration_1_0_to_2_0: LaundrySchema.CustomMigration_1_0_to_2_0 {
    /// Every laundry moves under the detail of its answer, which has the answer's key.
    mutating func migrate(_ old: V1_0.Laundry, _ context: Context) throws -> Outcome<V2_0.Laundry> {
        .keep(.init(migrating: old, masterID: old.masterID.map { .init(rawValue: $0.rawValue) }))
    }

    /// Every answer gets its detail.
    mutating func didMigrate(_ context: Context) throws {
        try context.old(V1_0.LaundryData.self).forEach { data in
            try context.insert(
                V2_0.LaundryDetail(storeID: .init(rawValue: data.storeID.rawValue), masterID: data.storeID))
        }
    }
}
