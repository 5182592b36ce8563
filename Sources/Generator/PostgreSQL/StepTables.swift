import SchemaDiff
import SchemaModel
import SQLSchema

/// The tables of a step on a server: the altered, the new and the dropped ones.
struct StepTables {
    let old: [ServerTable]
    let new: [ServerTable]
    private(set) var transitions: [TableTransition] = []
    private(set) var created: [ServerTable] = []
    /// The new tables whose rows come from the table of an entity, with the values that must not be NULL.
    private(set) var fills: [(change: TableTransition, requiring: [ValueExpression])] = []

    init(_ step: SchemaStep) {
        (old, new) = (step.from.serverTables, step.to.serverTables)
        let before = Dictionary(old.map { ($0.owner, $0) }, uniquingKeysWith: { first, _ in first })
        let entities = Dictionary(step.entities.map { ($0.new.lineage, $0) }, uniquingKeysWith: { first, _ in first })
        for table in new {
            if table.owner.relationship == nil {
                if let entity = entities[table.owner.entity], let old = before[table.owner] {
                    transitions.append(Self.transition(of: entity, from: old, to: table, step.from))
                } else {
                    add(newTable: table, step)
                }
            } else {
                add(joinTable: table, before[table.owner], step)
            }
        }
    }

    private static func transition(
        of entity: EntityStep, from old: ServerTable, to new: ServerTable, _ version: ModelVersion
    ) -> TableTransition {
        let origins = Dictionary(
            entity.columns.map { ($0.column.name, $0.origin) }, uniquingKeysWith: { first, _ in first })
        let before = version.columns(of: entity.old)
        var predecessors: [String: String] = [:]
        for step in entity.columns {
            let column = step.column
            predecessors[column.name] =
                before.first {
                    $0.property == column.property && $0.part == column.part
                        && ($0.role == .position) == (column.role == .position)
                }?.name
        }
        return TableTransition(
            from: old, to: new, values: { origins[$0.name]?.expression }, predecessors: predecessors,
            isEmptied: entity.isEmptied)
    }

    /// Adds the table of a new entity, which may get copies of the rows of another one.
    private mutating func add(newTable table: ServerTable, _ step: SchemaStep) {
        created.append(table)
        let copy = step.copies.first { $0.isInferred && $0.new.lineage == table.owner.entity }
        guard let copy,
            let source = old.first(where: { $0.owner.relationship == nil && $0.owner.entity == copy.source.lineage })
        else { return }
        let origins = Dictionary(
            copy.columns.map { ($0.column.name, $0.origin.expression) }, uniquingKeysWith: { first, _ in first })
        let change = TableTransition(from: source, to: table) { origins[$0.name] ?? nil }
        fills.append((change, copy.required.map { [.column($0)] } ?? []))
    }

    private mutating func add(joinTable table: ServerTable, _ before: ServerTable?, _ step: SchemaStep) {
        var values: [String: ValueExpression] = [:]
        func value(in source: ServerTable) -> (Table.Column) -> ValueExpression? {
            {
                values[$0.name]
                    ?? (source.table.column($0.name) == nil ? table.table.defaultValue(of: $0.name) : .column($0.name))
            }
        }
        switch step.tableChanges.first(where: { $0.result == table.name }) {
        case .map(let name, _, let columns, let requiring):
            values = columns
            guard let source = old.first(where: { $0.name == name }) else { return created.append(table) }
            let change = TableTransition(from: source, to: table, values: value(in: source))
            if source.owner == table.owner { return transitions.append(change) }
            // The pairs come from a foreign key of the entity's table.
            created.append(table)
            fills.append((change, requiring))
        case .custom: created.append(table)
        case .create, .drop:
            let isCustom = step.reasons.contains {
                $0.entity == table.owner.entity && $0.property == table.owner.relationship
            }
            guard let before, !isCustom else { return created.append(table) }
            transitions.append(TableTransition(from: before, to: table, values: value(in: before), isEmptied: true))
        case nil:
            guard let before else { return created.append(table) }
            transitions.append(TableTransition(from: before, to: table, values: value(in: before)))
        }
    }

    /// The tables whose rows are no rows of a new table.
    var dropped: [ServerTable] {
        let kept = Set(transitions.map(\.old.name))
        return old.filter { !kept.contains($0.name) }
    }

    func transition(from name: String) -> TableTransition? { transitions.first { $0.old.name == name } }

    func transition(to name: String) -> TableTransition? { transitions.first { $0.new.name == name } }

    /// Whether a new table can be created while apps of the old version run: no old table has its name.
    func isOnline(_ table: ServerTable) -> Bool { !old.contains { $0.name == table.name } }

    /// The name of an old table after all tables were renamed. A table that is dropped makes way for a new one.
    func present(_ table: ServerTable) -> String {
        if let change = transition(from: table.name) { return change.new.name }
        return new.contains { $0.name == table.name } ? TableTransition.oldPrefix + table.name : table.name
    }

    // MARK: Foreign keys

    /// Returns the new foreign key that an old one becomes without a change; nil if there is none.
    func successor(of key: Table.ForeignKey, _ change: TableTransition) -> Table.ForeignKey? {
        guard let target = transition(from: key.target), target.keepsPrimaryKey, !target.isEmptied,
            let columns = change.keptNames(key.columns), let targetColumns = target.keptNames(key.targetColumns)
        else { return nil }
        let same = Table.ForeignKey(columns, to: target.new.name, targetColumns, key.deleteRule)
        return change.new.table.foreignKeys.contains(same) ? same : nil
    }

    /// The target of a new foreign key under its old names; nil if the key has to wait until the target has changed.
    func onlineTarget(of key: Table.ForeignKey) -> (table: String, columns: [String])? {
        if let table = created.first(where: { $0.name == key.target }) {
            return isOnline(table) ? (key.target, key.targetColumns) : nil
        }
        guard let target = transition(to: key.target), target.keepsPrimaryKey, !target.isEmptied else { return nil }
        let columns = key.targetColumns.compactMap(target.keptSource)
        return columns.count == key.targetColumns.count ? (target.old.name, columns) : nil
    }
}
