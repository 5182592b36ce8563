import Strata

/// Names are split in one entity and joined in the other; drafts become articles.
struct Migration_2_0_to_3_0: SeedsSchema.CustomMigration_2_0_to_3_0 {
    mutating func migrate(_ old: V2_0.MyEntity, _ context: Context) throws -> Outcome<V3_0.MyEntity> {
        let words = old.name.split(separator: " ").map(String.init)
        return .keep(
            .init(
                migrating: old, firstName: words.first ?? "", lastName: words.last ?? "",
                kind: old.kind == .page ? .page : .article))
    }

    mutating func migrate(_ old: V2_0.User, _ context: Context) throws -> Outcome<V3_0.User> {
        .keep(.init(migrating: old, fullName: "\(old.firstname) \(old.surname)"))
    }
}
