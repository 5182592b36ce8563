/// The identity of an element of a model through all versions. It stays the same when the element is renamed.
///
/// It is a place in the descriptions: for an entity or subtype its index among all of them, and for a property, index,
/// case or option its index in the description of its entity or subtype.
package struct Lineage<Element>: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    /// The index in the descriptions.
    package let index: Int

    /// Creates the lineage of the element at `index`.
    package init(_ index: Int) { self.index = index }

    /// Creates the lineage of the element at the index `value`.
    package init(integerLiteral value: Int) { index = value }

    /// Whether the left element is described before the right one.
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
