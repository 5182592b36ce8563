/// A rule of a target environment that an element of a model violates.
package enum LintFinding: Hashable, Sendable {
    // Citus
    case notDistributed
    /// A primary key or unique values do not contain the column by which the table is distributed.
    case uniqueWithout(column: String)
    case foreignKeyElsewhere(target: String)
    case nullifiedDistribution

    // CloudKit
    case compositeKey
    case localKey
    case unique
    case oneToOne
    case requiredWithoutDefault
    case requiredRelationship
    case missingInverse
    case denied
    case ordered
    case renamed
    case removed
    case retyped
}

extension LintFinding {
    /// Returns a sentence with the violation and its solution.
    ///
    /// - Parameter name: The name of the element.
    func message(_ name: String) -> String {
        switch self {
        case .notDistributed:
            "the coordinator has all rows of \(name); add \"distribution\": a property, \"reference\" or \"local\""
        case .uniqueWithout(let column):
            "Citus cannot check that \(name) is unique without the column \(column), by which the table is distributed; add it"
        case .foreignKeyElsewhere(let target):
            "the rows of `\(target)` may be on another server than the foreign key of \(name); "
                + "distribute both by the same value, or `\(target)` as \"reference\""
        case .nullifiedDistribution:
            "the foreign key of \(name) cannot become NULL, because the table is distributed by it; "
                + "use another \"on_delete\""
        case .compositeKey:
            "the primary key of \(name) has several columns; use one of the type uuid"
        case .localKey:
            "two devices can create rows of \(name) with the same primary key; use the type uuid"
        case .unique:
            "two devices can write the same values, so \(name) cannot be unique; remove \"unique\""
        case .oneToOne:
            "two devices can refer to the same row, so \(name) cannot be one-to-one; make its inverse to_many"
        case .requiredWithoutDefault:
            "a record may lack \(name); make it nullable, or add a \"default_value\""
        case .requiredRelationship:
            "a record may arrive before the one that \(name) refers to; make it nullable"
        case .missingInverse: "\(name) needs an \"inverse\""
        case .denied: "another device may delete the row that \(name) refers to; use another \"on_delete\""
        case .ordered: "the order of \(name) cannot be synchronized; store it in a property"
        case .renamed: "older apps synchronize \(name) under its former name; keep the name"
        case .removed: "older apps still synchronize \(name); keep it"
        case .retyped: "older apps synchronize \(name) with its former type; add a new property instead"
        }
    }
}
