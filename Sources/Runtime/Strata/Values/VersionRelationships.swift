/// The relationships that an entity has in one version, for reading and writing rows of that version.
///
/// A struct is shared between versions in which its properties are the same, and its own relationships are those of the newest of
/// them. Strata extends this type for each version before and after a custom migration, with each relationship that differs there.
@dynamicMemberLookup public struct VersionRelationships<Version, Source: StoredEntity>: Sendable {
    init() {}

    /// A relationship that is the same in the version and in the newest version that shares the struct.
    public subscript<Relationship>(dynamicMember path: KeyPath<Source.Relationships, Relationship>) -> Relationship {
        Source.Relationships()[keyPath: path]
    }
}
