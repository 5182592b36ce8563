import Everything

/// Rows for the tests of any target. `EverythingSchema.sample` is generated into this one.
public func checkedRows(_ count: Int) throws -> [Checked] {
    try (0..<count).map { try EverythingSchema.sample(Checked.self, $0) }
}
