import SchemaDiff
import SchemaModel
import SQLSchema

extension SchemaDocument.Step {
    /// Creates the facts of a step between the versions with the indexes `from` and `to`.
    init(_ step: SchemaStep, from: Int, to: Int, sql: String) {
        let statements = StepStatements(
            from: step.from.tables, to: step.to.tables, changes: step.tableChanges, keepsOldTables: step.isCustom)
        let actions = Dictionary(
            statements.actions.map { ($0.table, $0.action) }, uniquingKeysWith: { first, _ in first })
        self.from = from
        self.to = to
        custom = step.isCustom
        // The old table of a renamed entity is dropped after its rows are copied. Its entity's change says so already.
        let renamed = Set(step.entities.filter { $0.old.tableName != $0.new.tableName }.map(\.old.tableName))
        tables = statements.actions.filter { $0.action != .keep && !($0.action == .drop && renamed.contains($0.table)) }
            .map { Table(name: $0.table, action: $0.action) }
        self.sql = sql
        changes = step.changes.map { change in
            var facts = SchemaDocument.Change(
                handling: change.handling.rawValue, subject: step.subject(of: change), text: step.text(of: change),
                reason: step.reason(for: change))
            switch change.subject {
            case .entity(let entity): facts.entity = entity.index
            case .property(let entity, let property): (facts.entity, facts.property) = (entity.index, property.index)
            case .subtype(let subtype), .element(let subtype, _): facts.subtype = subtype.index
            }
            facts.table = step.table(of: change.subject).map { actions[$0] ?? .keep }
            // A new table may have the name of a removed one.
            if case .entity(let entity) = change.subject, step.to.entity(entity) == nil { facts.table = .drop }
            return facts
        }
    }
}

extension SchemaStep {
    /// Returns the name of the table that contains a changed element; nil if there is none.
    fileprivate func table(of subject: SchemaChange.Subject) -> String? {
        switch subject {
        case .entity(let lineage):
            return (to.entity(lineage) ?? from.entity(lineage))?.tableName
        case .property(let lineage, let property):
            for version in [to, from] {
                guard let entity = version.entity(lineage) else { continue }
                if entity.computedProperty(property) != nil { return entity.tableName }
                guard let found = entity.property(property) else { continue }
                guard let relationship = found.relationship else { return entity.tableName }
                switch version.storage(of: relationship) {
                case .column: return entity.tableName
                case .joinTable: return version.joinTableName(of: found, in: entity)
                case .inverseColumn, .inverseJoinTable: return nil
                }
            }
            return nil
        case .subtype, .element: return nil
        }
    }
}
