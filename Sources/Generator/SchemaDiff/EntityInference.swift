import SchemaModel
import SQLSchema

/// Infers how a step changes an entity that exists before and after it.
struct EntityInference {
    let old: Entity
    let new: Entity
    private let types: TypeInference
    private let inference: ColumnInference
    /// The stored columns of the new table, each with the origin of its values.
    let columns: [EntityStep.ColumnStep]
    /// Whether all rows of the entity are deleted.
    let isEmptied: Bool

    private var from: ModelVersion { types.from }
    private var to: ModelVersion { types.to }
    private var instructions: StepInstructions { types.instructions }

    init(old: Entity, new: Entity, types: TypeInference) {
        let inference = ColumnInference(types, old: old, new: new)
        self.old = old
        self.new = new
        self.types = types
        self.inference = inference
        columns = types.to.columns(of: new).map { .init(column: $0, origin: inference.origin(of: $0)) }
        isEmptied = types.instructions.emptied.contains(new.lineage)
    }

    private func reason(_ cause: CustomCause, _ property: Property? = nil) -> CustomReason {
        CustomReason(new.lineage, property?.lineage, cause)
    }

    // MARK: Reasons

    /// Returns the changes for which a custom migration must convert the rows.
    func rowReasons() -> [CustomReason] {
        var reasons: [CustomReason] = []
        if instructions.custom.contains(.init(entity: new.lineage)) { reasons.append(reason(.requested)) }
        if !isEmptied {
            for column in columns where column.column.part == 0 {
                guard case .custom(let cause) = column.origin else { continue }
                reasons.append(reason(cause, column.column.property.flatMap(new.property)))
            }
            reasons += keyReasons()
            let keys = Self.breakableKeys(to.uniqueKeys(of: new), before: from.uniqueKeys(of: old), columns: columns)
            reasons += keys.map { reason(.duplicates($0.properties)) }
            reasons += new.checks.filter { Self.canBeViolated($0, old: old, new: new, columns) }.map {
                reason(.check($0.lineage))
            }
        }
        let isByColumns = instructions.byColumns.contains(new.lineage)
        return reasons.isEmpty && isByColumns ? [reason(.requested)] : reasons
    }

    /// Returns whether rows of the old version may violate a check.
    static func canBeViolated(
        _ check: EntityCheck, old: Entity, new: Entity, _ columns: [EntityStep.ColumnStep]
    ) -> Bool {
        func origin(_ property: ElementLineage) -> ValueOrigin? {
            columns.first { $0.column.property == property && $0.column.role != .position }?.origin
        }
        let isKept = check.condition.columns.allSatisfy { property in
            // Another collation makes other texts equal.
            guard new.property(property)?.collation == old.property(property)?.collation else { return false }
            return if case .copy(let column) = origin(property) { column.property == property } else { false }
        }
        func isNumber(_ property: ElementLineage) -> Bool {
            switch new.property(property)?.type {
            case .scalar(let type): type.storage == .integer || type.storage == .real
            default: false
            }
        }
        if isKept, old.checks.contains(where: { $0.condition.implies(check.condition, isNumber: isNumber) }) {
            return false
        }
        let known = check.condition.replacingColumns { property -> RowExpression<ElementLineage> in
            switch origin(property) {
            case .null: .null
            case .constant(let value): .literal(value)
            default: .column(property)
            }
        }
        return known.canBeFalse
    }

    /// Returns the changes of a primary key that consists of properties.
    private func keyReasons() -> [CustomReason] {
        guard case .properties(let lineages) = new.identifier else { return [] }
        let isOther = !to.hasSameKey(new, as: old, in: from)
        let recollated = lineages.compactMap(new.property).filter { property in
            old.property(property.lineage).map { $0.collation != property.collation } ?? false
        }
        return (isOther ? [reason(.otherKey)] : []) + recollated.map { reason(.keyCollation, $0) }
    }

    /// Returns the changes for which a custom migration must preserve or provide the values of a single property.
    func propertyReasons() -> [CustomReason] {
        var reasons: [CustomReason] = []
        for property in old.properties where new.property(property.lineage) == nil && !isEmptied {
            let isDiscarded = instructions.discarded.contains(.init(entity: old.lineage, property: property.lineage))
            if !isDiscarded, property.relationship.map(holdsData) ?? true {
                reasons.append(reason(.removed, property))
            }
        }
        let stored = Set(columns.compactMap(\.column.property))
        for property in new.properties where old.property(property.lineage) != nil {
            let isStored = stored.contains(property.lineage)
            if !isStored || isEmptied { reasons += moved(property, isStored: isStored) }
        }
        for property in new.properties where old.property(property.lineage) == nil && isEmptied && isRequested(property)
        {
            reasons.append(reason(.requested, property))
        }
        for property in old.properties where new.property(property.lineage) == nil && isRequested(property) {
            reasons.append(reason(.requested, property))
        }
        return reasons
    }

    private func isRequested(_ property: Property) -> Bool {
        instructions.custom.contains(.init(entity: new.lineage, property: property.lineage))
    }

    /// Returns the reasons for a property that exists in both versions and is, or was, stored elsewhere.
    private func moved(_ property: Property, isStored: Bool) -> [CustomReason] {
        var reasons: [CustomReason] = []
        let wasStored = from.columns(of: old).contains { $0.property == property.lineage }
        let isJoined = to.joinTables(of: new).contains { $0.property == property.lineage }
        if !isEmptied, !isStored, !isJoined {
            if wasStored {
                if !joinsInverse(property) { reasons.append(reason(.isElsewhere, property)) }
            } else if let cause = otherEnd(of: property) {
                reasons.append(reason(cause, property))
            }
        }
        if isRequested(property) { reasons.append(reason(.requested, property)) }
        return reasons
    }

    /// Returns whether the inverse has a join table now. `JoinTableInference` then takes the pairs from the property's foreign
    /// key, or requires a custom migration.
    private func joinsInverse(_ property: Property) -> Bool {
        guard let now = property.relationship, let was = old.property(property.lineage)?.relationship else {
            return false
        }
        return to.storage(of: now) == .inverseJoinTable && was.target == now.target && was.inverse == now.inverse
    }

    /// Returns the change at the other end of a relationship that the other end stored; nil if there is no such change.
    private func otherEnd(of property: Property) -> CustomCause? {
        guard let now = property.relationship, let was = old.property(property.lineage)?.relationship,
            [.inverseColumn, .inverseJoinTable].contains(from.storage(of: was)),
            !instructions.emptied.contains(was.target)
        else { return nil }
        if was.target != now.target { return .otherTarget }
        return was.inverse != now.inverse ? .otherInverse : nil
    }

    /// Returns whether the removal of a relationship loses data: its references or their order.
    private func holdsData(_ relationship: Relationship) -> Bool {
        switch from.storage(of: relationship) {
        case .column, .joinTable: return true
        case .inverseColumn, .inverseJoinTable:
            // If the other end is removed too, the removal of that end covers both.
            let inverse = relationship.inverse.flatMap { to.entity(relationship.target)?.property($0) }
            return relationship.isOrdered && inverse != nil
        }
    }

    // MARK: Tables

    /// Returns the changes of the entity's table.
    func tableChanges(isCustom: Bool) -> [TableChange] {
        let (before, after) = (from.table(of: old), to.table(of: new))
        if isEmptied { return [.drop(before.name), .create(after.name)] }
        let expressions = inference.expressions(of: columns)
        if isCustom {
            var references: [String: String] = [:]
            for step in columns {
                guard case .reference = step.column.role, case .copy(let column) = step.origin else { continue }
                references[step.column.name] = column.name
            }
            return [.custom(from: before.name, to: after.name, columns: expressions, references: references)]
        }
        return before == after && expressions.isEmpty
            ? [] : [.map(from: before.name, to: after.name, columns: expressions)]
    }

    /// Returns the changes of the entity's join tables.
    func joinTables() -> JoinTableInference {
        JoinTableInference(from: from, to: to, old: old, new: new, emptied: instructions.emptied)
    }

    /// Returns the unique keys that rows of the old version may violate.
    ///
    /// Rows cannot violate a key if one of its columns is NULL in every row ("all NULL values are considered
    /// different", https://sqlite.org/lang_createindex.html). They also cannot violate it if the old version had a key
    /// that implies it, and the step keeps the values of that key distinct.
    static func breakableKeys(
        _ keys: [UniqueKey], before: [UniqueKey], columns: [EntityStep.ColumnStep]
    ) -> [UniqueKey] {
        func origin(_ property: ElementLineage) -> ValueOrigin? {
            columns.first { $0.column.property == property && $0.column.role != .position }?.origin
        }
        return keys.filter { key in
            if key.properties.contains(where: { origin($0) == .null }) { return false }
            return !before.contains { old in
                // The rows of an index stay the same only if the values in its condition do.
                let keepsRows =
                    old.condition == nil || old.conditionProperties.allSatisfy { origin($0)?.isCopy == true }
                return keepsRows && old.implies(key)
                    && old.properties.allSatisfy { origin($0)?.keepsValuesApart == true }
            }
        }
    }
}

extension ValueOrigin {
    /// Whether rows with different values still have different values after the step.
    fileprivate var keepsValuesApart: Bool {
        switch self {
        case .copy: true
        case .changed(_, let change): !change.values.isMerging
        case .coalesced, .limited, .constant, .null, .custom: false
        }
    }
}
