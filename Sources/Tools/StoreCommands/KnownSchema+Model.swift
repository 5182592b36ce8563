import Commands
import SQLSchema
import SchemaDiff
import SchemaModel
import Strata

extension KnownSchema {
    /// Creates the schema of a model, without the code of its custom migrations. The schema can inspect stores, but it
    /// cannot carry out custom migrations.
    package init(_ model: LoadedModel) {
        self.init(model.history, invalidRows: model.invalidRows)
    }

    /// Creates the schema of a history, without the code of its custom migrations.
    package init(_ history: SchemaHistory, invalidRows: [ImportedInvalidRows] = []) {
        let unwritten: @Sendable (CustomStep) throws -> Void = { _ in throw UnwrittenMigration() }
        self.init(
            history.name,
            versions: history.versions.map {
                Strata.SchemaVersion($0.version.text, fingerprint: $0.fingerprint.value, tables: $0.tables)
            },
            steps: history.steps.map { step in
                MigrationStep(
                    from: step.from.version.text, to: step.to.version.text, changes: step.tableChanges,
                    custom: step.isCustom ? unwritten : nil)
            },
            imported: history.importedFormat(invalidRows: invalidRows),
            valueTypes: history.newest.valueTypeLines.joined(separator: "\n"))
    }
}
