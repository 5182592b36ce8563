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
        } else if !hasOtherTarget, from.storage(of: relationship) == .column {
            let (columns, reference) = columns(join, from: was)
            changes.append(
                keepsKeys(relationship.target)
                    ? .map(from: old.tableName, to: join.table.name, columns: columns, requiring: [.column(reference)])
                    : .custom(from: old.tableName, to: join.table.name, columns: columns))
        } else if !hasOtherTarget, keepsKeys(relationship.target), let target = from.entity(relationship.target),
            let inverse = from.inverse(of: relationship), from.storage(of: relationship) == .inverseColumn
        {
            let (columns, reference) = columns(
                join, fromInverse: inverse, of: target, isOrdered: relationship.isOrdered)
            changes.append(
                .map(from: target.tableName, to: join.table.name, columns: columns, requiring: [.column(reference)]))
        } else {
            require(.wasElsewhere, property)
            changes.append(.create(join.table.name))
        }
    }

    /// Returns the values of a join table's columns if a to-one relationship was stored in a foreign key, and a column of
    /// this foreign key.
    private func columns(
        _ join: ModelVersion.JoinTable, from property: Property
    ) -> (columns: [String: ValueExpression], reference: String) {
        let target = from.referenceParts(of: property).map(\.name)
        let keys = zip(join.source + join.target, from.keyParts(of: old).map(\.name) + target)
        var columns = Dictionary(keys.map { ($0, ValueExpression.column($1)) }, uniquingKeysWith: { first, _ in first })
        columns[Table.position] = .literal(.integer(0))
        // The rows that refer to one target may already have an order.
        let inverse = property.relationship.flatMap { from.inverse(of: $0) }
        if join.hasOrderedInverse {
            let isOrdered = inverse?.relationship?.isOrdered == true
            columns[Table.inversePosition] = isOrdered ? .column(property.positionColumn) : .null
        }
        return (columns, target[0])
    }

    /// Returns the values of a join table's columns if the foreign key was in the target's table, and a column of this
    /// foreign key.
    ///
    /// - Parameter isOrdered: Whether the related rows had an order.
    private func columns(
        _ join: ModelVersion.JoinTable, fromInverse inverse: Property, of target: Entity, isOrdered: Bool
    ) -> (columns: [String: ValueExpression], reference: String) {
        let source = from.referenceParts(of: inverse).map(\.name)
        let keys = zip(join.source + join.target, source + from.keyParts(of: target).map(\.name))
        var columns = Dictionary(keys.map { ($0, ValueExpression.column($1)) }, uniquingKeysWith: { first, _ in first })
        // The targets without a position are the last ones.
        columns[Table.position] =
            isOrdered
            ? .coalesce(.column(inverse.positionColumn), .literal(.integer(Table.lastPosition)))
            : .literal(.integer(0))
        if join.hasOrderedInverse { columns[Table.inversePosition] = .null }
        return (columns, source[0])
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
