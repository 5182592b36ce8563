import SQLSchema

/// The type of a property's value.
package enum ValueType: Hashable, Sendable {
    /// A single value.
    case scalar(ScalarType)
    /// A value of the subtype of that lineage.
    case subtype(SubtypeLineage)
    /// A list of values, in order.
    indirect case array(ValueType)

    /// The single value that the type holds, if it holds one.
    package var scalar: ScalarType? {
        if case .scalar(let type) = self { type } else { nil }
    }

    /// The lineage of the subtype that the type is, or is made of.
    package var subtype: SubtypeLineage? {
        switch self {
        case .scalar: nil
        case .subtype(let lineage): lineage
        case .array(let element): element.subtype
        }
    }
}

/// The value of a default, whatever the names of its moment: a case, an option and a member of a struct are told by
/// their lineages.
package enum Constant: Hashable, Sendable {
    case literal(Literal)
    /// A case of an enum.
    case choice(ElementLineage)
    /// The options of a set, ascending.
    case options([ElementLineage])
    case list([Constant])
    /// A struct: the values of its members; one that is absent has its default, or is null.
    case object([ElementLineage: Constant])
    /// No value, of a member of a struct.
    case null
}
