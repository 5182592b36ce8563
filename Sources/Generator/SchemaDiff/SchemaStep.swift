import SchemaModel
import SQLSchema

/// A migration step between two neighbouring versions: every change, and how it is carried out.
package struct SchemaStep: Sendable {
    /// The version before.
    package let from: ModelVersion
    /// The version after.
    package let to: ModelVersion
    /// The instructions in the descriptions. The difference between the versions does not contain them.
    package let instructions: StepInstructions
    /// The lineages of the entities whose storage is the same in both versions.
    let unchanged: Set<EntityLineage>
    /// The lineages of the subtypes that are the same in both versions, with all their parts.
    package let unchangedSubtypes: Set<SubtypeLineage>
    /// The steps of the entities that exist in both versions, in the new version's order.
    package let entities: [EntityStep]
    /// The new entities that get copies of the rows of other ones.
    package let copies: [EntityCopy]
    /// The removed entities whose rows a custom migration turns into rows of other entities.
    package let merged: [(old: Entity, new: Entity)]
    /// The changes that need a custom migration.
    package let reasons: [CustomReason]
    /// The changes of the tables: first in the order of the new version's entities, then the removals.
    package let tableChanges: [TableChange]

    /// Whether the step needs a custom migration.
    package var isCustom: Bool { !reasons.isEmpty }

    /// The entities and properties whose data is removed although no `discard` allows it.
    package var removals: [(entity: Entity, property: Property?, reason: String)] {
        reasons.filter(\.isRemoval).compactMap { reason in
            from.entity(reason.entity).map { ($0, reason.property.flatMap($0.property), text(of: reason)) }
        }
    }

    /// Returns whether a custom migration can read and provide single columns of an entity's rows. The rows must keep
    /// their primary keys, and the old table must have row numbers.
    package func canMigrateByColumns(_ entity: EntityStep) -> Bool {
        let isKept = entity.columns.allSatisfy { column in
            guard column.column.isKey else { return true }
            if case .copy = column.origin { return true }
            return false
        }
        return isKept && to.hasSameKey(entity.new, as: entity.old, in: from)
            && from.table(of: entity.old).rowNumber != nil
    }

    /// Rows that a custom migration converts.
    package enum CustomRows {
        /// The rows of an entity.
        case entity(EntityStep)
        /// The rows of a removed entity, which become rows of another one.
        case merged(old: Entity, new: Entity)
    }

    /// The rows that custom migrations convert. Those of each entity come after all rows that they can reference.
    package var customRows: [CustomRows] {
        let custom = entities.filter(\.isCustom)
        var ordered: [CustomRows] = []
        var visited: Set<EntityLineage> = []
        func visit(_ lineage: EntityLineage) {
            if let step = custom.first(where: { $0.new.lineage == lineage }), visited.insert(lineage).inserted {
                visitTargets(of: step.new)
                ordered.append(.entity(step))
            }
            for (old, new) in merged where new.lineage == lineage && visited.insert(old.lineage).inserted {
                visitTargets(of: new)
                ordered.append(.merged(old: old, new: new))
            }
        }
        func visitTargets(of entity: Entity) {
            for column in to.columns(of: entity) {
                if case .reference(let target) = column.role { visit(target) }
            }
        }
        for step in custom { visit(step.new.lineage) }
        for (_, new) in merged { visit(new.lineage) }
        return ordered
    }

    /// The entities with custom migrations. Each entity comes after the entities that it references.
    package var customEntities: [EntityStep] {
        customRows.compactMap { if case .entity(let step) = $0 { step } else { nil } }
    }

    /// Returns whether an entity is the same in both versions, and no instruction concerns its rows.
    ///
    /// - Parameters:
    ///   - lineage: The lineage of the entity.
    ///   - mentioned: The entities that the instructions mention.
    func isUntouched(_ lineage: EntityLineage, besides mentioned: Set<EntityLineage>) -> Bool {
        Self.isUntouched(lineage, unchanged, instructions, besides: mentioned)
    }

    private static func isUntouched(
        _ lineage: EntityLineage, _ unchanged: Set<EntityLineage>, _ instructions: StepInstructions,
        besides mentioned: Set<EntityLineage>
    ) -> Bool {
        instructions.emptied.isEmpty && unchanged.contains(lineage) && !mentioned.contains(lineage)
    }

    /// Creates the step from `from` to `to`.
    ///
    /// If `from` is the version directly before `to`, you can omit `unchanged` and `unchangedSubtypes`.
    ///
    /// - Parameters:
    ///   - from: The version before.
    ///   - to: The version after.
    ///   - instructions: The instructions of the descriptions for this step.
    ///   - unchanged: The lineages of the entities that are the same in both versions.
    ///   - unchangedSubtypes: The lineages of the subtypes that are the same in both versions.
    package init(
        from: ModelVersion, to: ModelVersion, instructions: StepInstructions, unchanged: Set<EntityLineage>? = nil,
        unchangedSubtypes: Set<SubtypeLineage>? = nil
    ) {
        self.from = from
        self.to = to
        self.instructions = instructions
        self.unchanged = unchanged ?? to.unchanged
        self.unchangedSubtypes = unchangedSubtypes ?? to.unchangedSubtypes
        let types = TypeInference(
            from: from, to: to, instructions: instructions, unchanged: self.unchangedSubtypes)

        var entities: [EntityStep] = []
        var reasons: [CustomReason] = []
        var changes: [TableChange] = []
        var copies: [EntityCopy] = []
        var merged: [(old: Entity, new: Entity)] = []
        let mentioned = instructions.entities
        for new in to.entities {
            // Nearly all entities in nearly all steps are unchanged.
            if Self.isUntouched(new.lineage, self.unchanged, instructions, besides: mentioned) {
                entities.append(EntityStep(unchanged: new, columns: to.columns(of: new)))
                continue
            }
            guard let old = from.entity(new.lineage) else {
                for element in [nil] + new.properties.map({ Optional($0) })
                where instructions.custom.contains(.init(entity: new.lineage, property: element?.lineage)) {
                    reasons.append(CustomReason(new.lineage, element?.lineage, .requested))
                }
                if let source = instructions.copied[new.lineage].flatMap(from.entity) {
                    let copy = EntityCopy(of: source, to: new, types: types)
                    copies.append(copy)
                    reasons += copy.customReasons.filter { !reasons.contains($0) }
                    changes.append(copy.tableChange)
                } else {
                    changes.append(.create(to.table(of: new).name))
                }
                changes += to.joinTables(of: new).map { .create($0.table.name) }
                continue
            }
            let step = EntityStep(old: old, new: new, types: types)
            entities.append(step)
            reasons += step.customReasons
            changes += step.tableChanges
        }
        for old in from.entities where to.entity(old.lineage) == nil {
            if let target = instructions.merged[old.lineage].flatMap(to.entity) {
                reasons.append(CustomReason(old.lineage, nil, .merged(into: target.lineage)))
                merged.append((old, target))
            } else if !instructions.discarded.contains(.init(entity: old.lineage)) {
                reasons.append(CustomReason(old.lineage, nil, .removed))
            }
            if instructions.custom.contains(.init(entity: old.lineage)) {
                reasons.append(CustomReason(old.lineage, nil, .requested))
            }
            changes += (from.joinTables(of: old).map(\.table.name) + [old.tableName]).map { .drop($0) }
        }
        self.entities = entities
        self.copies = copies
        self.merged = merged
        self.reasons = reasons
        self.tableChanges = changes
    }
}
