/// One step between neighbouring versions: every change, and what is to be done about it.
public struct SchemaStep: Sendable {
    /// The version before.
    public let from: SchemaVersion
    /// The version after.
    public let to: SchemaVersion
    /// What the descriptions say of the step beyond the difference itself.
    public let instructions: StepInstructions
    /// The lineages of the entities that are stored alike on both sides.
    let unchanged: Set<Int>
    /// The lineages of the subtypes that are, with all their parts, alike on both sides.
    public let unchangedSubtypes: Set<Int>
    /// The steps of the entities that live in both versions, by the new version's order.
    public let entities: [EntityStep]
    /// The entities that go and whose rows a person's code makes rows of others.
    public let merged: [(old: Entity, new: Entity)]
    /// The changes that only a person can carry out.
    public let reasons: [CustomReason]
    /// What is done to the tables, in the order of the new version's entities, then what goes.
    public let tableChanges: [TableChange]

    /// Whether a person has to write code for the step.
    public var isCustom: Bool { !reasons.isEmpty }

    /// The changes that only a person can carry out, in words.
    public var customReasons: [String] { reasons.map(\.text) }

    /// The entities and properties whose data is removed and that no `discard` allows to be lost.
    public var removals: [(entity: Entity, property: Property?, reason: String)] {
        reasons.filter(\.isRemoval).compactMap { reason in
            from.entity(reason.entity).map { ($0, reason.property.flatMap($0.property), reason.text) }
        }
    }

    /// The entities whose rows a person migrates, each after those that it points at.
    public var customEntities: [EntityStep] {
        let custom = entities.filter(\.isCustom)
        var ordered: [EntityStep] = []
        var visited: Set<Int> = []
        func visit(_ step: EntityStep) {
            guard visited.insert(step.new.lineage).inserted else { return }
            for column in step.columns {
                guard case .reference(let target) = column.column.role else { continue }
                if let next = custom.first(where: { $0.new.lineage == target }) { visit(next) }
            }
            ordered.append(step)
        }
        custom.forEach(visit)
        return ordered
    }

    /// The step from `from` to `to`.
    ///
    /// - `unchanged`, `unchangedSubtypes`: what is known to be alike on both sides; without them, `from` is the version
    ///   before `to`.
    public init(
        from: SchemaVersion, to: SchemaVersion, instructions: StepInstructions, unchanged: Set<Int>? = nil,
        unchangedSubtypes: Set<Int>? = nil
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
        var merged: [(old: Entity, new: Entity)] = []
        let mentioned = instructions.entities
        for new in to.entities {
            // Nearly all entities of nearly all steps are such.
            if instructions.emptied.isEmpty, self.unchanged.contains(new.lineage), !mentioned.contains(new.lineage) {
                entities.append(EntityStep(unchanged: new, columns: to.columns(of: new)))
                continue
            }
            let newTable = to.table(of: new)
            guard let old = from.entity(new.lineage) else {
                for element in [nil] + new.properties.map({ Optional($0) })
                where instructions.custom.contains(.init(entity: new.lineage, property: element?.lineage)) {
                    let name = element.map { "\(new.name).\($0.name)" } ?? new.name
                    reasons.append(
                        CustomReason(
                            entity: new.lineage, property: element?.lineage,
                            text: "`\(name)` asks for a custom migration"))
                }
                changes.append(.create(newTable.name))
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
                reasons.append(
                    CustomReason(entity: old.lineage, text: "`\(old.name)` is merged into `\(target.name)`"))
                merged.append((old, target))
            } else if !instructions.discarded.contains(.init(entity: old.lineage)) {
                reasons.append(
                    CustomReason(
                        entity: old.lineage, isRemoval: true,
                        text: "`\(old.name)` is removed without \"discard\": true"))
            }
            if instructions.custom.contains(.init(entity: old.lineage)) {
                reasons.append(
                    CustomReason(entity: old.lineage, text: "`\(old.name)` asks for a custom migration"))
            }
            changes += (from.joinTables(of: old).map(\.table.name) + [old.tableName]).map { .drop($0) }
        }
        self.entities = entities
        self.merged = merged
        self.reasons = reasons
        self.tableChanges = changes
    }
}
