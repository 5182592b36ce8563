import SchemaModel

/// The instructions in the descriptions for a step. The difference between its versions does not contain them.
package struct StepInstructions: Hashable, Sendable {
    /// An entity or a property.
    package struct Element: Hashable, Sendable {
        /// The entity's lineage.
        package var entity: EntityLineage
        /// The property's lineage; nil for the entity itself.
        package var property: ElementLineage?

        /// Creates the entity or the property with these lineages.
        package init(entity: EntityLineage, property: ElementLineage? = nil) {
            self.entity = entity
            self.property = property
        }
    }

    /// The backfill value of a property that becomes required.
    package enum Fill: Hashable, Sendable {
        /// The same value for all rows, with its type.
        case constant(Constant, ValueType)
        /// The value of another property of the version before, by lineage.
        case property(ElementLineage)
    }

    /// A case, an option or a member of a subtype.
    package struct SubtypeElement: Hashable, Sendable {
        /// The subtype's lineage.
        package var subtype: SubtypeLineage
        /// The element's lineage.
        package var element: ElementLineage

        /// Creates the element with these lineages.
        package init(subtype: SubtypeLineage, element: ElementLineage) {
            self.subtype = subtype
            self.element = element
        }
    }

    /// The backfill values of properties.
    package var fills: [Element: Fill] = [:]
    /// The elements with `"migration": "custom"`.
    package var custom: Set<Element> = []
    /// The lineages of the entities with `"migration": "columns"`, whose custom migrations read single columns.
    package var byColumns: Set<EntityLineage> = []
    /// The elements that are removed with their data by `"discard": true`.
    package var discarded: Set<Element> = []
    /// The lineages of the entities with `"rows": "discard"`.
    package var emptied: Set<EntityLineage> = []
    /// The lineages of the cases that replace removed cases.
    package var replacements: [SubtypeElement: ElementLineage] = [:]
    /// The options and members that are removed with their data by `"discard": true`.
    package var discardedElements: Set<SubtypeElement> = []
    /// The lineages of the entities that removed entities are merged into, by lineage.
    package var merged: [EntityLineage: EntityLineage] = [:]
    /// The lineages of the entities whose rows new entities get, by the lineages of these.
    package var copied: [EntityLineage: EntityLineage] = [:]
    /// The elements that the generated tests do not check.
    package var unchecked: Set<Element> = []

    /// Creates empty instructions.
    package init() {}

    /// Returns the combined instructions of this step and the next one.
    func followed(by other: StepInstructions) -> StepInstructions {
        var result = self
        result.fills.merge(other.fills) { _, last in last }
        result.custom.formUnion(other.custom)
        result.byColumns.formUnion(other.byColumns)
        result.discarded.formUnion(other.discarded)
        result.emptied.formUnion(other.emptied)
        result.merged.merge(other.merged) { _, last in last }
        result.copied.merge(other.copied) { first, _ in first }
        result.replacements.merge(other.replacements) { _, last in last }
        result.discardedElements.formUnion(other.discardedElements)
        result.unchecked.formUnion(other.unchecked)
        return result
    }

    /// The lineages of the entities that have instructions.
    var entities: Set<EntityLineage> {
        Set(fills.keys.map(\.entity) + (custom.union(discarded).union(unchecked)).map(\.entity)).union(emptied)
            .union(byColumns).union(copied.keys)
    }
}
