import SchemaModel
import SQLSchema

/// Infers how a step changes the join tables of an entity that exists before and after it.
struct JoinTableInference {
    private(set) var changes: [TableChange] = []
    private(set) var customReasons: [CustomReason] = []
    private let from: ModelVersion
    private let to: ModelVersion
    private let old: Entity
    private let new: Entity
    /// The entities whose rows are all deleted.
    private let emptied: Set<EntityLineage>
    private let before: [ModelVersion.JoinTable]

    private var isEmptied: Bool { emptied.contains(new.lineage) }

    init(from: ModelVersion, to: ModelVersion, old: Entity, new: Entity, emptied: Set<EntityLineage>) {
        (self.from, self.to, self.old, self.new, self.emptied) = (from, to, old, new, emptied)
        before = from.joinTables(of: old)
        let after = to.joinTables(of: new)
        for join in after { infer(join) }
        for join in before {
            let remains = after.contains { $0.property == join.property }
            if isEmptied || !remains { changes.append(.drop(join.table.name)) }
            let isColumn = to.columns(of: new).contains { $0.property == join.property }
            if let property = new.property(join.property), property.relationship != nil, !remains, !isEmptied, !isColumn
            {
                require(.isElsewhere, property)
            }
        }
    }

    private mutating func require(_ cause: CustomCause, _ property: Property) {
        customReasons.append(CustomReason(new.lineage, property.lineage, cause))
    }

    /// Infers the change of a join table of the new version.
    private mutating func infer(_ join: ModelVersion.JoinTable) {
        guard !isEmptied, let property = new.property(join.property), let was = old.property(join.property) else {
            return changes.append(.create(join.table.name))
        }
        guard let relationship = was.relationship else {
            require(.becomesRelationship, property)
            return changes.append(.create(join.table.name))
        }
        let hasOtherTarget = relationship.target != join.relationship.target
        if let one = relationship.inverse, let other = join.relationship.inverse, one != other {
            require(.otherInverse, property)
        }
        if to.isOwnInverse(join.relationship), !hasOtherTarget, relationship.inverse == nil {
            require(.ownInverse, property)
        }
        let source = before.first { $0.property == join.property }
        if emptied.contains(join.relationship.target), !hasOtherTarget {
            changes += (source.map { [.drop($0.table.name)] } ?? []) + [.create(join.table.name)]
        } else if let source {
            let losesDuplicates = relationship.allowsDuplicates && !join.relationship.allowsDuplicates
            if hasOtherTarget || losesDuplicates {
                require(hasOtherTarget ? .otherTarget : .duplicateTargets, property)
                changes += [.drop(source.table.name), .create(join.table.name)]
            } else if !keepsKeys(relationship.target) {
                // The custom migration that gives the rows their new keys decides where the pairs go.
                changes.append(.custom(from: source.table.name, to: join.table.name))
            } else if source.table != join.table {
                let columns = zip(join.source + join.target, source.source + source.target)
                changes.append(
                    .map(from: source.table.name, to: join.table.name, columns: Self.expressions(columns)))
            }
        } else if !hasOtherTarget, let key = foreignKey(of: was, relationship),
            key.isOwn || keepsKeys(relationship.target)
        {
            let columns = columns(join, from: key)
            let required = from.referenceParts(of: key.property)[0].name
            changes.append(
                keepsKeys(relationship.target)
                    ? .map(
                        from: key.holder.tableName, to: join.table.name, columns: columns,
                        requiring: [.column(required)])
                    : .custom(from: key.holder.tableName, to: join.table.name, columns: columns))
        } else {
            require(.wasElsewhere, property)
            changes.append(.create(join.table.name))
        }
    }

    /// The foreign key in which the old version stored a relationship.
    private struct ForeignKey {
        /// The entity whose table has it, and the property that it belongs to.
        let holder: Entity
        let property: Property
        /// Whether this is the entity of the relationship, and not its target.
        let isOwn: Bool
        /// Whether the rows that refer to one row have an order.
        let isOrdered: Bool
    }

    /// Returns the foreign key in which the old version stored a relationship; nil if it did not.
    private func foreignKey(of property: Property, _ relationship: Relationship) -> ForeignKey? {
        let inverse = from.inverse(of: relationship)
        switch from.storage(of: relationship) {
        case .column:
            return ForeignKey(
                holder: old, property: property, isOwn: true, isOrdered: inverse?.relationship?.isOrdered == true)
        case .inverseColumn:
            guard let inverse, let target = from.entity(relationship.target) else { return nil }
            return ForeignKey(holder: target, property: inverse, isOwn: false, isOrdered: relationship.isOrdered)
        case .joinTable, .inverseJoinTable: return nil
        }
    }

    /// Returns the values of a join table's columns if the relationship was stored in a foreign key.
    private func columns(_ join: ModelVersion.JoinTable, from key: ForeignKey) -> [String: ValueExpression] {
        let own = from.keyParts(of: key.holder).map(\.name)
        let reference = from.referenceParts(of: key.property).map(\.name)
        let keys = zip(join.source + join.target, key.isOwn ? own + reference : reference + own)
        var columns = Dictionary(keys.map { ($0, ValueExpression.column($1)) }, uniquingKeysWith: { first, _ in first })
        let position = key.isOrdered ? ValueExpression.column(key.property.positionColumn) : nil
        // A holder refers to one row, which may keep its holders in an order. A holder without a position comes last.
        columns[Table.position] =
            key.isOwn
            ? .literal(.integer(0))
            : position.map { .coalesce($0, .literal(.integer(Table.lastPosition))) } ?? .literal(.integer(0))
        if join.hasOrderedInverse { columns[Table.inversePosition] = key.isOwn ? position ?? .null : .null }
        return columns
    }

    /// Returns whether the primary keys of both ends stay the same.
    private func keepsKeys(_ target: EntityLineage) -> Bool {
        guard let was = from.entity(target), let now = to.entity(target) else { return false }
        return to.hasSameKey(now, as: was, in: from) && to.hasSameKey(new, as: old, in: from)
    }

    /// Returns the expressions for the columns whose names change.
    private static func expressions(_ columns: some Sequence<(String, String)>) -> [String: ValueExpression] {
        let renamed = columns.filter { $0 != $1 }.map { ($0, ValueExpression.column($1)) }
        return Dictionary(renamed, uniquingKeysWith: { first, _ in first })
    }
}
