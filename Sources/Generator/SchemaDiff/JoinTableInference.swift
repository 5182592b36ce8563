import SchemaModel
import SQLSchema

/// What becomes of the join tables of an entity that lives before and after a step.
struct JoinTableInference {
    private(set) var changes: [TableChange] = []
    private(set) var customReasons: [CustomReason] = []

    init(from: SchemaVersion, to: SchemaVersion, old: Entity, new: Entity, emptied: Set<EntityLineage>) {
        let isEmptied = emptied.contains(new.lineage)
        let before = from.joinTables(of: old)
        func reason(_ property: Property, _ cause: CustomCause) -> CustomReason {
            CustomReason(new.lineage, property.lineage, cause)
        }
        func keepsKeys(_ target: EntityLineage) -> Bool {
            guard let was = from.entity(target), let now = to.entity(target) else { return false }
            return to.hasSameKey(now, as: was, in: from) && to.hasSameKey(new, as: old, in: from)
        }
        for join in to.joinTables(of: new) {
            let property = new.property(join.property)
            let was = old.property(join.property)
            guard !isEmptied, let property, let was, let relationship = was.relationship else {
                changes.append(.create(join.table.name))
                if let was, was.relationship == nil, !isEmptied {
                    customReasons.append(reason(property ?? was, .becomesRelationship))
                }
                continue
            }
            let pointsElsewhere = relationship.target != join.relationship.target
            let isRepointed =
                relationship.inverse != join.relationship.inverse
                && relationship.inverse != nil && join.relationship.inverse != nil
            if isRepointed { customReasons.append(reason(property, .otherInverse)) }
            if to.isOwnInverse(join.relationship), !pointsElsewhere, relationship.inverse == nil {
                customReasons.append(reason(property, .ownInverse))
            }
            if emptied.contains(join.relationship.target), !pointsElsewhere {
                changes += before.filter { $0.property == join.property }.map { .drop($0.table.name) }
                changes.append(.create(join.table.name))
                continue
            }
            if let source = before.first(where: { $0.property == join.property }) {
                if pointsElsewhere || !keepsKeys(relationship.target) {
                    customReasons.append(
                        reason(property, pointsElsewhere ? .otherTarget : .otherTargetKey))
                    changes += [.drop(source.table.name), .create(join.table.name)]
                } else if source.table != join.table {
                    let columns = zip(join.source + join.target, source.source + source.target)
                    changes.append(
                        .map(from: source.table.name, to: join.table.name, columns: Self.expressions(columns)))
                }
            } else if !pointsElsewhere, from.storage(of: relationship) == .column, keepsKeys(relationship.target) {
                let target = from.referenceParts(of: was).map(\.name)
                let keys = zip(join.source + join.target, from.keyParts(of: old).map(\.name) + target)
                var columns = Dictionary(
                    keys.map { ($0, ValueExpression.column($1)) }, uniquingKeysWith: { first, _ in first })
                columns["position"] = .literal(.integer(0))
                changes.append(
                    .map(
                        from: old.tableName, to: join.table.name, columns: columns,
                        requiring: [.column(target[0])]))
            } else {
                customReasons.append(reason(property, .wasElsewhere))
                changes.append(.create(join.table.name))
            }
        }
        for join in before {
            let remains = to.joinTables(of: new).contains { $0.property == join.property }
            if isEmptied || !remains { changes.append(.drop(join.table.name)) }
            if let property = new.property(join.property), !remains, !isEmptied, property.relationship != nil,
                !to.columns(of: new).contains(where: { $0.property == join.property })
            {
                customReasons.append(reason(property, .isElsewhere))
            }
        }
    }

    /// The columns that have another name now.
    private static func expressions(_ columns: some Sequence<(String, String)>) -> [String: ValueExpression] {
        let renamed = columns.filter { $0 != $1 }.map { ($0, ValueExpression.column($1)) }
        return Dictionary(renamed, uniquingKeysWith: { first, _ in first })
    }
}
