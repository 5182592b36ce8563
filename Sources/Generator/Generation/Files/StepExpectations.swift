import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// The protocol for the expected results of a custom migration, which you write.
struct StepExpectations: TemplateValues {
    let name: String
    let nameLiteral: String
    let protocolName: String
    let from: String
    let to: String
    let old: String
    let new: String
    let reasons: String
    let rows: [RowFunction]
    let removals: [Removal]

    static let fields: [TemplateField<Self>] = [
        .text("name", \.name, "the type with the expectations that you write"),
        .text("nameLiteral", \.nameLiteral, "its name as a literal"),
        .text("protocol", \.protocolName, "the name of its protocol"),
        .text("from", \.from, "the version before"),
        .text("to", \.to, "the version after"),
        .text("old", \.old, "the namespace of the version before"),
        .text("new", \.new, "the namespace of the version after"),
        .text("reasons", \.reasons, "the reasons that concern no single row, as a literal"),
        .list("rows", \.rows, "the functions that say what becomes of rows"),
        .flag("hasRemovals", \.hasRemovals, "whether `removals` has elements"),
        .list("removals", \.removals, "the functions that check removed data"),
    ]

    private var hasRemovals: Bool { !removals.isEmpty }

    /// A function that returns the expected result of a row.
    struct RowFunction: TemplateValues {
        let entity: String
        let old: String
        let new: String
        let oldLiteral: String
        let newLiteral: String
        let isMerged: Bool
        let labels: [String]

        static let fields: [TemplateField<Self>] = [
            .text("entity", \.entity, "the name of the entity before the step"),
            .text("old", \.old, "the struct before the step"),
            .text("new", \.new, "the struct after the step"),
            .text("oldLiteral", \.oldLiteral, "the name of the struct before the step, as a literal"),
            .text("newLiteral", \.newLiteral, "the name of the struct after the step, as a literal"),
            .flag("isMerged", \.isMerged, "whether the row becomes one of another entity"),
            .texts("labels", \.labels, "the argument labels of the values that cannot be inferred"),
        ]
    }

    /// A function that checks removed data.
    struct Removal: TemplateValues {
        let function: String
        let nameLiteral: String
        let reason: String
        let reasonLiteral: String

        static let fields: [TemplateField<Self>] = [
            .text("function", \.function, "the name of the function"),
            .text("nameLiteral", \.nameLiteral, "its name as a literal"),
            .text("reason", \.reason, "a sentence about what is removed"),
            .text("reasonLiteral", \.reasonLiteral, "the sentence as a literal"),
        ]
    }
}

extension Generator {
    /// Returns the protocol for the expected results of a custom migration.
    func stepExpectations(_ step: SchemaStep) -> StepExpectations {
        // You write one expectation for each row of a custom entity. It covers some of the reasons, which are left out
        // here.
        let merged = Set(step.merged.map(\.old.lineage))
        let reasons = step.reasons.filter { reason in
            // Each removal has its own function.
            if reason.isRemoval { return false }
            if merged.contains(reason.entity) { return false }
            guard let entity = step.customEntities.first(where: { $0.new.lineage == reason.entity }) else {
                return true
            }
            guard let property = reason.property else { return false }
            return !entity.columns.contains { $0.column.property == property }
        }
        let name = expectationsName(step)
        return StepExpectations(
            name: name, nameLiteral: SwiftLiteral.string(name),
            protocolName: name.replacing("Step_", with: "Expectations_"),
            from: step.from.version.text, to: step.to.version.text,
            old: names.namespace(step.from), new: names.namespace(step.to),
            reasons: SwiftLiteral.strings(reasons.map(step.text)),
            rows: rowFunctions(step),
            removals: Self.removals(step).map { removal in
                .init(
                    function: removal.check, nameLiteral: SwiftLiteral.string(removal.check),
                    reason: removal.reason, reasonLiteral: SwiftLiteral.string(removal.reason))
            })
    }

    /// Returns the name of the type with the expectations that you write.
    func expectationsName(_ step: SchemaStep) -> String {
        history.name + names.migration(step).replacing("Migration_", with: "Step_")
    }

    private func rowFunctions(_ step: SchemaStep) -> [StepExpectations.RowFunction] {
        func function(
            _ old: Entity, _ new: Entity, isMerged: Bool, _ labels: [String]
        ) -> StepExpectations.RowFunction {
            .init(
                entity: old.name, old: names.type(old.lineage, in: step.from),
                new: names.type(new.lineage, in: step.to),
                oldLiteral: SwiftLiteral.string(short(old.lineage, step.from)),
                newLiteral: SwiftLiteral.string(short(new.lineage, step.to)), isMerged: isMerged, labels: labels)
        }
        return step.customEntities.map { entity in
            function(
                entity.old, entity.new, isMerged: false, parameters(of: entity).map { names.label($0.column) })
        } + step.merged.map { function($0.old, $0.new, isMerged: true, []) }
    }

    /// The functions that the tests call for each step with a custom migration, by the name of the type that you extend. A function is
    /// written as `expected(_ old: V1_0.Song, _ rows: StepRows)`.
    package func expectationFunctions() -> [String: Set<String>] {
        let steps = names.steps.filter(\.isCustom).map { step in
            let rows = step.customEntities.map(\.old) + step.merged.map(\.old)
            let expected = rows.map { old in "expected(_ old: \(short(old.lineage, step.from)), _ rows: StepRows)" }
            let checks = ["added", "check"] + Self.removals(step).map(\.check)
            return (expectationsName(step), Set(expected + checks.map { "\($0)(_ rows: StepRows)" }))
        }
        return Dictionary(steps, uniquingKeysWith: { first, _ in first })
    }
}
