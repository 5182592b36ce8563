import Descriptions
import SchemaDiff
import SQLSchema

/// The parts of the descriptions that the `strata.json` of a model selects.
extension ValidatedDescriptions {
    /// Returns the supported versions up to the current one.
    ///
    /// - Throws: `Diagnostics` if the descriptions are wrong; `CommandError` if `imported` names an unknown column.
    func supportedHistory(_ folder: ModelFolder) throws -> SchemaHistory {
        guard let history else { throw Diagnostics(diagnostics) }
        guard let oldest = folder.configuration.versions.oldestSupported else {
            let unknown = (completeHistory ?? history).unknownImportedColumns
            if unknown.isEmpty { return history }
            throw CommandError.unknownImportedColumns(folder.path, unknown)
        }
        // `imported` may still name columns of versions that are no longer supported.
        return history.supported(from: oldest)
    }

    /// Returns the policies for rows that do not fit.
    ///
    /// - Throws: `Diagnostics` if a policy is wrong.
    func invalidRows(in history: SchemaHistory, _ settings: Configuration) throws -> [ImportedInvalidRows] {
        let invalidRows = settings.invalidRows.resolved(in: history)
        if invalidRows.diagnostics.isEmpty { return invalidRows.policies }
        // A policy may be for an entity of a later version than the current one.
        let complete = settings.invalidRows.resolved(in: completeHistory ?? history)
        guard settings.versions.currentVersion != nil, complete.diagnostics.isEmpty else {
            throw Diagnostics(invalidRows.diagnostics)
        }
        return invalidRows.policies
    }
}
