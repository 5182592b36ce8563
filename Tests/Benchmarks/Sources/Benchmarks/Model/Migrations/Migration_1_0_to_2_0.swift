import Strata

/// From 1.0 to 2.0: a name becomes two. It reads the one column that it needs.
struct Migration_1_0_to_2_0: BenchmarksSchema.CustomMigration_1_0_to_2_0 {
    mutating func migrate(
        _ old: borrowing V1_0.PersonRow, _ context: Context
    ) throws -> Strata.Outcome<V2_0.PersonValues> {
        let (first, last) = try names(old.name)
        return .keep(.init(first: first, last: last))
    }
}

/// What stands before the first space, and what stands after it.
func names(_ name: consuming String) -> (first: String, last: String) {
    name.withUTF8 { name in
        let space = name.firstIndex(of: 0x20) ?? name.endIndex
        return (
            String(decoding: name[..<space], as: UTF8.self), String(decoding: name[space...].dropFirst(), as: UTF8.self)
        )
    }
}
