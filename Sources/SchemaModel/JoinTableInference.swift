/// What becomes of the join tables of an entity that lives before and after a step.
struct JoinTableInference {
    private(set) var changes: [TableChange] = []
    private(set) var customReasons: [String] = []

    init(from: SchemaVersion, to: SchemaVersion, old: Entity, new: Entity, emptied: Set<Int>) {
        let isEmptied = emptied.contains(new.lineage)
        let before = from.joinTables(of: old)
        for join in to.joinTables(of: new) {
            let property = new.property(join.property)
            let was = old.property(join.property)
            guard !isEmptied, let property, let was, let relationship = was.relationship else {
                changes.append(.create(join.table.name))
                if let was, was.relationship == nil, !isEmptied {
                    customReasons.append("`\(new.name).\(was.name)` turns from attribute to relationship")
                }
                continue
            }
            let name = "`\(new.name).\(property.name)`"
            let pointsElsewhere = relationship.target != join.relationship.target
            let isRepointed =
                relationship.inverse != join.relationship.inverse
                && relationship.inverse != nil && join.relationship.inverse != nil
            if isRepointed { customReasons.append("\(name) has another inverse") }
            if emptied.contains(join.relationship.target), !pointsElsewhere {
                changes += before.filter { $0.property == join.property }.map { .drop($0.table.name) }
                changes.append(.create(join.table.name))
                continue
            }
            if let source = before.first(where: { $0.property == join.property }) {
                if pointsElsewhere {
                    customReasons.append("\(name) points at another entity")
                    changes += [.drop(source.table.name), .create(join.table.name)]
                } else if source.table != join.table {
                    changes.append(.map(from: source.table.name, to: join.table.name))
                }
            } else if !pointsElsewhere, from.storage(of: relationship) == .column,
                let column = from.columns(of: old).first(where: { $0.property == join.property })
            {
                let target = SQL.quoted(column.name)
                changes.append(
                    .map(
                        from: old.tableName, to: join.table.name,
                        columns: ["source_id": SQL.quoted(old.identifier.name), "target_id": target, "position": "0"],
                        filter: "\(target) IS NOT NULL"))
            } else {
                customReasons.append("\(name) was kept elsewhere")
                changes.append(.create(join.table.name))
            }
        }
        for join in before {
            let remains = to.joinTables(of: new).contains { $0.property == join.property }
            if isEmptied || !remains { changes.append(.drop(join.table.name)) }
            if let property = new.property(join.property), !remains, !isEmptied, property.relationship != nil,
                !to.columns(of: new).contains(where: { $0.property == join.property })
            {
                customReasons.append("`\(new.name).\(property.name)` is kept elsewhere")
            }
        }
    }
}
