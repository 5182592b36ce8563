import SQLSchema
import SchemaDiff
import SchemaModel
import Strata

extension SchemaDefinition {
    /// Creates the schema of a history, without the code of its custom migrations.
    package init(_ history: SchemaHistory, invalidRows: [ImportedInvalidRows] = []) {
        var versions: [SchemaVersion] = []
        for version in history.versions {
            let oldest = history.compatibleSince(version.version).text
            let first = versions.firstIndex { $0.name == oldest } ?? versions.endIndex
            versions.append(
                SchemaVersion(
                    version.version.text, fingerprint: version.fingerprint.value, tables: version.tables,
                    compatible: Array(versions[first...])))
        }
        self.init(
            history.name, versions: versions,
            steps: history.steps.map { step in
                MigrationStep(
                    from: step.from.version.text, to: step.to.version.text, changes: step.tableChanges,
                    isCustom: step.isCustom)
            },
            imported: history.importedFormat(invalidRows: invalidRows),
            valueTypes: history.newest.valueTypeLines.joined(separator: "\n"))
    }
}
