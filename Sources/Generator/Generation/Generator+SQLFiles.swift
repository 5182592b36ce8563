import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

extension Generator {
    /// Returns the values for the template `Version.sql`: the DDL of one version.
    func versionSQLValues(_ version: ModelVersion) -> Value {
        [
            "schema": .text(history.name),
            "version": .text(version.version.text),
            "tables": .list(
                version.statements.map { statements in
                    ["statements": .list(statements.map { .text($0 + ";") })]
                }),
        ]
    }

    /// Returns the values for the template `Step.sql`: the statements of one step.
    func stepSQLValues(_ step: SchemaStep) -> Value {
        let statements = StepStatements(
            from: step.from.tables, to: step.to.tables, changes: step.tableChanges, keepsOldTables: step.isCustom)
        func list(_ statements: [String]) -> Value { .list(statements.map { .text($0 + ";") }) }
        return [
            "schema": .text(history.name),
            "from": .text(step.from.version.text),
            "to": .text(step.to.version.text),
            "isEmpty": .flag(step.tableChanges.isEmpty),
            "create": list(statements.create),
            "fill": list(statements.fill),
            "isCustom": .flag(step.isCustom),
            "migration": .text(names.migration(step)),
            "entities": .list(
                (step.customEntities.map { ($0.old, $0.new) } + step.merged).map { old, new in
                    ["old": .text(old.name), "new": .text(new.name)]
                }),
            "removals": .list(Self.removalNames(step).map { .text("carryOn\($0)") }),
            "finish": list(statements.alter + statements.finish),
        ]
    }
}
