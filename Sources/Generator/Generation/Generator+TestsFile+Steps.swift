import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// The expectations of the generated tests for each step.
extension Generator {
    /// Returns the lineages of the entities whose rows a custom migration may delete or give new primary keys, directly
    /// or through references.
    private func looseEntities(_ step: SchemaStep) -> Set<EntityLineage> {
        var loose = Set(step.customEntities.map(\.new.lineage))
        // A primary key changes if it contains a foreign key that changes. A cascade deletes rows with the rows that
        // they reference.
        while let next = step.entities.map(\.new).first(where: { entity in
            guard !loose.contains(entity.lineage) else { return false }
            var key: [ElementLineage] = []
            if case .properties(let lineages) = entity.identifier { key = lineages }
            return entity.properties.contains { property in
                guard let relationship = property.relationship, loose.contains(relationship.target),
                    step.to.storage(of: relationship) == .column
                else { return false }
                return key.contains(property.lineage) || step.to.deleteRule(of: property) == .cascade
            }
        }) {
            loose.insert(next.lineage)
        }
        return loose
    }

    /// The expectations for the rows of one table.
    private struct TableTest {
        let from: String
        let to: String
        let oldKey: [String]
        let key: [String]
        let kept: [String]
        let changed: [(name: String, value: String)]
        let isEmptied: Bool
        /// The column of `from` that is not NULL in the expected rows; nil for all rows.
        var required: String?
        let references: [String]
        var isJoin = false

        /// Returns whether the test only expects that all rows of a table with these columns are unchanged.
        func isUnchanged(_ columns: Set<String>) -> Bool {
            from == to && oldKey == key && changed.isEmpty && !isEmptied && required == nil && references.isEmpty
                && Set(kept) == columns
        }
    }

    /// Returns the values of a step's expectations. They do not list tables that are the same in both versions and
    /// whose rows are unchanged.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - versions: The tables of the fixtures of all versions.
    func stepTestValues(_ step: SchemaStep, _ versions: [FixtureTables]) -> Value {
        let old = versions[names.index(of: step.from)].columns
        let new = versions[names.index(of: step.to)].columns
        let all = tableTests(step)
        let same = old.filter { name, table in new[name]?.since == table.since }
        let stated = all.filter { test in same[test.from].map { !test.isUnchanged($0.names) } ?? true }
        let left = Set(same.keys).subtracting(all.flatMap { [$0.from, $0.to] })
        return [
            "from": .text(SwiftLiteral.string(step.from.version.text)),
            "to": .text(SwiftLiteral.string(step.to.version.text)),
            "custom": step.isCustom ? .text(stepName(step)) : .null,
            "results": results(of: step),
            "left": .list(left.sorted().map { .text(SwiftLiteral.string($0)) }),
            "tables": .list(
                stated.map { test in
                    let shared = (old[test.from]?.names ?? []).intersection(new[test.to]?.names ?? [])
                    return values(test, keepsShared: Set(test.kept) == shared)
                }),
        ]
    }

    /// The argument for the results of a step. Those of steps that only conversions take are not sealed.
    private func results(of step: SchemaStep) -> Value {
        guard let sealed = options.results, step.writesValues, !history.isPassedInConversion(step.from.version) else {
            return .null
        }
        return .text(sealed[step.ends].map { ".sealed(0x\($0))" } ?? ".unsealed")
    }

    private func tableTests(_ step: SchemaStep) -> [TableTest] {
        let loose = looseEntities(step)
        let tables = step.entities.map { entity -> TableTest in
            let unchecked = step.instructions.unchecked
            let asksForCode =
                unchecked.contains(.init(entity: entity.new.lineage))
                || step.instructions.custom.contains(.init(entity: entity.new.lineage))
            // A custom migration may change the values of a new unique index to resolve duplicates.
            let indexed = Set(entity.customReasons.compactMap(\.index).joined())
            var kept: [String] = []
            var changed: [(String, String)] = []
            for column in entity.columns {
                let name = column.column.name
                // A custom migration that the description requests for the entity may change any value.
                let property = column.column.property
                let isUnchecked =
                    unchecked.contains(.init(entity: entity.new.lineage, property: property))
                    || property.map(indexed.contains) ?? false && !column.column.isKey
                let isKept = column.column.isKey || !(asksForCode || property != nil && isUnchecked)
                if case .limited = column.origin, entity.isCustom, !entity.isByColumns { continue }
                guard isKept, let value = expectation(column.origin, column.column.collation) else { continue }
                if value == Self.copy(name) { kept.append(name) } else { changed.append((name, value)) }
            }
            return TableTest(
                from: entity.old.tableName, to: entity.new.tableName,
                oldKey: step.from.keyParts(of: entity.old).map(\.name),
                key: step.to.keyParts(of: entity.new).map(\.name), kept: kept, changed: changed,
                isEmptied: entity.isEmptied, references: references(of: entity, loose, step))
        }
        let joins = step.entities.flatMap { entity in
            step.to.joinTables(of: entity.new).compactMap { joinTest($0, entity, loose, step) }
        }
        return tables + joins
    }

    /// Returns the foreign keys of an entity to rows that may be deleted or get new primary keys.
    private func references(of entity: EntityStep, _ loose: Set<EntityLineage>, _ step: SchemaStep) -> [String] {
        entity.new.properties.compactMap { property in
            guard let target = property.relationship?.target, loose.contains(target),
                let old = step.from.entity(target)
            else { return nil }
            let columns = entity.columns.filter {
                $0.column.property == property.lineage && $0.column.role != .position
            }
            let before = columns.compactMap { column -> String? in
                if case .copy(let before) = column.origin { before.name } else { nil }
            }
            guard !columns.isEmpty, before.count == columns.count else { return nil }
            return reference(
                columns.map(\.column.name), from: before, to: old.tableName,
                cascades: step.to.deleteRule(of: property) == .cascade)
        }
    }

    private func reference(_ columns: [String], from old: [String], to target: String, cascades: Bool) -> String {
        let before = columns == old ? "" : ", from: " + SwiftLiteral.strings(old)
        return ".init(\(SwiftLiteral.strings(columns))\(before), to: \(SwiftLiteral.string(target))"
            + (cascades ? ", cascades: true)" : ")")
    }

    private func joinTest(
        _ join: ModelVersion.JoinTable, _ entity: EntityStep, _ loose: Set<EntityLineage>, _ step: SchemaStep
    ) -> TableTest? {
        let element = StepInstructions.Element(entity: entity.new.lineage, property: join.property)
        let target = join.relationship.target
        guard let was = entity.old.property(join.property)?.relationship, was.target == target,
            let oldTarget = step.from.entity(target), was.inverse == join.relationship.inverse || was.inverse == nil,
            // A relationship that becomes its own inverse gets additional pairs.
            was.inverse != nil || !step.to.isOwnInverse(join.relationship),
            // Only a custom migration decides which of several equal targets stays.
            !was.allowsDuplicates || join.relationship.allowsDuplicates,
            !step.instructions.custom.contains(element), !step.instructions.unchecked.contains(element)
        else { return nil }
        let key = join.table.primaryKey
        let source: [String]
        let targets: [String]
        let from: String
        var oldKey: [String]
        var required: String?
        // The columns with positions, and their values in the old table.
        var positions: [(String, String)] = []
        if let old = step.from.joinTables(of: entity.old).first(where: { $0.property == join.property }) {
            (from, source, targets) = (old.table.name, old.source, old.target)
            oldKey = source + targets + (join.relationship.allowsDuplicates ? [Table.position] : [])
            positions.append((Table.position, Self.copy(Table.position)))
            if join.hasOrderedInverse {
                let column = Table.inversePosition
                positions.append((column, old.hasOrderedInverse ? Self.copy(column) : Self.null))
            }
        } else {
            targets = step.from.columns(of: entity.old).filter {
                $0.property == join.property && $0.role != .position
            }.map(\.name)
            guard !targets.isEmpty else { return nil }
            source = step.from.keyParts(of: entity.old).map(\.name)
            from = entity.old.tableName
            oldKey = source
            required = targets[0]
            positions.append((Table.position, ".value(.integer(0))"))
            if join.hasOrderedInverse {
                let position = step.from.columns(of: entity.old).first {
                    $0.property == join.property && $0.role == .position
                }
                positions.append((Table.inversePosition, position.map { Self.copy($0.name) } ?? Self.null))
            }
        }
        var references: [String] = []
        if loose.contains(entity.new.lineage) {
            references.append(reference(join.source, from: source, to: entity.old.tableName, cascades: true))
        }
        if loose.contains(target) {
            references.append(reference(join.target, from: targets, to: oldTarget.tableName, cascades: true))
        }
        // Only a custom migration adds columns to a primary key. The entries in `references` cover their values.
        func values(_ columns: [String], _ old: [String]) -> [(String, String)] {
            columns.enumerated().map { ($1, old.indices.contains($0) ? Self.copy(old[$0]) : Self.null) }
        }
        let pairs = values(join.source, source) + values(join.target, targets) + positions
        let kept = pairs.filter { $1 == Self.copy($0) }.map(\.0)
        let changed = pairs.filter { $1 != Self.copy($0) }
        return TableTest(
            from: from, to: join.table.name, oldKey: oldKey, key: key,
            kept: kept, changed: changed,
            isEmptied: entity.isEmptied || step.instructions.emptied.contains(target), required: required,
            references: references, isJoin: true)
    }

    /// Returns the values of the expectations for a table.
    ///
    /// - Parameters:
    ///   - test: The expectations.
    ///   - keepsShared: Whether exactly the columns that the table has in both versions keep their values.
    private func values(_ test: TableTest, keepsShared: Bool) -> Value {
        func text(_ text: String, unless isOmitted: Bool = false) -> Value { isOmitted ? .null : .text(text) }
        let changed = test.changed.map { "\(SwiftLiteral.string($0)): \($1)" }
        return [
            "from": .text(SwiftLiteral.string(test.from)),
            "to": text(SwiftLiteral.string(test.to), unless: test.to == test.from),
            "oldKey": text(SwiftLiteral.strings(test.oldKey), unless: test.oldKey == test.key),
            "kept": text(SwiftLiteral.strings(test.kept), unless: keepsShared),
            "changed": text("[\(changed.joined(separator: ", "))]", unless: changed.isEmpty),
            "isEmptied": .flag(test.isEmptied),
            "required": test.required.map { .text(SwiftLiteral.string($0)) } ?? .null,
            "references": text("[\(test.references.joined(separator: ", "))]", unless: test.references.isEmpty),
            "isJoin": .flag(test.isJoin),
        ]
    }

    // MARK: Expectations that you write

    private func stepName(_ step: SchemaStep) -> String {
        history.name + names.migration(step).replacing("Migration_", with: "Step_")
    }

    /// Returns the values of the protocol for the expectations that you write.
    func expectationValues(_ step: SchemaStep) -> Value {
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
        return [
            "name": .text(stepName(step)),
            "nameLiteral": .text(SwiftLiteral.string(stepName(step))),
            "reasons": .text(SwiftLiteral.strings(reasons.map(step.text))),
            "protocol": .text(stepName(step).replacing("Step_", with: "Expectations_")),
            "from": .text(step.from.version.text),
            "to": .text(step.to.version.text),
            "old": .text(names.namespace(step.from)),
            "new": .text(names.namespace(step.to)),
            "rows": .list(rowFunctions(step)),
            "hasRemovals": .flag(!step.removals.isEmpty),
            "removals": .list(
                zip(step.removals, Self.removalNames(step)).map { removal, name in
                    [
                        "function": .text("check" + name), "nameLiteral": .text(SwiftLiteral.string("check" + name)),
                        "reason": .text(removal.reason), "reasonLiteral": .text(SwiftLiteral.string(removal.reason)),
                    ]
                }),
        ]
    }

    /// The functions that the tests call for each step with a custom migration, by the name of the type that you extend. A function is
    /// written as `expected(_ old: V1_0.Song, _ rows: StepRows)`.
    package func expectationFunctions() -> [String: Set<String>] {
        let steps = names.steps.filter(\.isCustom).map { step in
            let rows = step.customEntities.map(\.old) + step.merged.map(\.old)
            let expected = rows.map { old in
                "expected(_ old: \(short(names.type(old.lineage, in: step.from))), _ rows: StepRows)"
            }
            let checks = ["added", "check"] + Self.removalNames(step).map { "check" + $0 }
            return (stepName(step), Set(expected + checks.map { "\($0)(_ rows: StepRows)" }))
        }
        return Dictionary(steps, uniquingKeysWith: { first, _ in first })
    }

    private func rowFunctions(_ step: SchemaStep) -> [Value] {
        func values(_ old: Entity, _ new: Entity, _ example: String) -> Value {
            let oldType = names.type(old.lineage, in: step.from)
            let newType = names.type(new.lineage, in: step.to)
            return [
                "entity": .text(old.name),
                "old": .text(oldType),
                "new": .text(newType),
                "oldLiteral": .text(SwiftLiteral.string(short(oldType))),
                "newLiteral": .text(SwiftLiteral.string(short(newType))),
                "example": .text(SwiftLiteral.string(example)),
            ]
        }
        return step.customEntities.map { entity in
            let parameters = parameters(of: entity).map { ", \(names.label($0.column)): …" }
            return values(entity.old, entity.new, ".kept(.init(migrating: old\(parameters.joined())))")
        } + step.merged.map { values($0.old, $0.new, ".kept(.init(…))") }
    }

    /// Returns the name of an entity's type without the schema: `V1_0.Laundry`.
    private func short(_ type: String) -> String { String(type.dropFirst(history.name.count + 1)) }
}
