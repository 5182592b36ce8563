import SchemaModel
import SQLSchema

/// A reason why a step needs a custom migration.
package struct CustomReason: Hashable, Sendable {
    /// The lineage of the entity that the reason concerns.
    package var entity: EntityLineage
    /// The lineage of the property that the reason concerns; nil if it concerns the complete entity.
    package var property: ElementLineage?
    /// The change that needs the custom migration.
    package var cause: CustomCause

    init(_ entity: EntityLineage, _ property: ElementLineage?, _ cause: CustomCause) {
        self.entity = entity
        self.property = property
        self.cause = cause
    }

    /// Whether the step removes data although no `discard` allows it.
    package var isRemoval: Bool { cause == .removed }

    /// The lineages of the properties of the unique index that the reason concerns; nil if it concerns no index.
    package var index: [ElementLineage]? {
        if case .duplicates(let properties) = cause { properties } else { nil }
    }

    /// The lineage of the check that the reason concerns; nil if it concerns no check.
    var check: ElementLineage? {
        if case .check(let check) = cause { check } else { nil }
    }
}

/// A change that Strata cannot carry out by itself.
package enum CustomCause: Hashable, Sendable {
    /// The description asks for a custom migration.
    case requested
    /// Data is removed although no `discard` allows it.
    case removed
    /// The entity is merged into the entity of this lineage.
    case merged(into: EntityLineage)
    /// The entity has another primary key.
    case otherKey
    /// The column with this name is the primary key. Before, the primary key consisted of properties, or had another
    /// type.
    case otherKeyColumn(String)
    /// The property is part of the primary key, and its collation changes.
    case keyCollation
    /// Rows may have the same values in the properties of a unique index.
    case duplicates([ElementLineage])
    /// Values may violate these limits, which are new or stricter.
    case violations([ValueLimit])
    /// The collation by which the values are compared with `one_of` changes.
    case collationOfChoices
    /// The inferred value would exceed a limit of SQLite.
    case exceedsSQLite
    /// Rows may violate the check of this lineage.
    case check(ElementLineage)
    /// The values have another type.
    case type(TypeCause)
    /// The property is new and has no backfill value for existing rows.
    case missingValue
    /// The property becomes required and has no backfill value for rows without a value.
    case missingValueForNull
    /// The value of `fill` does not belong to the property's type.
    case fillOfOtherType
    /// The property that `fill_from` names has no column.
    case fillNotStored
    /// The property cannot have the values of the column that `fill_from` names.
    case fillOfOtherKind(String)
    /// The property that `fill_from` names may be null.
    case fillMayBeNull
    /// The relationship may contain a row several times, and must not any more.
    case duplicateTargets
    /// The relationship has another target.
    case otherTarget
    /// The primary key of the target has another type.
    case otherTargetKey
    /// The rows of the target are discarded.
    case discardedTarget
    /// The relationship has another inverse.
    case otherInverse
    /// The relationship becomes its own inverse.
    case ownInverse
    /// An attribute becomes a relationship with a join table.
    case becomesRelationship
    /// A column changes between an attribute and a relationship.
    case otherKind
    /// The property existed before, but the old table did not store these values.
    case wasElsewhereOrOther
    /// The pairs of the relationship were stored in another place.
    case wasElsewhere
    /// The pairs of the relationship will be stored in another place.
    case isElsewhere
}

/// A change of a type for which Strata has no inferred change.
package indirect enum TypeCause: Hashable, Sendable {
    /// The type becomes another one.
    case turned(ValueType, ValueType)
    /// The subtype of this lineage changes.
    case subtype(SubtypeLineage, SubtypeCause)
}

/// A change of a subtype for which Strata has no inferred change. The associated values are the lineages of its cases,
/// options or members.
package indirect enum SubtypeCause: Error, Hashable, Sendable {
    /// The subtype becomes one of another kind.
    case otherKind
    case removedCase(ElementLineage)
    case removedOption(ElementLineage)
    case otherBit(ElementLineage)
    case removedMember(ElementLineage)
    /// The member is new and has no default value.
    case newMember(ElementLineage)
    case mandatoryMember(ElementLineage)
    case member(ElementLineage, TypeCause)

    /// The lineage of the element that changes.
    var element: ElementLineage? {
        switch self {
        case .otherKind: nil
        case .removedCase(let element), .removedOption(let element), .otherBit(let element),
            .removedMember(let element), .newMember(let element), .mandatoryMember(let element),
            .member(let element, _):
            element
        }
    }
}
