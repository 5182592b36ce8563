import Strata

/// Two names become one.
struct Migration_1_1_to_2_0: AppSchema.CustomMigration_1_1_to_2_0 {
    mutating func migrate(_ old: V1_1.User, _ context: Context) throws -> Outcome<V2_0.User> {
        .keep(.init(migrating: old, fullName: "\(old.firstname) \(old.surname)"))
    }
}
