import SchemaDiff
import SchemaModel
import SQLSchema

extension Validator {
    /// Returns the problems with the entities of a step whose custom migrations read single columns.
    func columnMigrationProblems(_ step: SchemaStep) -> [Diagnostic] {
        step.instructions.byColumns.sorted().flatMap { lineage -> [Diagnostic] in
            let reason: String
            if let entity = step.entities.first(where: { $0.new.lineage == lineage }) {
                if step.canMigrateByColumns(entity) { return [] }
                reason =
                    step.from.table(of: entity.old).rowNumber == nil
                    ? "\"columns\" needs the row number, but the table has columns named rowid, oid and _rowid_; rename one"
                    : "the primary key changes, so \"columns\" is not possible; write \"custom\""
            } else {
                reason = "the entity does not exist in both versions"
            }
            let description = sources[lineage].description
            let items = description.element.items.filter {
                step.from.version < $0.version && $0.version <= step.to.version
            }
            return items.compactMap(\.byColumnsOffset).map {
                description.file.diagnostic(
                    .keyDoesNotApply("migration", because: reason), at: $0)
            }
        }
    }
}
