/// The result of migrating a row: a complete row of a new entity, or only the values that a custom migration provides.
public protocol MigratedRow {
    /// The type of the new entity's primary key.
    associatedtype ID: EntityID
}
