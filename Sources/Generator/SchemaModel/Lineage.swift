/// The identity of an element of a model through all versions. It stays the same when the element is renamed.
///
/// The lineage of an entity or a subtype is its index among the descriptions of entities or of subtypes. The lineage of
/// a property, an index, a case or an option is its index in the list that contains it in the description.
package struct Lineage<Element>: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    /// The index in the descriptions.
    package let index: Int

    /// Creates the lineage of the element at `index`.
    package init(_ index: Int) { self.index = index }

    /// Creates the lineage of the element at the index `value`.
    package init(integerLiteral value: Int) { index = value }

    /// Returns whether the left element is described before the right one.
    package static func < (left: Self, right: Self) -> Bool { left.index < right.index }
}

/// The lineage of an entity.
package typealias EntityLineage = Lineage<Entity>
/// The lineage of a subtype.
package typealias SubtypeLineage = Lineage<Subtype>
/// The lineage of a property or an index of an entity, or of a case, an option or a member of a subtype.
package typealias ElementLineage = Lineage<Property>

extension Array {
    /// The element that belongs to a lineage, in an array with one element for each.
    package subscript<Described>(lineage: Lineage<Described>) -> Element {
        get { self[lineage.index] }
        set { self[lineage.index] = newValue }
    }
}
