import SchemaModel
import SQLSchema

/// The changes of one step to an entity that exists before and after it.
package struct EntityStep: Sendable {
    /// The entity before.
    package let old: Entity
    /// The entity after.
    package let new: Entity
    /// The stored columns of the new table, each with the origin of its values.
    package let columns: [ColumnStep]
    /// Whether all rows of the entity are deleted.
    package let isEmptied: Bool
    /// Whether a custom migration converts the rows.
    package let isCustom: Bool
    /// Whether the custom migration reads and provides single columns instead of complete rows.
    package let isByColumns: Bool
    /// The changes that need a custom migration.
    package let customReasons: [CustomReason]
    /// The changes of the entity's table and its join tables.
    package let tableChanges: [TableChange]

    /// A column of the new table with the origin of its values.
    package struct ColumnStep: Sendable {
        /// The column after the step.
        package let column: StoredColumn
        /// The origin of the column's values.
        package let origin: ValueOrigin
    }

    /// Creates the step of an entity that does not change and has no instructions.
    init(unchanged entity: Entity, columns: [StoredColumn]) {
        old = entity
        new = entity
        self.columns = columns.map { ColumnStep(column: $0, origin: .copy($0)) }
        isEmptied = false
        isCustom = false
        isByColumns = false
        customReasons = []
        tableChanges = []
    }

    init(old: Entity, new: Entity, types: TypeInference) {
        self.old = old
        self.new = new
        let (from, to, instructions) = (types.from, types.to, types.instructions)
        let inference = ColumnInference(types, old: old, new: new)
        let columns = to.columns(of: new).map { ColumnStep(column: $0, origin: inference.origin(of: $0)) }
        self.columns = columns
        let isEmptied = instructions.emptied.contains(new.lineage)
        self.isEmptied = isEmptied

        var rowReasons: [CustomReason] = []
        var otherReasons: [CustomReason] = []
        func reason(_ cause: CustomCause, _ property: Property? = nil) -> CustomReason {
            CustomReason(new.lineage, property?.lineage, cause)
        }
        if instructions.custom.contains(.init(entity: new.lineage)) {
            rowReasons.append(reason(.requested))
        }
        if !isEmptied {
            for column in columns {
                guard case .custom(let cause) = column.origin, column.column.part == 0 else { continue }
                rowReasons.append(reason(cause, column.column.property.flatMap(new.property)))
            }
            if case .properties(let lineages) = new.identifier {
                if !to.hasSameKey(new, as: old, in: from) {
                    rowReasons.append(reason(.otherKey))
                }
                for property in lineages.compactMap(new.property)
                where old.property(property.lineage).map({ $0.collation != property.collation }) ?? false {
                    rowReasons.append(reason(.keyCollation, property))
                }
            }
            let keys = Self.breakableKeys(to.uniqueKeys(of: new), before: from.uniqueKeys(of: old), columns: columns)
            rowReasons += keys.map { reason(.duplicates($0.properties)) }
        }
        isByColumns = instructions.byColumns.contains(new.lineage)
        if isByColumns, rowReasons.isEmpty { rowReasons.append(reason(.requested)) }
        for property in old.properties where new.property(property.lineage) == nil && !isEmptied {
            let holdsData = property.relationship.map { Self.holdsData($0, from, to) } ?? true
            let isDiscarded = instructions.discarded.contains(.init(entity: old.lineage, property: property.lineage))
            if holdsData && !isDiscarded {
                otherReasons.append(reason(.removed, property))
            }
        }

        let oldColumns = from.columns(of: old)
        let joinTables = to.joinTables(of: new)
        for property in new.properties where old.property(property.lineage) != nil {
            let isStored = columns.contains { $0.column.property == property.lineage }
            let wasStored = oldColumns.contains { $0.property == property.lineage }
            let isJoined = joinTables.contains { $0.property == property.lineage }
            if wasStored, !isStored, !isJoined, !isEmptied {
                otherReasons.append(reason(.isElsewhere, property))
            }
            if !isStored, !isJoined, !wasStored, !isEmptied, let now = property.relationship,
                let was = old.property(property.lineage)?.relationship,
                [.inverseColumn, .inverseJoinTable].contains(from.storage(of: was)),
                !instructions.emptied.contains(was.target)
            {
                if was.target != now.target {
                    otherReasons.append(reason(.otherTarget, property))
                } else if was.inverse != now.inverse {
                    otherReasons.append(reason(.otherInverse, property))
                }
            }
            let element = StepInstructions.Element(entity: new.lineage, property: property.lineage)
            if !isStored || isEmptied, instructions.custom.contains(element) {
                otherReasons.append(reason(.requested, property))
            }
        }
        for property in new.properties where old.property(property.lineage) == nil && isEmptied {
            if instructions.custom.contains(.init(entity: new.lineage, property: property.lineage)) {
                otherReasons.append(reason(.requested, property))
            }
        }
        for property in old.properties where new.property(property.lineage) == nil {
            if instructions.custom.contains(.init(entity: old.lineage, property: property.lineage)) {
                otherReasons.append(reason(.requested, property))
            }
        }

        var changes: [TableChange] = []
        let oldTable = from.table(of: old)
        let newTable = to.table(of: new)
        let expressions = inference.expressions(of: columns)
        if isEmptied {
            changes += [.drop(oldTable.name), .create(newTable.name)]
        } else if !rowReasons.isEmpty {
            var references: [String: String] = [:]
            for step in columns {
                guard case .reference = step.column.role, case .copy(let before) = step.origin else { continue }
                references[step.column.name] = before.name
            }
            changes.append(
                .custom(from: oldTable.name, to: newTable.name, columns: expressions, references: references))
        } else if oldTable != newTable || !expressions.isEmpty {
            changes.append(.map(from: oldTable.name, to: newTable.name, columns: expressions))
        }
        let joins = JoinTableInference(from: from, to: to, old: old, new: new, emptied: instructions.emptied)
        changes += joins.changes
        otherReasons += joins.customReasons

        self.isCustom = !rowReasons.isEmpty
        self.customReasons = rowReasons + otherReasons
        self.tableChanges = changes
    }

    /// Whether removing a relationship loses data: its references or their order.
    private static func holdsData(_ relationship: Relationship, _ from: SchemaVersion, _ to: SchemaVersion) -> Bool {
        switch from.storage(of: relationship) {
        case .column, .joinTable: return true
        case .inverseJoinTable: return false
        case .inverseColumn:
            // If the other end is removed too, the removal of that end covers both.
            let inverse = relationship.inverse.flatMap { to.entity(relationship.target)?.property($0) }
            return relationship.isOrdered && inverse != nil
        }
    }

    /// The unique keys that rows of the old version may violate.
    ///
    /// A key cannot be violated in two cases: the old version had a key that implies it, and the step keeps that key's
    /// values distinct; or one of its columns is NULL in every row ("all NULL values are considered different",
    /// https://sqlite.org/lang_createindex.html).
    private static func breakableKeys(
        _ keys: [UniqueKey], before: [UniqueKey], columns: [ColumnStep]
    ) -> [UniqueKey] {
        func origin(_ property: ElementLineage) -> ValueOrigin? {
            columns.first { $0.column.property == property && $0.column.role != .position }?.origin
        }
        return keys.filter { key in
            if key.properties.contains(where: { origin($0) == .null }) { return false }
            return !before.contains {
                $0.implies(key) && $0.properties.allSatisfy { origin($0)?.keepsValuesApart == true }
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
        case .coalesced, .constant, .null, .custom: false
        }
    }
}
