/// Why a person has to carry out a change.
public struct CustomReason: Hashable, Sendable {
    /// The lineage of the entity that it is about.
    public var entity: Int
    /// The lineage of the property that it is about; nil where it is about the entity, or about an index.
    public var property: Int?
    /// The lineages of the properties of the unique index that it is about.
    public var index: [Int]?
    /// Whether it removes data that no `discard` allows to be lost.
    public var isRemoval = false
    /// The reason in words, which name the entity and the property.
    public var text: String
}
