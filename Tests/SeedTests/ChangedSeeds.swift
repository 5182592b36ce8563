import Foundation
import Strata

@testable import Seeds

/// The schema of the seeds with other code in the step from one version.
protocol ChangedSeeds: Schema {
    /// The version from which the step leads.
    static var changedStep: String { get }
    /// The custom migration of the step.
    static func migrate(_ step: CustomStep) throws
}

extension ChangedSeeds {
    static var name: String { SeedsSchema.name }
    static var fingerprint: UInt64 { SeedsSchema.fingerprint }
    static var versions: [SchemaVersion] { SeedsSchema.versions }
    static var steps: [MigrationStep] {
        SeedsSchema.steps.map { step in
            step.from != changedStep
                ? step : MigrationStep(from: step.from, to: step.to, changes: step.changes) { try migrate($0) }
        }
    }
}

/// The error of a custom migration.
struct SeedError: Error, Hashable {
    let row: String
}
