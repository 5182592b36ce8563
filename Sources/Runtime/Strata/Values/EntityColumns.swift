/// The columns of an entity for conditions, orders and values.
///
/// The entity's relationships are members: `$0.studio.name` in a condition on movies is the name of the movie's studio.
@dynamicMemberLookup public protocol EntityColumns<Entity>: Sendable {
    /// The entity.
    associatedtype Entity: StoredEntity
    /// Creates the columns.
    init()
}

/// The columns of an entity that cannot be queried, as those of a superseded struct.
public struct NoColumns<Entity: StoredEntity>: EntityColumns {
    /// Creates no columns.
    public init() {}
}
