/// A rule of a profile that an element of a model violates. Each case is one rule.
package enum LintFinding: Hashable, Sendable {
    // Citus
    case notDistributed(String)
    /// A primary key or unique values without the column by which the table is distributed.
    case uniqueWithout(column: String, String)
    case foreignKeyElsewhere(String, target: String)
    case nullifiedDistribution(String)
    case triggerOnDistributed(String)

    // YugabyteDB, CockroachDB
    case foldedCase(String)
    case generatedColumn(String)
    case deferredForeignKey(String)

    // CloudKit
    case compositeKey(String)
    case localKey(String)
    case unique(String)
    case requiredWithoutDefault(String)
    case requiredRelationship(String)
    case missingInverse(String)
    case denied(String)
    case ordered(String)
    case renamed(String)
    case removed(String)
    case retyped(String)
}

extension LintFinding {
    /// The violation, and its solution.
    var message: String {
        switch self {
        case .notDistributed(let entity):
            "the coordinator has all rows of `\(entity)`; add \"distribution\": a property, \"reference\" or \"local\""
        case .uniqueWithout(let column, let subject):
            "Citus checks \(subject) only if it contains the column \(column), by which the table is distributed; add it"
        case .foreignKeyElsewhere(let property, let target):
            "the rows of `\(target)` may be on another server than the foreign key of `\(property)`; "
                + "distribute both by the same value, or `\(target)` as \"reference\""
        case .nullifiedDistribution(let property):
            "the foreign key of `\(property)` cannot become NULL, because the table is distributed by it; "
                + "use another \"on_delete\""
        case .triggerOnDistributed(let property):
            "the change of `\(property)` needs a trigger on a distributed table; "
                + "set citus.enable_unsafe_triggers, or add a new property instead"
        case .foldedCase(let property):
            "the collation of `\(property)` has no equivalent; remove \"collation\", or store the text in lower case"
        case .generatedColumn(let property):
            "stored generated columns are not supported; compute `\(property)` in the app"
        case .deferredForeignKey(let property):
            "deferrable foreign keys are not supported, so CockroachDB refuses the generated foreign key of `\(property)`"
        case .compositeKey(let entity):
            "the primary key of `\(entity)` has several columns; use one of the type uuid"
        case .localKey(let entity):
            "two devices can create rows of `\(entity)` with the same primary key; use the type uuid"
        case .unique(let subject):
            "two devices can write the same values, so \(subject) cannot be unique; remove \"unique\""
        case .requiredWithoutDefault(let property):
            "a record may lack `\(property)`; make it nullable, or add a \"default_value\""
        case .requiredRelationship(let property):
            "a record may arrive before the one that `\(property)` refers to; make it nullable"
        case .missingInverse(let property): "`\(property)` needs an \"inverse\""
        case .denied(let property):
            "another device may delete the row that `\(property)` refers to; use another \"on_delete\""
        case .ordered(let property): "the order of `\(property)` cannot be synchronized; store it in a property"
        case .renamed(let name): "older apps synchronize `\(name)` under its former name; keep the name"
        case .removed(let name): "older apps still synchronize `\(name)`; keep it"
        case .retyped(let name): "older apps synchronize `\(name)` with its former type; add a new property instead"
        }
    }
}
