import Strata

/// The migration from 1.0 to 2.0: each answer gets a detail with its key, which has the laundries of the answer.
struct Migration_1_0_to_2_0: LaundriesSchema.CustomMigration_1_0_to_2_0 {
    mutating func migrate(_ old: V1_0.Laundry, _ context: Context) throws -> Outcome<V2_0.Laundry> {
        .keep(.init(migrating: old, masterID: old.masterID.map { .init(rawValue: $0.rawValue) }))
    }

    mutating func migrate(_ old: V1_0.LaundryData, _ context: Context) throws -> Outcome<V2_0.LaundryData> {
        .keep(.init(migrating: old, dataID: .init(rawValue: old.id.rawValue)))
    }

    mutating func didMigrate(_ context: Context) throws {
        try context.old(V1_0.LaundryData.self).forEach { data in
            try context.insert(V2_0.LaundryDetail(id: .init(rawValue: data.id.rawValue)))
        }
    }
}
