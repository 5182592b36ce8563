import SchemaModel
import Strata

/// The schema that the descriptions of a model tell, without the code of its migrations: with it a store can be looked
/// at, not migrated.
package enum DescribedSchema: Schema {
    /// What the descriptions tell.
    @TaskLocal package static var history: SchemaHistory?

    package static var name: String { history?.name ?? "" }
    package static var fingerprint: UInt64 { versions.last?.fingerprint ?? 0 }
    package static var versions: [Strata.SchemaVersion] {
        (history?.versions ?? []).map {
            Strata.SchemaVersion($0.version.text, fingerprint: $0.fingerprint.value, tables: $0.tables)
        }
    }
    package static var imported: ImportedFormat? { history?.importedFormat }

    /// In the place of code that is not here.
    private static let unwritten: @Sendable (CustomStep) throws -> Void = { _ in throw UnwrittenMigration() }

    package static var steps: [MigrationStep] {
        (history?.steps ?? []).map { step in
            MigrationStep(
                from: step.from.version.text, to: step.to.version.text, changes: step.tableChanges,
                custom: step.isCustom ? unwritten : nil)
        }
    }
}
