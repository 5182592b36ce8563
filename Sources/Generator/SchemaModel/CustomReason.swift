/// A reason why a change needs a custom migration.
public struct CustomReason: Hashable, Sendable {
    /// The lineage of the entity that the reason concerns.
    public var entity: Int
    /// The lineage of the property that the reason concerns; nil if it concerns the entity or an index.
    public var property: Int?
    /// The lineages of the properties of the unique index that the reason concerns.
    public var index: [Int]?
    /// Whether the change removes data although no `discard` allows it.
    public var isRemoval = false
    /// The reason as text that names the entity and the property.
    public var text: String
}
