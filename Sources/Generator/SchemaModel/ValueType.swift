import SQLSchema

/// The type of a property's value.
package enum ValueType: Hashable, Sendable {
    /// A single value.
    case scalar(ScalarType)
    /// A value of a subtype.
    case subtype(SubtypeLineage)
    /// An ordered list of values.
    indirect case array(ValueType)
    /// Values by key. The keys are texts or integers.
    indirect case dictionary(key: ScalarType, value: ValueType)

    /// The scalar type; nil for other types.
    package var scalar: ScalarType? {
        if case .scalar(let type) = self { type } else { nil }
    }

    /// The subtype that the type is or contains; nil if there is none.
    package var subtype: SubtypeLineage? {
        switch self {
        case .scalar: nil
        case .subtype(let lineage): lineage
        case .array(let element), .dictionary(_, let element): element.subtype
        }
    }
}

/// A default value or backfill value. It refers to cases, options and members by their lineages, so that renaming one
/// does not change it.
package enum Constant: Hashable, Sendable {
    case literal(Literal)
    /// A case of an enum.
    case choice(ElementLineage)
    /// The options of a set, in ascending order.
    case options([ElementLineage])
    case list([Constant])
    /// The values of a dictionary, in the order of their keys.
    case dictionary([String: Constant])
    /// The values of a struct's members. Absent members have their default value or are null.
    case object([ElementLineage: Constant])
    /// The null value of a struct's member.
    case null
}
